"""The oracle of TiCDC's Debezium JSON.

`reading` takes records apart, `expected_events` and `known_values` make deliveries and expected events, `compare`
decides whether two leaves are equal. The rules are the checks of the register. Their predicates are collected in
`predicates`; those on answers as a whole are in `answers`, on values of columns in `values`, on descriptions of columns
in `descriptions`, on DDL messages in `statements`, on names of schemas in `names`.
"""

from __future__ import annotations

from conformance.oracle.debezium.compare import compare
from conformance.oracle.debezium.descriptions import is_open
from conformance.oracle.debezium.expected_events import CARRIED, deliveries, expected_event
from conformance.oracle.debezium.places import DESCRIPTIONS
from conformance.oracle.debezium.predicates import PREDICATES
from conformance.oracle.debezium.reading import read
from conformance.oracle.rules import ProtocolOracle
from conformance.oracle.table import rules_of_register
from reference_impl.debezium_json.options import Options

__all__ = ["ORACLE"]

_ROWS = frozenset({"value.payload.before", "value.payload.after", "key.payload"})
_CHANGED_COLUMNS = "value.payload.tableChanges[].table.columns"
_COLUMNS_AT = _ROWS | {*DESCRIPTIONS, _CHANGED_COLUMNS, "event.before", "event.after"}
_FIELDS = "value.schema.fields"
_SOURCE = f"{_FIELDS}.source"
_CHANGES = f"{_FIELDS}.tableChanges"
_TABLE = f"{_CHANGES}.items.fields.table"
_COLUMNS = f"{_TABLE}.fields.columns"

ORACLE = ProtocolOracle(
    protocol="debezium",
    fallback="DBZ-040",
    answered_once="DBZ-453",
    rules=rules_of_register("debezium", PREDICATES, Options, _COLUMNS_AT),
    read=read,
    deliveries=deliveries,
    expected_event=expected_event,
    compare=compare,
    is_open=is_open,
    predicates=PREDICATES,
    columns_at=_COLUMNS_AT,
    carried=CARRIED,
    ordered_at=_ROWS
    | {*DESCRIPTIONS, *(f"{at}.{{column}}" for at in DESCRIPTIONS)}
    | {"key", "value", "key.schema", "value.schema", "value.payload", _FIELDS}
    | {f"{_FIELDS}.{name}" for name in ("before", "after", "op", "ts_ms", "transaction", "transaction.fields")}
    | {_SOURCE, f"{_SOURCE}.fields"}
    | {"value.payload.tableChanges[]", "value.payload.tableChanges[].table"}
    | {_CHANGED_COLUMNS, f"{_CHANGED_COLUMNS}.{{column}}"}
    | {f"{_FIELDS}.{name}" for name in ("databaseName", "schemaName", "ddl")}
    | {f"{at}{end}" for at in (_CHANGES, _COLUMNS) for end in ("", ".items", ".items.fields")}
    | {_TABLE, f"{_TABLE}.fields"},
)
