"""Values read: from what stands in a payload to a `Value`, by form and column type.

[DBZ-200 … DBZ-223, §7.2 … §7.5]  `LOST` is a value of which the message does not tell enough: the column is left out.
NULL that came as a default, and a zero date that came as NULL, are read as they stand.
"""

from __future__ import annotations

import base64
import binascii
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from enum import Enum, auto
from typing import TypeAlias

from reference_impl import epochs
from reference_impl.column_types import BINARY, ColumnType, Family
from reference_impl.errors import Rejected
from reference_impl.exact_json import Tree
from reference_impl.floats import plain
from reference_impl.model import Index, Value
from reference_impl.upstream.debezium.texts import Reading, labels_of, old_extra, old_negative
from reference_impl.upstream.debezium.types import Form
from reference_impl.values import check_text

__all__ = ["LOST", "Reader", "Shape", "enum_reader", "read_unknown", "reader"]


class _Lost(Enum):
    LOST = auto()


LOST = _Lost.LOST
Reader: TypeAlias = Callable[[Tree], Value | _Lost]


@dataclass(frozen=True, slots=True)
class Shape:
    """What a reader knows: the type, the form, and whether length and scale of the type are known."""

    kind: ColumnType
    form: Form
    exact: bool
    reading: Reading


def _unfit(shape: Shape, value: Tree) -> Rejected:
    return Rejected("type", f"{str(value)[:60]!r} is not a value of a {shape.kind.text} column")


def _integer(shape: Shape, value: Tree) -> int:
    if type(value) is not int:
        raise _unfit(shape, value)
    return value


def _string(shape: Shape, value: Tree) -> str:
    if not isinstance(value, str):
        raise _unfit(shape, value)
    return value


def _number(shape: Shape, value: Tree) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float, Decimal)):
        raise _unfit(shape, value)
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if math.isinf(number):
        raise Rejected("range", f"{str(value)[:60]} is outside {shape.kind.text}")
    return number


def _data(shape: Shape, value: Tree) -> bytes:
    try:
        return base64.b64decode(_string(shape, value), validate=True)
    except (binascii.Error, ValueError):
        raise _unfit(shape, value) from None


def _bounded(kind: ColumnType, number: int) -> str:
    if not kind.minimum <= number <= kind.maximum:
        raise Rejected("range", f"{number} is outside {kind.text}")
    return str(number)


def _checked(shape: Shape, text: str) -> str:
    check_text(shape.kind, text)
    return text


# Numbers

_WIDTHS = {Form.INT16: 16, Form.INT32: 32, Form.INT64: 64}


def _read_integer(shape: Shape) -> Reader:
    kind, width = shape.kind, _WIDTHS[shape.form]

    def read(value: Tree) -> Value:
        number = _integer(shape, value)
        if kind.unsigned and number < 0 and kind.bits == width and number >= -(1 << (width - 1)):
            number += 1 << width
        return _bounded(kind, number)

    return read


def _read_boolean(shape: Shape) -> Reader:
    def read(value: Tree) -> Value:
        if not isinstance(value, bool):
            raise _unfit(shape, value)
        return str(int(value))

    return read


def _read_float(shape: Shape) -> Reader:
    def read(value: Tree) -> Value | _Lost:
        if value in ("Infinity", "-Infinity"):
            return LOST  # a double that was made a float
        text = repr(_number(shape, value))
        return _checked(shape, text)

    return read


def _read_nothing(shape: Shape) -> Reader:
    return lambda value: LOST


def _scaled(shape: Shape, digits: str) -> str:
    scale = shape.kind.scale or 0
    whole, _, part = digits.partition(".")
    if part[scale:].strip("0"):
        raise Rejected("type", f"{digits} has more than the {scale} fractional digits of {shape.kind.text}")
    text = whole + ("." + part[:scale].ljust(scale, "0") if scale else "")
    return text.lstrip("-") if not text.strip("-0.") else text


def _decimal(shape: Shape, text: str) -> str:
    if not shape.exact:
        loose = replace(shape.kind, length=65, scale=len(text.partition(".")[2]))
        check_text(loose, text)
        return text
    return _checked(shape, text)


def _read_decimal_double(shape: Shape) -> Reader:
    kind = shape.kind
    largest = float(Decimal(10) ** ((kind.length or 10) - (kind.scale or 0))) if shape.exact else math.inf

    def read(value: Tree) -> Value:
        number = _number(shape, value)
        if abs(number) > largest or (kind.unsigned and number < 0):
            raise Rejected("range", f"{value} is outside {kind.text}")
        digits = plain(repr(number), 64)
        return _scaled(shape, digits) if shape.exact else digits

    return read


def _read_decimal_text(shape: Shape) -> Reader:
    return lambda value: _decimal(shape, _string(shape, value))


