"""Predicates of the checks on values of columns, in images, keys and events."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date

from conformance.oracle.conditions import event_op, is_boolean, is_empty_text, is_raw, is_unsigned, same, truth
from conformance.oracle.debezium.compare import bytes_of, is_canonical
from conformance.oracle.debezium.known_values import calendar_day, instant, is_wrapped
from conformance.oracle.debezium.null_forms import is_form_of_default, is_start_or_zero
from conformance.oracle.debezium.places import (
    column_of,
    expected_in,
    given_in,
    has_default,
    holds_value,
    is_in_payload,
    is_other_image,
    type_of,
)
from conformance.oracle.rules import Condition, Place
from conformance.oracle.tree import MISSING, equal
from reference_impl.column_types import BINARY, TEXT, Family
from reference_impl.floats import same_float
from reference_impl.model import Index

__all__ = ["PREDICATES"]

# -- what the column holds ---------------------------------------------------------------------------------------------


def holds_null(place: Place) -> bool:
    """The column is NULL in the row, and something is expected at the place."""
    return is_in_payload(place) and not holds_value(place) and place.expected is not MISSING


def _is_of(place: Place, *families: Family) -> bool:
    return place.column is not None and place.column.type.family in families


def is_single_bit(place: Place) -> bool:
    """The column is a BIT(1)."""
    return _is_of(place, Family.BIT) and type_of(place).bits == 1


def has_length(place: Place) -> bool:
    """The column is a BIT of more than one bit, which has a length."""
    return _is_of(place, Family.BIT) and not is_single_bit(place)


def has_microseconds(place: Place) -> bool:
    """The column has more than three fractional digits of a second."""
    return type_of(place).fsp > 3


def is_large_bigint(place: Place) -> bool:
    """The column holds a BIGINT UNSIGNED above the largest signed number."""
    return place.column is not None and is_wrapped(type_of(place), truth(place))


def is_not_documented(place: Place) -> bool:
    """The column is a VECTOR, or holds a BIGINT UNSIGNED above the largest signed number."""
    return _is_of(place, Family.VECTOR) or is_large_bigint(place)


def is_invalid_label(place: Place) -> bool:
    """The column holds no label of its ENUM."""
    value = truth(place)
    return isinstance(value, Index) and not 0 < value.number <= len(type_of(place).members)


def is_in_no_calendar(place: Place) -> bool:
    """The column holds a date that does not exist in the calendar, such as 0000-00-00 or February 30."""
    return calendar_day(str(truth(place))) is None


def is_of_short_year(place: Place) -> bool:
    """The column holds a date with a year below 100."""
    return not is_in_no_calendar(place) and int(str(truth(place))[:4]) < 100


def is_zero_timestamp(place: Place) -> bool:
    """The column holds the zero TIMESTAMP."""
    return instant(str(truth(place)), place.case.settings) is None


def is_decided_by_charset(place: Place) -> bool:
    """The column is a text of a binary collation, or of the charset binary."""
    column = column_of(place)
    word = column.type.text.lower()
    by_collation = column.type.family in TEXT and (column.collation or "").endswith("_bin")
    return by_collation or (column.type.family in BINARY and ("char" in word or "text" in word))


def has_escaped_label(place: Place) -> bool:
    """The expected label has characters that `allowed` escapes."""
    return isinstance(place.expected, str) and _escaped(place.expected) != place.expected


def _escaped(label: str) -> str:
    """A label as the parameter `allowed` has it.  [DBZ-131]"""
    return label.replace(",", "\\,").replace("\\'", "'").replace("''", "'")


# -- the answered value ------------------------------------------------------------------------------------------------


def is_taken_for_the_other(place: Place) -> bool:
    """The answer has a text in base64, or bytes as a text."""
    if not (isinstance(place.expected, str) and isinstance(place.got, str)):
        return False
    is_text = _is_of(place, *TEXT)
    text, coded = (place.expected, place.got) if is_text else (place.got, place.expected)
    return bytes_of(coded) == text.encode("utf-8", "surrogatepass") and coded != text


def is_escaped_label(place: Place) -> bool:
    """The answer has the label as the parameter `allowed` has it."""
    return bool(place.got == _escaped(str(place.expected)))


def is_boolean_given(place: Place) -> bool:
    """The answer has true or false, or in a schema their type."""
    return isinstance(place.got, bool) if place.path[1] == "payload" else bool(place.got == "boolean")


def is_same_float32(place: Place) -> bool:
    """The answered number is the expected one at the width of a FLOAT."""
    return same_float(str(place.expected), str(place.got), 32)


def is_another_length(place: Place) -> bool:
    """The answer has well-formed base64 of other bytes, with more or fewer zeros at the end."""
    return is_canonical(str(place.got)) and bytes_of(str(place.got)) != bytes_of(str(place.expected))


def is_no_standard_base64(place: Place) -> bool:
    """The answer has base64 of another alphabet, or without padding."""
    return not is_canonical(str(place.got))


# -- forms on which the document is silent -----------------------------------------------------------------------------


def _is_no_label(place: Place) -> bool:
    return place.got not in type_of(place).members


def _is_not_wrapped(place: Place) -> bool:
    return bool(str(place.got) == truth(place))


def _has_unmoved_year(place: Place) -> bool:
    """The answered number has the day of the date with its short year, which should be moved to 1970 … 2069."""
    text, got = str(truth(place)), place.got
    try:
        day = date.fromisoformat(text[:10]).toordinal() - date(1970, 1, 1).toordinal()
    except ValueError:
        return False
    if type_of(place).family is Family.DATE:
        units_per_day = 1
    else:
        units_per_day = 86_400_000_000 if has_microseconds(place) else 86_400_000
    return isinstance(got, int) and got // units_per_day == day


def _is_none_or_zero(place: Place) -> bool:
    return place.got is None or (place.got == 0 and not isinstance(place.got, bool))


def _is_instead_of_zero(place: Place) -> bool:
    return place.got is None or is_start_or_zero(place.got)


# Family → pairs of conditions on values about which the document is silent: the column holds such a value; the answer
# has it in another known form. The form may break the requirement on these values, but not that on the column's type.
# [DBZ-104c, DBZ-119b, DBZ-134 … DBZ-136]
_DAYS = ((is_of_short_year, _has_unmoved_year), (is_in_no_calendar, _is_none_or_zero))
_OTHER_FORMS: Mapping[Family, tuple[tuple[Condition, Condition], ...]] = {
    Family.ENUM: ((is_invalid_label, _is_no_label),),
    Family.BIGINT: ((is_large_bigint, _is_not_wrapped),),
    Family.DATE: _DAYS,
    Family.DATETIME: _DAYS,
    Family.TIMESTAMP: ((is_zero_timestamp, _is_instead_of_zero),),
}


def _other_forms(place: Place) -> tuple[tuple[Condition, Condition], ...]:
    return _OTHER_FORMS.get(type_of(place).family, ()) if holds_value(place) else ()


def is_in_another_form(place: Place) -> bool:
    """The column holds a value on which the document is silent, and the answer has another known form of it."""
    return any(holds(place) and is_form(place) for holds, is_form in _other_forms(place))


def is_of_no_form(place: Place) -> bool:
    """The answer has no known form of a value on which the document is silent, nor of the default of a NULL."""
    if same(place):
        return False
    if holds_null(place):
        return not (has_default(place) and is_form_of_default(place))
    return holds_value(place) and _is_uncovered(place) and not is_in_another_form(place)


def _is_uncovered(place: Place) -> bool:
    """The requirements on values of the column's type do not cover the value; that of dates covers short years."""
    undocumented = (holds for holds, _ in _other_forms(place) if holds is not is_of_short_year)
    return _is_of(place, Family.VECTOR) or any(holds(place) for holds in undocumented)


