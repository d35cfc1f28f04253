"""Kafka Connect with Apicurio's AvroConverter, which reads Confluent's header by `apicurio.registry.as-confluent`.

Confluent's own converter is not on Maven Central, and was not run. A record with a value is a row. A record without one
deletes the row of its key, as sinks with `delete.enabled` understand it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from conformance.consumers.avro_rows import fields_of, has_header, record_of, text_of
from conformance.consumers.json_tree import Tree
from conformance.consumers.model import Basis, Message, Prediction, Refused, Row, Rule, Skipped, predicted

__all__ = ["ConnectAvroModel"]

_EMPTY = Rule("connect-avro.empty", "A record with neither key nor value has no row.", Basis.RUN)
_HEADER = Rule("connect-avro.header", "What has no header of a registry is refused by the converter.", Basis.READ)
_UNREADABLE = Rule("connect-avro.bytes", "Bytes that are no record of the schema are refused.", Basis.READ)
_DEFAULT = Rule("connect-avro.default", "A null stays null where the schema has a default.", Basis.RUN)


@dataclass(frozen=True, slots=True)
class ConnectAvroModel:
    """The model of a release of the converter."""

    version: str
    name: str = "connect-avro"
    protocols: Sequence[str] = ("avro",)

    def predict(self, message: Message) -> Prediction:
        """The row of the value, or the key columns of a deleted row."""
        return predicted(_rows(message), _UNREADABLE)


def _rows(message: Message) -> Iterator[Row]:
    if message.value is not None:
        yield "+I", _row(message, message.value, message.schema)
    elif message.key is not None:
        yield "-D", _row(message, message.key, message.key_schema)
    else:
        raise Skipped(_EMPTY)


def _row(message: Message, part: bytes, schema: Tree) -> dict[str, str | None]:
    if not has_header(part) or not isinstance(schema, dict):
        raise Refused(_HEADER)
    try:
        record, fields = record_of(part, schema), fields_of(schema)
    except ValueError:
        raise Refused(_UNREADABLE) from None
    names = [str(column["name"]) for column in message.columns if column["name"] in fields]
    return {name: text_of(record.get(name), fields[name]) for name in names}  # see _DEFAULT
