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
from reference_impl.connect_json import scalar
from reference_impl.decimals import decimal_text, from_bytes
from reference_impl.errors import Rejected, Undescribed
from reference_impl.exact_json import Tree
from reference_impl.floats import plain
from reference_impl.model import Index, Value
from reference_impl.upstream.debezium.payload_column import (
    LOST,
    Lost,
    PayloadColumn,
    Reader,
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


def _read_integer(column: PayloadColumn) -> Reader:
    column_type, width = column.column_type, _WIDTHS[column.form]

    def read(value: Tree) -> Value:
        number = integer_of(column, value)
        is_wrapped = column_type.unsigned and column_type.bits == width and -(1 << (width - 1)) <= number < 0
        if is_wrapped:  # the connector writes the bits of an unsigned number as a signed one
            number += 1 << width
        return bounded(column_type, number)

    return read


def _read_boolean(column: PayloadColumn) -> Reader:
    def read(value: Tree) -> Value:
        if not isinstance(value, bool):
            raise unfit(column, value)
        return str(int(value))

    return read


def _read_float(column: PayloadColumn) -> Reader:
    def read(value: Tree) -> Value | Lost:
        if value in ("Infinity", "-Infinity"):
            return LOST  # a double beyond the range of FLOAT
        text = repr(number_of(column, value))
        return checked(column, text)

    return read


def _read_nothing(column: PayloadColumn) -> Reader:
    return lambda value: LOST


def _scaled(column: PayloadColumn, digits: str) -> str:
    scale = column.column_type.scale or 0
    whole, _, fraction = digits.partition(".")
    if fraction[scale:].strip("0"):
        raise Rejected("type", f"{digits} has more than the {scale} fractional digits of {column.column_type.text}")
    text = whole + ("." + fraction[:scale].ljust(scale, "0") if scale else "")
    is_zero = not text.strip("-0.")
    return text.lstrip("-") if is_zero else text


def _decimal(column: PayloadColumn, text: str) -> str:
    if not column.exact:
        any_precision = replace(column.column_type, length=65, scale=len(text.partition(".")[2]))
        check_text(any_precision, text)
        return text
    return checked(column, text)


def _read_decimal_double(column: PayloadColumn) -> Reader:
    column_type = column.column_type
    largest = (
        float(Decimal(10) ** ((column_type.length or 10) - (column_type.scale or 0))) if column.exact else math.inf
    )

    def read(value: Tree) -> Value:
        number = number_of(column, value)
        if abs(number) > largest or (column_type.unsigned and number < 0):
            raise Rejected("range", f"{value} is outside {column_type.text}")
        digits = plain(repr(number), 64)
        return _scaled(column, digits) if column.exact else digits

    return read


def _read_decimal_text(column: PayloadColumn) -> Reader:
    return lambda value: _decimal(column, string_of(column, value))


def _read_decimal(column: PayloadColumn) -> Reader:
    scale = 0 if column.form is Form.UNSIGNED_DECIMAL else column.column_type.scale or 0

    def read(value: Tree) -> Value:
        data = data_of(column, value)
        if not data:
            raise unfit(column, value)
        number = from_bytes(data)
        if column.form is Form.UNSIGNED_DECIMAL:
            return bounded(column.column_type, number)
        return _decimal(column, decimal_text(number, scale))

    return read


def _read_bits(column: PayloadColumn) -> Reader:
    size = (column.column_type.bits + 7) // 8

    def read(value: Tree) -> Value:
        data = data_of(column, value)
        if column.exact and len(data) != size:
            raise Rejected("type", f"{len(data)} bytes in a {column.column_type.text}")
        return bounded(
            column.column_type, int.from_bytes(data, "big" if column.reading.has_reversed_bits else "little")
        )

    return read


# Texts and bytes


def _read_text(column: PayloadColumn) -> Reader:
    longest = (
        column.column_type.length
        if column.exact and column.column_type.family in (Family.CHAR, Family.VARCHAR)
        else None
    )

    def read(value: Tree) -> Value:
        text = string_of(column, value)
        if column.column_type.family in BINARY:
            try:
                return text.encode("latin-1")
            except UnicodeEncodeError:
                raise unfit(column, value) from None
        if longest is not None and len(text) > longest:
            raise Rejected("range", f"{len(text)} characters in a {column.column_type.text}")
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


def _read_bytes(column: PayloadColumn) -> Reader:
    column_type, decode = column.column_type, _DECODINGS[column.form]
    sized = column.exact and column_type.family in (Family.BINARY, Family.VARBINARY)

    def read(value: Tree) -> Value:
        try:
            data = decode(string_of(column, value))
        except ValueError:
            raise unfit(column, value) from None
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


def _labels(column: PayloadColumn) -> Mapping[str, str]:
    return dict(zip(labels_of(column.column_type, column.reading), column.column_type.members, strict=False))


def _read_enum(column: PayloadColumn) -> Reader:
    known = _labels(column)

    def read(value: Tree) -> Value:
        label = string_of(column, value)
        if label in known:
            return known[label]
        if label == "":
            return Index(0)
        raise Rejected("range", f"{label!r} is not a member of {column.column_type.text}")

    return read


def _read_set(column: PayloadColumn) -> Reader:
    known = _labels(column)

    def read(value: Tree) -> Value:
        text = string_of(column, value)
        if not column.exact:
            return text
        labels = text.split(",") if text else []
        if unknown := [label for label in labels if label not in known]:
            raise Rejected("range", f"{unknown[0]!r} is not a member of {column.column_type.text}")
        return ",".join(known[label] for label in labels)

    return read


def _read_json(column: PayloadColumn) -> Reader:
    if column.reading.options.server == "mariadb":
        return lambda value: string_of(column, value)
    return lambda value: checked(column, string_of(column, value))


_SRID_BYTES, _MAX_SRID = 4, 2**32 - 1
_WKB_HEAD = 5  # byte order and type; the connector's stand-in for a missing value is empty
_GEOMETRY_MEMBERS = frozenset({"x", "y", "wkb", "srid"})


def _read_geometry(column: PayloadColumn) -> Reader:
    def read(value: Tree) -> Value:
        if not isinstance(value, dict) or "wkb" not in value:
            raise unfit(column, value)
        srid = value.get("srid")
        if srid is not None and (type(srid) is not int or not 0 <= srid <= _MAX_SRID):
            raise unfit(column, srid)
        wkb = data_of(column, value["wkb"])
        if 0 < len(wkb) < _WKB_HEAD:
            raise unfit(column, value)
        return (srid or 0).to_bytes(_SRID_BYTES, "little") + wkb

    return read


def _read_floats(column: PayloadColumn) -> Reader:
    def read(value: Tree) -> Value:
        if not isinstance(value, list):
            raise unfit(column, value)
        try:
            elements = [plain(repr(number_of(column, element)), 32) for element in value]
        except OverflowError:
            raise Rejected("range", "an element is beyond 32 bits") from None
        return checked(column, "[" + ",".join(elements) + "]")

    return read


READERS: Mapping[Form, Callable[[PayloadColumn], Reader]] = {
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


def reader(column: PayloadColumn) -> Reader:
    """A function from non-null payload values to `Value` or `LOST`.

    It raises `Rejected`: class `type` for a wrong form or type, `range` for a value outside the type.
    """
    return READERS[column.form](column)


def read_unknown(value: Tree) -> Value:
    """The text of a value in a column that nothing describes.

    Raises `Undescribed` for the object of a geometry and the array of a vector, whose text depends on the column type;
    `Rejected`: class `type` for JSON that no column has, `range` for a number beyond a double.
    """
    known = scalar(value)
    if known is not None:
        return known
    text = f"{str(value)[:60]!r}"
    is_geometry = isinstance(value, dict) and "wkb" in value and value.keys() <= _GEOMETRY_MEMBERS
    is_vector = isinstance(value, list) and all(type(item) in (int, float, Decimal) for item in value)
    if is_geometry or is_vector:
        raise Undescribed("type", f"the type of the column says how {text} is read")
    raise Rejected("type", f"{text} is no value of a column")
