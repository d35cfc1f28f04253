"""The oracle of TiCDC's Avro.

`reading` and `binary` take records apart, `expected_events` makes deliveries and expected events, `compare` decides
whether two leaves are equal. The rules are the checks of the register. Their predicates are collected in `predicates`;
those on answers as a whole are in `answers`, on names and fields in `record_fields`, on columns in `columns`.
"""

from __future__ import annotations

from conformance.oracle.avro.compare import compare
from conformance.oracle.avro.expected_events import CARRIED, deliveries, expected_event, with_written_names
from conformance.oracle.avro.predicates import PREDICATES
from conformance.oracle.avro.reading import EXTENSION, read, registry_tree
from conformance.oracle.rules import ProtocolOracle
from conformance.oracle.table import rules_of_register
from reference_impl.avro.options import Options

__all__ = ["ORACLE"]

_RECORDS = ("key.schema", "value.schema", "value.schema.before.type")
_FIELDS = frozenset(f"{record}.fields" for record in _RECORDS)
_ROWS = frozenset({"key.row", "value.row", "value.before", "event.before", "event.after"})
_COLUMNS_AT = _ROWS | _FIELDS | {"registry.subjects"}
_ORDERED_AT = frozenset(
    {
        *_RECORDS,
        *_FIELDS,
        *(f"{at}.{{column}}{below}" for at in _FIELDS for below in ("", ".type", ".type.connect.parameters")),
        "value.schema.extension",
        *(f"value.schema.extension.{name}" for name in EXTENSION),
        "value.ddl",
    }
)

ORACLE = ProtocolOracle(
    protocol="avro",
    fallback="AV-002b",
    answered_once="AV-213",
    rules=rules_of_register("avro", PREDICATES, Options, _COLUMNS_AT),
    read=read,
    deliveries=deliveries,
    expected_event=expected_event,
    compare=compare,
    predicates=PREDICATES,
    columns_at=_COLUMNS_AT,
    carried=CARRIED,
    ordered_at=_ORDERED_AT,
    registry_tree=registry_tree,
    with_written_names=with_written_names,
)
