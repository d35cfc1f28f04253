"""Apache Flink's `canal-json` and `debezium-json` formats, as a SQL job uses them.

Options of the format: `ignore-parse-errors`, `schema-include`, `timestamp-format.standard`, and `filters` for the two
`include` filters on the table's own name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from conformance.consumers.canal import changes_of
from conformance.consumers.flink.types import FlinkType, Undeclarable, declared
from conformance.consumers.flink.values import ValueReader
from conformance.consumers.json_tree import Tree, java_text, parse
from conformance.consumers.model import Message, Prediction, Refused, Row, Rule, Skipped, in_column, predicted
from reference_impl.protocols import CANAL, CANAL_JSON, CONNECTOR, DEBEZIUM

__all__ = ["FlinkModel"]

_UNDECLARED = Rule("flink.declared", "A column of a type that a Flink table has no type for cannot be declared.")
_NOT_JSON = Rule("flink.json", "A message that is no JSON fails the job; leniently it is skipped.")
_SHAPE = Rule("flink.shape", "A message without the members of the format fails the job; leniently it is skipped.")
_KIND = Rule("flink.kind", "A type or `op` that the format does not know fails the job; leniently it is skipped.")
_NO_OLD = Rule("flink.no-old", "An update or delete without its row before fails the job; leniently it is skipped.")
_EMPTY = Rule("flink.empty", "A null or empty value is skipped.")
_CREATE = Rule("flink.create", "A message of type CREATE is skipped.")
_FILTERED = Rule("flink.filters", "The include filters come first: a message of another table is skipped.")

Values = dict[str, str | None]


@dataclass(frozen=True, slots=True)
class FlinkModel:
    """A release of Flink."""

    version: str
    name: str = "flink"
    protocols: Sequence[str] = (CANAL_JSON.name, CANAL.name, DEBEZIUM.name, CONNECTOR.name)

    def predict(self, message: Message) -> Prediction:
        """Rows as the format emits them; for a message on which it fails leniently, the rows before the failure."""
        try:
            types = _types(message)
        except Undeclarable:
            return Prediction("error", rules=[_UNDECLARED])
        if not message.value:
            return Prediction("skipped", rules=[_EMPTY])
        lenient = message.options.get("ignore-parse-errors") == "true"
        has_decimal = any(kind.root == "DECIMAL" for kind in types.values())
        reader = ValueReader(
            iso=message.options.get("timestamp-format.standard") == "ISO-8601",
            keeps_millis=int(self.version.partition(".")[0]) >= 2,
            exact=has_decimal,
            takes_large=int(self.version.partition(".")[0]) >= 2,
        )
        reading = _Reading(message, types, reader, lenient)
        return predicted(partial(_rows, message.value, reading), _NOT_JSON, lenient=lenient)


def _rows(value: bytes, reading: _Reading) -> Iterator[Row]:
    yield from _FORMATS[reading.message.protocol](parse(value, controls=True), reading)


def _types(message: Message) -> Mapping[str, FlinkType]:
    columns = message.table.get("columns")
    assert isinstance(columns, list)
    return {str(column["name"]): declared(column, message.options) for column in columns}


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
        return {name: in_column(name, self._value, node.get(name), kind) for name, kind in self.types.items()}

    def _value(self, node: Tree, kind: FlinkType) -> str | None:
        try:
            return self.reader.read(node, kind)
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

    def rows(self, node: Tree) -> None:
        """Read a list of rows, for its failures alone."""
        if isinstance(node, list):
            for part in node:
                self.row(part)
        elif node is not None and not self.lenient:
            raise Refused(_SHAPE)

    def member(self, node: Tree) -> dict[str, Tree]:
        """An object whose members the format reads."""
        if isinstance(node, dict):
            return node
        raise Refused(_SHAPE)


def _canal(tree: Tree, reading: _Reading) -> Iterator[Row]:
    message = reading.member(tree)
    if reading.message.options.get("filters") == "true":
        for member, name in (("database", "schema"), ("table", "name")):
            if member not in message:
                raise Refused(_SHAPE)
            if java_text(message[member]) != reading.message.table.get(name):
                raise Skipped(_FILTERED)
    # Data and old are read first, whatever the type of the message is.
    for member in ("data", "old"):
        reading.rows(message.get(member))
    kind = message.get("type")
    if kind is None:
        raise Refused(_SHAPE)
    name = java_text(kind)
    if name == "CREATE":
        raise Skipped(_CREATE)
    if name not in ("INSERT", "UPDATE", "DELETE"):
        raise Refused(_KIND)
    yield from changes_of(name, message.get("data"), message.get("old"), reading.whole_row, _SHAPE)


def _debezium(tree: Tree, reading: _Reading) -> Iterator[Row]:
    message = reading.member(tree)
    if reading.message.options.get("schema-include") == "true":
        payload = message.get("payload")
        if payload is None:
            raise Refused(_SHAPE)
        message = reading.member(payload)
    before, after = reading.row(message.get("before")), reading.row(message.get("after"))
    kind = message.get("op")
    if kind is None:
        raise Refused(_SHAPE)
    op = java_text(kind)
    if op in ("c", "r"):
        if after is None:
            raise Refused(_SHAPE)
        yield "+I", after
    elif op == "u":
        if before is None or after is None:
            raise Refused(_NO_OLD)
        yield "-U", before
        yield "+U", after
    elif op == "d":
        if before is None:
            raise Refused(_NO_OLD)
        yield "-D", before
    else:
        raise Refused(_KIND)


_FORMATS: Mapping[str, Callable[[Tree, _Reading], Iterator[Row]]] = {
    CANAL_JSON.name: _canal,
    CANAL.name: _canal,
    DEBEZIUM.name: _debezium,
    CONNECTOR.name: _debezium,
}
