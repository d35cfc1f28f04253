"""The elements of `tableChanges` in the records of statements.  [DBZ-350 … DBZ-359]"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal, NamedTuple

from reference_impl.column_types import Family
from reference_impl.connect_json import boolean, obj
from reference_impl.model import Column, Table
from reference_impl.upstream.debezium.definitions import charset_of_collation
from reference_impl.upstream.debezium.json_text import literal
from reference_impl.upstream.debezium.literals import LiteralKind, expression_of, literal_of
from reference_impl.upstream.debezium.types import is_binary, quoted_labels, word_of
from reference_impl.upstream.debezium.versions import Version

__all__ = ["TableChange", "table_change"]

# Constants of java.sql.Types.
_CHAR, _VARCHAR, _NCHAR, _NVARCHAR, _OTHER = 1, 12, -15, -9, 1111

# The JDBC type code of a column type, by its word in the statement.
_JDBC: Mapping[str, int] = {
    **dict.fromkeys(("bool", "boolean"), 16),
    **dict.fromkeys(("tinyint", "int1", "smallint", "int2"), 5),
    **dict.fromkeys(("mediumint", "int3", "middleint", "int", "integer", "int4", "year"), 4),
    **dict.fromkeys(("bigint", "int8", "serial"), -5),
    **dict.fromkeys(("float", "float4"), 6),
    "real": 7,
    **dict.fromkeys(("double", "double precision", "float8"), 8),
    **dict.fromkeys(("decimal", "dec", "fixed"), 3),
    "numeric": 2,
    "bit": -7,
    **dict.fromkeys(("char", "character", "enum", "set"), _CHAR),
    **dict.fromkeys(("nchar", "national char", "national character"), _NCHAR),
    **dict.fromkeys(("varchar", "varcharacter", "character varying", "char varying"), _VARCHAR),
    **dict.fromkeys(("nvarchar", "nchar varchar", "nchar varying", "national varchar"), _NVARCHAR),
    **dict.fromkeys(("national varcharacter", "national char varying", "national character varying"), _NVARCHAR),
    **dict.fromkeys(("long", "long varchar", "long varcharacter"), _VARCHAR),
    **dict.fromkeys(("long char varying", "long character varying"), _VARCHAR),
    **dict.fromkeys(("tinytext", "text", "mediumtext", "longtext"), _VARCHAR),
    "binary": -2,
    "varbinary": -3,
    **dict.fromkeys(("tinyblob", "blob", "mediumblob", "longblob", "long varbinary"), 2004),
    "date": 91,
    "time": 92,
    "datetime": 93,
    "timestamp": 2014,
}
_NATIONAL_WORDS = frozenset(word for word, jdbc in _JDBC.items() if jdbc in (_NCHAR, _NVARCHAR))
_PARAMETERS = re.compile(r"\(\s*(\d+)\s*(?:,\s*(\d+)\s*)?\)")
_TEXTUAL = frozenset(word for word, jdbc in _JDBC.items() if jdbc in (_CHAR, _VARCHAR, _NCHAR, _NVARCHAR))


class TableChange(NamedTuple):
    """A change of a table by a statement."""

    kind: Literal["CREATE", "ALTER", "DROP"]
    schema: str
    name: str
    after: Table | None  # None for a dropped table


def _quoted(name: str) -> str:
    """A part of a table's id: in double quotes, unless it contains double quotes."""
    return name if '"' in name else f'"{name}"'


def _sizes(column: Column, word: str, version: Version) -> tuple[int | None, int | None]:
    """`length` and `scale`: the declared ones, and those implied by DECIMAL, ENUM and SET."""
    if word == "enum":
        return 1, None
    if word == "set":
        return 2 * len(column.type.members) - 1, None
    match = _PARAMETERS.search(column.type.text)
    length = int(match[1]) if match else None
    scale = int(match[2]) if match and match[2] else None
    if column.type.family is Family.DECIMAL:
        return 10 if length is None else length, scale or 0
    if length is None and (_JDBC.get(word) == _NCHAR or (word == "bit" and version.sized_bits)):
        return 1, scale
    if word == "vector" and length is None:
        return version.vector_length, scale
    return length, scale


def _charset(column: Column, word: str, table: Table) -> str | None:
    if word not in _TEXTUAL:
        return None
    if word in _NATIONAL_WORDS:
        return column.charset or "utf8"
    return column.charset or (charset_of_collation(column.collation) if column.collation else table.charset)


def _default(column: Column, version: Version) -> str | None:
    return None if column.type.family in (Family.JSON, Family.GEOMETRY) else expression_of(column, version)


_NEVER_BINARY = re.compile(r"long\b|.* varying\Z")  # types whose BINARY the older parser leaves out


def _type_name(column: Column, word: str, version: Version) -> str:
    if word == "serial":
        return "BIGINT UNSIGNED"
    column_type = column.type
    attributes = {
        " SIGNED": column_type.text.endswith(" signed"),
        " UNSIGNED": column_type.unsigned,
        " ZEROFILL": column_type.zerofill,
        " BINARY": is_binary(column_type) and (version.newer_parser or not _NEVER_BINARY.match(word)),
    }
    return word.upper() + "".join(attribute for attribute, is_there in attributes.items() if is_there)


def _is_set_by_server(column: Column, version: Version) -> bool:
    """Whether the server sets the column, by AUTO_INCREMENT or ON UPDATE.

    Older versions ignore ON UPDATE after DEFAULT CURRENT_TIMESTAMP.
    """
    if column.auto_increment:
        return True
    if not column.on_update_now:
        return False
    default = literal_of(column)
    return version.newer_parser or default is None or default.kind is not LiteralKind.NOW


def _nullable(value: str | int | None) -> str:
    """The JSON text of a string, a number or null."""
    if value is None:
        return "null"
    return literal(value) if isinstance(value, str) else str(value)


def _column(column: Column, position: int, table: Table, version: Version) -> str:
    word = word_of(column.type)
    length, scale = _sizes(column, word, version)
    name = literal(_type_name(column, word, version))
    by_server = boolean(_is_set_by_server(column, version))
    labels = "null"
    if column.type.members and not is_binary(column.type):
        labels = "[" + ",".join(map(literal, quoted_labels(column.type))) + "]"
    return obj(
        f'"name":{literal(column.name)}',
        f'"jdbcType":{_JDBC.get(word, _OTHER)}',
        '"nativeType":null',
        f'"typeName":{name}',
        f'"typeExpression":{name}',
        f'"charsetName":{_nullable(_charset(column, word, table))}',
        f'"length":{_nullable(length)}',
        f'"scale":{_nullable(scale)}',
        f'"position":{position}',
        f'"optional":{boolean(column.nullable)}',
        f'"autoIncremented":{by_server}',
        f'"generated":{by_server}',
        '"comment":null',
        f'"defaultValueExpression":{_nullable(_default(column, version))}',
        f'"enumValues":{labels}',
    )


def table_change(change: TableChange, version: Version) -> str:
    """One element of `tableChanges`."""
    described, table = "null", change.after
    if table is not None:
        columns = ",".join(_column(c, position, table, version) for position, c in enumerate(table.columns, 1))
        keys = ",".join(map(literal, table.primary_key))
        described = obj(
            f'"defaultCharsetName":{_nullable(table.charset)}',
            f'"primaryKeyColumnNames":[{keys}]',
            f'"columns":[{columns}]',
            '"comment":null',
        )
    identifier = literal(f"{_quoted(change.schema)}.{_quoted(change.name)}")
    return obj(f'"type":"{change.kind}"', f'"id":{identifier}', f'"table":{described}')
