"""Reads values of a payload into `Value`, by form and column type.

A reader returns `LOST` for a value that the message does not determine; the row then lacks the column. A NULL that was
sent as a default, and a zero date that was sent as NULL, are not restored.  [DBZ-201 … DBZ-223, §7.2 … §7.5]
"""

from __future__ import annotations

import base64
import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from decimal import Decimal

from reference_impl.column_types import BINARY, Family
from reference_impl.decimals import decimal_text, from_bytes
from reference_impl.errors import Rejected, Undescribed
from reference_impl.exact_json import Tree
from reference_impl.floats import plain
from reference_impl.model import Index, Value
from reference_impl.upstream.debezium.shapes import (
    LOST,
    Lost,
    Reader,
    Shape,
    bounded,
    checked,
    data_of,
    integer_of,
    number_of,
    string_of,
    unfit,
)
from reference_impl.upstream.debezium.texts import labels_of
from reference_impl.upstream.debezium.time_readers import TIME_READERS
from reference_impl.upstream.debezium.types import Form
from reference_impl.values import check_text

__all__ = ["READERS", "enum_reader", "read_unknown", "reader"]


# Numbers

_WIDTHS = {Form.INT16: 16, Form.INT32: 32, Form.INT64: 64}


def _read_integer(shape: Shape) -> Reader:
    column_type, width = shape.column_type, _WIDTHS[shape.form]

    def read(value: Tree) -> Value:
        number = integer_of(shape, value)
        if column_type.unsigned and number < 0 and column_type.bits == width and number >= -(1 << (width - 1)):
            number += 1 << width
        return bounded(column_type, number)

    return read


def _read_boolean(shape: Shape) -> Reader:
    def read(value: Tree) -> Value:
        if not isinstance(value, bool):
            raise unfit(shape, value)
        return str(int(value))

    return read


def _read_float(shape: Shape) -> Reader:
    def read(value: Tree) -> Value | Lost:
        if value in ("Infinity", "-Infinity"):
            return LOST  # a double beyond the range of FLOAT
        text = repr(number_of(shape, value))
        return checked(shape, text)

    return read


def _read_nothing(shape: Shape) -> Reader:
    return lambda value: LOST


def _scaled(shape: Shape, digits: str) -> str:
    scale = shape.column_type.scale or 0
    whole, _, part = digits.partition(".")
    if part[scale:].strip("0"):
        raise Rejected("type", f"{digits} has more than the {scale} fractional digits of {shape.column_type.text}")
    text = whole + ("." + part[:scale].ljust(scale, "0") if scale else "")
    return text.lstrip("-") if not text.strip("-0.") else text


def _decimal(shape: Shape, text: str) -> str:
    if not shape.exact:
        loose = replace(shape.column_type, length=65, scale=len(text.partition(".")[2]))
        check_text(loose, text)
        return text
    return checked(shape, text)


def _read_decimal_double(shape: Shape) -> Reader:
    column_type = shape.column_type
    largest = float(Decimal(10) ** ((column_type.length or 10) - (column_type.scale or 0))) if shape.exact else math.inf

    def read(value: Tree) -> Value:
        number = number_of(shape, value)
        if abs(number) > largest or (column_type.unsigned and number < 0):
            raise Rejected("range", f"{value} is outside {column_type.text}")
        digits = plain(repr(number), 64)
        return _scaled(shape, digits) if shape.exact else digits

    return read


def _read_decimal_text(shape: Shape) -> Reader:
    return lambda value: _decimal(shape, string_of(shape, value))


def _read_decimal(shape: Shape) -> Reader:
    scale = 0 if shape.form is Form.UNSIGNED_DECIMAL else shape.column_type.scale or 0

    def read(value: Tree) -> Value:
        data = data_of(shape, value)
        if not data:
            raise unfit(shape, value)
        number = from_bytes(data)
        if shape.form is Form.UNSIGNED_DECIMAL:
            return bounded(shape.column_type, number)
        return _decimal(shape, decimal_text(number, scale))

    return read


def _read_bits(shape: Shape) -> Reader:
    size = (shape.column_type.bits + 7) // 8

    def read(value: Tree) -> Value:
        data = data_of(shape, value)
        if shape.exact and len(data) != size:
            raise Rejected("type", f"{len(data)} bytes in a {shape.column_type.text}")
        return bounded(shape.column_type, int.from_bytes(data, "big" if shape.reading.has_reversed_bits else "little"))

    return read


# Texts and bytes


def _read_text(shape: Shape) -> Reader:
    longest = (
        shape.column_type.length if shape.exact and shape.column_type.family in (Family.CHAR, Family.VARCHAR) else None
    )

    def read(value: Tree) -> Value:
        text = string_of(shape, value)
        if shape.column_type.family in BINARY:
            try:
                return text.encode("latin-1")
            except UnicodeEncodeError:
                raise unfit(shape, value) from None
        if longest is not None and len(text) > longest:
            raise Rejected("range", f"{len(text)} characters in a {shape.column_type.text}")
        return text

    return read


def _from_hex(text: str) -> bytes:
    data = bytes.fromhex(text)
    if data.hex() != text:  # upper case, or blanks
        raise ValueError(text)
    return data


def _from_url_safe(text: str) -> bytes:
    if "+" in text or "/" in text:
        raise ValueError(text)
    return base64.b64decode(text, altchars=b"-_", validate=True)


