"""The oracle of Open Protocol.

`reading` takes records apart, `expected_events` makes deliveries and expected events, `compare` decides whether two
leaves are equal. The rules are the checks of the register; `predicates` collects the predicates that they name.
"""

from __future__ import annotations

from conformance.oracle.open_protocol.compare import compare, reads_alike
from conformance.oracle.open_protocol.expected_events import CARRIED, deliveries, expected_event
from conformance.oracle.open_protocol.predicates import PREDICATES
from conformance.oracle.open_protocol.reading import read, read_claim
from conformance.oracle.rules import ProtocolOracle
from conformance.oracle.table import rules_of_register
from reference_impl.open_protocol.options import Options

__all__ = ["ORACLE"]

_IMAGES = frozenset({"value.u", "value.p", "value.d"})
_COLUMNS_AT = _IMAGES | {"event.before", "event.after"}

ORACLE = ProtocolOracle(
    protocol="open-protocol",
    fallback="OP-001",
    answered_once="OP-257",
    rules=rules_of_register("open-protocol", PREDICATES, Options, _COLUMNS_AT),
    read=read,
    read_claim=read_claim,
    deliveries=deliveries,
    expected_event=expected_event,
    compare=compare,
    reads_alike=reads_alike,
    predicates=PREDICATES,
    columns_at=_COLUMNS_AT,
    carried=CARRIED,
    ordered_at=_IMAGES | {f"{image}.{{column}}" for image in _IMAGES} | {"key", "value"},
)
