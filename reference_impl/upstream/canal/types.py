"""Column types of the flat message: `sqlType` codes and `mysqlType` texts.  [CJ-420 … CJ-435]

The module `texts` writes values.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import lru_cache

from reference_impl.column_types import BINARY, INTEGERS, TEXT, ColumnType, Family, parse_column_type
from reference_impl.errors import Rejected
from reference_impl.upstream.canal.options import Options

__all__ = [
    "CODES",
    "WIDER",
    "is_blob",
    "is_latin1",
    "is_string",
    "mysql_type",
    "read_mysql_type",
    "same_kind",
    "sql_type",
]

_BLOB, _CLOB = 2004, 2005

# Constants of java.sql.Types. For strings the code also depends on `mysqlType`, see `sql_type`.  [CJ-301 … CJ-322]
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
    Family.BINARY: _BLOB,
    Family.VARBINARY: _BLOB,
    Family.TINYTEXT: _CLOB,
    Family.TEXT: _CLOB,
    Family.MEDIUMTEXT: _CLOB,
    Family.LONGTEXT: _CLOB,
    Family.TINYBLOB: _BLOB,
    Family.BLOB: _BLOB,
    Family.MEDIUMBLOB: _BLOB,
    Family.LONGBLOB: _BLOB,
    Family.GEOMETRY: _BLOB,
    Family.DATE: 91,
    Family.DATETIME: 93,
    Family.TIMESTAMP: 93,
    Family.TIME: 92,
    Family.YEAR: 12,
    Family.ENUM: 4,
    Family.SET: -7,
    Family.JSON: 12,
}

# Types whose NULL has another code than their values.  [CJ-421, CJ-422]
_NULL_CODES: Mapping[Family, int] = {Family.SET: _BLOB, Family.JSON: 1111}
# An unsigned value beyond the signed range of its width has the code of the next wider type.  [CJ-330 … CJ-338, CJ-420]
WIDER: Mapping[Family, int] = {Family.TINYINT: 5, Family.SMALLINT: 4, Family.INT: -5, Family.BIGINT: 3}

_TEXTS = frozenset({"tinytext", "text", "mediumtext", "longtext"})
_FIXED = frozenset({Family.CHAR, Family.BINARY})
_STRINGS = _FIXED | {Family.VARCHAR, Family.VARBINARY}
_BLOBS = (TEXT | BINARY) - _STRINGS
# In MariaDB a JSON column is a LONGTEXT with a check.  [CJ-422]
_MARIADB_BLOBS = _BLOBS | {Family.JSON}


def is_blob(column_type: ColumnType, *, mariadb: bool) -> bool:
    """Whether the binlog stores the column as a BLOB, as it does for TEXT and geometry."""
    return column_type.family in (_MARIADB_BLOBS if mariadb else _BLOBS)


def is_string(column_type: ColumnType) -> bool:
    """Whether the binlog stores the column as a string with a length."""
    return column_type.family in _STRINGS


def is_latin1(column_type: ColumnType, mysql_type: str) -> bool:
    """Whether a string or BLOB of this `mysqlType` is written as Latin-1, a character a byte.  [CJ-424, CJ-425]"""
    if is_string(column_type):
        return "binary" in mysql_type.lower()
    return mysql_type.lower() not in _TEXTS


def sql_type(column_type: ColumnType, mysql_type: str, text: str | None, *, mariadb: bool = False) -> int:
    """The `sqlType` code of a column with this `mysqlType` and this text of a value.  [CJ-420 … CJ-426]

    Raises `Rejected` (class `type`) for a type without a code in Canal.
    """
    family = column_type.family
    if is_string(column_type) and not is_latin1(column_type, mysql_type):
        return CODES[Family.CHAR if family in _FIXED else Family.VARCHAR]
    if is_string(column_type) or is_blob(column_type, mariadb=mariadb):
        return _BLOB if is_latin1(column_type, mysql_type) else _CLOB
    if text is None and family in _NULL_CODES:
        return _NULL_CODES[family]
    if text is not None and column_type.unsigned and family in WIDER and int(text) >= 1 << (column_type.bits - 1):
        return WIDER[family]
    try:
        return CODES[family]
    except KeyError:
        raise Rejected("type", f"{column_type.text}: Canal stops at such a column") from None  # [CJ-428]


def same_kind(a: ColumnType, b: ColumnType) -> bool:
    """Whether the binlog does not distinguish two types: it has neither charsets nor the sizes of BLOBs."""
    for families in (_FIXED, _STRINGS - _FIXED, _MARIADB_BLOBS):
        if a.family in families:
            return b.family in families
    return a.family is b.family


# `mysqlType` by declaration

_DECLARED = re.compile(r"\s*([^(]*?)\s*(?:\((.*)\))?\s*((?:unsigned|signed|zerofill|\s)*)\Z", re.DOTALL | re.IGNORECASE)
_MAX_FLOAT_BITS = 24


def _suffix(column_type: ColumnType) -> str:
    if column_type.family is Family.YEAR:
        return ""
    return (" unsigned" if column_type.unsigned else "") + (" zerofill" if column_type.zerofill else "")


def _members(column_type: ColumnType) -> list[str]:
    """The members as the server stores them.

    The text of the type doubles every backslash. Members that have as many doubled backslashes as the text (those of a
    Table JSON) were copied from it, so their backslashes are halved. Members that have fewer (those of a statement or
    of `read_mysql_type`) are as the server stores them already.
    """
    are_stored = sum(member.count("\\\\") for member in column_type.members) < column_type.text.count("\\\\")
    return [member if are_stored else member.replace("\\\\", "\\") for member in column_type.members]


def _listed(members: Iterable[str]) -> str:
    """Members in quotes and parentheses: quotes are doubled, all other characters stay.  [CJ-434]"""
    return "(" + ",".join("'" + member.replace("'", "''") + "'" for member in members) + ")"


def _declared_type(column_type: ColumnType) -> str:
    """The type in the words of the statement: no blanks after commas, the suffix in lower case.  [CJ-431]"""
    match = _DECLARED.match(column_type.text)
    if match is None:
        return column_type.text
    word, arguments = match[1], match[2]
    if column_type.members:
        return word + _listed(_members(column_type))
    parts = [part.strip() for part in arguments.split(",")] if arguments is not None else []
    if word.lower() == "float" and len(parts) == 1 and int(parts[0]) > _MAX_FLOAT_BITS:
        word = "double"  # [CJ-435]
    signs = "" if word.lower() == "serial" else _suffix(column_type)
    return word + (f"({','.join(parts)})" if parts else "") + signs


# `mysqlType` as the server prints the type

# Display widths: signed, unsigned.  [DV-12]
_WIDTHS: Mapping[Family, tuple[int, int]] = {
    Family.TINYINT: (4, 3),
    Family.SMALLINT: (6, 5),
    Family.MEDIUMINT: (9, 8),
    Family.INT: (11, 10),
    Family.BIGINT: (20, 20),
}
# The prefix of a TEXT or BLOB type, and the largest number of bytes that it holds.
_SIZES = (("tiny", 0xFF), ("", 0xFFFF), ("medium", 0xFFFFFF), ("long", 0xFFFFFFFF))
_BYTES_OF_A_CHARACTER: Mapping[str, int] = {
    **dict.fromkeys(("utf8mb4", "utf16", "utf16le", "utf32", "gb18030"), 4),
    **dict.fromkeys(("utf8mb3", "utf8", "ujis", "eucjpms"), 3),
    **dict.fromkeys(("gbk", "gb2312", "big5", "euckr", "sjis", "cp932", "ucs2"), 2),
}
_WITH_LENGTH = frozenset({Family.BIT, Family.DATETIME, Family.TIMESTAMP, Family.TIME, Family.VECTOR, *_STRINGS})


def _integer(column_type: ColumnType, mariadb: bool) -> str:
    usual = _WIDTHS[column_type.family][column_type.unsigned]
    width = usual if column_type.length is None else column_type.length
    is_flag = column_type.family is Family.TINYINT and column_type.length == 1 and not column_type.unsigned
    return f"{column_type.family}({width})" if mariadb or column_type.zerofill or is_flag else column_type.family.value


def _geometry(column_type: ColumnType, mariadb: bool) -> str:
    word = column_type.text.strip().lower()
    return "geomcollection" if word == "geometrycollection" and not mariadb else word


def _printed_type(column_type: ColumnType, charset: str, mariadb: bool) -> str:
    """The column's type in SHOW CREATE TABLE.  [DV-12]"""
    family = column_type.family
    if family in INTEGERS:
        return _integer(column_type, mariadb) + _suffix(column_type)
    if family in (Family.TEXT, Family.BLOB) and column_type.length is not None:
        size = column_type.length * (_BYTES_OF_A_CHARACTER.get(charset, 1) if family is Family.TEXT else 1)
        return next(word for word, most in _SIZES if size <= most) + family.value
    if family is Family.GEOMETRY:
        return _geometry(column_type, mariadb)
    if family is Family.JSON and mariadb:
        return "longtext"
    if family is Family.YEAR and mariadb:
        return "year(4)"
    if family is Family.DECIMAL or (family in (Family.FLOAT, Family.DOUBLE) and column_type.scale is not None):
        return f"{family}({column_type.length},{column_type.scale})" + _suffix(column_type)
    if column_type.members:
        return family.value + _listed(member.rstrip(" ") for member in _members(column_type))
    length = ""
    # A length of 0 is printed for strings only.
    if family in _WITH_LENGTH and (column_type.length or (is_string(column_type) and column_type.length is not None)):
        length = f"({column_type.length})"
    return family.value + length + _suffix(column_type)


@lru_cache(maxsize=4096)
def mysql_type(column_type: ColumnType, charset: str, options: Options, *, declared: bool) -> str:
    """The `mysqlType` of a column: as its statement declares it, else as the server prints it.  [CJ-430 … CJ-435]"""
    return _declared_type(column_type) if declared else _printed_type(column_type, charset, options.mariadb)


@lru_cache(maxsize=4096)
def read_mysql_type(text: str) -> ColumnType:
    """The column type of a `mysqlType` text. Raises `Rejected` (class `type`) for an unknown type."""
    column_type = parse_column_type(text)
    if column_type.family not in CODES:
        raise Rejected("type", f"{text!r}: Canal stops at such a column")
    if column_type.members:
        # The members are as stored; with the text as a literal, `_members` leaves them so.
        return replace(column_type, text=text.replace("\\", "\\\\"))
    return column_type
