"""Converts values between the strings of the harness protocol and `Value`, and compares them.

Each family of column types is handled here once. The `types` module of each protocol converts values to its format.
"""

from __future__ import annotations

import base64
import json
import re
import struct
from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal, InvalidOperation
from typing import Any

from reference_impl import exact_json
from reference_impl.column_types import BINARY, INTEGERS, TEXT, ColumnType, Family
from reference_impl.errors import Rejected
from reference_impl.floats import nearest_float32, same_float
from reference_impl.model import Index, Mask, RawText, Value

__all__ = [
    "check_text",
    "enum_index",
    "escaped_label",
    "from_wire",
    "labels_of_mask",
    "loosely_same_value",
    "not_a_value",
    "same_value",
    "set_mask",
    "takes",
    "to_wire",
]

_INTEGER = re.compile(r"-?(?:0|[1-9][0-9]*)\Z")
_DIGITS = re.compile(r"[0-9]{1,20}\Z")  # of a number of 64 bits
_DECIMAL = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?\Z")
_FLOAT = re.compile(r"-?[0-9]+(?:\.[0-9]*)?(?:[eE][+-]?[0-9]+)?\Z")
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}\Z", re.ASCII)
_DATETIME = re.compile(r"\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}(?:\.(\d{1,6}))?\Z", re.ASCII)
_TIME = re.compile(r"-?\d{2,3}:\d{2}:\d{2}(?:\.(\d{1,6}))?\Z", re.ASCII)

# The least number that is infinite as a 32-bit float.
_INFINITY32 = Decimal(2**128 - 2**103)

# The length of the longest integer of any type; Python refuses to read thousands of digits.
_LONGEST_INTEGER = len(str(-(2**63)))


def _integer(column_type: ColumnType, text: str) -> None:
    if not _INTEGER.match(text) or text == "-0":
        raise Rejected("type", f"{text!r} is not an integer")
    if len(text) > _LONGEST_INTEGER or not column_type.minimum <= int(text) <= column_type.maximum:
        raise Rejected("range", f"{text} is outside {column_type.text}")


def _decimal(column_type: ColumnType, text: str) -> None:
    if not _DECIMAL.match(text):
        raise Rejected("type", f"{text!r} is not a decimal")
    whole, _, fraction = text.lstrip("-").partition(".")
    scale = column_type.scale or 0
    if len(fraction) != scale:
        raise Rejected("type", f"{text} has {len(fraction)} fractional digits, {column_type.text} has {scale}")
    if len(whole.lstrip("0")) > (column_type.length or 10) - scale or (column_type.unsigned and text.startswith("-")):
        raise Rejected("range", f"{text} is outside {column_type.text}")


def _float(column_type: ColumnType, text: str) -> None:
    if not _FLOAT.match(text):
        raise Rejected("type", f"{text!r} is not a number")
    try:
        value = nearest_float32(text) if column_type.family is Family.FLOAT else float(text)
    except OverflowError:
        value = float("inf")
    if value in (float("inf"), float("-inf")):
        raise Rejected("range", f"{text} is outside {column_type.text}")


def _year(column_type: ColumnType, text: str) -> None:
    if not _INTEGER.match(text):
        raise Rejected("type", f"{text!r} is not a year")
    if text != "0" and (len(text) > _LONGEST_INTEGER or not 1901 <= int(text) <= 2155):
        raise Rejected("range", f"{text} is not a year from 1901 to 2155")


def _date_parts(text: str) -> None:
    if not (int(text[5:7]) <= 12 and int(text[8:10]) <= 31):
        raise Rejected("range", f"{text} is no date")


def _date(column_type: ColumnType, text: str) -> None:
    if not _DATE.match(text):
        raise Rejected("type", f"{text!r} is not a date")
    _date_parts(text)


def _fraction(column_type: ColumnType, text: str, digits: str | None) -> None:
    if len(digits or "") != column_type.fsp:
        raise Rejected("type", f"{text} does not have the {column_type.fsp} fractional digits of {column_type.text}")


def _datetime(column_type: ColumnType, text: str) -> None:
    match = _DATETIME.match(text)
    if not match:
        raise Rejected("type", f"{text!r} is not a date and time")
    _fraction(column_type, text, match[1])
    _date_parts(text)
    if not (int(text[11:13]) < 24 and int(text[14:16]) < 60 and int(text[17:19]) < 60):
        raise Rejected("range", f"{text} is no time of day")


