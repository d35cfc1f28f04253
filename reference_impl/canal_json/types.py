"""Column types of Canal-JSON: `sqlType` codes and `mysqlType` texts, written and read.  [CJ-301 … CJ-378]

Values are written in `texts`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

from reference_impl.column_types import ColumnType, Family, parse_column_type
from reference_impl.errors import Rejected

__all__ = ["CODES", "Declared", "Widening", "mysql_type", "read_mysql_type", "sql_type", "widening"]

# Constants of java.sql.Types.  [CJ-301 … CJ-322]
CODES: Mapping[Family, int] = {
    Family.TINYINT: -6,
    Family.SMALLINT: 5,
    Family.MEDIUMINT: 4,
    Family.INT: 4,
    Family.BIGINT: -5,
    Family.FLOAT: 7,
    Family.DOUBLE: 8,
    Family.DECIMAL: 3,
    Family.BIT: -7,
    Family.CHAR: 1,
    Family.VARCHAR: 12,
    Family.BINARY: 2004,
    Family.VARBINARY: 2004,
    Family.TINYTEXT: 2005,
    Family.TEXT: 2005,
    Family.MEDIUMTEXT: 2005,
    Family.LONGTEXT: 2005,
    Family.TINYBLOB: 2004,
    Family.BLOB: 2004,
    Family.MEDIUMBLOB: 2004,
    Family.LONGBLOB: 2004,
    Family.DATE: 91,
    Family.DATETIME: 93,
    Family.TIMESTAMP: 93,
    Family.TIME: 92,
    Family.YEAR: 12,
    Family.ENUM: 4,
    Family.SET: -7,
    Family.JSON: 12,
    Family.VECTOR: 12,
}

# An unsigned value beyond the signed range has the code of the next wider type; MEDIUMINT always fits INT.
# [CJ-330 … CJ-340]
_WIDER: Mapping[Family, int] = {Family.TINYINT: 5, Family.SMALLINT: 4, Family.INT: -5, Family.BIGINT: 3}

_UNSIGNED_IGNORED = frozenset({Family.BIT, Family.YEAR})

# Display widths that TiDB gives to an integer without one: signed, unsigned.  [CJ-360, CJ-361]
_WIDTHS: Mapping[Family, tuple[int, int]] = {
    Family.TINYINT: (4, 3),
    Family.SMALLINT: (6, 5),
    Family.MEDIUMINT: (9, 8),
    Family.INT: (11, 10),
    Family.BIGINT: (20, 20),
}

# Types that hide their parameter where it is 0. CHAR(0) and VARCHAR(0) show it.
_ONE_PARAMETER = frozenset({Family.BIT, Family.DATETIME, Family.TIMESTAMP, Family.TIME, Family.VECTOR})

# TiDB leaves a backslash as it is, so that a member of a backslash and an `n` looks like one with a new line.
_MEMBER_ESCAPES = str.maketrans({"'": "''", "\0": "\\0", "\n": "\\n", "\r": "\\r"})
_MEMBER_ESCAPE = re.compile(r"\\([0nr])")
_UNESCAPED: Mapping[str, str] = {"0": "\0", "n": "\n", "r": "\r"}

# The text around the parameters of a `mysqlType`; its words are lower-case.  [CJ-350]
_SHAPE = re.compile(r"[a-z]+(\(.*\))?(?: unsigned)?(?: zerofill)?", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Widening:
    """Values above `limit` have the `sqlType` code `code`."""

    limit: int
    code: int


@lru_cache(maxsize=4096)
def widening(column_type: ColumnType) -> Widening | None:
    """The limit above which an unsigned integer has a wider code; None for other types."""
    if not column_type.unsigned or column_type.family not in _WIDER:
        return None
    return Widening((1 << (column_type.bits - 1)) - 1, _WIDER[column_type.family])


def sql_type(column_type: ColumnType, value: str | None) -> int:
    """The `sqlType` code of a column with this value; NULL has the base code.  [CJ-341]

    Raises `Rejected` (class `type`) for a type that TiDB does not have.
    """
    wider = widening(column_type)
    if wider is not None and value is not None and int(value) > wider.limit:
        return wider.code
    try:
        return CODES[column_type.family]
    except KeyError:
        raise Rejected("type", f"{column_type.text}: TiDB has no such column type") from None


def _parameters(column_type: ColumnType) -> str:
    family = column_type.family
    if family in _WIDTHS:
        return f"({_WIDTHS[family][column_type.unsigned] if column_type.length is None else column_type.length})"
    if family is Family.DECIMAL:
        return f"({column_type.length},{column_type.scale})"
    if family in (Family.FLOAT, Family.DOUBLE):  # TiDB hides the digits of FLOAT(10,0), too
        return f"({column_type.length},{column_type.scale})" if column_type.scale else ""
    if family is Family.YEAR:
        return "(4)"
    if family in (Family.ENUM, Family.SET):
        return "(" + ",".join(f"'{member.translate(_MEMBER_ESCAPES)}'" for member in column_type.members) + ")"
    is_shown = column_type.longest is not None or (family in _ONE_PARAMETER and column_type.length)
    return f"({column_type.length})" if is_shown else ""


def mysql_type(column_type: ColumnType, *, full: bool) -> str:
    """The `mysqlType` text of a column type, with parameters if `full` (content-compatible mode).  [CJ-350, CJ-360]"""
    text = column_type.family.value + (_parameters(column_type) if full else "")
    if column_type.family in _UNSIGNED_IGNORED:
        return text
    return text + " unsigned" * column_type.unsigned + " zerofill" * column_type.zerofill


@dataclass(frozen=True, slots=True)
class Declared:
    """A parsed `mysqlType`. Unless `exact`, length, scale and fractional digits are unknown."""

    column_type: ColumnType
    exact: bool


@lru_cache(maxsize=4096)
def read_mysql_type(text: str) -> Declared:
    """The column type of a `mysqlType` text, with or without parameters.

    Commas may be followed by blanks.

    Raises `Rejected` (class `type`) for an unknown type.
    """
    shape = _SHAPE.fullmatch(text)
    if not shape:
        raise Rejected("type", f"{text!r} is not a mysqlType")
    column_type = parse_column_type(text)
    if column_type.family not in CODES:
        raise Rejected("type", f"{text!r}: TiDB has no such column type")
    if column_type.members:
        members = (_MEMBER_ESCAPE.sub(lambda match: _UNESCAPED[match[1]], m) for m in column_type.members)
        column_type = replace(column_type, members=tuple(members))
    return Declared(column_type, exact=shape[1] is not None)
