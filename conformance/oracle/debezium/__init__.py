"""What the oracle knows about TiCDC's Debezium JSON.

Reading is in `reading`, the expected events in `expected_events` and `known_values`, what is free in `compare`; the
rules are `answers`, `envelope`, `values`, `keys`, `schemas`, `columns`, `statements`, `changes` and `events`.
"""

from __future__ import annotations

from collections.abc import Mapping

from conformance.oracle.debezium.answers import answer_rules
from conformance.oracle.debezium.changes import CHANGED_COLUMNS, change_rules
from conformance.oracle.debezium.columns import column_rules
from conformance.oracle.debezium.compare import compare
from conformance.oracle.debezium.envelope import envelope_rules
from conformance.oracle.debezium.events import event_rules
from conformance.oracle.debezium.expected_events import CARRIED, carried, deliveries
from conformance.oracle.debezium.keys import key_rules
from conformance.oracle.debezium.places import DESCRIPTIONS
from conformance.oracle.debezium.reading import read, read_claim
from conformance.oracle.debezium.schemas import SOURCE, schema_rules
from conformance.oracle.debezium.statements import statement_rules
from conformance.oracle.debezium.values import value_rules
from conformance.oracle.rules import ProtocolOracle

__all__ = ["BY_CASE", "CARRIED", "ORACLE"]

# Requirements that no place shows, and the mechanism that proves them.
BY_CASE: Mapping[str, str] = {
    "DBZ-015": "cases whose options must be refused",
    "DBZ-039a": "the rules between messages",
    "DBZ-404": "the rules between messages",
    "DBZ-451": "cases whose message must be refused by a decoder",
    "DBZ-452": "cases that any answer settles",
}

_ROWS = frozenset({"value.payload.before", "value.payload.after", "key.payload"})
_FIELDS = "value.schema.fields"
_CHANGES = f"{_FIELDS}.tableChanges"
_TABLE = f"{_CHANGES}.items.fields.table"
_COLUMNS = f"{_TABLE}.fields.columns"

ORACLE = ProtocolOracle(
    protocol="debezium",
    fallback="DBZ-040",
    answered_once="DBZ-453",
    rules=(
        *answer_rules(),
        *envelope_rules(),
        *value_rules(),
        *key_rules(),
        *schema_rules(),
        *column_rules(),
        *statement_rules(),
        *change_rules(),
        *event_rules(),
    ),
    read=read,
    read_claim=read_claim,
    deliveries=deliveries,
    carried=carried,
    compare=compare,
    columns_at=_ROWS | {*DESCRIPTIONS, CHANGED_COLUMNS, "event.before", "event.after"},
    ordered_at=_ROWS
    | {*DESCRIPTIONS, *(f"{at}.{{column}}" for at in DESCRIPTIONS)}
    | {"key", "value", "key.schema", "value.schema", "value.payload", _FIELDS}
    | {f"{_FIELDS}.{name}" for name in ("before", "after", "op", "ts_ms", "transaction", "transaction.fields")}
    | {SOURCE, f"{SOURCE}.fields"}
    | {"value.payload.tableChanges[]", "value.payload.tableChanges[].table"}
    | {CHANGED_COLUMNS, f"{CHANGED_COLUMNS}.{{column}}"}
    | {f"{_FIELDS}.{name}" for name in ("databaseName", "schemaName", "ddl")}
    | {f"{at}{end}" for at in (_CHANGES, _COLUMNS) for end in ("", ".items", ".items.fields")}
    | {_TABLE, f"{_TABLE}.fields"},
)