def _time(column_type: ColumnType, text: str) -> None:
    match = _TIME.match(text)
    if not match:
        raise Rejected("type", f"{text!r} is not a time")
    _fraction(column_type, text, match[1])
    hours, minutes, seconds = text.lstrip("-").split(":")
    over = int(hours) > 838 or (
        int(hours) == 838 and minutes == "59" and seconds[:2] == "59" and seconds[3:].strip("0")
    )
    if over or int(minutes) > 59 or int(seconds[:2]) > 59:
        raise Rejected("range", f"{text} is outside -838:59:59 to 838:59:59")


def _label(column_type: ColumnType, text: str) -> None:
    if column_type.members and text not in column_type.members:
        raise Rejected("range", f"{text!r} is not a member of {column_type.text}")


def _labels(column_type: ColumnType, text: str) -> None:
    if column_type.members and text and (unknown := set(text.split(",")) - set(column_type.members)):
        raise Rejected("range", f"{min(unknown)!r} is not a member of {column_type.text}")


def _json(column_type: ColumnType, text: str) -> None:
    try:
        exact_json.loads(text)
    except Rejected as e:
        raise Rejected("type", f"a JSON column holds a text that is not JSON: {e.message}") from None


def _vector(column_type: ColumnType, text: str) -> None:
    try:
        elements = json.loads(text, parse_int=Decimal, parse_float=Decimal)
    except (ValueError, RecursionError, InvalidOperation):  # the last: an exponent of 19 digits or more
        elements = None
    if not isinstance(elements, list) or not all(isinstance(e, Decimal) for e in elements):
        raise Rejected("type", f"{text!r} is not a vector")
    if column_type.length is not None and len(elements) != column_type.length:
        raise Rejected("range", f"{len(elements)} elements in a {column_type.text}")
    for element in elements:
        if element.copy_abs() >= _INFINITY32:
            raise Rejected("range", f"{element} is outside {column_type.text}")


def _any(column_type: ColumnType, text: str) -> None:
    """Accept any text."""


_CHECKS: Mapping[Family, Callable[[ColumnType, str], None]] = {
    **dict.fromkeys((*INTEGERS, Family.BIT), _integer),
    **dict.fromkeys(TEXT, _any),
    **dict.fromkeys(BINARY, _any),
    Family.DECIMAL: _decimal,
    Family.FLOAT: _float,
    Family.DOUBLE: _float,
    Family.YEAR: _year,
    Family.DATE: _date,
    Family.DATETIME: _datetime,
    Family.TIMESTAMP: _datetime,
    Family.TIME: _time,
    Family.ENUM: _label,
    Family.SET: _labels,
    Family.JSON: _json,
    Family.VECTOR: _vector,
}


def check_text(column_type: ColumnType, text: str) -> None:
    """Check that a text is a value of a column type.

    Raises `Rejected`: class `type` for a wrong form, `range` for a value outside the type.
    """
    _CHECKS[column_type.family](column_type, text)


def takes(family: Family) -> tuple[type, ...]:
    """The Python types of the values of a column that are not NULL."""
    return (bytes,) if family in BINARY else (str, *_OTHER_FORMS.get(family, ()))


_OTHER_FORMS: Mapping[Family, tuple[type, ...]] = {
    **dict.fromkeys(TEXT, (RawText,)),
    Family.ENUM: (Index,),
    Family.SET: (Mask,),
}
"""The Python types of a family's values other than `str`."""


def from_wire(column_type: ColumnType, wire_value: Any) -> Value:
    """The `Value` of a value of the harness protocol.

    Raises `Rejected`: class `schema` for a wrong JSON kind, `type` or `range` as `check_text`.
    """
    if wire_value is None:
        return None
    if isinstance(wire_value, str):
        if column_type.family in BINARY:
            return _unbase64(wire_value)
        check_text(column_type, wire_value)
        return wire_value
    if isinstance(wire_value, dict) and len(wire_value) == 1:
        [(name, text)] = wire_value.items()
        if isinstance(text, str):
            if name == "base64" and column_type.family in TEXT:
                return RawText(_unbase64(text))
            if name == "index" and column_type.family is Family.ENUM and _DIGITS.match(text):
                return Index(int(text))
            if name == "mask" and column_type.family is Family.SET and _DIGITS.match(text):
                return Mask(int(text))
    raise Rejected("schema", f"{wire_value!r} is not a value of a {column_type.text} column")


