"""What a table version makes of its key and value: schema texts, and how a row becomes a datum.

[AV-030, AV-035 … AV-041, AV-110 … AV-122]
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from reference_impl.avro import binary, schemas
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

__all__ = ["BEFORE", "COMMIT_TIME", "COMMIT_TS", "OP", "Layout", "Part", "layout"]

BEFORE = "_ticdc_before"
OP, COMMIT_TS, COMMIT_TIME = "_tidb_op", "_tidb_commit_ts", "_tidb_commit_physical_time"

# The first part of every namespace: the keyspace, or the changefeed's namespace.  [AV-036]
_KEYSPACE = "default"
_NULL = ("null", None)


@dataclass(frozen=True, slots=True)
class _Field:
    """A column: its name, its field's, the field's text, and how its values are coded.

    `write` is None where the value is not sent, and null stands in its place.
    """

    column: str
    name: str
    text: str
    coding: binary.Coding
    write: Callable[[Value], Any] | None


def _optional(write: Writer, branch: str) -> Callable[[Value], Any]:
    return lambda value: _NULL if value is None else (branch, write(value))


def _field(column: Column, options: Options, style: Style, settings: Settings) -> _Field:
    avro = avro_type(column.type, options, style)
    name = sanitized(column.name)
    default = stored_default(column, settings.timezone)
    text, null_first = schemas.column_field(
        name, column.type, avro, nullable=column.nullable, default=default, style=style
    )
    write = writer(column.type, avro, style)
    if not column.nullable:
        return _Field(column.name, name, text, avro.avro, write)
    coding = binary.nullable(avro.avro, null_first=null_first)
    is_sent = column.generated != "virtual"  # [AV-110]
    return _Field(column.name, name, text, coding, _optional(write, avro.avro) if is_sent else None)


class Part:
    """A key or a value: the text of its schema, and how a datum of it is written."""

    def __init__(self, text: str, coding: binary.RecordCoding, fields: Sequence[_Field]) -> None:
        self.text = text
        self._coding = binary.prepared(coding)
        self._columns = tuple((field.name, field.column, field.write) for field in fields if field.write is not None)
        self._unsent = {field.name: _NULL for field in fields if field.write is None}

    def datum(self, row: Row) -> dict[str, Any]:
        """The fields of a row's columns.

        Raises `Rejected`: class `semantics` for a row without one of the columns, `type` or `range` for a value that
        does not fit its column.
        """
        try:
            return {name: write(row[column]) for name, column, write in self._columns} | self._unsent
        except KeyError as e:
            raise Rejected("semantics", f"a row has no column {e.args[0]!r}") from None

    def body(self, datum: dict[str, Any]) -> bytes:
        """The bytes of a whole datum."""
        return binary.write(self._coding, datum)


@dataclass(frozen=True, slots=True)
class Layout:
    """A table version. `key` is None for a table without key columns; `before_name` is None without before values."""

    table: Table
    key: Part | None
    value: Part
    before_name: str | None
    has_op: bool
    has_times: bool


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


def _check_names(names: Iterable[str], table: Table) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:  # [AV-038]
            raise Rejected("schema", f"two fields {name!r} in the schema of {table.schema}.{table.name}")
        seen.add(name)


def layout(table: Table, options: Options, style: Style, settings: Settings) -> Layout:
    """The layout of a table version.

    Raises `Rejected`: class `schema` for names that collide once they are sanitised, `type` for a column type or a
    default that Avro does not carry.
    """
    name, space = sanitized(table.name), namespace(_KEYSPACE, table.schema)

    def part(fields: Sequence[_Field], more: Sequence[tuple[str, str, binary.Coding]] = ()) -> Part:
        _check_names((*(field.name for field in fields), *(extra[0] for extra in more)), table)
        texts = [*(field.text for field in fields), *(text for _, text, _ in more)]
        codings = [*((field.name, field.coding) for field in fields), *((field, coding) for field, _, coding in more)]
        return Part(schemas.record_text(name, space, texts, style), binary.record(f"{space}.{name}", codings), fields)

    fields = [_field(column, options, style, settings) for column in _value_columns(table, style)]
    by_column = {field.column: field for field in fields}
    has_before = options.avro_include_before_value and style.before_value
    has_op = has_before or options.enable_tidb_extension  # [AV-122]
    more: list[tuple[str, str, binary.Coding]] = []
    if has_before:
        before_text = schemas.record_text(f"{name}_before", space, [field.text for field in fields], style)
        before_coding = binary.record(f"{space}.{name}_before", [(field.name, field.coding) for field in fields])
        more.append(
            (BEFORE, schemas.before_field(BEFORE, before_text), binary.nullable(before_coding, null_first=True))
        )
    extension = [OP] * has_op + [COMMIT_TS, COMMIT_TIME] * options.enable_tidb_extension
    codings = {OP: "string", COMMIT_TS: "long", COMMIT_TIME: "long"}
    texts = schemas.extension_fields(extension, style)
    more += [(field, text, codings[field]) for field, text in zip(extension, texts, strict=True)]
    key = [by_column[column.name] for column in _key_columns(table, style) if column.name in by_column]
    return Layout(
        table=table,
        key=part(key) if key else None,
        value=part(fields, more),
        before_name=f"{space}.{name}_before" if has_before else None,
        has_op=has_op,
        has_times=options.enable_tidb_extension,
    )
