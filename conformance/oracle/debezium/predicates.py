"""The predicates that the checks in the register of Debezium JSON name. Those on members, images and keys are here."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from conformance.oracle.conditions import (
    event_op,
    has_primary_key,
    is_expected,
    is_extension_stated,
    is_image_expected,
    is_missed,
    is_null_expected,
    is_stored,
    is_virtual,
    written_for,
)
from conformance.oracle.debezium import answers, descriptions, names, statements, values
from conformance.oracle.debezium.places import (
    are_exchanged,
    expected_in,
    given_in,
    has_column,
    has_default,
    holds_value,
    is_null_instead,
    is_other_image,
)
from conformance.oracle.rules import Condition, Place, Predicates
from conformance.oracle.tree import MISSING
from reference_impl.column_types import BINARY, Family
from reference_impl.exact_json import Object
from reference_impl.keys import handle_key, key_columns
from reference_impl.model import Column, RowChange
from reference_impl.values import same_value

__all__ = ["PREDICATES"]


def is_null_given(place: Place) -> bool:
    """Null is given."""
    return place.got is None


def is_null_either_way(place: Place) -> bool:
    """Null is expected or given."""
    return place.expected is None or place.got is None


def is_classic(place: Place) -> bool:
    """The profile is `classic`."""
    return place.profile.name == "classic"


def is_generated(place: Place) -> bool:
    """The column is generated."""
    return place.column is not None and place.column.generated is not None


# -- the order of members ----------------------------------------------------------------------------------------------


def _common(place: Place) -> tuple[list[str], list[str]] | None:
    """The members that both objects have, in either order; None if one side has no object."""
    if not (isinstance(place.expected, dict) and isinstance(place.got, dict)):
        return None
    return [n for n in place.expected if n in place.got], [n for n in place.got if n in place.expected]


def _is_kept(place: Place) -> bool:
    common = _common(place)
    return common is None or common[0] == common[1]


def _images(place: Place) -> set[str]:
    return {"before", "after"}


def _start_ts(place: Place) -> set[str]:
    return {"start_ts"}


def _virtual(place: Place) -> set[str]:
    return {column.name for column in place.table.columns if column.generated == "virtual"} if place.table else set()


# Members that may stand elsewhere where the others keep their order.
_MOVABLE: Mapping[str, Callable[[Place], set[str]]] = {"images": _images, "start_ts": _start_ts, "virtual": _virtual}


def moves_alone(which: str) -> Condition:
    """These members stand elsewhere, and all others in the expected order: `images`, `start_ts`, `virtual` columns."""
    moved = _MOVABLE[which]

    def holds(place: Place) -> bool:
        common = _common(place)
        if common is None or _is_kept(place):
            return False
        names = moved(place)
        orders = [[name for name in side if name not in names] for side in common]
        return orders[0] == orders[1]

    return holds


def keeps_order_beside(which: str) -> Condition:
    """No member stands elsewhere but these: `images`, `start_ts`, `virtual` columns."""
    alone = moves_alone(which)
    return lambda place: _is_kept(place) or alone(place)


def _is_after_second(place: Place) -> bool:
    return isinstance(place.got, dict) and list(place.got)[1:2] == ["after"]


def keeps_order_or_has_after_second(place: Place) -> bool:
    """The fields stand in the expected order, or `after` is the second."""
    return _is_kept(place) or _is_after_second(place)


def is_after_moved_second(place: Place) -> bool:
    """The fields stand in another order, with `after` as the second."""
    return not _is_kept(place) and _is_after_second(place)


# -- images ------------------------------------------------------------------------------------------------------------


def has_doubled_default(place: Place) -> bool:
    """The columns that the image has twice are binary ones that are NULL and have a default."""
    if not isinstance(place.got, Object) or place.table is None:
        return False
    columns = [place.table.column(name) for name in place.got.doubled]
    return bool(columns) and all(column is not None and _is_binary_default(place, column) for column in columns)


def _is_binary_default(place: Place, column: Column) -> bool:
    event = place.event
    assert isinstance(event, RowChange)
    row = event.before if place.path[-1] == "before" else event.after
    return column.type.family in BINARY and column.default is not None and (row or {}).get(column.name) is None


def is_unchanged(place: Place) -> bool:
    """The update does not change the column."""
    event, column = place.event, place.column
    if not isinstance(event, RowChange) or column is None or event_op(place) != "update":
        return False
    before, after = event.before or {}, event.after or {}
    return same_value(column.type, before.get(column.name), after.get(column.name))


def has_changed_columns_alone(place: Place) -> bool:
    """The given image has no column that the update leaves as it is."""
    given = given_in(place, "value", "payload", str(place.path[2]))
    if not isinstance(given, dict) or place.table is None:
        return False
    columns = (place.table.column(name) for name in given)
    return not any(column is not None and is_unchanged(place._replace(column=column)) for column in columns)


def is_null_image(place: Place) -> bool:
    """The image that is described is null or left out."""
    image, op = place.path[3], event_op(place)
    hidden = op == "update" and not place.options.debezium_output_old_value
    return (image == "before" and (op == "insert" or hidden)) or (image == "after" and op == "delete")


# -- keys --------------------------------------------------------------------------------------------------------------


def has_no_key(place: Place) -> bool:
    """The table has no handle key."""
    return place.table is not None and not handle_key(place.table)


def is_in_no_key(place: Place) -> bool:
    """The column is in no key of the table."""
    return place.table is not None and str(place.path[-1]) not in key_columns(place.table)


def is_over_virtual(place: Place) -> bool:
    """Which unique key is the key depends on whether one over a virtual generated column counts."""
    table = place.table
    return table is not None and handle_key(table) != handle_key(table, virtual_counts=False)


def is_as_in_key(place: Place) -> bool:
    """The given payload of the key has the column if its description is there, and only then."""
    payload = given_in(place, "key", "payload")
    return isinstance(payload, dict) and (place.path[-1] in payload) == (place.got is not MISSING)


# -- text --------------------------------------------------------------------------------------------------------------

_FLOATS = frozenset({Family.FLOAT, Family.DOUBLE, Family.DECIMAL})
_FRACTION = re.compile(r"[.eE]|-0(?![0-9])")  # an integer has no negative zero
_PADDED_EXPONENT = re.compile(r"(?<=[0-9])e([-+])0(?=[0-9](?![0-9]))")


def is_number_of_float(place: Place) -> bool:
    """The number is one of a float column, as far as its text shows."""
    has_floats = place.table is not None and any(c.type.family in _FLOATS for c in place.table.columns)
    return _FRACTION.search(str(place.expected)) is not None or (
        has_floats and _FRACTION.search(str(place.got)) is not None
    )


def has_padded_exponent(place: Place) -> bool:
    """The expected number has an exponent of two digits that begins with a zero."""
    return _PADDED_EXPONENT.search(str(place.expected)) is not None


def lacks_padding_alone(place: Place) -> bool:
    """Without that zero the given number is the expected one."""
    short = (_PADDED_EXPONENT.sub(r"e\1", str(text)) for text in (place.expected, place.got))
    return len(set(short)) == 1


# -- DDL messages ------------------------------------------------------------------------------------------------------


def is_of_no_table(place: Place) -> bool:
    """No change of a table is expected."""
    return not expected_in(place, "value", "payload", "tableChanges")


_HERE: tuple[Condition, ...] = (
    *(are_exchanged, has_changed_columns_alone, has_column, has_default, has_doubled_default),
    *(has_no_key, has_padded_exponent, has_primary_key, holds_value, is_after_moved_second, is_as_in_key),
    *(
        is_classic,
        is_expected,
        is_extension_stated,
        is_generated,
        is_image_expected,
        is_in_no_key,
        is_null_instead,
        is_missed,
    ),
    *(is_null_either_way, is_null_expected, is_null_given, is_null_image, is_number_of_float, is_of_no_table),
    *(is_other_image, is_over_virtual, is_stored, is_unchanged, is_virtual, lacks_padding_alone),
    keeps_order_or_has_after_second,
)

PREDICATES = Predicates(
    plain={
        predicate.__name__: predicate
        for predicate in (
            *answers.PREDICATES,
            *descriptions.PREDICATES,
            *names.PREDICATES,
            *statements.PREDICATES,
            *values.PREDICATES,
            *_HERE,
        )
    },
    of_requirement={"is_own_case": written_for},
    of_argument={"keeps_order_beside": keeps_order_beside, "moves_alone": moves_alone},
)
