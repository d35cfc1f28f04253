"""Recognizes the forms of a column's default that an answer may have in place of NULL.  [DBZ-135, DBZ-160 … DBZ-163]

The forms are NULL itself, the default in the spelling of its declaration or as another kind of JSON value, and what
recorded producers write for some defaults. Anything else is a value that the row never had.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal

from conformance.oracle.debezium.compare import bytes_of
from conformance.oracle.debezium.known_values import SECONDS_END, calendar_day, default_text, instant
from conformance.oracle.debezium.places import column_of, type_of
from conformance.oracle.rules import Condition, Place
from reference_impl.column_types import BINARY, INTEGERS, Family
from reference_impl.floats import is_number, same_float

__all__ = ["is_form_of_default", "is_start_or_zero"]

_LARGEST_SIGNED = 2**63 - 1
_TIME = re.compile(r"(?P<seconds>\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}:\d{2})(?:\.(?P<fraction>\d+))?Z?", re.ASCII)
_START_OR_ZERO = re.compile(r"(?:1970-01-01T|0000-00-00[T ])00:00:00(?:\.0+)?Z?|0000-00-00")
"""The texts of the start of 1970, and of a zero date with or without a time of day."""


def is_start_or_zero(answered: object) -> bool:
    """The answered value is the text of the start of 1970 or of a zero date: forms of a time that is in no calendar."""
    return isinstance(answered, str) and _START_OR_ZERO.fullmatch(answered) is not None


def _default(place: Place) -> str:
    """The default of the column, which must have one other than NULL."""
    text = default_text(column_of(place))
    assert text is not None
    return text


def _is_zero(place: Place) -> bool:
    """The answer is the JSON number 0."""
    return place.got == 0 and not isinstance(place.got, bool)


def _number(text: str) -> Decimal | None:
    return Decimal(text) if is_number(text) else None


def _equals_number(place: Place) -> bool:
    """The answer is the number of the default, as a JSON number or as a text."""
    number = _number(_default(place))
    return number is not None and _number(str(place.got)) == number


def _equals_float(place: Place) -> bool:
    """The answer is the number, or the same float: one generation of producers rounds to it, also for a DECIMAL."""
    bits = 32 if type_of(place).family is Family.FLOAT else 64
    return same_float(_default(place), str(place.got), bits)


def _equals_integer(place: Place) -> bool:
    """The answer is the number, or 0 if the default is a number above 2^63-1, or no number.  [DBZ-162a]"""
    number = _number(_default(place))
    return _equals_number(place) or (_is_zero(place) and (number is None or number > _LARGEST_SIGNED))


def _equals_bytes(place: Place) -> bool:
    """The answer is the bytes of the default, in base64 or as a text, with or without zeros at the end.  [DBZ-162e]"""
    if not isinstance(place.got, str):
        return False
    data = _default(place).encode("utf-8", "surrogatepass").rstrip(b"\0")
    readings = place.got.encode("utf-8", "surrogatepass"), bytes_of(place.got)
    return any(reading is not None and reading.rstrip(b"\0") == data for reading in readings)


def _is_zero_for_no_day(place: Place) -> bool:
    """The answer is 0, and the default is not a day: a zero date, or CURRENT_TIMESTAMP.  [DBZ-135, DBZ-162f]"""
    return _is_zero(place) and calendar_day(_default(place)) is None


def _text_of(moment: datetime) -> str:
    """A moment as `2024-01-02 03:04:05`, without its fraction."""
    return moment.isoformat(" ")[:SECONDS_END]


def _equals_instant(place: Place) -> bool:
    """The answer is the instant of the default, its local time taken for UTC, or its UTC time taken for local time.

    For a default that is not an instant, such as CURRENT_TIMESTAMP, it is the start of 1970 or a zero date.
    [DBZ-162g, DBZ-163]
    """
    if not isinstance(place.got, str):
        return False
    text, settings = _default(place), place.case.settings
    moment = instant(text, settings)
    if moment is None:
        return is_start_or_zero(place.got)
    answered = _TIME.fullmatch(place.got)
    if answered is None:
        return False
    fraction = text[SECONDS_END:].removeprefix(".").rstrip("0")
    if (answered["fraction"] or "").rstrip("0") != fraction:
        return False
    local = _text_of(datetime.fromisoformat(text[:SECONDS_END]))  # a default may lack the time of day
    in_utc = _text_of(moment)
    converted_twice = instant(in_utc, settings)
    times = [local, in_utc] if converted_twice is None else [local, in_utc, _text_of(converted_twice)]
    return answered["seconds"].replace("T", " ") in times


_OF_FAMILY: Mapping[Family, Condition] = {
    **dict.fromkeys(INTEGERS, _equals_integer),
    **dict.fromkeys((Family.FLOAT, Family.DOUBLE, Family.DECIMAL), _equals_float),
    **dict.fromkeys((Family.BIT, Family.YEAR), _equals_number),
    **dict.fromkeys(BINARY, _equals_bytes),
    **dict.fromkeys((Family.DATE, Family.DATETIME), _is_zero_for_no_day),
    Family.TIME: _is_zero,  # one generation of producers writes 0 for every default of a TIME  [DBZ-162c]
    Family.TIMESTAMP: _equals_instant,
}


def is_form_of_default(place: Place) -> bool:
    """The answer is null, or the default of the column in some form; the column must have a default."""
    if place.got is None or place.got == _default(place):
        return True
    of_family = _OF_FAMILY.get(type_of(place).family)
    return of_family is not None and of_family(place)
