"""Writes a `Value` as the JSON text of its form; a writer returns None for a value that the connector reads as NULL.

[DBZ-201 … DBZ-223, §7.2 … §7.5]
"""

from __future__ import annotations

import base64
import json
import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import tzinfo
from typing import Literal, TypeAlias

from reference_impl import epochs
from reference_impl.column_types import ColumnType, Family
from reference_impl.decimals import to_bytes
from reference_impl.errors import Rejected
from reference_impl.floats import nearest_float32
from reference_impl.java_numbers import double_text, float_text
from reference_impl.model import Index, Mask, RawText, Value
from reference_impl.upstream.debezium.json_text import literal
from reference_impl.upstream.debezium.json_values import compact, printed
from reference_impl.upstream.debezium.options import Options
from reference_impl.upstream.debezium.types import Form, raw_labels
from reference_impl.values import check_text, escaped_label, labels_of_mask, not_a_value

__all__ = [
    "WRITERS",
    "Reading",
    "Writer",
    "bytes_text",
    "decimal_text",
    "labels_of",
    "micros_text",
    "number_text",
    "old_extra",
    "old_negative",
    "writer",
]

Writer: TypeAlias = Callable[[Value], str | None]


@dataclass(frozen=True, slots=True)
class Reading:
    """How the connector reads values from the database."""

    options: Options
    zone: tzinfo  # of TIMESTAMP values
    snapshot: bool  # from a snapshot; otherwise from the binary log
    has_reversed_bits: bool = False  # the bytes of BIT are reversed, as in the key of a snapshot's row  [DBZ-201]


_WriterMaker: TypeAlias = Callable[[ColumnType, Form, Reading], Writer]


def _text(column_type: ColumnType, value: Value) -> str:
    if not isinstance(value, str):
        raise not_a_value(column_type, value)
    return value


def _checked(column_type: ColumnType, value: Value) -> str:
    text = _text(column_type, value)
    check_text(column_type, text)
    return text


def _data(column_type: ColumnType, value: Value) -> bytes:
    if not isinstance(value, bytes):
        raise not_a_value(column_type, value)
    return value


def _base64(data: bytes) -> str:
    return f'"{base64.b64encode(data).decode("ascii")}"'


# Numbers


def _integer(column_type: ColumnType, form: Form, reading: Reading) -> Writer:
    width = {Form.INT16: 16, Form.INT32: 32, Form.INT64: 64}[form]
    top = 1 << (width - 1)

    def write(value: Value) -> str:
        number = int(_checked(column_type, value))
        return str(number if -top <= number < top else number - 2 * top)

    return write


def _boolean(column_type: ColumnType, form: Form, reading: Reading) -> Writer:
    return lambda value: "true" if _checked(column_type, value) != "0" else "false"


def number_text(text: str) -> str:
    """The JSON text of a float; a string for values that JSON lacks."""
    return f'"{text}"' if text.endswith("Infinity") else text


def _float(column_type: ColumnType, form: Form, reading: Reading) -> Writer:
    if reading.snapshot and column_type.family is Family.FLOAT:
        # The connector reads the six digits that the server prints.
        return lambda value: number_text(float_text(float(f"{nearest_float32(_checked(column_type, value)):.6g}")))
    return lambda value: number_text(float_text(float(_checked(column_type, value))))


def _double(column_type: ColumnType, form: Form, reading: Reading) -> Writer:
    return lambda value: double_text(float(_checked(column_type, value)))


def _widened(column_type: ColumnType, form: Form, reading: Reading) -> Writer:
    return lambda value: double_text(nearest_float32(_checked(column_type, value)))


def _nothing(column_type: ColumnType, form: Form, reading: Reading) -> Writer:
    return lambda value: None


def decimal_text(text: str, form: Form) -> str:
    """The JSON text of a decimal that has all the digits of its scale."""
    if form is Form.DECIMAL_TEXT:
        return literal(text)
    if form is Form.DECIMAL_DOUBLE:
        return double_text(float(text))
    return _base64(to_bytes(int(text.replace(".", ""))))


def _decimal(column_type: ColumnType, form: Form, reading: Reading) -> Writer:
    return lambda value: decimal_text(_checked(column_type, value), form)


def _bits(column_type: ColumnType, form: Form, reading: Reading) -> Writer:
    size = (column_type.bits + 7) // 8
    order: Literal["little", "big"] = "big" if reading.has_reversed_bits else "little"
    return lambda value: _base64(int(_checked(column_type, value)).to_bytes(size, order))


# Texts and bytes


def _string(column_type: ColumnType, form: Form, reading: Reading) -> Writer:
    def write(value: Value) -> str:
        if isinstance(value, RawText):
            return literal(value.data.decode("utf-8", "replace"))
        if isinstance(value, bytes):  # charset binary  [DBZ-576]
            return literal(value.decode("latin-1"))
        return literal(_text(column_type, value))

    return write