_DECODINGS: Mapping[Form, Callable[[str], bytes]] = {
    **dict.fromkeys((Form.BYTES, Form.BASE64), lambda text: base64.b64decode(text, validate=True)),
    Form.URL_SAFE: _from_url_safe,
    Form.HEX: _from_hex,
}


def _read_bytes(shape: Shape) -> Reader:
    column_type, decode = shape.column_type, _DECODINGS[shape.form]
    sized = shape.exact and column_type.family in (Family.BINARY, Family.VARBINARY)

    def read(value: Tree) -> Value:
        try:
            data = decode(string_of(shape, value))
        except ValueError:
            raise unfit(shape, value) from None
        if sized and len(data) > (column_type.length or 0):
            raise Rejected("range", f"{len(data)} bytes in a {column_type.text}")
        return data.ljust(column_type.length or 0, b"\0") if sized and column_type.family is Family.BINARY else data

    return read


def enum_reader(allowed: str) -> Reader:
    """A reader of ENUM labels that are known only from `allowed` in a schema."""
    delimited = f",{allowed},"

    def read(value: Tree) -> Value:
        if not isinstance(value, str):
            raise Rejected("type", f"{str(value)[:60]!r} is not a label")
        if value == "" and ",," not in delimited:
            return Index(0)
        is_single = "," not in value.replace("\\,", "")  # a comma without a backslash separates two labels
        if not is_single or f",{value}," not in delimited:
            raise Rejected("range", f"{value!r} is not a member")
        return value.replace("\\,", ",")

    return read


def _labels(shape: Shape) -> Mapping[str, str]:
    return dict(zip(labels_of(shape.column_type, shape.reading), shape.column_type.members, strict=False))


def _read_enum(shape: Shape) -> Reader:
    known = _labels(shape)

    def read(value: Tree) -> Value:
        label = string_of(shape, value)
        if label in known:
            return known[label]
        if label == "":
            return Index(0)
        raise Rejected("range", f"{label!r} is not a member of {shape.column_type.text}")

    return read


def _read_set(shape: Shape) -> Reader:
    known = _labels(shape)

    def read(value: Tree) -> Value:
        text = string_of(shape, value)
        if not shape.exact:
            return text
        labels = text.split(",") if text else []
        if unknown := [label for label in labels if label not in known]:
            raise Rejected("range", f"{unknown[0]!r} is not a member of {shape.column_type.text}")
        return ",".join(known[label] for label in labels)

    return read


def _read_json(shape: Shape) -> Reader:
    if shape.reading.options.server == "mariadb":
        return lambda value: string_of(shape, value)
    return lambda value: checked(shape, string_of(shape, value))


_SRID_BYTES, _MAX_SRID = 4, 2**32 - 1
_GEOMETRY_MEMBERS = frozenset({"x", "y", "wkb", "srid"})


def _read_geometry(shape: Shape) -> Reader:
    def read(value: Tree) -> Value:
        if not isinstance(value, dict) or "wkb" not in value:
            raise unfit(shape, value)
        srid = value.get("srid")
        if srid is not None and (type(srid) is not int or not 0 <= srid <= _MAX_SRID):
            raise unfit(shape, srid)
        return (srid or 0).to_bytes(_SRID_BYTES, "little") + data_of(shape, value["wkb"])

    return read


def _read_floats(shape: Shape) -> Reader:
    def read(value: Tree) -> Value:
        if not isinstance(value, list):
            raise unfit(shape, value)
        try:
            elements = [plain(repr(number_of(shape, element)), 32) for element in value]
        except OverflowError:
            raise Rejected("range", "an element is beyond 32 bits") from None
        return checked(shape, "[" + ",".join(elements) + "]")

    return read


READERS: Mapping[Form, Callable[[Shape], Reader]] = {
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
    **TIME_READERS,
    Form.ENUM: _read_enum,
    Form.SET: _read_set,
    Form.JSON: _read_json,
    **dict.fromkeys((Form.POINT, Form.GEOMETRY), _read_geometry),
    Form.FLOATS: _read_floats,
}


def reader(shape: Shape) -> Reader:
    """A function from non-null payload values to `Value` or `LOST`.

    It raises `Rejected`: class `type` for a wrong form or type, `range` for a value outside the type.
    """
    return READERS[shape.form](shape)


def read_unknown(value: Tree) -> Value:
    """The text of a value in a column that nothing describes.

    Raises `Undescribed` for the object of a geometry and the array of a vector, whose text depends on the column type;
    `Rejected`: class `type` for JSON that no column has, `range` for a number beyond a double.
    """
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return str(int(value))
    if isinstance(value, int):
        return str(value)
    if isinstance(value, (float, Decimal)):
        number = float(value)
        if math.isinf(number):
            raise Rejected("range", f"{value} is beyond a double")
        return repr(number)
    text = f"{str(value)[:60]!r}"
    if isinstance(value, dict):
        is_known = "wkb" in value and value.keys() <= _GEOMETRY_MEMBERS
    else:
        is_known = isinstance(value, list) and all(type(item) in (int, float, Decimal) for item in value)
    if is_known:
        raise Undescribed("type", f"the type of the column says how {text} is read")
    raise Rejected("type", f"{text} is no value of a column")
