"""The consumers that read a faulty record differently from the right one, by their models.

A consumer that fails on the right record as well does not suffer from the fault. The result holds no value of a row.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from conformance.consumers import MODELS
from conformance.consumers.json_tree import Malformed, parse
from conformance.consumers.model import Message, Model, Prediction, TableType
from reference_impl.model import Record, Table
from reference_impl.wire import table_to_json

__all__ = ["CURRENT", "Suffering", "suffering"]

CURRENT: Sequence[tuple[str, str]] = (
    ("flink", "2.3.0"),
    ("seatunnel", "2.3.8"),
    ("paimon", "1.3.1"),
    ("connect", "3.9.1"),
)
"""The consumers and versions in reports: the newest recorded version of each."""


class Suffering(NamedTuple):
    """A consumer as `flink@2.3.0`, and the effect of the fault on it."""

    consumer: str
    effect: str


def suffering(
    protocol: str, tables: Sequence[Table], expected: Sequence[Record], got: Sequence[Record]
) -> list[Suffering]:
    """The consumers that read `got` differently from `expected`, in the order of the models.

    Empty where no model knows the protocol, and where the two have different numbers of records.
    """
    if len(expected) != len(got):
        return []
    declared = {table.id: table_to_json(table) for table in tables}
    found: list[Suffering] = []
    for name, version in CURRENT:
        model = MODELS[name](version)
        if protocol in model.protocols:
            effects = (_effect(model, protocol, declared, *pair) for pair in zip(expected, got, strict=True))
            if effect := next(filter(None, effects), ""):
                found.append(Suffering(f"{name}@{version}", effect))
    return found


def _effect(
    model: Model, protocol: str, declared: Mapping[tuple[str, str], dict[str, Any]], expected: Record, got: Record
) -> str:
    if (expected.key, expected.value) == (got.key, got.value) or not declared:
        return ""
    # A case with several tables is shown to the job of the first: a fault may hide which message is for which table.
    table = next(iter(declared.values()))
    # The job is set up for the right topic.
    schema = _includes_schema(expected.value)
    right, wrong = (model.predict(_shown(protocol, table, record, schema)) for record in (expected, got))
    if right.outcome != "rows" or "abstained" in (right.outcome, wrong.outcome):
        return ""
    return _difference(right, wrong)


def _shown(protocol: str, table: TableType, record: Record, schema: str) -> Message:
    return Message(protocol, record.key, record.value, table, {"schema-include": schema})


def _includes_schema(value: bytes | None) -> str:
    """The option of a job for a Debezium topic: TiCDC's messages stand below `payload`, with a schema or without."""
    try:
        tree = parse(value or b"null")
    except Malformed:
        return "true"
    return "true" if isinstance(tree, dict) and "payload" in tree else "false"


def _difference(right: Prediction, wrong: Prediction) -> str:
    if wrong.outcome == "error":
        return "fails on the message"
    if wrong.outcome == "skipped":
        return "skips the message without an error"
    if len(right.rows) != len(wrong.rows):
        return f"reads {len(wrong.rows)} rows for {len(right.rows)}"
    for (kind, row), (had, has) in zip(right.rows, wrong.rows, strict=True):
        if kind != had:
            return f"reads {_KINDS[had]} for {_KINDS[kind]}"
        for name in (*row, *has):
            if row.get(name) != has.get(name) or (name in row) != (name in has):
                return f"reads {_word(name, row, has)} without an error"
    return ""


_KINDS = {"+I": "an insert", "-U": "the row before an update", "+U": "an update", "-D": "a delete"}


def _word(name: str, row: Mapping[str, str | None], has: Mapping[str, str | None]) -> str:
    if has.get(name) is None:
        return f"NULL in {name}"
    return f"a value for NULL in {name}" if row.get(name) is None else f"another value in {name}"