def _read_decimal(shape: Shape) -> Reader:
    scale = 0 if shape.form is Form.UNSIGNED_DECIMAL else shape.kind.scale or 0

    def read(value: Tree) -> Value:
        data = _data(shape, value)
        if not data:
            raise _unfit(shape, value)
        number = int.from_bytes(data, "big", signed=True)
        if shape.form is Form.UNSIGNED_DECIMAL:
            return _bounded(shape.kind, number)
        digits = str(abs(number)).rjust(scale + 1, "0")
        text = f"{digits[:-scale]}.{digits[-scale:]}" if scale else digits
        return _decimal(shape, "-" + text if number < 0 else text)

    return read


def _read_bits(shape: Shape) -> Reader:
    size = (shape.kind.bits + 7) // 8

    def read(value: Tree) -> Value:
        data = _data(shape, value)
        if shape.exact and len(data) != size:
            raise Rejected("type", f"{len(data)} bytes in a {shape.kind.text}")
        return _bounded(shape.kind, int.from_bytes(data, "little"))

    return read


# Texts and bytes


def _read_text(shape: Shape) -> Reader:
    longest = shape.kind.length if shape.exact and shape.kind.family in (Family.CHAR, Family.VARCHAR) else None

    def read(value: Tree) -> Value:
        text = _string(shape, value)
        if shape.kind.family in BINARY:
            try:
                return text.encode("latin-1")
            except UnicodeEncodeError:
                raise _unfit(shape, value) from None
        if longest is not None and len(text) > longest:
            raise Rejected("range", f"{len(text)} characters in a {shape.kind.text}")
        return text

    return read


def _from_hex(text: str) -> bytes:
    if text != text.lower():
        raise ValueError(text)
    return bytes.fromhex(text)


_DECODINGS: Mapping[Form, Callable[[str], bytes]] = {
    **dict.fromkeys((Form.BYTES, Form.BASE64), lambda text: base64.b64decode(text, validate=True)),
    Form.URL_SAFE: lambda text: base64.b64decode(text, altchars=b"-_", validate=True),
    Form.HEX: _from_hex,
}


def _read_bytes(shape: Shape) -> Reader:
    kind, decode = shape.kind, _DECODINGS[shape.form]
    sized = shape.exact and kind.family in (Family.BINARY, Family.VARBINARY)

    def read(value: Tree) -> Value:
        try:
            data = decode(_string(shape, value))
        except (binascii.Error, ValueError):
            raise _unfit(shape, value) from None
        if sized and len(data) > (kind.length or 0):
            raise Rejected("range", f"{len(data)} bytes in a {kind.text}")
        return data.ljust(kind.length or 0, b"\0") if sized and kind.family is Family.BINARY else data

    return read


def enum_reader(allowed: str) -> Reader:
    """A reader of ENUM labels of which only a schema's `allowed` is known."""
    around = f",{allowed},"

    def read(value: Tree) -> Value:
        if not isinstance(value, str):
            raise Rejected("type", f"{str(value)[:60]!r} is not a label")
        if value == "" and ",," not in around:
            return Index(0)
        if f",{value}," not in around:
            raise Rejected("range", f"{value!r} is not a member")
        return value.replace("\\,", ",")

    return read


def _labels(shape: Shape) -> Mapping[str, str]:
    return dict(zip(labels_of(shape.kind, shape.reading), shape.kind.members, strict=False))


def _read_enum(shape: Shape) -> Reader:
    known = _labels(shape)

    def read(value: Tree) -> Value:
        label = _string(shape, value)
        if label in known:
            return known[label]
        if label == "":
            return Index(0)
        raise Rejected("range", f"{label!r} is not a member of {shape.kind.text}")

    return read


def _read_set(shape: Shape) -> Reader:
    known = _labels(shape)

    def read(value: Tree) -> Value:
        text = _string(shape, value)
        given = text.split(",") if text else []
        if not shape.exact:
            return text
        if unknown := [label for label in given if label not in known]:
            raise Rejected("range", f"{unknown[0]!r} is not a member of {shape.kind.text}")
        return ",".join(known[label] for label in given)

    return read


def _read_json(shape: Shape) -> Reader:
    if shape.reading.options.server == "mariadb":
        return lambda value: _string(shape, value)
    return lambda value: _checked(shape, _string(shape, value))


_SRID_BYTES, _MAX_SRID = 4, 2**32 - 1


def _read_geometry(shape: Shape) -> Reader:
    def read(value: Tree) -> Value:
        if not isinstance(value, dict) or "wkb" not in value:
            raise _unfit(shape, value)
        srid = value.get("srid")
        if srid is not None and (type(srid) is not int or not 0 <= srid <= _MAX_SRID):
            raise _unfit(shape, srid)
        return (srid or 0).to_bytes(_SRID_BYTES, "little") + _data(shape, value["wkb"])

    return read


