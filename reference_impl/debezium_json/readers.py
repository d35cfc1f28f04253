"""Reads values of a payload into `Value`, by column type and form.  [DBZ-100 … DBZ-139, DBZ-451]

Information that the format loses stays lost: a DECIMAL is the text of its double, and a NULL that was written as the
default is read as the default. JSON numbers are Python integers, `Decimal` or float.
"""

from __future__ import annotations

import base64
import math
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import tzinfo
from decimal import Decimal
from typing import Any, TypeAlias

from reference_impl import epochs
from reference_impl.column_types import BINARY, INTEGERS, TEXT, ColumnType, Family
from reference_impl.connect_json import scalar
from reference_impl.debezium_json.types import Form
from reference_impl.decimals import decimal_text, from_bytes
from reference_impl.errors import Rejected
from reference_impl.exact_json import Tree
from reference_impl.floats import finite, plain
from reference_impl.model import Index, Value
from reference_impl.values import check_text, escaped_label, labels_of_mask, set_mask

__all__ = ["Reader", "enum_reader", "read_unknown", "reader"]

Reader: TypeAlias = Callable[[Tree], Value]
# Makes the reader of a column, with the arguments of `reader`.
_ReaderMaker: TypeAlias = Callable[[ColumnType, bool, Form, tzinfo], Reader]

_MILLI = 1000
_WIDTH = {Form.INT32: 32, Form.INT64: 64}  # bits
_STANDARD_OF_URL_SAFE = str.maketrans("-_", "+/")  # of the two alphabets of base64


def reader(column_type: ColumnType, exact: bool, form: Form, zone: tzinfo) -> Reader:
    """A function from non-null payload values of a column to `Value`.

    `exact`: length and scale of the type are known. `zone` is that of TIMESTAMP texts.

    It raises `Rejected`: class `type` for a wrong form or type, `range` for a value outside the type.
    """
    return _READERS[column_type.family](column_type, exact, form, zone)


def _label(text: str, is_label: bool, is_label_in_escaped_form: bool) -> Value:
    """The value of an ENUM's text: a label, or as the imitated connector writes it, with escaped commas.

    [DBZ-104, DBZ-214]
    """
    if is_label:
        return text
    if text == "":
        return Index(0)
    if is_label_in_escaped_form:
        return text.replace("\\,", ",")
    raise Rejected("range", f"{text!r} is not a member")


def enum_reader(allowed: str) -> Reader:
    """A reader of ENUM labels that are known only from `allowed` in a schema.

    It raises as `reader` describes.
    """
    delimited = f",{allowed},"

    def read(value: Tree) -> Value:
        if not isinstance(value, str):
            raise Rejected("type", f"{str(value)[:60]!r} is not a label")
        is_label = f",{escaped_label(value)}," in delimited
        is_single = "," not in value.replace("\\,", "")  # a comma without a backslash separates two labels
        return _label(value, is_label, is_label_in_escaped_form=is_single and f",{value}," in delimited)

    return read


def read_unknown(value: Any) -> Value:
    """The text of a value in a column that nothing describes.

    Raises `Rejected`: class `type` for an array or object, `range` for a number beyond a double that has a fraction or
    an exponent.
    """
    text = scalar(value)
    if text is None and value is not None:
        raise Rejected("type", f"{str(value)[:60]!r} is no value of a column")
    return text


def _unfit(column_type: ColumnType, value: Tree) -> Rejected:
    return Rejected("type", f"{str(value)[:60]!r} is not a value of a {column_type.text} column")


def _integer(column_type: ColumnType, value: Tree) -> int:
    if type(value) is not int:
        raise _unfit(column_type, value)
    return value


def _string(column_type: ColumnType, value: Tree) -> str:
    if not isinstance(value, str):
        raise _unfit(column_type, value)
    return value


def _float_text(column_type: ColumnType, value: Tree) -> str:
    """The text of a JSON number: the digits of an integer, else the shortest digits of its 64-bit float."""
    if type(value) is int:
        return str(value)
    if not isinstance(value, (float, Decimal)):
        raise _unfit(column_type, value)
    number = float(value)
    if math.isinf(number):
        raise Rejected("range", f"{value} is outside {column_type.text}")
    return repr(number)


def _bytes(column_type: ColumnType, value: Tree) -> bytes:
    try:
        return base64.b64decode(_string(column_type, value), validate=True)
    except ValueError:
        raise _unfit(column_type, value) from None


def _big_endian(column_type: ColumnType, value: Tree) -> int:
    return from_bytes(_bytes(column_type, value))


