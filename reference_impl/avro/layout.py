"""Prepares key and value of a table version: schema texts, and the conversion of rows to data.

[AV-030, AV-035 … AV-040, AV-110 … AV-122]
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from reference_impl.avro import binary, schemas
from reference_impl.avro.extension import BEFORE, COMMIT_TIME, COMMIT_TS, OP, TYPES
from reference_impl.avro.options import Options
from reference_impl.avro.style import Style
from reference_impl.avro.types import avro_type
from reference_impl.avro.writers import Writer, writer
from reference_impl.errors import Rejected
from reference_impl.keys import handle_key
from reference_impl.model import Column, Row, Table, Value
from reference_impl.names import namespace, sanitized
from reference_impl.settings import Settings
from reference_impl.stored_defaults import stored_default

__all__ = ["Layout", "Part", "layout"]

# The first part of every namespace: the keyspace, or the changefeed's namespace.  [AV-036]
_KEYSPACE = "default"
_NULL = ("null", None)


@dataclass(frozen=True, slots=True)
class _Field:
    """A field of a key or value."""

    column: str  # the name of the column; empty for a field that is not a column
    name: str  # the name of the field
    text: str  # the JSON of the field in the schema
    coding: binary.Coding
    write: Callable[[Value], Any] | None = None  # None for a column whose value is not sent: the field is null


def _optional(write: Writer, branch: str) -> Callable[[Value], Any]:
    return lambda value: _NULL if value is None else (branch, write(value))


def _field(column: Column, options: Options, style: Style, settings: Settings) -> _Field:
    field_type = avro_type(column.type, options, style)
    name = sanitized(column.name)
    default = stored_default(column, settings.timezone)
    text, null_first = schemas.column_field(
        name, column.type, field_type, nullable=column.nullable, default=default, style=style
    )
    write = writer(column.type, field_type, style)
    if not column.nullable:
        return _Field(column.name, name, text, field_type.avro, write)
    coding = binary.nullable(field_type.avro, null_first=null_first)
    is_sent = column.generated != "virtual"  # [AV-110]
    return _Field(column.name, name, text, coding, _optional(write, field_type.avro) if is_sent else None)


class Part:
    """The key or value of a table's rows: the text of its schema, and the coding of its data."""

    def __init__(self, table: Table, text: str, coding: binary.RecordCoding, columns: Sequence[_Field]) -> None:
        self.text = text
        self._table = table
        self._coding = binary.prepared(coding)
        self._columns = tuple((field.name, field.column, field.write) for field in columns if field.write is not None)
        self._unsent = {field.name: _NULL for field in columns if field.write is None}

    def datum(self, row: Row) -> dict[str, Any]:
        """The data of a row's columns, by field.

        Raises `Rejected`: class `semantics` for a row without one of the columns, `type` or `range` for a value that
        does not fit its column.
        """
        try:
            return {name: write(row[column]) for name, column, write in self._columns} | self._unsent
        except KeyError as e:
            raise Rejected("semantics", f"a row of {self._table.name!r} lacks the column {e.args[0]!r}") from None

    def body(self, datum: dict[str, Any]) -> bytes:
        """The bytes of a whole datum."""
        return binary.write(self._coding, datum)


@dataclass(frozen=True, slots=True)
class Layout:
    """The key and value of the rows of a table version."""

    table: Table
    key: Part | None  # None for a table without key columns
    value: Part
    before_name: str | None  # the full name of the record of the row before a change; None if that row is not sent
    has_op: bool  # whether the value has `_tidb_op`
    has_times: bool  # whether the value has the commit time stamp and its physical time


def _value_columns(table: Table, style: Style) -> list[Column]:
    columns = []
    for column in table.columns:
        if column.generated == "virtual":
            if not column.nullable and style.refuses_virtual:
                raise Rejected("schema", f"the value null of column {column.name!r} does not match its schema")
            if not style.virtual_columns or not column.nullable:
                continue
        columns.append(column)
    return columns


def _key_columns(table: Table, style: Style) -> list[Column]:
    """The columns of the key, in table order.  [AV-112]"""
    names = handle_key(table, virtual_counts=style.virtual_handle_key) if style.handle_key else table.primary_key
    return [column for column in table.columns if column.name in names]


def _extra_fields(name: str, space: str, columns: Sequence[_Field], options: Options, style: Style) -> list[_Field]:
    """The fields of a value after its columns."""
    has_before = options.avro_include_before_value and style.before_value
    extra = []
    if has_before:
        text, coding = _record(f"{name}_before", space, columns, style)
        extra.append(_Field("", BEFORE, schemas.before_field(text), binary.nullable(coding, null_first=True)))
    extension: tuple[str, ...] = (OP, COMMIT_TS, COMMIT_TIME) if options.enable_tidb_extension else ()
    if has_before and not extension:
        extension = (OP,)  # [AV-122]
    return extra + [_Field("", field, schemas.extension_field(field, style), TYPES[field]) for field in extension]


def _record(name: str, space: str, fields: Sequence[_Field], style: Style) -> tuple[str, binary.RecordCoding]:
    """The text and the coding of a record with these fields; `space` is its namespace."""
    text = schemas.record_text(name, space, [field.text for field in fields], style)
    return text, binary.record(f"{space}.{name}", [(field.name, field.coding) for field in fields])


def _check_names(fields: Iterable[_Field], table: Table) -> None:
    for name, count in Counter(field.name for field in fields).items():
        if count > 1:  # [AV-038]
            raise Rejected("schema", f"two fields {name!r} in the schema of {table.schema}.{table.name}")


def layout(table: Table, options: Options, style: Style, settings: Settings) -> Layout:
    """The layout of a table version.

    Raises `Rejected`: class `schema` for names that collide after sanitising, `type` for a column type or a
    default that Avro does not carry.
    """
    name, space = sanitized(table.name), namespace(_KEYSPACE, table.schema)
    columns = [_field(column, options, style, settings) for column in _value_columns(table, style)]
    extra = _extra_fields(name, space, columns, options, style)
    _check_names((*columns, *extra), table)
    in_key = {column.name for column in _key_columns(table, style)}
    key = [field for field in columns if field.column in in_key]
    extra_names = {field.name for field in extra}
    return Layout(
        table=table,
        key=Part(table, *_record(name, space, key, style), key) if key else None,
        value=Part(table, *_record(name, space, [*columns, *extra], style), columns),
        before_name=f"{space}.{name}_before" if BEFORE in extra_names else None,
        has_op=OP in extra_names,
        has_times=COMMIT_TS in extra_names,
    )
