"""The predicates that the checks in the register of Avro name. Those on records, registrations and events are here."""

from __future__ import annotations

from collections.abc import Sequence

from conformance.oracle.avro import answers, columns, record_fields
from conformance.oracle.avro.conditions import differs, expected_in
from conformance.oracle.conditions import has_primary_key, is_expected, is_image_expected
from conformance.oracle.order import are_halves
from conformance.oracle.rules import Condition, Place, Predicates
from conformance.oracle.tree import MISSING

__all__ = ["PREDICATES"]


def is_lost(place: Place) -> bool:
    """Something is expected at the place, and nothing is given."""
    return place.expected is not MISSING and place.got is MISSING


def is_extra(place: Place) -> bool:
    """Nothing is expected at the place, and something is given."""
    return place.expected is MISSING and place.got is not MISSING


def is_on_both_sides(place: Place) -> bool:
    """Something is expected at the place, and something is given."""
    return place.expected is not MISSING and place.got is not MISSING


def is_doc(place: Place) -> bool:
    """The profile is `doc`."""
    return place.profile.name == "doc"


# -- key and value -----------------------------------------------------------------------------------------------------


def is_watermark_mode(place: Place) -> bool:
    """DDL statements and watermarks are sent."""
    return bool(place.options.watermarks)


def is_datum(place: Place) -> bool:
    """A datum with a row is expected."""
    return isinstance(place.expected, dict) and "row" in place.expected


def has_whole(place: Place) -> bool:
    """A value is expected in the record."""
    return expected_in(place, "value") is not None


def has_row(place: Place) -> bool:
    """A value with a row is expected in the record."""
    return "row" in (expected_in(place, "value") or ())


def has_before(place: Place) -> bool:
    """The row before is expected in the schema of the value."""
    return expected_in(place, "value", "schema", "before") is not None


def has_operation_alone(place: Place) -> bool:
    """Of the extension `_tidb_op` alone is expected, beside the row before."""
    return has_before(place) and not place.options.enable_tidb_extension


# -- registrations -----------------------------------------------------------------------------------------------------


def _subjects(place: Place) -> tuple[set[str], set[str]]:
    """(those missing, those too many)."""
    expected, given = set(place.expected_tree["registry"]["subjects"]), set(place.got_tree["registry"]["subjects"])
    return expected - given, given - expected


def _is_twin_expected(place: Place) -> bool:
    """The key's subject is expected beside the value's, or the other way round."""
    name = str(place.path[-1])
    twin = name.removesuffix("-key") + "-value" if name.endswith("-key") else name.removesuffix("-value") + "-key"
    return twin in place.expected_tree["registry"]["subjects"]


def are_subjects_renamed(place: Place) -> bool:
    """Some subjects are missing, and others are too many."""
    return all(_subjects(place))


def is_subject_lost(place: Place) -> bool:
    """Some subjects are missing, and none is too many."""
    missing, extra = _subjects(place)
    return bool(missing) and not extra


def is_subject_new(place: Place) -> bool:
    """No subject is missing, and this one is of a topic that is not expected."""
    return not _subjects(place)[0] and not _is_twin_expected(place)


def is_key_added(place: Place) -> bool:
    """No subject is missing, and this one is for keys, in a topic where only values have a subject."""
    return str(place.path[-1]).endswith("-key") and not _subjects(place)[0] and _is_twin_expected(place)


def is_value_added(place: Place) -> bool:
    """No subject is missing, and this one is for values, in a topic where only keys have a subject."""
    return not str(place.path[-1]).endswith("-key") and not _subjects(place)[0] and _is_twin_expected(place)


def are_tables_changed(place: Place) -> bool:
    """The case has DDL statements, or schemas that were registered before it."""
    return answers.has_statements(place) or len(place.case.schemas) > 0


# -- events ------------------------------------------------------------------------------------------------------------


def is_any_write(place: Place) -> bool:
    """An insert is expected as well as an update."""
    return isinstance(place.expected, frozenset)


_HERE: Sequence[Condition] = (
    *(are_halves, are_subjects_renamed, are_tables_changed, differs, has_before, has_operation_alone),
    *(has_primary_key, has_row, has_whole, is_any_write, is_datum, is_doc, is_expected, is_extra),
    *(is_image_expected, is_key_added, is_lost, is_on_both_sides, is_subject_lost, is_subject_new),
    *(is_value_added, is_watermark_mode),
)

PREDICATES = Predicates(
    plain={
        predicate.__name__: predicate
        for predicate in (*answers.PREDICATES, *record_fields.PREDICATES, *columns.PREDICATES, *_HERE)
    },
    of_requirement={},
)
