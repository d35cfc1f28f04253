"""The oracle of TiCDC's Canal-JSON.

`reading` takes records apart, `expected_events` makes deliveries and expected events, `compare` decides whether two
leaves are equal. The rules are the checks of the register. Their predicates are collected in `predicates`; those on
types, values and JSON text are in `types`, `values` and `texts`, all others in `places` and `predicates`.
"""

from __future__ import annotations

from conformance.oracle.canal_json.compare import compare
from conformance.oracle.canal_json.expected_events import CARRIED, deliveries, expected_event
from conformance.oracle.canal_json.predicates import PREDICATES
from conformance.oracle.canal_json.reading import read, read_claim
from conformance.oracle.canal_json.values import reads_alike
from conformance.oracle.rules import ProtocolOracle
from conformance.oracle.table import rules_of_register
from reference_impl.canal_json.options import Options

__all__ = ["ORACLE"]

_COLUMNS_AT = frozenset(
    {"value.sqlType", "value.mysqlType", "value.data[]", "value.old[]", "event.before", "event.after"}
)

ORACLE = ProtocolOracle(
    protocol="canal-json",
    fallback="CJ-010",
    answered_once="CJ-888",
    rules=rules_of_register("canal-json", PREDICATES, Options, _COLUMNS_AT),
    read=read,
    read_claim=read_claim,
    deliveries=deliveries,
    expected_event=expected_event,
    compare=compare,
    reads_alike=reads_alike,
    predicates=PREDICATES,
    columns_at=_COLUMNS_AT,
    carried=CARRIED,
    ordered_at=frozenset({"value", "value.sqlType", "value.data[]", "value.old[]", "value._tidb"}),
)
