"""Column types of Open Protocol: type codes, and values in `v`, written and read.  [OP-090 … OP-121]

NULL is `null` for every type and is not handled here.
"""

from __future__ import annotations

import binascii
from base64 import b64encode
from collections.abc import Callable, Mapping
from decimal import Decimal
from functools import lru_cache
from typing import Any, NamedTuple, TypeAlias

from reference_impl.column_types import INTEGERS, ColumnType, Family
from reference_impl.errors import Rejected
from reference_impl.exact_json import Tree
from reference_impl.floats import json_number, vector_text
from reference_impl.member_numbers import MAX_INDEX, value_of_index, value_of_mask
from reference_impl.model import RawText, Value
from reference_impl.open_protocol.flags import Flag
from reference_impl.open_protocol.quoting import quote, unquote
from reference_impl.open_protocol.style import Style
from reference_impl.values import check_text, enum_index, set_mask

__all__ = ["CODES", "NULL", "Write", "read", "type_on_the_wire", "writer"]

# Type code → the family of a column without and with the flag Binary.
_FAMILIES: Mapping[int, tuple[Family, Family]] = {
    1: (Family.TINYINT, Family.TINYINT),
    2: (Family.SMALLINT, Family.SMALLINT),
    3: (Family.INT, Family.INT),
    4: (Family.FLOAT, Family.FLOAT),
    5: (Family.DOUBLE, Family.DOUBLE),
    7: (Family.TIMESTAMP, Family.TIMESTAMP),
    8: (Family.BIGINT, Family.BIGINT),
    9: (Family.MEDIUMINT, Family.MEDIUMINT),
    10: (Family.DATE, Family.DATE),
    11: (Family.TIME, Family.TIME),
    12: (Family.DATETIME, Family.DATETIME),
    13: (Family.YEAR, Family.YEAR),
    14: (Family.DATE, Family.DATE),
    15: (Family.VARCHAR, Family.VARBINARY),
    16: (Family.BIT, Family.BIT),
    225: (Family.VECTOR, Family.VECTOR),
    245: (Family.JSON, Family.JSON),
    246: (Family.DECIMAL, Family.DECIMAL),
    247: (Family.ENUM, Family.ENUM),
    248: (Family.SET, Family.SET),
    249: (Family.TINYTEXT, Family.TINYBLOB),
    250: (Family.MEDIUMTEXT, Family.MEDIUMBLOB),
    251: (Family.LONGTEXT, Family.LONGBLOB),
    252: (Family.TEXT, Family.BLOB),
    253: (Family.VARCHAR, Family.VARBINARY),
    254: (Family.CHAR, Family.BINARY),
}
NULL = 6  # a code of its own that columns do not have  [OP-097]
_READ_ONLY = frozenset({14, 253})  # second codes of a type: read, but never written

CODES: Mapping[Family, int] = {
    family: code for code, families in _FAMILIES.items() if code not in _READ_ONLY for family in families
}

_BINARY, _UNSIGNED = int(Flag.BINARY), int(Flag.UNSIGNED)

Write: TypeAlias = Callable[[Any], str]


def _write_integer(column_type: ColumnType, style: Style) -> Write:
    def write(value: str) -> str:
        if str(int(value)) != value:  # Python reads blanks, underscores and digits of other scripts as well
            raise ValueError(value)
        return value

    return write


def _write_float(column_type: ColumnType, style: Style) -> Write:
    bits, short = 32 if column_type.family is Family.FLOAT else 64, style.short_exponent
    return lambda value: json_number(value, bits, short)


def _write_text(column_type: ColumnType, style: Style) -> Write:
    string = style.string

    def write(value: str | RawText) -> str:
        return string(value.data.decode("utf-8", "surrogateescape") if isinstance(value, RawText) else value)

    return write


def _write_quoted(column_type: ColumnType, style: Style) -> Write:
    string = style.string
    return lambda value: string(quote(value))


def _write_base64(column_type: ColumnType, style: Style) -> Write:
    def write(value: str | RawText | bytes) -> str:
        data = value.encode() if isinstance(value, str) else value.data if isinstance(value, RawText) else value
        return f'"{b64encode(data).decode("ascii")}"'

    return write


def _write_vector(column_type: ColumnType, style: Style) -> Write:
    def write(value: str) -> str:
        check_text(column_type, value)
        return f'"{vector_text(value)}"'

    return write


def _write_enum(column_type: ColumnType, style: Style) -> Write:
    return lambda value: str(enum_index(column_type, value))


def _write_set(column_type: ColumnType, style: Style) -> Write:
    return lambda value: str(set_mask(column_type, value))


def _integer(column_type: ColumnType, value: Tree) -> Value:
    if type(value) is not int:
        raise Rejected("type", f"{value!r} is not an integer")
    if not column_type.minimum <= value <= column_type.maximum:
        raise Rejected("range", f"{value} is outside {column_type.text}")
    return str(value)


def _year(column_type: ColumnType, value: Tree) -> Value:
    if type(value) is not int:
        raise Rejected("type", f"{value!r} is not an integer")
    check_text(column_type, str(value))
    return str(value)


def _number(column_type: ColumnType, value: Tree) -> Value:
    if type(value) not in (int, float, Decimal):
        raise Rejected("type", f"{value!r} is not a number")
    text = str(value)
    check_text(column_type, text)
    return text


def _string(column_type: ColumnType, value: Tree) -> str:
    if type(value) is not str:
        raise Rejected("type", f"{value!r} is not a string")
    return value


