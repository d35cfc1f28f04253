"""Prepares the row messages of a table version: all parts that do not depend on the row.

The encoder keeps a `Layout` for each table version and choice of columns.  [CJ-020 … CJ-036]
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from reference_impl.canal_json.style import Style
from reference_impl.canal_json.texts import Writer, literal, writer
from reference_impl.canal_json.types import mysql_type, sql_type, widening
from reference_impl.column_types import ColumnType
from reference_impl.errors import Rejected
from reference_impl.keys import handle_key
from reference_impl.model import Column, Row, Table
from reference_impl.values import not_a_value

__all__ = ["Layout", "layout"]


@dataclass(frozen=True, slots=True)
class _Field:
    """A column as the layout writes it."""

    name: str
    prefix: str  # the name as a JSON string, and a colon
    column_type: ColumnType
    write: Writer


def _member(field: _Field, text: str | None) -> str:
    return field.prefix + ("null" if text is None else literal(text))


def _object(members: Iterable[str]) -> str:
    return "{" + ",".join(members) + "}"


@dataclass(frozen=True, slots=True)
class Layout:
    """The constant parts of a row message and the fields between them."""

    table: Table
    head: str  # the message before the value of `type`
    sql_types: str | None  # the member `sqlType`, or None if it depends on the row
    mysql_types: str  # the member `mysqlType`
    fields: tuple[_Field, ...]

    def texts(self, row: Row) -> list[str | None]:
        """The text of each field before any escape, None for NULL.

        Raises `Rejected`: class `semantics` for a column that the row lacks, `type` or `range` for a value that does
        not fit.
        """
        try:
            return [None if (value := row[field.name]) is None else field.write(value) for field in self.fields]
        except KeyError as e:
            raise Rejected("semantics", f"a row of {self.table.name!r} lacks the column {e.args[0]!r}") from None

    def image(self, texts: Iterable[str | None]) -> str:
        """A row object of `data` or `old`."""
        return _object(_member(field, text) for field, text in zip(self.fields, texts, strict=True))

    def changed(self, before: Iterable[str | None], after: Iterable[str | None]) -> str:
        """The row object of `old` with only the columns whose text differs in `after`.  [CJ-504, CJ-505]"""
        columns = zip(self.fields, before, after, strict=True)
        return _object(_member(field, old) for field, old, new in columns if old != new)

    def sql_types_of(self, texts: Iterable[str | None]) -> str:
        """The member `sqlType` for a row.  [CJ-031, CJ-330]

        Raises `Rejected` (class `type`) for a text that is not a number where the code depends on it.
        """
        if self.sql_types is not None:
            return self.sql_types
        codes = []
        for field, text in zip(self.fields, texts, strict=True):
            try:
                codes.append(f"{field.prefix}{sql_type(field.column_type, text)}")
            except ValueError:
                raise not_a_value(field.column_type, text) from None
        return '"sqlType":' + _object(codes)


def _columns(table: Table, style: Style, handle_key_only: bool) -> list[Column]:
    columns = [column for column in table.columns if column.generated != "virtual"]
    if handle_key_only:
        handle = handle_key(table, virtual_counts=style.virtual_handle_key)
        columns = [column for column in columns if column.name in handle]
    return sorted(columns, key=lambda column: column.name) if style.sorted_columns else columns


def layout(table: Table, style: Style, *, full_types: bool, handle_key_only: bool) -> Layout:
    """The layout of a table version.

    With `full_types` a `mysqlType` has parameters; with `handle_key_only` the rows hold only the handle key.

    Raises `Rejected` (class `type`) for a column type that TiDB does not have.
    """
    fields = tuple(
        _Field(column.name, literal(column.name) + ":", column.type, writer(column.type))
        for column in _columns(table, style, handle_key_only)
    )
    key_names = ",".join(literal(column.name) for column in table.columns if column.name in table.primary_key)
    codes = [f"{field.prefix}{sql_type(field.column_type, None)}" for field in fields]
    types = [field.prefix + literal(mysql_type(field.column_type, full=full_types)) for field in fields]
    is_constant = all(widening(field.column_type) is None for field in fields)
    return Layout(
        table=table,
        head=(
            f'{{"id":0,"database":{literal(table.schema)},"table":{literal(table.name)},'
            f'"pkNames":[{key_names}],"isDdl":false,"type":"'
        ),
        sql_types=('"sqlType":' + (_object(codes) if fields else "null")) if is_constant else None,
        mysql_types='"mysqlType":' + (_object(types) if fields else style.no_types),
        fields=fields,
    )