_ENCODINGS: Mapping[Form, Callable[[bytes], str]] = {
    Form.BYTES: _base64,
    Form.BASE64: _base64,
    Form.URL_SAFE: lambda data: f'"{base64.urlsafe_b64encode(data).decode("ascii")}"',
    Form.HEX: lambda data: f'"{data.hex()}"',
}


def bytes_text(data: bytes, form: Form) -> str:
    """The JSON text of bytes in one of the modes for them."""
    return _ENCODINGS[form](data)


def _bytes(column_type: ColumnType, form: Form, reading: Reading) -> Writer:
    encode = _ENCODINGS[form]
    if column_type.family is Family.BINARY and "(" not in column_type.text and not reading.snapshot:
        # The binary log lacks trailing zero bytes, and the connector does not add them.  [DBZ-223]
        return lambda value: encode(_data(column_type, value).rstrip(b"\0"))
    return lambda value: encode(_data(column_type, value))


def labels_of(column_type: ColumnType, reading: Reading) -> list[str]:
    """The labels of an ENUM or SET in a payload: escaped, but in a snapshot as the server prints them.

    [DBZ-214, DBZ-215]
    """
    if reading.snapshot:
        return [label.rstrip(" ") for label in column_type.members]
    return [escaped_label(label) for label in raw_labels(column_type)]


def _enum(column_type: ColumnType, form: Form, reading: Reading) -> Writer:
    labels = labels_of(column_type, reading)
    known = dict(zip(column_type.members, labels, strict=False))

    def write(value: Value) -> str:
        if isinstance(value, Index):
            if not 0 <= value.number <= len(labels):
                raise Rejected("range", f"{column_type.text} has no label {value.number}")
            return literal(labels[value.number - 1] if value.number else "")
        label = _text(column_type, value)
        if label and label not in known:
            raise Rejected("range", f"{label!r} is not a member of {column_type.text}")
        return literal(known.get(label, ""))

    return write


def _set(column_type: ColumnType, form: Form, reading: Reading) -> Writer:
    labels = labels_of(column_type, reading)
    known = dict(zip(column_type.members, labels, strict=False))

    def write(value: Value) -> str:
        if isinstance(value, Mask):
            if value.bits >> len(labels):
                raise Rejected("range", f"{column_type.text} has no mask {value.bits}")
            return literal(labels_of_mask(labels, value.bits))
        text = _text(column_type, value)
        chosen = text.split(",") if text else []
        if unknown := [label for label in chosen if label not in known]:
            raise Rejected("range", f"{unknown[0]!r} is not a member of {column_type.text}")
        return literal(",".join(known[label] for label in chosen))

    return write


def _json(column_type: ColumnType, form: Form, reading: Reading) -> Writer:
    if reading.options.server == "mariadb":
        return lambda value: literal(_text(column_type, value))
    make = printed if reading.snapshot else compact
    return lambda value: literal(make(_text(column_type, value)))


_SRID_BYTES = 4
_WKB_HEAD = 5  # byte order and type
_POINT, _POINT_BYTES = 1, _WKB_HEAD + 16  # the type, and the length of WKB with two doubles


def _geometry(column_type: ColumnType, form: Form, reading: Reading) -> Writer:
    def write(value: Value) -> str:
        data = _data(column_type, value)
        wkb = data[_SRID_BYTES:]
        if len(wkb) < _WKB_HEAD or wkb[0] > 1:
            raise Rejected("type", f"{data[:30].hex()} is no geometry: four bytes of SRID and WKB")
        srid = int.from_bytes(data[:_SRID_BYTES], "little")
        end = f'"wkb":{_base64(wkb)},"srid":{srid or "null"}}}'
        if form is Form.GEOMETRY:
            return "{" + end
        order = "<" if wkb[0] else ">"
        if len(wkb) != _POINT_BYTES or struct.unpack(order + "I", wkb[1:_WKB_HEAD])[0] != _POINT:
            raise Rejected("type", f"{wkb[:_POINT_BYTES].hex()} is no point")
        x, y = struct.unpack(order + "dd", wkb[_WKB_HEAD:])
        return f'{{"x":{double_text(x)},"y":{double_text(y)},{end}'

    return write


def _floats(column_type: ColumnType, form: Form, reading: Reading) -> Writer:
    return lambda value: "[" + ",".join(float_text(float(v)) for v in json.loads(_checked(column_type, value))) + "]"


# Times


def _nonzero_date(text: str, year_zero: str | None, reading: Reading) -> str | None:
    """The date or datetime that the connector reads from a text; None if it reads NULL.  [DBZ-220]

    `year_zero` is the year that a snapshot reads for the year 0, None if it reads NULL.
    """
    if text[5:7] == "00" or text[8:10] == "00":
        return None
    if text[:4] != "0000":
        return text
    return year_zero + text[4:] if reading.snapshot and year_zero is not None else None


def _in_calendar(text: str, count: int | None) -> int:
    """The days or microseconds of a date.

    Raises `Rejected` (class `range`) for None, which is the count of a date outside the calendar.
    """
    if count is None:
        raise Rejected("range", f"{text} is in no calendar: the connector stops")
    return count


