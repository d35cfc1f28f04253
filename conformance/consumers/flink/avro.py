"""Flink's `avro-confluent` and `debezium-avro-confluent`: the writer's schema resolved into that of the declared table.

The declared types alone decide the reader's schema. A type that Avro does not promote fails the job; a text in place of
bytes is taken for bytes, so that a DECIMAL declared over a string reads the letters as digits of a number.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from conformance.consumers.avro_rows import fields_of, non_null, record_of
from conformance.consumers.decimals import unscaled_text
from conformance.consumers.envelopes import debezium_rows
from conformance.consumers.flink.types import FlinkType, Undeclarable, declared
from conformance.consumers.model import (
    Basis,
    LeftOpen,
    Message,
    Prediction,
    Refused,
    Row,
    Rule,
    TableType,
    in_column,
    predicted,
)
from reference_impl.java_numbers import double_text, float_text

__all__ = ["FlinkAvroModel", "declarable"]

_EMPTY = Rule("flink-avro.empty", "A null value is skipped.")
_UPSERT = Rule(
    "flink-avro.upsert", "In a table of the connector upsert-kafka a null value deletes the row of the key.", Basis.READ
)
_NO_KEY = Rule("flink-avro.no-key", "Nothing says what upsert-kafka makes of a null value without a key.", Basis.READ)
_RESOLUTION = Rule("flink-avro.resolution", "A column whose Avro type does not become the declared one fails the job.")
_PRECISION = Rule("flink-avro.precision", "Times of more than 3 digits cannot be declared.")
_MISSING = Rule("flink-avro.missing", "A declared column that the writer lacks is NULL where it may be, else it fails.")
_NO_OP = Rule("flink-avro.op", "A record without `op`, or with an unknown one, fails the job.")
_NO_BEFORE = Rule("flink-avro.before", "An update or delete without its row before fails the job.")
_UNREADABLE = Rule("flink-avro.bytes", "Bytes that are no record of the schema fail the job.")
_UNSEEN = Rule("flink-avro.times", "Nothing recorded says what a column declared as a date or time holds.", Basis.READ)

_READ_AS = {
    "BOOLEAN": ("boolean",),
    **dict.fromkeys(("TINYINT", "SMALLINT", "INT"), ("int",)),
    "BIGINT": ("int", "long"),
    "FLOAT": ("int", "long", "float"),
    "DOUBLE": ("int", "long", "float", "double"),
    "STRING": ("string", "bytes"),
    "BYTES": ("bytes", "string"),
    "DECIMAL": ("bytes", "string"),
    "DATE": ("int",),
    "TIME": ("int",),
    "TIMESTAMP": ("int", "long"),
}
"""Root of a declared type → the Avro types that the reader accepts for it, by promotion."""
_TIMES, _MOST_PRECISE = ("TIME", "TIMESTAMP"), 3


@dataclass(frozen=True, slots=True)
class FlinkAvroModel:
    """A release of Flink with its Avro formats."""

    version: str
    name: str = "flink-avro"
    protocols: Sequence[str] = ("avro", "debezium-avro")

    def predict(self, message: Message) -> Prediction:
        """Rows as the format emits them; `message.schema` is the writer's schema.

        With the option `connector=upsert-kafka` the table reads deletions from the keys, as that connector does.
        """
        try:
            columns = {
                str(column["name"]): _Column(declared(column, {}), bool(column.get("nullable", True)))
                for column in message.columns
            }
        except Undeclarable:
            return Prediction("error", rules=[_RESOLUTION])
        types = [column.type for column in columns.values()]
        if any(of_type.root in _TIMES and of_type.precision > _MOST_PRECISE for of_type in types):
            return Prediction("error", rules=[_PRECISION])
        if message.value is None and message.options.get("connector") == "upsert-kafka":
            return predicted(_deletion(message, columns), _UNREADABLE)
        if message.value is None:
            return Prediction("skipped", rules=[_EMPTY])
        return predicted(_changes(message, columns), _UNREADABLE)


class _Column(NamedTuple):
    """A column as the job declares it."""

    type: FlinkType
    nullable: bool


Columns = Mapping[str, _Column]
_DECLARED_AS = {
    "int": "INT",
    "long": "BIGINT",
    "string": "STRING",
    "bytes": "BYTES",
    "boolean": "BOOLEAN",
    "float": "FLOAT",
    "double": "DOUBLE",
}
"""Avro type → the type of Flink that reads it without promotion."""


def declarable(table: TableType, protocol: str, schema: Any) -> TableType:
    """The table that a job can declare over records of a writer's schema.

    A column has the type of the manual where Avro promotes the written type to it, and otherwise the writer's own type.
    """
    columns = table.get("columns")
    assert isinstance(columns, list)
    try:
        row = schema if protocol == "avro" else _structure(schema, "after")
        written = {name: _kind(avro_type) for name, avro_type in fields_of(row).items()}
    except (Refused, ValueError):
        return table  # no record holds the columns: a reader fails, whatever is declared
    return {**table, "columns": [_declarable(column, written.get(column["name"])) for column in columns]}


def _declarable(column: Mapping[str, Any], kind: str | None) -> Mapping[str, Any]:
    try:
        root = declared(column, {}).root
        fits = root in _SHOWN and (kind is None or kind in _READ_AS[root])
    except Undeclarable:
        fits = False
    return column if fits or kind not in _DECLARED_AS else {**column, "flink_type": _DECLARED_AS[kind]}


def _kind(avro_type: Any) -> str:
    """The name of the Avro type of a column; a union has one branch beside null."""
    kind = non_null(avro_type)
    return str(kind.get("type") if isinstance(kind, dict) else kind)


def _fields(schema: Any) -> Mapping[str, Any]:
    try:
        return fields_of(schema)
    except ValueError:
        raise Refused(_UNREADABLE) from None


def _read(value: bytes, schema: Any) -> Mapping[str, Any]:
    try:
        return record_of(value, schema)
    except ValueError:
        raise Refused(_UNREADABLE) from None


def _deletion(message: Message, columns: Columns) -> Iterator[Row]:
    """The row that a null value deletes, with only the columns of the key: see _UPSERT."""
    schema: Any = message.key_schema
    if message.key is None or not isinstance(schema, dict):
        raise LeftOpen(_NO_KEY)
    written = _fields(schema)
    key_columns = {name: column for name, column in columns.items() if name in written}
    yield "-D", _row(_read(message.key, schema), schema, key_columns)


def _changes(message: Message, columns: Columns) -> Iterator[Row]:
    schema: Any = message.schema
    record = _read(message.value or b"", schema)
    if message.protocol == "avro":
        yield "+I", _row(record, schema, columns)
        return

    def row(member: str) -> dict[str, str | None]:
        if record.get(member) is None:
            raise Refused(_NO_BEFORE)
        return _row(record[member], _structure(schema, member), columns)

    yield from debezium_rows(record.get("op"), row, _NO_OP)


def _structure(schema: Any, member: str) -> Any:
    """The record type of `before` or `after`. Raises `Refused` if the member is missing, or is not a record."""
    avro_type = non_null(_fields(schema).get(member))
    if not isinstance(avro_type, dict) or "fields" not in avro_type:
        raise Refused(_RESOLUTION)
    return avro_type


def _row(record: Mapping[str, Any], schema: Any, columns: Columns) -> dict[str, str | None]:
    written = _fields(schema)
    return {name: in_column(name, _value, name, record, written, column) for name, column in columns.items()}


def _value(name: str, record: Mapping[str, Any], written: Mapping[str, Any], column: _Column) -> str | None:
    """The value of a column; `written` has the Avro types of the record's members."""
    value = record[name] if name in written else None
    if value is None:
        if column.nullable:
            return None
        raise Refused(_RESOLUTION if name in written else _MISSING)
    if _kind(written[name]) not in _READ_AS[column.type.root]:
        raise Refused(_RESOLUTION)
    if column.type.root not in _SHOWN:
        raise LeftOpen(_UNSEEN)
    return _SHOWN[column.type.root](value, column.type)


def _bytes(value: Any) -> bytes:
    return value.encode() if isinstance(value, str) else bytes(value)


def _decimal(value: Any, column_type: FlinkType) -> str | None:
    text = unscaled_text(_bytes(value), column_type.scale)
    # More digits than the column holds are NULL, in a NOT NULL column as well.
    digits = text.lstrip("-").replace(".", "").lstrip("0")
    return None if len(digits) > column_type.precision else text


_SHOWN: Mapping[str, Callable[[Any, FlinkType], str | None]] = {
    "BOOLEAN": lambda value, column_type: "true" if value else "false",
    **dict.fromkeys(("TINYINT", "SMALLINT", "INT", "BIGINT"), lambda value, column_type: str(value)),
    "FLOAT": lambda value, column_type: float_text(value),
    "DOUBLE": lambda value, column_type: double_text(value),
    "STRING": lambda value, column_type: value if isinstance(value, str) else bytes(value).decode("utf-8", "replace"),
    "BYTES": lambda value, column_type: base64.b64encode(_bytes(value)).decode(),
    "DECIMAL": _decimal,
}
