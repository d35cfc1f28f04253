"""Predicates of the checks of Avro on a column: type, nullability, default, value."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from conformance.oracle.avro.conditions import differs
from conformance.oracle.conditions import has_zone, is_changed, is_unsigned, is_virtual, is_zone_away, truth
from conformance.oracle.rules import Condition, Place
from conformance.oracle.tree import MISSING
from reference_impl.column_types import Family
from reference_impl.errors import Rejected
from reference_impl.floats import is_number
from reference_impl.model import Absent, Column, Expression
from reference_impl.values import escaped_label, from_wire

__all__ = ["PREDICATES"]

_LARGEST_LONG = 2**63 - 1
_BITS_OF_BYTE = 8

# -- types -------------------------------------------------------------------------------------------------------------


def has_character_type(place: Place) -> bool:
    """The declared type of the column is a character type, also if its charset makes it binary."""
    text = place.column.type.text.lower() if place.column else ""
    return "char" in text or "text" in text


def is_called_unsigned(place: Place) -> bool:
    """The answer has the word UNSIGNED."""
    return "UNSIGNED" in str(place.got)


def is_record(place: Place) -> bool:
    """The answered type is a record."""
    return bool(place.got == "record")


def is_precise(place: Place) -> bool:
    """The column is a DECIMAL that is sent as bytes."""
    is_decimal = place.column is not None and place.column.type.family is Family.DECIMAL
    return is_decimal and place.options.avro_decimal_handling_mode == "precise"


def needs_escape(place: Place) -> bool:
    """A label of the ENUM or SET has a comma or a quote, which types write differently from values."""
    return place.column is not None and any("," in m or "'" in m for m in place.column.type.members)


# -- nullability and defaults ------------------------------------------------------------------------------------------


def is_nullable(place: Place) -> bool:
    """The column may be NULL."""
    return place.column is not None and place.column.nullable


def is_not_null(place: Place) -> bool:
    """The column is NOT NULL."""
    return place.column is not None and not place.column.nullable


def _has_default(column: Column | None) -> bool:
    return column is not None and column.default is not None and not isinstance(column.default, Absent)


def has_default(place: Place) -> bool:
    """The column has a default other than NULL."""
    return _has_default(place.column)


def has_computed_default(place: Place) -> bool:
    """The default of the column is an expression."""
    return place.column is not None and isinstance(place.column.default, Expression)


def reads_null(place: Place) -> bool:
    """The default of the column is the text `null`."""
    return place.column is not None and place.column.default == "null"


def is_default_given(place: Place) -> bool:
    """The answer has a default other than null."""
    return place.got is not MISSING and place.got is not None


def is_other_default(place: Place) -> bool:
    """The answer has a default other than null, which is not the expected one."""
    return is_default_given(place) and differs(place)


# -- values ------------------------------------------------------------------------------------------------------------


def _is_on_both_sides(place: Place) -> bool:
    return place.column is not None and place.expected is not MISSING and place.got is not MISSING


def is_null_on_a_side(place: Place) -> bool:
    """Both sides have the column, and it is NULL on one of them or both."""
    return _is_on_both_sides(place) and (place.expected is None or place.got is None)


def has_values(place: Place) -> bool:
    """Both sides have the column, and it is NULL on neither."""
    return _is_on_both_sides(place) and place.expected is not None and place.got is not None


def are_texts(place: Place) -> bool:
    """Both sides have a text."""
    return isinstance(place.expected, str) and isinstance(place.got, str)


def is_beyond_long(place: Place) -> bool:
    """The value is a BIGINT UNSIGNED in mode long, and greater than a long can be."""
    column, value = place.column, truth(place)
    if column is None or column.type.family is not Family.BIGINT:
        return False
    is_long = place.options.avro_bigint_unsigned_handling_mode == "long"
    return is_long and isinstance(value, str) and int(value) > _LARGEST_LONG


def is_wrapped(place: Place) -> bool:
    """The value is beyond a long, and both sides are the same 64 bits."""
    try:
        is_same = is_number(str(place.got)) and (int(place.expected) - int(place.got)) % 2**64 == 0
        return is_same and is_beyond_long(place)
    except (TypeError, ValueError):
        return False


def is_lossy_as_double(place: Place) -> bool:
    """The value is a decimal that a 64-bit float would change."""
    text = str(truth(place))
    try:
        return Decimal(repr(float(text))) != Decimal(text)
    except ValueError:
        return False


def is_escaped(place: Place) -> bool:
    """The answer has the expected label as types write it, with escapes."""
    return isinstance(place.got, str) and place.got == escaped_label(str(place.expected))


def begins_with_zeros(place: Place) -> bool:
    """The value is a BIT whose first byte is zero."""
    value, column = truth(place), place.column
    if column is None or not isinstance(value, str):
        return False
    whole = (column.type.bits + _BITS_OF_BYTE - 1) // _BITS_OF_BYTE
    return whole > 1 and int(value) < 1 << _BITS_OF_BYTE * (whole - 1)


def is_misshapen(place: Place) -> bool:
    """The decoder has no tables, and its answer is not a value of the column's type."""
    if place.column is None or place.case.send_tables:
        return False
    try:
        from_wire(place.column.type, place.got)
    except Rejected:
        return True
    return False


PREDICATES: Sequence[Condition] = (
    *(are_texts, begins_with_zeros, has_character_type, has_computed_default, has_default, has_values),
    *(has_zone, is_beyond_long, is_called_unsigned, is_changed, is_default_given, is_escaped),
    *(is_lossy_as_double, is_misshapen, is_not_null, is_null_on_a_side, is_nullable, is_other_default, is_precise),
    *(is_record, is_unsigned, is_virtual, is_wrapped, is_zone_away, needs_escape, reads_null),
)
