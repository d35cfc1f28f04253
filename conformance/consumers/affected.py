"""Which consumers a faulty record affects: those that, by their models, read it differently from the expected record.

A consumer that fails on the expected record as well is not affected. The result holds no value of a row.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from conformance.consumers import MODELS
from conformance.consumers.flink.avro import declarable
from conformance.consumers.json_tree import Malformed, Tree, parse
from conformance.consumers.model import Message, Model, Prediction, TableType
from reference_impl.model import Record, Table
from reference_impl.wire import table_to_json

__all__ = ["CURRENT", "AffectedConsumer", "Sent", "affected_consumers"]

CURRENT: Sequence[tuple[str, str]] = (
    ("flink", "2.3.0"),
    ("seatunnel", "2.3.8"),
    ("paimon", "1.3.1"),
    ("connect", "3.9.1"),
    ("flink-avro", "2.3.0"),
    ("connect-avro", "2.6.13"),
    ("spark", "4.1.1"),
)
"""The consumers and versions in reports: the newest recorded version of each."""

_MAGIC, _SCHEMA_ID = b"\0", slice(1, 5)
"""The first byte of an Avro record, and the bytes with the id of its schema."""


class Sent(NamedTuple):
    """Records, and the schemas of the registry: id → text."""

    records: Sequence[Record]
    schemas: Mapping[int, str] = {}


class AffectedConsumer(NamedTuple):
    """A consumer as `flink@2.3.0`, and the effect of the fault on it."""

    consumer: str
    effect: str


def affected_consumers(protocol: str, tables: Sequence[Table], expected: Sent, got: Sent) -> list[AffectedConsumer]:
    """The consumers that read `got` differently from `expected`, in the order of the models.

    Empty where no model knows the protocol, and where the two have different numbers of records.
    """
    if len(expected.records) != len(got.records) or not tables:
        return []
    # All messages go to a job for the first table: a fault may hide for which table a message is.
    table = table_to_json(tables[0])
    pairs = [
        pair
        for pair in zip(_messages(protocol, table, expected), _messages(protocol, table, got), strict=True)
        if pair[0] != pair[1]
    ]
    found: list[AffectedConsumer] = []
    for name, version in CURRENT:
        model = MODELS[name](version)
        if protocol in model.protocols:
            effects = (_effect(model, *pair) for pair in pairs)
            if effect := next(filter(None, effects), ""):
                found.append(AffectedConsumer(f"{name}@{version}", effect))
    return found


def _effect(model: Model, expected: Message, got: Message) -> str:
    """The effect on a consumer whose job is configured for the expected messages; "" for none."""
    table = expected.table if expected.schema is None else _declared(expected)
    options = {"schema-include": _includes_schema(expected.value)}
    right, wrong = (model.predict(replace(message, table=table, options=options)) for message in (expected, got))
    is_known = right.outcome == "rows" and wrong.outcome != "abstained"
    return _difference(right, wrong) if is_known else ""


def _declared(expected: Message) -> TableType:
    """The table that a job declares for the expected records."""
    try:
        return declarable(expected.table, expected.protocol, expected.schema)
    except (KeyError, TypeError):
        return expected.table


def _messages(protocol: str, table: TableType, sent: Sent) -> list[Message]:
    parsed: dict[int, Tree] = {}

    def schema(part: bytes | None) -> Tree:
        """The schema of a key or value, by the schema id before it."""
        number = int.from_bytes(part[_SCHEMA_ID], "big") if part and part[:1] == _MAGIC else -1
        if number not in parsed:
            parsed[number] = _tree(sent.schemas.get(number, "null"))
        return parsed[number]

    return [
        Message(protocol, record.key, record.value, table, {}, schema(record.value), schema(record.key))
        for record in sent.records
    ]


def _tree(text: str) -> Tree:
    try:
        return json.loads(text)  # type: ignore[no-any-return]
    except (ValueError, RecursionError):
        return None


def _includes_schema(value: bytes | None) -> str:
    """The option of a job for a Debezium topic: TiCDC's messages stand below `payload`, with a schema or without."""
    try:
        tree = parse(value or b"null")
    except Malformed:
        return "true"
    return "true" if isinstance(tree, dict) and "payload" in tree else "false"


def _difference(right: Prediction, wrong: Prediction) -> str:
    """The effect of a fault, in words: what the consumer does with the wrong message; "" if it reads the same rows."""
    if wrong.outcome == "error":
        return "fails on the message"
    if wrong.outcome == "skipped":
        return "skips the message without an error"
    if len(right.rows) != len(wrong.rows):
        return f"reads {len(wrong.rows)} row{'' if len(wrong.rows) == 1 else 's'} for {len(right.rows)}"
    for (kind, row), (got_kind, got_row) in zip(right.rows, wrong.rows, strict=True):
        if kind != got_kind:
            return f"reads {_KINDS[got_kind]} for {_KINDS[kind]}"
        for name in (*row, *got_row):
            if row.get(name) != got_row.get(name) or (name in row) != (name in got_row):
                return f"reads {_value_change(name, row, got_row)} without an error"
    return ""


_KINDS = {"+I": "an insert", "-U": "the row before an update", "+U": "an update", "-D": "a delete"}


def _value_change(name: str, row: Mapping[str, str | None], got: Mapping[str, str | None]) -> str:
    if got.get(name) is None:
        return f"NULL in {name}"
    return f"a value for NULL in {name}" if row.get(name) is None else f"another value in {name}"
