"""Predicates of the checks of Open Protocol on types, values and statements."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from conformance.oracle.conditions import family, has_zone, is_zone_away, refuse_unknown, same
from conformance.oracle.open_protocol.strings import is_beyond_document
from conformance.oracle.rules import Condition, Place
from reference_impl.actions import action_code
from reference_impl.column_types import ColumnType, Family
from reference_impl.errors import Rejected
from reference_impl.model import DdlEvent, Value, Watermark
from reference_impl.values import enum_index, from_wire, loosely_same_value, set_mask

__all__ = ["PREDICATES", "are_statements_of", "is_code_of", "is_given"]

_binary = family(Family.BINARY, Family.VARBINARY)
_short_text = family(Family.CHAR, Family.VARCHAR)

_EXPONENT = re.compile(r"[0-9][eE]")

_NUMBER_OF_LABELS: Mapping[Family, Callable[[ColumnType, Value], int]] = {
    Family.ENUM: enum_index,
    Family.SET: set_mask,
}
_TEMPORAL = (Family.TIMESTAMP, Family.DATETIME, Family.TIME)


def is_same_instant(place: Place) -> bool:
    """The two times differ only in zeros at the end of the fraction, or are equal and have a fraction."""
    column, expected, got = place.column, place.expected, place.got
    if column is None or column.type.family not in _TEMPORAL or not isinstance(expected, str):
        return False
    if expected == got:
        return "." in expected
    return loosely_same_value(column.type, expected, got)


def is_in_zone(place: Place) -> bool:
    """The value is a TIMESTAMP in a changefeed with another zone than UTC; the sides differ at most as zones do."""
    column = place.column
    if column is None or column.type.family is not Family.TIMESTAMP or not has_zone(place):
        return False
    return same(place) or is_zone_away(place)


def is_among_floats(place: Place) -> bool:
    """The table has a floating point column, so that a number in the message may be a float."""
    columns = place.table.columns if place.table else ()
    return any(c.type.family in (Family.FLOAT, Family.DOUBLE) for c in columns)


def has_exponent(place: Place) -> bool:
    """One of two spellings of a number has an exponent."""
    return _EXPONENT.search(place.expected) is not None or _EXPONENT.search(place.got) is not None


def is_given(codes: str) -> Condition:
    """The answer has one of these type codes, which are separated by commas."""
    allowed = frozenset(map(int, codes.split(",")))
    return lambda place: isinstance(place.got, int) and place.got in allowed


def is_code_of_null(place: Place) -> bool:
    """The answer has the type code of NULL, which no column has."""
    return bool(place.got == 6)


def are_tables_sent(place: Place) -> bool:
    """The decoder has the tables."""
    return place.case.send_tables


def is_quoted_by_flag(place: Place) -> bool:
    """The decoder has no tables, so that only the column's flag shows that the text is quoted."""
    if are_tables_sent(place):
        return False
    return _binary(place) or (_short_text(place) and isinstance(place.expected, str) and "\\" in place.expected)


def is_quoted_beyond(place: Place) -> bool:
    """The bytes of a binary column need escapes that the document does not name."""
    return _binary(place) and is_beyond_document(place)


def _number(place: Place) -> int | None:
    """The expected number: also that in a text, the bit mask of a SET or the index of an ENUM; None for no number."""
    expected, column = place.expected, place.column
    if column is not None and column.type.family in _NUMBER_OF_LABELS:
        try:
            return _NUMBER_OF_LABELS[column.type.family](column.type, from_wire(column.type, expected))
        except Rejected:
            return None
    if isinstance(expected, str) and expected.lstrip("-").isdecimal():
        return int(expected)
    return expected if isinstance(expected, int) else None


def is_beyond_double(place: Place) -> bool:
    """The expected value is not a number, or one that a 64-bit float may not hold exactly."""
    number = _number(place)
    return number is None or not -(1 << 53) <= number <= 1 << 53


def is_beyond_signed_64(place: Place) -> bool:
    """The expected number fits into 64 bits only without a sign."""
    number = _number(place)
    return number is not None and 1 << 63 <= number < 1 << 64


_OF_CODES = ("OP-143", "OP-143a", "OP-144", "OP-145")


def _rule_of_code(code: int, role: str) -> str:
    """The requirement on an action code that the document lists, that TiDB alone has, or that is unknown."""
    if 1 <= code <= 36:
        return "OP-143"
    if 37 <= code <= 77:
        return "OP-143a"
    return "OP-145" if role == "encode" else "OP-144"


def are_statements_of(requirement: str) -> Condition:
    """The events of the case but for watermarks are statements, all with action codes of that requirement."""
    refuse_unknown(requirement, *_OF_CODES)

    def holds(place: Place) -> bool:
        changes = [event for event in place.case.events if not isinstance(event, Watermark)]
        return bool(changes) and all(
            isinstance(event, DdlEvent) and _rule_of_code(action_code(event), place.role) == requirement
            for event in changes
        )

    return holds


def is_code_of(requirement: str) -> Condition:
    """The requirement is the one on the expected action code; at `event.action`, on the code of that event."""
    refuse_unknown(requirement, *_OF_CODES)

    def holds(place: Place) -> bool:
        code = place.expected_tree["event"].get("action_code") if place.path == ("event", "action") else place.expected
        if not isinstance(code, int):
            return False
        return requirement == _rule_of_code(code, place.role)

    return holds


PREDICATES: Sequence[Condition] = (
    *(are_tables_sent, has_exponent, is_among_floats, is_beyond_double, is_beyond_signed_64, is_code_of_null),
    *(is_in_zone, is_quoted_beyond, is_quoted_by_flag, is_same_instant),
)
