"""Prepares the records of rows: all parts that do not depend on the row.

A `Layout` belongs to one table version and to one source of rows, the binary log or a snapshot.
[DBZ-044, DBZ-060, DBZ-250, DBZ-252]
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from reference_impl.errors import Rejected
from reference_impl.model import Column, Row, Table
from reference_impl.settings import Settings
from reference_impl.upstream.charsets import CharsetMistake, is_national, is_utf8, misread
from reference_impl.upstream.debezium.defaults import default_text, null_text
from reference_impl.upstream.debezium.definitions import key_names
from reference_impl.upstream.debezium.json_text import literal
from reference_impl.upstream.debezium.options import Options
from reference_impl.upstream.debezium.position import connector_name
from reference_impl.upstream.debezium.schema import column_field, envelope, struct
from reference_impl.upstream.debezium.texts import Reading, Writer, writer
from reference_impl.upstream.debezium.types import Form, form_of
from reference_impl.zones import zone_of

__all__ = ["Layout", "Layouts"]

_FORBIDDEN_IN_TOPICS = re.compile(r"[^A-Za-z0-9._-]")


@dataclass(frozen=True, slots=True)
class _Field:
    """A column of the messages."""

    name: str
    member: str  # its name as a JSON member, with the colon
    null: str  # the JSON text for NULL
    write: Writer  # returns None for a value that the connector reads as NULL
    schema: str  # the JSON text of its schema


@dataclass(frozen=True, slots=True)
class Layout:
    """The constant parts of a table's records, and the fields between them."""

    table: Table
    topic: str
    fields: tuple[_Field, ...]
    key_fields: tuple[_Field, ...]  # empty for a table without a key
    begin: str  # the text before the payload of a value
    key_begin: str  # the text before the payload of a key
    end: str  # the text after either payload

    def _object(self, fields: Iterable[_Field], row: Row) -> str:
        members = []
        for field in fields:
            if field.name not in row:
                raise Rejected("semantics", f"a row of {self.table.name!r} lacks the column {field.name!r}")
            value = row[field.name]
            text = None if value is None else field.write(value)
            members.append(field.member + (field.null if text is None else text))
        return "{" + ",".join(members) + "}"

    def image(self, row: Row) -> str:
        """A row. Raises `Rejected`: class `semantics` for a missing column, `type` or `range` for a value."""
        return self._object(self.fields, row)

    def key(self, row: Row) -> str | None:
        """The document of a key, None for a table without one. Raises as `image` does."""
        if not self.key_fields:
            return None
        return f"{self.key_begin}{self._object(self.key_fields, row)}{self.end}"


def _writer(column: Column, table_charset: str, form: Form, reading: Reading, mistake: CharsetMistake | None) -> Writer:
    """The writer of a column.

    In the binary log texts are in the charset of their column, which the connector may misread; in a snapshot it reads
    all texts right. `mistake` is None if the connector knows the charset of the table.
    """
    write = writer(column.type, form, reading)
    if form is not Form.STRING or reading.snapshot or is_national(column.type):
        return write
    if mistake is not None and column.charset is None:
        charset, taken_for = mistake
    else:
        charset, taken_for = column.charset or table_charset or "utf8mb4", None
        if is_utf8(charset):
            return write
    return lambda value: write(misread(value, charset, taken_for) if isinstance(value, str) else value)


class Layouts:
    """Makes the layouts of tables."""

    def __init__(self, options: Options, settings: Settings) -> None:
        self._options = options
        self._name = connector_name(settings)
        self._zone = zone_of(settings.timezone)

    def around_payload(self, schema: str) -> tuple[str, str]:
        """The texts before and after a payload with that schema."""
        return (f'{{"schema":{schema},"payload":', "}") if self._options.schemas_enable else ("", "")

    def topic(self, *names: str) -> str:
        """A topic below the connector's name, such as a table's, with `_` for invalid characters.  [DBZ-060]"""
        return _FORBIDDEN_IN_TOPICS.sub("_", ".".join((self._name, *names)))

    def _field(self, column: Column, table_charset: str, reading: Reading, mistake: CharsetMistake | None) -> _Field:
        form = form_of(column.type, self._options, snapshot=reading.snapshot)
        default = default_text(column, form, reading)
        return _Field(
            column.name,
            literal(column.name) + ":",
            null_text(column, form, default),
            _writer(column, table_charset, form, reading, mistake),
            column_field(column, form, default, snapshot=reading.snapshot),
        )

    def of_table(self, table: Table, *, snapshot: bool, mistake: CharsetMistake | None = None) -> Layout:
        """The layout of a table version.

        `mistake` is None if the connector knows the charset of the table.

        Raises `Unsupported` for a type that this version of the connector does not know, `Rejected` (class `semantics`)
        for a key of a column that the table does not have.
        """
        reading = Reading(self._options, self._zone, snapshot)
        names = key_names(table, snapshot=snapshot)
        # In a snapshot the connector reverses the bytes of a BIT in place, once for the row and again for the key: both
        # show the result.
        in_key = replace(reading, has_reversed_bits=snapshot)
        fields = {
            column.name: self._field(column, table.charset or "", in_key if column.name in names else reading, mistake)
            for column in table.columns
        }
        if missing := [name for name in names if name not in fields]:
            raise Rejected(
                "semantics", f"{table.name!r}: a key names the column {missing[0]!r}, which it does not have"
            )
        keys = tuple(fields[name] for name in names)
        topic = self.topic(table.schema, table.name)
        begin, end = self.around_payload(
            envelope(topic, (field.schema for field in fields.values()), self._options.traits)
        )
        key_begin, _ = self.around_payload(struct(f"{topic}.Key", (field.schema for field in keys)))
        return Layout(table, topic, tuple(fields.values()), keys, begin, key_begin, end)