# -- faults of a key that are faults of the value ----------------------------------------------------------------------


def is_of_given_row(place: Place) -> bool:
    """The answer has the same for the column in key and value: then the fault is one of the value."""
    if place.path[1] == "payload":
        image = "before" if event_op(place) == "delete" else "after"
        in_value = given_in(place, "value", "payload", image, str(place.path[2]))
        return in_value is not MISSING and equal(in_value, place.got)
    below = [str(step) for step in place.path[3:]]
    # A part of the schema that both leave out is a fault of the value, too.
    return equal(given_in(place, "value", "schema", "fields", "after", "fields", *below), place.got)


def is_of_value(place: Place) -> bool:
    """The fault is one of the value: the key has what the value has, or the image is not wholly the other one."""
    if place.path[0] == "key":
        return is_of_given_row(place) or (place.path[1] == "payload" and is_in_another_form(place))
    return not (place.path[1] == "payload" and is_other_image(place))


def is_old_value(place: Place) -> bool:
    """The answered key has the value of the row before."""
    column = place.column
    return column is not None and equal(expected_in(place, "value", "payload", "before", column.name), place.got)


PREDICATES: tuple[Condition, ...] = (
    *(has_escaped_label, has_length, has_microseconds, holds_null, is_another_length, is_large_bigint),
    *(is_boolean, is_boolean_given, is_decided_by_charset, is_empty_text, is_escaped_label, is_in_another_form),
    *(is_in_no_calendar, is_invalid_label, is_no_standard_base64, is_of_given_row, is_not_documented, is_of_no_form),
    *(is_of_short_year, is_of_value, is_old_value, is_raw, is_same_float32, is_single_bit, is_taken_for_the_other),
    *(is_unsigned, is_zero_timestamp),
)