def _unbase64(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except ValueError:
        raise Rejected("type", f"{text[:40]!r} is not base64") from None


def to_wire(value: Value) -> Any:
    """The value as the harness protocol writes it."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bytes):
        return base64.b64encode(value).decode("ascii")
    if isinstance(value, RawText):
        return {"base64": base64.b64encode(value.data).decode("ascii")}
    if isinstance(value, Index):
        return {"index": str(value.number)}
    return {"mask": str(value.bits)}


def labels_of_mask(labels: Iterable[str], mask: int) -> str:
    """The labels whose bits are set in a SET's mask, with commas between them. The first label is bit 0."""
    return ",".join(label for bit, label in enumerate(labels) if mask >> bit & 1)


def escaped_label(label: str) -> str:
    """A label as the parameter `allowed` of a schema has it: commas escaped, quotes not doubled.

    [AV-106, DBZ-131, DBZ-214]
    """
    return label.replace(",", "\\,").replace("\\'", "'").replace("''", "'")


def not_a_value(column_type: ColumnType, value: Value) -> Rejected:
    """The refusal, of class `type`, of a value of another Python type than its column's values."""
    return Rejected("type", f"{value!r} is not a value of a {column_type.text} column")


def enum_index(column_type: ColumnType, value: Value) -> int:
    """The 1-based number of an ENUM value.

    Raises `Rejected`: class `range` for a label that is not a member, `type` for a value that is not a label.
    """
    if isinstance(value, Index):
        return value.number
    if not isinstance(value, str):
        raise not_a_value(column_type, value)
    try:
        return column_type.members.index(value) + 1
    except ValueError:
        raise Rejected("range", f"{value!r} is not a member of {column_type.text}") from None


def set_mask(column_type: ColumnType, value: Value) -> int:
    """The bit mask of a SET value.

    Raises `Rejected`: class `range` for a label that is not a member, `type` for a value that is not a list of labels.
    """
    if isinstance(value, Mask):
        return value.bits
    if not isinstance(value, str):
        raise not_a_value(column_type, value)
    mask = 0
    for label in value.split(",") if value else ():
        try:
            mask |= 1 << column_type.members.index(label)
        except ValueError:
            raise Rejected("range", f"{label!r} is not a member of {column_type.text}") from None
    return mask


def _float32(number: float) -> float:
    (nearest,) = struct.unpack("<f", struct.pack("<f", number))
    return float(nearest)


def _same_vector(a: str, b: str) -> bool:
    try:
        x, y = json.loads(a), json.loads(b)
        return len(x) == len(y) and all(_float32(p) == _float32(q) for p, q in zip(x, y, strict=True))
    except (ValueError, TypeError, OverflowError, struct.error):
        return False


def _same_json(a: str, b: str) -> bool:
    try:
        return exact_json.same(exact_json.loads(a), exact_json.loads(b))
    except Rejected:
        return False


def _same_fraction(a: str, b: str) -> bool:
    """Whether temporal texts differ at most in trailing zeros of the fraction. A point needs digits after it."""
    x, _, f = a.partition(".")
    y, _, g = b.partition(".")
    return x == y and f.rstrip("0") == g.rstrip("0") and not a.endswith(".") and not b.endswith(".")


def same_value(column_type: ColumnType, a: Value, b: Value) -> bool:
    """Whether two values of a column are the same.

    FLOAT and DOUBLE are compared as IEEE numbers of their width, JSON with exact numbers, VECTOR as 32-bit floats; -0
    equals 0. A label equals its number or mask. All other values are compared as texts or bytes.
    """
    if a is None or b is None:
        return a is b
    family = column_type.family
    if family in (Family.ENUM, Family.SET) and (isinstance(a, (Index, Mask)) or isinstance(b, (Index, Mask))):
        number = enum_index if family is Family.ENUM else set_mask
        try:
            return number(column_type, a) == number(column_type, b)
        except Rejected:
            return False
    if isinstance(a, str) and isinstance(b, str):
        if a == b:
            return True
        if family is Family.FLOAT or family is Family.DOUBLE:
            return same_float(a, b, 32 if family is Family.FLOAT else 64)
        if family is Family.JSON:
            return _same_json(a, b)
        if family is Family.VECTOR:
            return _same_vector(a, b)
        return False
    return type(a) is type(b) and a == b


def loosely_same_value(column_type: ColumnType, a: Value, b: Value) -> bool:
    """As `same_value`, but for decimals and times without regard to trailing zeros of the fraction.

    This is for readers that know neither the scale nor the number of fractional digits.
    """
    if same_value(column_type, a, b):
        return True
    if not (isinstance(a, str) and isinstance(b, str)):
        return False
    if column_type.family is Family.DECIMAL and _DECIMAL.match(a) and _DECIMAL.match(b):
        return Decimal(a) == Decimal(b)
    return column_type.family in (Family.DATETIME, Family.TIMESTAMP, Family.TIME) and _same_fraction(a, b)
