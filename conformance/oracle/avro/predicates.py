"""Collects the predicates of Avro; defines those on records, registrations and events."""

from __future__ import annotations

from collections.abc import Sequence

from conformance.oracle.avro import answers, columns, images, record_fields
from conformance.oracle.avro.conditions import differs
from conformance.oracle.conditions import has_primary_key, has_statements, is_expected, is_value_expected
from conformance.oracle.order import are_halves
from conformance.oracle.rules import Condition, Place, Predicates, by_name
from conformance.oracle.tree import MISSING, part_in

__all__ = ["PREDICATES"]


def is_lost(place: Place) -> bool:
    """The answer lacks an expected place."""
    return place.expected is not MISSING and place.got is MISSING


def is_extra(place: Place) -> bool:
    """The answer has an unexpected place."""
    return place.expected is MISSING and place.got is not MISSING


def is_on_both_sides(place: Place) -> bool:
    """Expectation and answer have the place."""
    return place.expected is not MISSING and place.got is not MISSING


def is_doc(place: Place) -> bool:
    """The profile is `doc`."""
    return place.profile.name == "doc"


# -- key and value -----------------------------------------------------------------------------------------------------


def is_watermark_mode(place: Place) -> bool:
    """DDL statements and watermarks are sent."""
    return bool(place.options.watermarks)


def is_datum(place: Place) -> bool:
    """A datum with a row is expected at the place."""
    return isinstance(place.expected, dict) and "row" in place.expected


def has_record_value(place: Place) -> bool:
    """The expected record has a value."""
    return part_in(place.expected_tree, "value") is not None


def has_row(place: Place) -> bool:
    """The expected record has a value with a row."""
    return "row" in (part_in(place.expected_tree, "value") or ())


def has_before(place: Place) -> bool:
    """The schema of the expected value has a field for the row before."""
    return part_in(place.expected_tree, "value", "schema", "before") is not None


def has_operation_alone(place: Place) -> bool:
    """The expected value has the row before, and of the extension only `_tidb_op`."""
    return has_before(place) and not place.options.enable_tidb_extension


# -- registrations -----------------------------------------------------------------------------------------------------


def _subjects(place: Place) -> tuple[set[str], set[str]]:
    """(missing subjects, additional subjects)."""
    expected, got = (set(side["registry"]["subjects"]) for side in (place.expected_tree, place.got_tree))
    return expected - got, got - expected


def _is_twin_expected(place: Place) -> bool:
    """For the subject of a value, that of the key is expected; for the subject of a key, that of the value."""
    name = str(place.path[-1])
    twin = name.removesuffix("-key") + "-value" if name.endswith("-key") else name.removesuffix("-value") + "-key"
    return twin in place.expected_tree["registry"]["subjects"]


def are_subjects_renamed(place: Place) -> bool:
    """Some subjects are missing, and others are additional."""
    return all(_subjects(place))


def is_subject_lost(place: Place) -> bool:
    """Some subjects are missing, and there are no additional ones."""
    missing, extra = _subjects(place)
    return bool(missing) and not extra


def is_subject_new(place: Place) -> bool:
    """No subject is missing, and this one belongs to an unexpected topic."""
    return not _subjects(place)[0] and not _is_twin_expected(place)


def is_key_added(place: Place) -> bool:
    """No subject is missing, and this one is for the keys of a topic where only values should have one."""
    return str(place.path[-1]).endswith("-key") and not _subjects(place)[0] and _is_twin_expected(place)


def is_value_added(place: Place) -> bool:
    """No subject is missing, and this one is for the values of a topic where only keys should have one."""
    return not str(place.path[-1]).endswith("-key") and not _subjects(place)[0] and _is_twin_expected(place)


def are_tables_changed(place: Place) -> bool:
    """The case has DDL statements, or begins with schemas in the registry."""
    return has_statements(place) or len(place.case.schemas) > 0


# -- events ------------------------------------------------------------------------------------------------------------


def is_any_write(place: Place) -> bool:
    """Several operations are right: the message does not say whether it is an insert or an update."""
    return isinstance(place.expected, frozenset)


_OWN: Sequence[Condition] = (
    *(are_halves, are_subjects_renamed, are_tables_changed, differs, has_before, has_operation_alone),
    *(has_primary_key, has_record_value, has_row, is_any_write, is_datum, is_doc, is_expected, is_extra),
    *(is_value_expected, is_key_added, is_lost, is_on_both_sides, is_subject_lost, is_subject_new),
    *(is_value_added, is_watermark_mode),
)

PREDICATES = Predicates(
    plain=by_name(_OWN, answers.PREDICATES, columns.PREDICATES, images.PREDICATES, record_fields.PREDICATES),
    of_requirement={},
    of_argument={"unread_for": answers.unread_for},
)
