"""What the oracle knows about TiCDC's Avro.

Reading is in `reading` and `binary`, the truth as it is delivered and carried in `carry`, what is the same value in
`compare`; the requirements on each kind of column are a table in `kinds`, the rules are `schemas`, `values`, `records`
and `events`.
"""

from __future__ import annotations

from collections.abc import Mapping

from conformance.oracle.avro.compare import compare
from conformance.oracle.avro.events import event_rules
from conformance.oracle.avro.expected_events import CARRIED, carried, deliveries, named
from conformance.oracle.avro.reading import read, read_claim, registered
from conformance.oracle.avro.records import record_rules
from conformance.oracle.avro.schemas import COLUMN_PARENTS, ORDERED, schema_rules
from conformance.oracle.avro.values import row_rules
from conformance.oracle.rules import ProtocolOracle

__all__ = ["BY_CASE", "CARRIED", "ORACLE"]

# By what requirements are proved that no place shows: an input that must be refused, or a fault of the registry.
BY_CASE: Mapping[str, str] = {
    **dict.fromkeys(("AV-038", "AV-038a", "AV-108", "AV-150"), "rejection"),
    **dict.fromkeys(("AV-162", "AV-163", "AV-164", "AV-167", "AV-168"), "rejection"),
    **dict.fromkeys(("AV-017", "AV-018a", "AV-032a", "AV-130g", "AV-175a", "AV-204a"), "rejection"),
    **dict.fromkeys(("AV-030b", "AV-087c", "AV-120b", "AV-130h", "AV-203d"), "rejection"),
    **dict.fromkeys(("AV-206a", "AV-206b", "AV-206c", "AV-210"), "rejection"),
    **dict.fromkeys(("AV-169a", "AV-172", "AV-174", "AV-190"), "fault of the registry"),
    "AV-212": "any answer",
}

_ROWS = frozenset({"key.row", "value.row", "value.before", "event.before", "event.after"})

ORACLE = ProtocolOracle(
    protocol="avro",
    fallback="AV-002b",
    answered_once="AV-213",
    rules=(*record_rules(), *schema_rules(), *row_rules(), *event_rules()),
    read=read,
    read_claim=read_claim,
    deliveries=deliveries,
    carried=carried,
    compare=compare,
    columns_at=_ROWS | COLUMN_PARENTS | {"registry.subjects"},
    ordered_at=ORDERED | {"value.ddl"},
    registered=registered,
    named=named,
)
