"""The oracle of Open Protocol: reading, deliveries, what is carried, and the rules by place."""

from __future__ import annotations

from conformance.oracle.open_protocol.compare import compare, reads_alike
from conformance.oracle.open_protocol.expected_events import CARRIED, carried, deliveries
from conformance.oracle.open_protocol.reading import read, read_claim
from conformance.oracle.open_protocol.rules import BY_CASE, RULES
from conformance.oracle.rules import ProtocolOracle

__all__ = ["BY_CASE", "CARRIED", "ORACLE"]

_IMAGES = frozenset({"value.u", "value.p", "value.d"})

ORACLE = ProtocolOracle(
    protocol="open-protocol",
    fallback="OP-001",
    answered_once="OP-257",
    rules=RULES,
    read=read,
    read_claim=read_claim,
    deliveries=deliveries,
    carried=carried,
    compare=compare,
    reads_alike=reads_alike,
    columns_at=_IMAGES | {"event.before", "event.after"},
    ordered_at=_IMAGES | {f"{image}.{{column}}" for image in _IMAGES} | {"key", "value"},
)