def _read_floats(shape: Shape) -> Reader:
    def read(value: Tree) -> Value:
        if not isinstance(value, list):
            raise _unfit(shape, value)
        return _checked(shape, "[" + ",".join(plain(repr(_number(shape, e)), 32) for e in value) + "]")

    return read


# Times


def _read_date(shape: Shape) -> Reader:
    return lambda value: epochs.date_of_days(_integer(shape, value))


def _read_datetime(shape: Shape) -> Reader:
    unit = 1 if shape.form is Form.MICROS else 1000
    digits = shape.kind.fsp if shape.exact else None
    return lambda value: epochs.datetime_of_micros(_integer(shape, value) * unit, digits)


def _read_time(shape: Shape) -> Reader:
    unit = 1000 if shape.form is Form.CONNECT_TIME else 1
    digits = shape.kind.fsp if shape.exact else None
    wrong = not shape.reading.options.traits.negative_times and not shape.reading.snapshot and shape.exact

    def read(value: Tree) -> Value | _Lost:
        micros = _integer(shape, value) * unit
        if wrong and micros < 0:
            return _old_time(micros, shape.kind.fsp)
        return epochs.time_of_micros(micros, digits)

    return read


def _old_time(micros: int, fsp: int) -> str | _Lost:
    """The negative TIME that an old version made these microseconds of; several may have been.  [DBZ-222]"""
    extra = old_extra(fsp)
    whole, rest = divmod(-micros - extra, epochs.MICROS)
    if rest:
        return epochs.time_of_micros(micros, fsp)
    zeros = "." + "0" * fsp if fsp else ""
    found = []
    # A second less, or what a borrowed minute or hour of 64 makes of no seconds.
    for seconds in (whole + (extra > 0), whole - 3, whole - 243):
        text = f"-{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}{zeros}"
        if seconds > 0 and old_negative(text, fsp) == micros:
            found.append(text)
    return found[0] if len(found) == 1 else LOST


_ZERO = "0000-00-00 00:00:00"


def _read_timestamp(shape: Shape) -> Reader:
    digits = shape.kind.fsp if shape.exact else None

    def read(value: Tree) -> Value:
        text = _string(shape, value)
        if shape.reading.snapshot and digits and text.endswith("Z"):
            whole, _, fraction = text[:-1].partition(".")
            text = f"{whole}.{fraction.ljust(digits, '0')}Z"
        if text.startswith("1970-01-01T00:00:00") and not text[19:].strip(".0Z"):
            zeros = len(text) - len("1970-01-01T00:00:00.Z") if digits is None else digits
            return _ZERO + ("." + "0" * zeros if zeros > 0 else "")
        return epochs.read_zoned(text, shape.reading.zone, digits)

    return read


def _read_year(shape: Shape) -> Reader:
    def read(value: Tree) -> Value:
        year = _integer(shape, value)
        return "0" if year == 1900 else _checked(shape, str(year))

    return read


_READERS: Mapping[Form, Callable[[Shape], Reader]] = {
    Form.BOOLEAN: _read_boolean,
    **dict.fromkeys(_WIDTHS, _read_integer),
    **dict.fromkeys((Form.FLOAT, Form.DOUBLE, Form.WIDENED), _read_float),
    Form.NOTHING: _read_nothing,
    Form.STRING: _read_text,
    **dict.fromkeys((Form.DECIMAL, Form.UNSIGNED_DECIMAL), _read_decimal),
    Form.DECIMAL_DOUBLE: _read_decimal_double,
    Form.DECIMAL_TEXT: _read_decimal_text,
    **dict.fromkeys(_DECODINGS, _read_bytes),
    Form.BITS: _read_bits,
    **dict.fromkeys((Form.DATE, Form.CONNECT_DATE), _read_date),
    **dict.fromkeys((Form.MILLIS, Form.MICROS, Form.CONNECT_TIMESTAMP), _read_datetime),
    **dict.fromkeys((Form.TIME, Form.CONNECT_TIME), _read_time),
    Form.ZONED: _read_timestamp,
    Form.YEAR: _read_year,
    Form.ENUM: _read_enum,
    Form.SET: _read_set,
    Form.JSON: _read_json,
    **dict.fromkeys((Form.POINT, Form.GEOMETRY), _read_geometry),
    Form.FLOATS: _read_floats,
}


def reader(shape: Shape) -> Reader:
    """A function from what stands in a payload, not null, to a value or `LOST`.

    It raises `Rejected`: class `type` for what is not of the form or type, `range` for a value outside the type.
    """
    return _READERS[shape.form](shape)


def read_unknown(value: Tree) -> Value:
    """What can be said of a value that nobody describes: its text. Raises `Rejected` (class `type`) for none."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return str(int(value))
    if isinstance(value, int):
        return str(value)
    if isinstance(value, (float, Decimal)):
        return repr(float(value))
    raise Rejected("type", f"{str(value)[:60]!r} is no value of a column")
