"""Apache Flink's `canal-json` and `debezium-json` formats, as a SQL job uses them.

Options of the format: `ignore-parse-errors`, `schema-include`, `timestamp-format.standard`, and `filters` for the two
`include` filters on the table's own name.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from conformance.consumers.envelopes import CANAL_FORMATS, DEBEZIUM_FORMATS, canal_rows, check_filters, debezium_rows
from conformance.consumers.flink.types import FlinkType, Undeclarable, declared
from conformance.consumers.flink.values import ValueReader
from conformance.consumers.json_tree import Tree, java_text, parse
from conformance.consumers.model import Message, Prediction, Refused, Row, Rule, Skipped, Values, in_column, predicted

__all__ = ["FlinkModel"]

_UNDECLARED = Rule("flink.declared", "A column of a type that a Flink table has no type for cannot be declared.")
_NOT_JSON = Rule("flink.json", "A message that is no JSON fails the job; leniently it is skipped.")
_SHAPE = Rule("flink.shape", "A message without the members of the format fails the job; leniently it is skipped.")
_KIND = Rule("flink.kind", "A type or `op` that the format does not know fails the job; leniently it is skipped.")
_NO_OLD = Rule("flink.no-old", "An update or delete without its row before fails the job; leniently it is skipped.")
_EMPTY = Rule("flink.empty", "A null or empty value is skipped.")
_CREATE = Rule("flink.create", "A message of type CREATE is skipped.")
_FILTERED = Rule("flink.filters", "The include filters come first: a message of another table is skipped.")


@dataclass(frozen=True, slots=True)
class FlinkModel:
    """A release of Flink."""

    version: str
    name: str = "flink"
    protocols: Sequence[str] = (*CANAL_FORMATS, *DEBEZIUM_FORMATS)

    def predict(self, message: Message) -> Prediction:
        """Rows as the format emits them; for a message on which it fails leniently, the rows before the failure."""
        try:
            types = {str(column["name"]): declared(column, message.options) for column in message.columns}
        except Undeclarable:
            return Prediction("error", rules=[_UNDECLARED])
        if not message.value:
            return Prediction("skipped", rules=[_EMPTY])
        lenient = message.options.get("ignore-parse-errors") == "true"
        is_flink_2 = int(self.version.partition(".")[0]) >= 2
        reader = ValueReader(
            iso=message.options.get("timestamp-format.standard") == "ISO-8601",
            keeps_millis=is_flink_2,
            exact=any(column_type.root == "DECIMAL" for column_type in types.values()),
            takes_large=is_flink_2,
        )
        read = _canal if message.protocol in CANAL_FORMATS else _debezium
        return predicted(read(message.value, _Reading(message, types, reader, lenient)), _NOT_JSON, lenient=lenient)


@dataclass(frozen=True, slots=True)
class _Reading:
    """A message being read into the rows of a table."""

    message: Message
    types: Mapping[str, FlinkType]
    reader: ValueReader
    lenient: bool

    def row(self, node: Tree) -> Values | None:
        """An object as a row of the table: columns that it lacks are NULL."""
        if node is None:
            return None
        if not isinstance(node, dict):
            if self.lenient:
                return None
            raise Refused(_SHAPE)
        return {n: in_column(n, self._value, node.get(n), column_type) for n, column_type in self.types.items()}

    def _value(self, node: Tree, column_type: FlinkType) -> str | None:
        try:
            return self.reader.read(node, column_type)
        except Refused:
            if self.lenient:
                return None
            raise

    def whole_row(self, node: Tree) -> Values:
        """A row that must be there."""
        row = self.row(node)
        if row is None:
            raise Refused(_SHAPE)
        return row

    def check_rows(self, node: Tree) -> None:
        """Read a list of rows, for its failures alone."""
        if isinstance(node, list):
            for part in node:
                self.row(part)
        elif node is not None and not self.lenient:
            raise Refused(_SHAPE)


def _canal(value: bytes, reading: _Reading) -> Iterator[Row]:
    envelope = _object(parse(value, controls=True))
    check_filters(envelope, reading.message, shape=_SHAPE, filtered=_FILTERED)
    # Data and old are read first, whatever the type of the message is.
    data, old = envelope.get("data"), envelope.get("old")
    reading.check_rows(data)
    reading.check_rows(old)
    kind = _name(envelope.get("type"))
    if kind == "CREATE":
        raise Skipped(_CREATE)
    if kind not in ("INSERT", "UPDATE", "DELETE"):
        raise Refused(_KIND)
    yield from canal_rows(kind, data, old, reading.whole_row, _SHAPE)


def _debezium(value: bytes, reading: _Reading) -> Iterator[Row]:
    envelope = _object(parse(value, controls=True))
    if reading.message.options.get("schema-include") == "true":
        envelope = _object(envelope.get("payload"))
    images = {member: reading.row(envelope.get(member)) for member in ("before", "after")}
    op = _name(envelope.get("op"))

    def image(member: str) -> Values:
        found = images[member]
        if found is None:
            raise Refused(_SHAPE if op in ("c", "r") else _NO_OLD)
        return found

    yield from debezium_rows(op, image, _KIND)


def _object(node: Tree) -> dict[str, Tree]:
    if isinstance(node, dict):
        return node
    raise Refused(_SHAPE)


def _name(node: Tree) -> str:
    """The text of `type` or `op`, which must be there."""
    if node is None:
        raise Refused(_SHAPE)
    return java_text(node)
