"""Prepares the rows of a table version: its columns as Canal knows them.  [CJ-430, CJ-905 … CJ-908]"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from reference_impl.column_types import BINARY, Family
from reference_impl.errors import Rejected
from reference_impl.model import Column, Row, Table
from reference_impl.upstream.canal.json_text import literal
from reference_impl.upstream.canal.keys import Keys
from reference_impl.upstream.canal.options import Options
from reference_impl.upstream.canal.texts import CanalColumn, Writer, writer
from reference_impl.upstream.canal.types import mysql_type, sql_type
from reference_impl.upstream.canal.unparsed import is_unknown_type
from reference_impl.upstream.charsets import is_national

__all__ = ["Layout", "Texts", "canal_column", "charset_of", "layout_of"]

Texts = Mapping[str, str | None]

_DEFAULT_CHARSET = "utf8mb4"
_SELECT = re.compile(r"create\s+table\b.*\bselect\b", re.IGNORECASE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Field:
    """A column of the messages."""

    name: str
    member: str  # its name as a JSON member, with the colon
    column: CanalColumn
    write: Writer


def charset_of(column: Column, table: Table) -> str:
    """The charset of a column's texts, `binary` for a column of bytes."""
    if column.type.family in BINARY:
        return "binary"
    if column.type.family is Family.JSON:
        return _DEFAULT_CHARSET
    if is_national(column.type):
        return "utf8mb3"
    return column.charset or table.charset or _DEFAULT_CHARSET


def _is_declared(table: Table, options: Options) -> bool:
    """Whether Canal knows the table by its CREATE statement; otherwise it queries the server.

    MariaDB logs CREATE TABLE … SELECT as the server's own statement.  [CJ-430, DV-12]
    """
    if not options.tsdb:
        return False
    if options.mariadb and _SELECT.match((table.create_sql or "").lstrip()):
        return False
    return not any(is_unknown_type(column.type.text) for column in table.columns)


def canal_column(column: Column, table: Table, options: Options) -> CanalColumn:
    """A column of a table version as Canal sees it."""
    charset = charset_of(column, table)
    type_text = mysql_type(column.type, charset, options, declared=_is_declared(table, options))
    return CanalColumn(column.type, type_text, charset, options.mariadb, options.java)


@dataclass(frozen=True, slots=True)
class Layout:
    """The constant parts of the row messages of a table version, and the fields between them."""

    table: Table
    head: str  # the member `database`
    fields: tuple[Field, ...]  # in table order
    key: Collection[str]  # the columns of the key, in lower case

    def texts(self, row: Row, columns: Collection[str]) -> Texts:
        """The texts of the named `columns` of a row, None for NULL.

        Raises `Rejected`: class `semantics` for a column that the row lacks, `type` or `range` for a value that does
        not fit.
        """
        texts: dict[str, str | None] = {}
        for field in self.fields:
            if field.name in columns:
                if field.name not in row:
                    raise Rejected("semantics", f"a row of {self.table.name!r} lacks the column {field.name!r}")
                value = row[field.name]
                texts[field.name] = None if value is None else field.write(value)
        return texts

    def image(self, texts: Texts) -> str:
        """A row object of `data` or `old`, members in table order.  [CJ-721, DV-13]"""
        members = []
        for field in self.fields:
            if field.name in texts:
                text = texts[field.name]
                members.append(field.member + ("null" if text is None else literal(text)))
        return _object(members)

    def sql_types(self, texts: Texts) -> str:
        """The value of `sqlType` for a row, null without a column.  [CJ-420 … CJ-426, DV-14]"""
        return _object_or_null(
            f"{field.member}{_code(field.column, texts[field.name])}" for field in self.fields if field.name in texts
        )

    def mysql_types(self, texts: Texts) -> str:
        """The value of `mysqlType` for the columns of a row, null without a column.  [CJ-430]"""
        types = (field.member + literal(field.column.mysql_type) for field in self.fields if field.name in texts)
        return _object_or_null(types)

    def key_names(self, texts: Texts) -> str:
        """The value of `pkNames`: the columns of the key that the row has, null without one.  [CJ-906]"""
        names = [unquoted(f.name) for f in self.fields if f.name in texts and f.name.lower() in self.key]
        return "[" + ",".join(map(literal, names)) + "]" if names else "null"


def _code(column: CanalColumn, text: str | None) -> int:
    return sql_type(column.type, column.mysql_type, text, mariadb=column.mariadb)


def _object(members: Iterable[str]) -> str:
    return "{" + ",".join(members) + "}"


def _object_or_null(members: Iterable[str]) -> str:
    found = list(members)
    return _object(found) if found else "null"


def unquoted(name: str) -> str:
    """The name as Canal writes it: without double quotes around it, even if they belong to the name."""
    return name[1:-1] if len(name) > 2 and name[0] == name[-1] == '"' else name


def layout_of(table: Table, options: Options, keys: Keys) -> Layout:
    """The layout of a table version.

    `keys` are the keys according to statements; they count if Canal knows the table by its CREATE statement.

    Raises `Rejected` (class `type`) for a column type that makes Canal stop.
    """
    fields = []
    for column in table.columns:
        known = canal_column(column, table, options)
        fields.append(Field(column.name, literal(unquoted(column.name)) + ":", known, writer(known)))
    key = keys.of(table) if _is_declared(table, options) else frozenset(name.lower() for name in table.primary_key)
    return Layout(table, f'"database":{literal(table.schema)}', tuple(fields), key)