def _date(column_type: ColumnType, form: Form, reading: Reading) -> Writer:
    def write(value: Value) -> str | None:
        text = _nonzero_date(_checked(column_type, value), reading.options.traits.date_year_zero, reading)
        return None if text is None else str(_in_calendar(text, epochs.days(text)))

    return write


def micros_text(micros: int, form: Form) -> str | None:
    """The JSON text of microseconds of a DATETIME or TIME; None if they do not fit the form."""
    if form in (Form.MICROS, Form.TIME):
        return str(micros)
    if form is Form.CONNECT_TIME and not 0 <= micros <= epochs.DAY:
        return None
    return str(micros // 1000)


def _datetime(column_type: ColumnType, form: Form, reading: Reading) -> Writer:
    def write(value: Value) -> str | None:
        text = _nonzero_date(_checked(column_type, value), reading.options.traits.datetime_year_zero, reading)
        return None if text is None else micros_text(_in_calendar(text, epochs.micros(text)), form)

    return write


def _time(column_type: ColumnType, form: Form, reading: Reading) -> Writer:
    is_old = not reading.options.traits.negative_times

    def write(value: Value) -> str | None:
        text = _checked(column_type, value)
        micros = epochs.time_micros(text)
        if is_old and micros < 0 and not reading.snapshot:
            micros = old_negative(text, column_type.fsp)
        elif is_old and text.startswith("-00:"):
            micros = abs(micros)
        return micros_text(micros, form)

    return write


def old_extra(fsp: int) -> int:
    """The microseconds that an old version adds to a negative TIME of whole seconds.  [DBZ-222]"""
    if fsp == 0:
        return 0
    return 2_147_483 if fsp <= 4 else 1_048_576


def old_negative(text: str, fsp: int) -> int:
    """The microseconds of a negative TIME as old versions read it from its packed bits.  [DBZ-222]"""
    hours, minutes, rest = text[1:].split(":")
    seconds, _, fraction = rest.partition(".")
    if fraction.strip("0"):
        return epochs.time_micros(text)
    packed = (int(hours) << 12 | int(minutes) << 6 | int(seconds)) - 1
    second = packed & 63
    whole = (packed >> 12) * 3600 + (packed >> 6 & 63) * 60 + second
    if fsp == 0:
        whole += second < 59
    return -(whole * epochs.MICROS + old_extra(fsp))


def _timestamp(column_type: ColumnType, form: Form, reading: Reading) -> Writer:
    zero = None
    if reading.options.traits.zero_timestamps and not reading.snapshot:
        zero = f'"1970-01-01T00:00:00{"." if column_type.fsp else ""}{"0" * column_type.fsp}Z"'

    def write(value: Value) -> str | None:
        text = epochs.zoned(_checked(column_type, value), reading.zone)
        if text is None:
            return zero
        if reading.snapshot and column_type.fsp:
            text = text[:-1].rstrip("0").rstrip(".") + "Z"
        return f'"{text}"'

    return write


def _year(column_type: ColumnType, form: Form, reading: Reading) -> Writer:
    zero = "2000" if reading.snapshot else "1900"  # [DBZ-217]

    def write(value: Value) -> str:
        text = _checked(column_type, value)
        return zero if text == "0" else text

    return write


WRITERS: Mapping[Form, _WriterMaker] = {
    Form.BOOLEAN: _boolean,
    **dict.fromkeys((Form.INT16, Form.INT32, Form.INT64), _integer),
    Form.FLOAT: _float,
    Form.DOUBLE: _double,
    Form.WIDENED: _widened,
    Form.NOTHING: _nothing,
    Form.STRING: _string,
    **dict.fromkeys((Form.DECIMAL, Form.DECIMAL_DOUBLE, Form.DECIMAL_TEXT, Form.UNSIGNED_DECIMAL), _decimal),
    **dict.fromkeys((Form.BYTES, Form.BASE64, Form.URL_SAFE, Form.HEX), _bytes),
    Form.BITS: _bits,
    **dict.fromkeys((Form.DATE, Form.CONNECT_DATE), _date),
    **dict.fromkeys((Form.TIME, Form.CONNECT_TIME), _time),
    **dict.fromkeys((Form.MILLIS, Form.MICROS, Form.CONNECT_TIMESTAMP), _datetime),
    Form.ZONED: _timestamp,
    Form.YEAR: _year,
    Form.ENUM: _enum,
    Form.SET: _set,
    Form.JSON: _json,
    **dict.fromkeys((Form.POINT, Form.GEOMETRY), _geometry),
    Form.FLOATS: _floats,
}


def writer(column_type: ColumnType, form: Form, reading: Reading) -> Writer:
    """A function from a value that is not NULL to its JSON text.

    It raises `Rejected`: class `type` for a value of another type, `range` for a value outside its type.
    """
    return WRITERS[form](column_type, form, reading)
