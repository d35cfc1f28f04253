"""Predicates of the checks on types of columns: `sqlType` and `mysqlType`."""

from __future__ import annotations

from conformance.oracle.canal_json.places import codes_of_update, is_integer_unsigned, largest_signed
from conformance.oracle.conditions import family, is_boolean, is_unsigned, truth
from conformance.oracle.rules import Condition, Place
from reference_impl.column_types import BINARY, Family

__all__ = ["PREDICATES"]

_BYTES = family(*(BINARY - {Family.GEOMETRY}))
_NEVER_UNSIGNED = family(Family.BIT, Family.YEAR)

# -- sqlType -----------------------------------------------------------------------------------------------------


def _above_signed(place: Place) -> int | None:
    """The value minus the largest one of the signed type; None unless an unsigned integer column has a value."""
    value = truth(place)
    if place.column is None or not isinstance(value, str) or not is_integer_unsigned(place):
        return None
    return int(value) - largest_signed(place.column.type)


def is_null_in_row(place: Place) -> bool:
    """The row has NULL in the column."""
    return truth(place) is None


def is_beyond_signed(place: Place) -> bool:
    """The column is an unsigned integer, and its value too large for the signed type."""
    return (_above_signed(place) or 0) > 0


def is_at_border(place: Place) -> bool:
    """The value is the largest one of the signed type, or the next one."""
    return _above_signed(place) in (0, 1)


def crosses_signed(place: Place) -> bool:
    """The old and the new value of the update have different codes: only one is too large for the signed type."""
    codes = codes_of_update(place)
    return codes is not None and codes[0] != codes[1]


def is_code_of_old_row(place: Place) -> bool:
    """The answer has the code of the value before the update."""
    codes = codes_of_update(place)
    return codes is not None and place.got == codes[0]


# -- mysqlType ---------------------------------------------------------------------------------------------------


def _declared(place: Place) -> str:
    """The declared type of the column, in lower case; "" without a column."""
    return place.column.type.text.lower() if place.column is not None else ""


def _parameter_count(place: Place) -> int:
    """The number of parameters in the parentheses of the declared type."""
    text = _declared(place)
    return text.count(",") + 1 if "(" in text else 0


def is_declared_with_parameters(place: Place) -> bool:
    """The declared type has parentheses."""
    return "(" in _declared(place)


def has_one_number(place: Place) -> bool:
    """The declared type has one number."""
    return _parameter_count(place) == 1


def has_two_numbers(place: Place) -> bool:
    """The declared type has two numbers."""
    return _parameter_count(place) == 2


def is_declared_unsigned(place: Place) -> bool:
    """The column is declared UNSIGNED; BIT and YEAR are unsigned without the word."""
    return is_unsigned(place) and not _NEVER_UNSIGNED(place)


def is_zerofill(place: Place) -> bool:
    """The column is ZEROFILL."""
    return place.column is not None and place.column.type.zerofill


def is_bytes_by_charset(place: Place) -> bool:
    """The character set turned a character type into its binary twin."""
    return _BYTES(place) and ("char" in _declared(place) or "text" in _declared(place))


def has_parameters(place: Place) -> bool:
    """The answered type has parentheses."""
    return "(" in str(place.got)


def has_other_words(place: Place) -> bool:
    """The answered type differs in the words after the first one."""
    return str(place.got).partition(" ")[2] != str(place.expected).partition(" ")[2]


PREDICATES: tuple[Condition, ...] = (
    *(crosses_signed, has_one_number, has_other_words, has_parameters, has_two_numbers, is_at_border),
    *(is_beyond_signed, is_boolean, is_bytes_by_charset, is_code_of_old_row, is_declared_with_parameters),
    *(is_integer_unsigned, is_null_in_row, is_declared_unsigned, is_zerofill),
)
