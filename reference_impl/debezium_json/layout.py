"""Prepares messages: the texts that do not change from one message to the next.

A `Layout` has those of one table version; the encoder keeps it.  [DBZ-030 … DBZ-046]
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from reference_impl.debezium_json.defaults import null_texts
from reference_impl.debezium_json.json_text import literal, namespace
from reference_impl.debezium_json.options import Options
from reference_impl.debezium_json.schema import (
    DDL_KEY_SCHEMA,
    column_field,
    ddl_schema,
    envelope_schema,
    key_schema,
    watermark_schema,
)
from reference_impl.debezium_json.style import Style
from reference_impl.debezium_json.texts import Writer, writer
from reference_impl.errors import Rejected
from reference_impl.keys import handle_key
from reference_impl.model import Column, Row, Table
from reference_impl.names import sanitized
from reference_impl.settings import Settings
from reference_impl.tso import physical_ms

__all__ = ["Layout", "Layouts"]


@dataclass(frozen=True, slots=True)
class _Field:
    """A column in a row or in the key."""

    name: str
    member: str  # its name as a JSON member, with the colon
    null: str  # the member for NULL; two members with one of the defects
    write: Writer
    virtual: bool  # whether it is a virtual generated column


@dataclass(frozen=True, slots=True)
class Layout:
    """The constant parts of the row messages of a table, and the fields between them."""

    table: Table
    begin: tuple[str, str]  # see `Layouts.begin_of`
    fields: tuple[_Field, ...]
    key_fields: tuple[_Field, ...]
    key_end: str  # the text after the payload of a key
    value_end: str  # the text after the payload of a value

    def _object(self, fields: Iterable[_Field], row: Row) -> str:
        try:
            members = [
                field.null if (value := row[field.name]) is None else field.member + field.write(value)
                for field in fields
            ]
        except KeyError as e:
            raise Rejected("semantics", f"a row of {self.table.name!r} lacks the column {e.args[0]!r}") from None
        return "{" + ",".join(members) + "}"

    def image(self, row: Row) -> str:
        """A row object of `before` or `after`.

        Raises `Rejected`: class `semantics` for a column that the row lacks, `type` for a value that does not fit.
        """
        return self._object(self.fields, row)

    def key(self, row: Row) -> str:
        """The key of a row message, without virtual columns that the row lacks.  [DBZ-036]

        Raises as `image` does.
        """
        fields = [field for field in self.key_fields if not field.virtual or field.name in row]
        return f'{{"payload":{self._object(fields, row)}{self.key_end}'


class Layouts:
    """Makes the layouts of tables and of other messages, under one set of options, style and settings."""

    def __init__(self, options: Options, style: Style, settings: Settings) -> None:
        self._options, self._style, self._settings = options, style, settings
        self.start_ts = options.debezium_include_start_ts and style.start_ts  # whether rows have it  [DBZ-014]
        cluster = sanitized(settings.cluster_id)
        self._cluster_end = f',"cluster_id":{literal(settings.cluster_id)}}}'
        self.ddl_key_end = self._end(DDL_KEY_SCHEMA)
        self.ddl_end = self._end(ddl_schema(options, style))
        self.watermark_key = '{"payload":{}' + self._end(key_schema(f"{cluster}.watermark.Key", ()))
        self.watermark_end = self._end(watermark_schema(cluster, options, style))

    def _end(self, schema: str) -> str:
        """The text after the payload.  [DBZ-011, DBZ-021]"""
        return "}" if self._options.debezium_disable_schema else f',"schema":{schema}}}'

    def begin_of(self, schema: str, table: str) -> tuple[str, str]:
        """The constant parts with which values begin: up to the milliseconds of `source`, then up to its TSO.

        [DBZ-041]
        """
        return (
            '{"payload":{"source":{"version":"2.4.0.Final","connector":"TiCDC",'
            f'"name":{literal(self._settings.cluster_id)},"ts_ms":',
            f',"snapshot":"false","db":{literal(schema)},"table":{literal(table)},"server_id":0,"gtid":null,"file":"",'
            '"pos":0,"row":0,"thread":0,"query":null,"commit_ts":',
        )

    def up_to_clock(self, begin: tuple[str, str], commit_ts: int, start_ts: int | None = None) -> str:
        """The text of a value up to its wall clock, which is the time of the commit without `settings.now_ms`.

        [DBZ-042]
        """
        ms, now = physical_ms(commit_ts), self._settings.now_ms
        start = f',"start_ts":{start_ts}' if start_ts is not None else ""
        return f'{begin[0]}{ms}{begin[1]}{commit_ts}{start}{self._cluster_end},"ts_ms":{ms if now is None else now}'

    def _field(self, column: Column) -> _Field:
        member = literal(column.name) + ":"
        null = ",".join(member + text for text in null_texts(column, self._style, self._settings))
        return _Field(
            column.name, member, null, writer(column, self._style, self._settings), column.generated == "virtual"
        )

    def _declared(self, table: Table) -> list[Column]:
        """The columns of a row schema, in order.  [DBZ-057]"""
        virtual = [column for column in table.columns if column.generated == "virtual"]
        if self._style.virtual_last:
            return [column for column in table.columns if column.generated != "virtual"] + virtual
        return [*table.columns, *virtual] if self._style.virtual_twice else [*table.columns]

    def of_table(self, table: Table) -> Layout:
        """The layout of a table version.

        Raises `Rejected` (class `type`) for a column type that TiDB does not have.
        """
        options, style, settings = self._options, self._style, self._settings
        texts = {column.name: column_field(column, options, style, settings) for column in table.columns}
        handle = handle_key(table, virtual_counts=style.virtual_handle_key)
        keys = [column for column in table.columns if column.name in handle]
        name = namespace(settings.cluster_id, table.schema, table.name)
        declared = [texts[column.name] for column in self._declared(table)]
        return Layout(
            table=table,
            begin=self.begin_of(table.schema, table.name),
            fields=tuple(self._field(column) for column in table.columns if column.generated != "virtual"),
            key_fields=tuple(map(self._field, keys)),
            key_end=self._end(key_schema(f"{name}.Key", (texts[column.name] for column in keys))),
            value_end=self._end(envelope_schema(name, declared, options, style, start_ts=self.start_ts)),
        )