def _checked(column_type: ColumnType, value: Tree) -> Value:
    check_text(column_type, _string(column_type, value))
    return str(value)


def _decimal(column_type: ColumnType, value: Tree) -> Value:
    text = _checked(column_type, value)
    if (column_type.scale or 0) > 30:
        raise Rejected("range", f"{value!r} has more than 30 fractional digits")
    return text


def _quoted(column_type: ColumnType, value: Tree) -> Value:
    return unquote(_string(column_type, value))


def _base64(column_type: ColumnType, value: Tree) -> bytes:
    try:
        return binascii.a2b_base64(_string(column_type, value), strict_mode=True)
    except ValueError as e:
        raise Rejected("type", f"not base64: {e}") from None


def _base64_text(column_type: ColumnType, value: Tree) -> Value:
    data = _base64(column_type, value)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return RawText(data)


def _natural(value: Tree, most: int, column_type: ColumnType) -> int:
    if type(value) is not int:
        raise Rejected("type", f"{value!r} is not an integer")
    if not 0 <= value <= most:
        raise Rejected("range", f"{value} is outside {column_type.text}")
    return value


def _enum(column_type: ColumnType, value: Tree) -> Value:
    return value_of_index(column_type, _natural(value, len(column_type.members) or MAX_INDEX, column_type))


def _set(column_type: ColumnType, value: Tree) -> Value:
    return value_of_mask(column_type, _natural(value, (1 << (len(column_type.members) or 64)) - 1, column_type))


class _Form(NamedTuple):
    """The form of a family's values in `v`: a maker of writers, and a reader."""

    writer: Callable[[ColumnType, Style], Write]
    read: Callable[[ColumnType, Tree], Value]


_INTEGER = _Form(_write_integer, _integer)
_FLOAT = _Form(_write_float, _number)
_TEXT = _Form(_write_text, _string)
_CHECKED_TEXT = _Form(_write_text, _checked)
_QUOTED = _Form(_write_quoted, _quoted)
_BASE64_TEXT = _Form(_write_base64, _base64_text)
_BASE64_BYTES = _Form(_write_base64, _base64)

_FORMS: Mapping[Family, _Form] = {
    **dict.fromkeys(INTEGERS, _INTEGER),
    Family.BIT: _INTEGER,
    Family.YEAR: _Form(_write_integer, _year),
    Family.FLOAT: _FLOAT,
    Family.DOUBLE: _FLOAT,
    Family.DECIMAL: _Form(_write_text, _decimal),
    Family.DATE: _CHECKED_TEXT,
    Family.TIME: _CHECKED_TEXT,
    Family.DATETIME: _CHECKED_TEXT,
    Family.TIMESTAMP: _CHECKED_TEXT,
    Family.JSON: _CHECKED_TEXT,
    Family.CHAR: _TEXT,
    Family.VARCHAR: _TEXT,
    Family.BINARY: _QUOTED,
    Family.VARBINARY: _QUOTED,
    Family.TINYTEXT: _BASE64_TEXT,
    Family.TEXT: _BASE64_TEXT,
    Family.MEDIUMTEXT: _BASE64_TEXT,
    Family.LONGTEXT: _BASE64_TEXT,
    Family.TINYBLOB: _BASE64_BYTES,
    Family.BLOB: _BASE64_BYTES,
    Family.MEDIUMBLOB: _BASE64_BYTES,
    Family.LONGBLOB: _BASE64_BYTES,
    Family.ENUM: _Form(_write_enum, _enum),
    Family.SET: _Form(_write_set, _set),
    Family.VECTOR: _Form(_write_vector, _checked),
}


def writer(column_type: ColumnType, style: Style) -> Write:
    """A function from a value that is not NULL to the JSON text of `v`."""
    return _FORMS[column_type.family].writer(column_type, style)


def read(column_type: ColumnType, value: Tree) -> Value:
    """The value in a `v` that is not null.

    Raises `Rejected`: class `type` for a form that does not fit, `range` for a value outside the type.
    """
    return _FORMS[column_type.family].read(column_type, value)


_WITH_FRACTION = frozenset({Family.DECIMAL, Family.TIME, Family.DATETIME, Family.TIMESTAMP})


@lru_cache(maxsize=4096)
def _inferred(family: Family, unsigned: bool, fraction: int) -> ColumnType:
    text = f"{family} unsigned" if unsigned else str(family)
    if family is Family.DECIMAL:
        return ColumnType(text=text, family=family, length=65, scale=fraction, unsigned=unsigned)
    if family is Family.BIT:
        return ColumnType(text=str(family), family=family, length=64)  # SQL has no word for its flag Unsigned  [OP-129]
    return ColumnType(text=text, family=family, length=fraction or None, unsigned=unsigned)


def type_on_the_wire(code: int, flags: int | None, value: Tree, declared: ColumnType | None) -> ColumnType:
    """The type for reading a value: the declared type, or the type that `t`, `f` and the value imply.

    Raises `Rejected` (class `type`) for an unknown code, and for one that contradicts the declared type.
    """
    families = _FAMILIES.get(code)
    if families is None:
        raise Rejected("type", f"unknown column type code {code}")
    family = families[(flags or 0) & _BINARY]
    if declared is not None:
        if declared.family is not family and (flags is not None or declared.family not in families):
            raise Rejected("type", f"column type code {code} with flags {flags} for a {declared.text} column")
        return declared
    fraction = len(value.partition(".")[2]) if family in _WITH_FRACTION and type(value) is str else 0
    return _inferred(family, bool((flags or 0) & _UNSIGNED), fraction)
