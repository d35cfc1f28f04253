"""The negatives of each protocol, and the parts of its records for drawn changes: a row for each protocol."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from conformance.cases.model import Case
from conformance.cases.negatives.avro import avro_negatives, avro_parts
from conformance.cases.negatives.canal_json import canal_json_negatives, canal_json_parts
from conformance.cases.negatives.debezium import debezium_negatives, debezium_parts
from conformance.cases.negatives.open_protocol import open_protocol_negatives, open_protocol_parts
from conformance.cases.negatives.parts import Part
from reference_impl.protocols import AVRO, CANAL_JSON, DEBEZIUM, OPEN_PROTOCOL, Rows

__all__ = ["NEGATIVES", "Negatives"]


@dataclass(frozen=True, slots=True)
class Negatives:
    """The `cases` of a protocol, and the `parts` of a case's records."""

    cases: Callable[[], Iterator[Case]]
    parts: Callable[[Case], Iterator[Part]]


NEGATIVES: Rows[Negatives] = Rows(
    {
        AVRO: Negatives(avro_negatives, avro_parts),
        CANAL_JSON: Negatives(canal_json_negatives, canal_json_parts),
        DEBEZIUM: Negatives(debezium_negatives, debezium_parts),
        OPEN_PROTOCOL: Negatives(open_protocol_negatives, open_protocol_parts),
    }
)
