"""Column types of MySQL and TiDB, as information_schema prints them and as statements spell them.

A column type is parsed once into a `ColumnType`, which has its family, bounds and members. The `types` module of each
protocol decides how the protocol writes a type.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from reference_impl.errors import Rejected

__all__ = ["BINARY", "INTEGERS", "TEMPORAL", "TEXT", "ColumnType", "Family", "parse_column_type"]


class Family(StrEnum):
    """The family of a column type; the value is the base word in lower case."""

    TINYINT = "tinyint"
    SMALLINT = "smallint"
    MEDIUMINT = "mediumint"
    INT = "int"
    BIGINT = "bigint"
    FLOAT = "float"
    DOUBLE = "double"
    DECIMAL = "decimal"
    BIT = "bit"
    CHAR = "char"
    VARCHAR = "varchar"
    BINARY = "binary"
    VARBINARY = "varbinary"
    TINYTEXT = "tinytext"
    TEXT = "text"
    MEDIUMTEXT = "mediumtext"
    LONGTEXT = "longtext"
    TINYBLOB = "tinyblob"
    BLOB = "blob"
    MEDIUMBLOB = "mediumblob"
    LONGBLOB = "longblob"
    DATE = "date"
    DATETIME = "datetime"
    TIMESTAMP = "timestamp"
    TIME = "time"
    YEAR = "year"
    ENUM = "enum"
    SET = "set"
    JSON = "json"
    VECTOR = "vector"
    GEOMETRY = "geometry"


INTEGERS = frozenset({Family.TINYINT, Family.SMALLINT, Family.MEDIUMINT, Family.INT, Family.BIGINT})
TEXT = frozenset({Family.CHAR, Family.VARCHAR, Family.TINYTEXT, Family.TEXT, Family.MEDIUMTEXT, Family.LONGTEXT})
BINARY = frozenset(
    {
        Family.BINARY,
        Family.VARBINARY,
        Family.TINYBLOB,
        Family.BLOB,
        Family.MEDIUMBLOB,
        Family.LONGBLOB,
        Family.GEOMETRY,
    }
)
TEMPORAL = frozenset({Family.DATE, Family.DATETIME, Family.TIMESTAMP, Family.TIME, Family.YEAR})

_BYTES: Mapping[Family, int] = {
    Family.TINYINT: 1,
    Family.SMALLINT: 2,
    Family.MEDIUMINT: 3,
    Family.INT: 4,
    Family.BIGINT: 8,
}

_SYNONYMS: Mapping[str, Family] = {
    "integer": Family.INT,
    "int1": Family.TINYINT,
    "int2": Family.SMALLINT,
    "int3": Family.MEDIUMINT,
    "middleint": Family.MEDIUMINT,
    "int4": Family.INT,
    "int8": Family.BIGINT,
    "serial": Family.BIGINT,
    "bool": Family.TINYINT,
    "boolean": Family.TINYINT,
    "numeric": Family.DECIMAL,
    "dec": Family.DECIMAL,
    "fixed": Family.DECIMAL,
    "real": Family.DOUBLE,
    "double precision": Family.DOUBLE,
    "float4": Family.FLOAT,
    "float8": Family.DOUBLE,
    **dict.fromkeys(("character", "nchar", "national char", "national character"), Family.CHAR),
    **dict.fromkeys(("nvarchar", "nchar varchar", "nchar varying", "national varchar"), Family.VARCHAR),
    **dict.fromkeys(("national varcharacter", "national char varying", "national character varying"), Family.VARCHAR),
    **dict.fromkeys(("varcharacter", "char varying", "character varying"), Family.VARCHAR),
    **dict.fromkeys(("long", "long varchar", "long varcharacter"), Family.MEDIUMTEXT),
    **dict.fromkeys(("long char varying", "long character varying"), Family.MEDIUMTEXT),
    "long varbinary": Family.MEDIUMBLOB,
    "char byte": Family.BINARY,
    "point": Family.GEOMETRY,
    "linestring": Family.GEOMETRY,
    "polygon": Family.GEOMETRY,
    "multipoint": Family.GEOMETRY,
    "multilinestring": Family.GEOMETRY,
    "multipolygon": Family.GEOMETRY,
    "geometrycollection": Family.GEOMETRY,
    "geomcollection": Family.GEOMETRY,
}

_WITH_CHARSET_BINARY: Mapping[Family, Family] = {
    Family.CHAR: Family.BINARY,
    Family.VARCHAR: Family.VARBINARY,
    Family.TINYTEXT: Family.TINYBLOB,
    Family.TEXT: Family.BLOB,
    Family.MEDIUMTEXT: Family.MEDIUMBLOB,
    Family.LONGTEXT: Family.LONGBLOB,
}

_DEFAULT_LENGTH: Mapping[Family, int] = {
    Family.DECIMAL: 10,
    Family.BIT: 1,
    Family.CHAR: 1,
    Family.BINARY: 1,
}
# Families for which MySQL reads a length of 0 as none: DECIMAL(0) is DECIMAL(10,0), while CHAR(0) is a type of its own.
_NEVER_EMPTY = frozenset({Family.DECIMAL, Family.BIT})

# The largest first and second number that MySQL, MariaDB or TiDB accepts in the parentheses of a type.
_LARGEST: Mapping[Family, tuple[int, int]] = {
    Family.BIT: (64, 0),
    Family.DECIMAL: (65, 38),
    Family.BINARY: (255, 0),
    Family.DATETIME: (6, 0),
    Family.TIMESTAMP: (6, 0),
    Family.TIME: (6, 0),
}
_LARGEST_LENGTH = 2**32 - 1

_WITH_LENGTH = frozenset({Family.CHAR, Family.VARCHAR, Family.BINARY, Family.VARBINARY})


@dataclass(frozen=True, slots=True)
class ColumnType:
    """A parsed column type.

    `length` is the first number in the parentheses: digits of a DECIMAL or an integer's display width, bits of a BIT,
    characters or bytes of a string, dimensions of a VECTOR, fractional digits of a temporal type. `scale` is the second
    number. Both are None if the text has none and the type has no default.
    """

    text: str
    family: Family
    length: int | None = None
    scale: int | None = None
    unsigned: bool = False
    zerofill: bool = False
    members: tuple[str, ...] = ()

    @property
    def fsp(self) -> int:
        """Fractional digits of a second that a temporal type keeps."""
        return self.length or 0

    @property
    def characters(self) -> int:
        """Characters of a CHAR, bytes of a BINARY, bits of a BIT: 1 where the text has no number."""
        return 1 if self.length is None else self.length

    @property
    def longest(self) -> int | None:
        """The most characters of a CHAR or VARCHAR, bytes of a BINARY or VARBINARY; None for other families."""
        return self.length if self.family in _WITH_LENGTH else None

    @property
    def bits(self) -> int:
        """Width of an integer type or of BIT, in bits."""
        return (self.length or 1) if self.family is Family.BIT else 8 * _BYTES[self.family]

    @property
    def minimum(self) -> int:
        """The smallest number an integer type, BIT or YEAR can hold."""
        if self.unsigned or self.family not in INTEGERS:
            return 0
        return -(1 << (self.bits - 1))

    @property
    def maximum(self) -> int:
        """The largest number an integer type, BIT or YEAR can hold."""
        if self.family is Family.YEAR:
            return 2155
        if self.family in INTEGERS and not self.unsigned:
            return (1 << (self.bits - 1)) - 1
        return (1 << self.bits) - 1


_HEAD = re.compile(
    r"\s*([a-z_]+[1-8]?(?:\s+(?:precision|varying|(?:var)?char(?:acter)?|varbinary|byte)\b){0,2})"
    r"\s*(\(.*\))?\s*([a-z0-9_ ]*?)\s*\Z",
    re.DOTALL | re.IGNORECASE,
)
_SHOWN = 80  # characters of a type text that an error shows
_MEMBER = re.compile(r"'((?:[^']|'')*)'\s*(?:,|\Z)")


@lru_cache(maxsize=4096)
def parse_column_type(text: str, charset: str | None = None) -> ColumnType:
    """The `ColumnType` of a type text.

    With the `charset` `binary` a character type becomes the binary type of the same size.

    Raises `Rejected` (class `type`) for a text that is not a column type.
    """
    match = _HEAD.match(text)
    if not match:
        raise Rejected("type", f"{text!r} is not a column type")
    word, arguments, suffix = match[1].lower(), match[2], match[3].lower().split()
    word = " ".join(word.split())
    try:
        family = _SYNONYMS.get(word) or Family(word)
    except ValueError:
        raise Rejected("type", f"{text!r}: unknown column type {word!r}") from None
    if charset == "binary":
        family = _WITH_CHARSET_BINARY.get(family, family)
    members: tuple[str, ...] = ()
    length: int | None = 1 if word in ("bool", "boolean") else _DEFAULT_LENGTH.get(family)
    scale: int | None = 0 if family is Family.DECIMAL else None
    if arguments is not None:
        if family in (Family.ENUM, Family.SET):
            members = _members(text, arguments[1:-1])
        else:
            length, scale = _numbers(text, family, arguments[1:-1], scale)
            if length == 0 and family in _NEVER_EMPTY:
                length = _DEFAULT_LENGTH[family]
    if family is Family.FLOAT and scale is None and length is not None and length > 24:
        family = Family.DOUBLE
    zerofill = "zerofill" in suffix
    return ColumnType(
        text=text,
        family=family,
        length=length,
        scale=scale,
        unsigned=zerofill or "unsigned" in suffix or word == "serial",
        zerofill=zerofill,
        members=members,
    )


def _numbers(text: str, family: Family, arguments: str, scale: int | None) -> tuple[int, int | None]:
    parts = [p.strip() for p in arguments.split(",")]
    if not 1 <= len(parts) <= 2 or not all(p.isascii() and p.isdigit() for p in parts):
        raise Rejected("type", f"{_shortened(text)}: the parameters are not one or two numbers")
    for part, largest in zip(parts, _LARGEST.get(family, (_LARGEST_LENGTH, _LARGEST_LENGTH)), strict=False):
        if len(part) > len(str(_LARGEST_LENGTH)) or int(part) > largest:
            raise Rejected("type", f"{_shortened(text)}: a parameter of {family} is at most {largest}")
    return int(parts[0]), int(parts[1]) if len(parts) == 2 else scale


def _shortened(text: str) -> str:
    return repr(text) if len(text) <= _SHOWN else f"{text[:_SHOWN]!r}…"


def _members(text: str, arguments: str) -> tuple[str, ...]:
    members, position = [], 0
    arguments = arguments.strip()
    while position < len(arguments):
        match = _MEMBER.match(arguments, position)
        if not match:
            raise Rejected("type", f"{text!r}: the members are not a list of quoted labels")
        members.append(match[1].replace("''", "'"))
        position = match.end()
        while position < len(arguments) and arguments[position] == " ":
            position += 1
    return tuple(members)
