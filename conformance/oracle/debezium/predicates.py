"""Collects the predicates of Debezium JSON; defines those on members, images and keys."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from conformance.oracle.conditions import (
    event_op,
    has_primary_key,
    is_changed,
    is_expected,
    is_extension_stated,
    is_missed,
    is_null_expected,
    is_stored,
    is_value_expected,
    is_virtual,
    old_and_new,
    written_for,
)
from conformance.oracle.debezium import answers, descriptions, names, statements, values
from conformance.oracle.debezium.places import (
    expected_in,
    given_in,
    has_column,
    has_default,
    holds_value,
    is_null_instead,
    is_other_image,
)
from conformance.oracle.rules import Condition, Place, Predicates, by_name
from conformance.oracle.tree import MISSING
from reference_impl.column_types import BINARY, Family
from reference_impl.exact_json import Object
from reference_impl.keys import handle_key, key_columns
from reference_impl.model import Column, RowChange

__all__ = ["PREDICATES"]


def is_null_given(place: Place) -> bool:
    """The answer has null."""
    return place.got is None


def is_null_either_way(place: Place) -> bool:
    """The expectation or the answer is null."""
    return place.expected is None or place.got is None


def is_classic(place: Place) -> bool:
    """The profile is `classic`."""
    return place.profile.name == "classic"


def is_generated(place: Place) -> bool:
    """The column is generated."""
    return place.column is not None and place.column.generated is not None


# -- the order of members ----------------------------------------------------------------------------------------------


def _common_members(place: Place) -> tuple[list[str], list[str]] | None:
    """The members that both objects have, in the (expected, answered) order; None if a side is not an object."""
    if not (isinstance(place.expected, dict) and isinstance(place.got, dict)):
        return None
    return [n for n in place.expected if n in place.got], [n for n in place.got if n in place.expected]


def _is_order_kept(place: Place) -> bool:
    common = _common_members(place)
    return common is None or common[0] == common[1]


def _images(place: Place) -> set[str]:
    return {"before", "after"}


def _start_ts(place: Place) -> set[str]:
    return {"start_ts"}


def _virtual(place: Place) -> set[str]:
    return {column.name for column in place.table.columns if column.generated == "virtual"} if place.table else set()


# Groups of members that may be in another position while all others keep their order.
_MOVABLE: Mapping[str, Callable[[Place], set[str]]] = {"images": _images, "start_ts": _start_ts, "virtual": _virtual}


def moves_alone(which: str) -> Condition:
    """Only these members are in another position than expected: `images`, `start_ts` or `virtual` columns."""
    moved = _MOVABLE[which]

    def holds(place: Place) -> bool:
        common = _common_members(place)
        if common is None or common[0] == common[1]:
            return False
        names = moved(place)
        orders = [[name for name in side if name not in names] for side in common]
        return orders[0] == orders[1]

    return holds


def keeps_order_beside(which: str) -> Condition:
    """At most these members are in another position than expected: `images`, `start_ts` or `virtual` columns."""
    only_these_moved = moves_alone(which)
    return lambda place: _is_order_kept(place) or only_these_moved(place)


def _is_after_second(place: Place) -> bool:
    return list(place.got)[1:2] == ["after"]


def keeps_order_or_has_after_second(place: Place) -> bool:
    """The fields are in the expected order, or `after` is the second one."""
    return _is_order_kept(place) or _is_after_second(place)


def is_after_moved_second(place: Place) -> bool:
    """The fields are in another order than expected, and `after` is the second one."""
    return not _is_order_kept(place) and _is_after_second(place)


# -- images ------------------------------------------------------------------------------------------------------------


def has_doubled_default(place: Place) -> bool:
    """All columns that the answered image has twice are binary, NULL, and have a default."""
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
    return old_and_new(place) is not None and not is_changed(place)


def has_changed_columns_alone(place: Place) -> bool:
    """All columns of the answered image are columns that the update changes."""
    image = given_in(place, "value", "payload", str(place.path[2]))
    if not isinstance(image, dict) or place.table is None:
        return False
    columns = (place.table.column(name) for name in image)
    return not any(is_unchanged(place._replace(column=column)) for column in columns)


def is_null_image(place: Place) -> bool:
    """The place is in the description of an image that is null or left out."""
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
    """The handle key is another one if unique keys over virtual generated columns do not count."""
    table = place.table
    return table is not None and handle_key(table) != handle_key(table, virtual_counts=False)


def is_as_in_key(place: Place) -> bool:
    """The answered key has the column in its payload exactly if it has the description of the column."""
    payload = given_in(place, "key", "payload")
    return isinstance(payload, dict) and (place.path[-1] in payload) == (place.got is not MISSING)


# -- text --------------------------------------------------------------------------------------------------------------

_FLOATS = frozenset({Family.FLOAT, Family.DOUBLE, Family.DECIMAL})  # all are written as 64-bit floats
_FRACTION = re.compile(r"[.eE]|-0(?![0-9])")  # an integer has no negative zero
_PADDED_EXPONENT = re.compile(r"(?<=[0-9])e([-+])0(?=[0-9](?![0-9]))")


def is_number_of_float(place: Place) -> bool:
    """The number belongs to a float column, as far as its text shows."""
    has_floats = place.table is not None and any(c.type.family in _FLOATS for c in place.table.columns)
    return _FRACTION.search(str(place.expected)) is not None or (
        has_floats and _FRACTION.search(str(place.got)) is not None
    )


def has_padded_exponent(place: Place) -> bool:
    """The expected number has an exponent of two digits that begins with a zero."""
    return _PADDED_EXPONENT.search(str(place.expected)) is not None


def lacks_padding_alone(place: Place) -> bool:
    """The two numbers are equal without the zero that begins an exponent of two digits."""
    short = (_PADDED_EXPONENT.sub(r"e\1", str(text)) for text in (place.expected, place.got))
    return len(set(short)) == 1


# -- DDL messages ------------------------------------------------------------------------------------------------------


def is_of_no_table(place: Place) -> bool:
    """The expected message has no table changes."""
    return not expected_in(place, "value", "payload", "tableChanges")


_OWN: tuple[Condition, ...] = (
    *(has_changed_columns_alone, has_column, has_default, has_doubled_default),
    *(has_no_key, has_padded_exponent, has_primary_key, holds_value, is_after_moved_second, is_as_in_key),
    *(
        is_classic,
        is_expected,
        is_extension_stated,
        is_generated,
        is_value_expected,
        is_in_no_key,
        is_null_instead,
        is_missed,
    ),
    *(is_null_either_way, is_null_expected, is_null_given, is_null_image, is_number_of_float, is_of_no_table),
    *(is_other_image, is_over_virtual, is_stored, is_unchanged, is_virtual, lacks_padding_alone),
    keeps_order_or_has_after_second,
)

PREDICATES = Predicates(
    plain=by_name(_OWN, *(module.PREDICATES for module in (answers, descriptions, names, statements, values))),
    of_requirement={"is_own_case": written_for},
    of_argument={"keeps_order_beside": keeps_order_beside, "moves_alone": moves_alone},
)