def _bounded(column_type: ColumnType, number: int) -> str:
    if not column_type.minimum <= number <= column_type.maximum:
        raise Rejected("range", f"{number} is outside {column_type.text}")
    return str(number)


# Numbers


def _read_integer(column_type: ColumnType, exact: bool, form: Form, zone: tzinfo) -> Reader:
    if form is Form.BOOLEAN:
        return lambda value: str(int(_boolean(column_type, value)))
    if form is Form.DECIMAL:
        return lambda value: _bounded(column_type, _big_endian(column_type, value))
    low, high = column_type.minimum, column_type.maximum
    # A form that is as wide as an unsigned type holds its large numbers as negative ones, the same bits with a sign.
    is_as_wide = column_type.unsigned and _WIDTH.get(form) == column_type.bits
    added, least_negative = (1 << column_type.bits, -1 << (column_type.bits - 1)) if is_as_wide else (0, 0)

    def read(value: Tree) -> Value:
        if type(value) is not int:
            raise _unfit(column_type, value)
        if least_negative <= value < 0:
            value += added
        if low <= value <= high:
            return str(value)
        raise Rejected("range", f"{value} is outside {column_type.text}")

    return read


def _boolean(column_type: ColumnType, value: Tree) -> bool:
    if not isinstance(value, bool):
        raise _unfit(column_type, value)
    return value


def _read_float(column_type: ColumnType, exact: bool, form: Form, zone: tzinfo) -> Reader:
    def read(value: Tree) -> Value:
        text = _float_text(column_type, value)
        check_text(column_type, text)
        if column_type.unsigned and text.startswith("-") and text.strip("-0."):
            raise Rejected("range", f"{text} is outside {column_type.text}")
        return text

    return read


def _scaled(column_type: ColumnType, digits: str) -> str:
    """A plain decimal text with exactly the digits of the column's scale."""
    whole, _, part = digits.partition(".")
    scale = column_type.scale or 0
    if part[scale:].strip("0"):
        raise Rejected("type", f"{digits} has more than the {scale} fractional digits of {column_type.text}")
    text = whole + ("." + part[:scale].ljust(scale, "0") if scale else "")
    # A zero has no sign in a DECIMAL.
    return text.lstrip("-") if not text.strip("-0.") else text


def _largest_double(column_type: ColumnType) -> float:
    scale = column_type.scale or 0
    return float(Decimal(10) ** ((column_type.length or 10) - scale) - Decimal(10) ** -scale)


def _read_decimal_double(column_type: ColumnType, exact: bool) -> Reader:
    # The double nearest to the largest value may be above it.
    largest = _largest_double(column_type) if exact else sys.float_info.max

    def read(value: Tree) -> Value:
        number = float(_float_text(column_type, value))
        if abs(number) > largest or (column_type.unsigned and number < 0):
            raise Rejected("range", f"{value} is outside {column_type.text}")
        digits = plain(repr(number), 64)
        if exact:
            return _scaled(column_type, digits)
        return digits.removeprefix("-") if number == 0 else digits

    return read


def _read_decimal(column_type: ColumnType, exact: bool, form: Form, zone: tzinfo) -> Reader:
    if form is Form.DOUBLE:
        return _read_decimal_double(column_type, exact)

    def checked(text: str) -> Value:
        scale = len(text.partition(".")[2])
        check_text(column_type if exact else replace(column_type, length=65, scale=scale), text)
        return text

    if form is Form.STRING:
        return lambda value: checked(_string(column_type, value))

    def read(value: Tree) -> Value:
        return checked(decimal_text(_big_endian(column_type, value), column_type.scale or 0))

    return read


def _read_bits(column_type: ColumnType, exact: bool, form: Form, zone: tzinfo) -> Reader:
    if form is Form.BOOLEAN:
        return lambda value: str(int(_boolean(column_type, value)))
    size = (column_type.bits + 7) // 8

    def read(value: Tree) -> Value:
        data = _bytes(column_type, value)
        if len(data) != size:
            raise Rejected("type", f"{len(data)} bytes in a {column_type.text}")
        return _bounded(column_type, int.from_bytes(data, "little"))

    return read


# Texts and bytes


def _read_text(column_type: ColumnType, exact: bool, form: Form, zone: tzinfo) -> Reader:
    longest = column_type.longest if exact else None

    def read(value: Tree) -> Value:
        if not isinstance(value, str):
            raise _unfit(column_type, value)
        if longest is not None and len(value) > longest:
            raise Rejected("range", f"{len(value)} characters in a {column_type.text}")
        return value

    return read


