"""Negatives: valid records with one change each, which a decoder must refuse or at least answer.

A record must be refused where that follows from the change, from independent readers or from the form of the message.
Where nothing follows, any answer is right, but a crash, a hang or a malformed answer is wrong. Random choices use fixed
seeds: the cases are always the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from conformance.cases.model import Case
from conformance.cases.negatives.avro import avro_negatives, avro_parts
from conformance.cases.negatives.canal_json import canal_json_negatives, canal_json_parts
from conformance.cases.negatives.debezium import debezium_negatives, debezium_parts
from conformance.cases.negatives.open_protocol import open_protocol_negatives, open_protocol_parts
from conformance.cases.negatives.parts import Part
from conformance.errors import SuiteError
from reference_impl.protocols import AVRO, CANAL_JSON, DEBEZIUM, OPEN_PROTOCOL, Rows

__all__ = ["NEGATIVES", "Negatives", "negative_cases"]


@dataclass(frozen=True, slots=True)
class Negatives:
    """The negatives of a protocol."""

    cases: Callable[[], Iterator[Case]]
    parts: Callable[[Case], Iterator[Part]]  # the parts of a case's records, for drawn changes


NEGATIVES: Rows[Negatives] = Rows(
    {
        AVRO: Negatives(avro_negatives, avro_parts),
        CANAL_JSON: Negatives(canal_json_negatives, canal_json_parts),
        DEBEZIUM: Negatives(debezium_negatives, debezium_parts),
        OPEN_PROTOCOL: Negatives(open_protocol_negatives, open_protocol_parts),
    }
)


def negative_cases(protocol: str) -> list[Case]:
    """The negatives of a protocol, always in the same order. Raises `SuiteError` if two of them have one id."""
    found: dict[str, Case] = {}
    for case in NEGATIVES[protocol].cases():
        if found.setdefault(case.id, case) != case:
            raise SuiteError(f"two negatives have the id {case.id}")
    return list(found.values())
