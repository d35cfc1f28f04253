"""What the oracle knows about TiCDC's Canal-JSON.

Reading is in `reading`, the truth as it is delivered and carried in `carry`, what is free in `compare`; the rules are
`envelope`, `types`, `values` and `events`.
"""

from __future__ import annotations

from collections.abc import Mapping

from conformance.oracle.canal_json.compare import compare
from conformance.oracle.canal_json.envelope import envelope_rules
from conformance.oracle.canal_json.events import event_rules
from conformance.oracle.canal_json.expected_events import CARRIED, carried, deliveries
from conformance.oracle.canal_json.reading import read, read_claim
from conformance.oracle.canal_json.types import type_rules
from conformance.oracle.canal_json.values import reads_alike, text_rules, value_rules
from conformance.oracle.rules import ProtocolOracle

__all__ = ["BY_CASE", "CARRIED", "ORACLE"]

# Requirements that no place shows, and the mechanism that proves them.
BY_CASE: Mapping[str, str] = {
    "CJ-105": "cases whose options must be refused",
    "CJ-130": "cases whose message must be refused as too large",
    "CJ-629": "the rules between messages",
    "CJ-664": "the rules between messages",
    "CJ-666": "the rules between messages",
    "CJ-881": "cases whose message must be refused by a decoder",
    "CJ-887": "cases that any answer settles",
}

ORACLE = ProtocolOracle(
    protocol="canal-json",
    fallback="CJ-010",
    answered_once="CJ-888",
    rules=(*envelope_rules(), *type_rules(), *value_rules(), *text_rules(), *event_rules()),
    read=read,
    read_claim=read_claim,
    deliveries=deliveries,
    carried=carried,
    compare=compare,
    reads_alike=reads_alike,
    columns_at=frozenset(
        {"value.sqlType", "value.mysqlType", "value.data[]", "value.old[]", "event.before", "event.after"}
    ),
    ordered_at=frozenset({"value", "value.sqlType", "value.data[]", "value.old[]", "value._tidb"}),
)