def _read_bytes(column_type: ColumnType, exact: bool, form: Form, zone: tzinfo) -> Reader:
    longest = column_type.longest if exact else None

    def read(value: Tree) -> Value:
        text = _string(column_type, value)
        # The imitated connector has a mode that writes the URL-safe alphabet.
        data = _bytes(column_type, text.translate(_STANDARD_OF_URL_SAFE) if form is Form.STRING else text)
        if longest is not None and len(data) > longest:
            raise Rejected("range", f"{len(data)} bytes in a {column_type.text}")
        return data

    return read


def _read_geometry(column_type: ColumnType, exact: bool, form: Form, zone: tzinfo) -> Reader:
    def read(value: Tree) -> Value:
        if not isinstance(value, dict) or "wkb" not in value:
            raise _unfit(column_type, value)
        return _bytes(column_type, value["wkb"])

    return read


def _read_enum(column_type: ColumnType, exact: bool, form: Form, zone: tzinfo) -> Reader:
    members = frozenset(column_type.members)
    escaped = frozenset(map(escaped_label, column_type.members))

    def read(value: Tree) -> Value:
        text = _string(column_type, value)
        return _label(text, text in members, text in escaped)

    return read


def _read_checked_text(column_type: ColumnType, exact: bool, form: Form, zone: tzinfo) -> Reader:
    def read(value: Tree) -> Value:
        text = _string(column_type, value)
        check_text(column_type, text)
        return text

    return read


def _read_labels(column_type: ColumnType, exact: bool, form: Form, zone: tzinfo) -> Reader:
    """A reader of the labels of a SET, which are in declared order whatever order the text has."""

    def read(value: Tree) -> Value:
        return labels_of_mask(column_type.members, set_mask(column_type, _string(column_type, value)))

    return read


def _element(column_type: ColumnType, value: Tree) -> str:
    try:
        return plain(finite(_float_text(column_type, value), 32), 32)
    except OverflowError:
        raise Rejected("range", f"{value} is outside {column_type.text}") from None


def _read_vector(column_type: ColumnType, exact: bool, form: Form, zone: tzinfo) -> Reader:
    def read(value: Tree) -> Value:
        if form is Form.FLOATS:
            if not isinstance(value, list):
                raise _unfit(column_type, value)
            value = "[" + ",".join(_element(column_type, element) for element in value) + "]"
        text = _string(column_type, value)
        check_text(column_type, text)
        return text

    return read


# Times


def _read_date(column_type: ColumnType, exact: bool, form: Form, zone: tzinfo) -> Reader:
    return lambda value: epochs.date_of_days(_integer(column_type, value))


def _read_datetime(column_type: ColumnType, exact: bool, form: Form, zone: tzinfo) -> Reader:
    unit = 1 if form is Form.MICROS else _MILLI
    digits = column_type.fsp if exact else None
    return lambda value: epochs.datetime_of_micros(_integer(column_type, value) * unit, digits)


def _read_time(column_type: ColumnType, exact: bool, form: Form, zone: tzinfo) -> Reader:
    unit = _MILLI if form is Form.CONNECT_TIME else 1
    digits = column_type.fsp if exact else None
    return lambda value: epochs.time_of_micros(_integer(column_type, value) * unit, digits)


def _read_timestamp(column_type: ColumnType, exact: bool, form: Form, zone: tzinfo) -> Reader:
    digits = column_type.fsp if exact else None
    return lambda value: epochs.read_zoned(_string(column_type, value), zone, digits)


def _read_year(column_type: ColumnType, exact: bool, form: Form, zone: tzinfo) -> Reader:
    def read(value: Tree) -> Value:
        # A recorded producer writes a default as its text, without loss.  [DBZ-555]
        text = value if isinstance(value, str) else str(_integer(column_type, value))
        check_text(column_type, text)
        return text

    return read


_READERS: Mapping[Family, _ReaderMaker] = {
    **dict.fromkeys(INTEGERS, _read_integer),
    **dict.fromkeys(TEXT, _read_text),
    **dict.fromkeys(BINARY, _read_bytes),
    Family.GEOMETRY: _read_geometry,
    Family.FLOAT: _read_float,
    Family.DOUBLE: _read_float,
    Family.DECIMAL: _read_decimal,
    Family.BIT: _read_bits,
    Family.DATE: _read_date,
    Family.DATETIME: _read_datetime,
    Family.TIMESTAMP: _read_timestamp,
    Family.TIME: _read_time,
    Family.YEAR: _read_year,
    Family.ENUM: _read_enum,
    Family.SET: _read_labels,
    Family.JSON: _read_checked_text,
    Family.VECTOR: _read_vector,
}
