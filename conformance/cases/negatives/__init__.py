"""Negatives: valid records, each changed in one place, that a decoder must refuse or at least answer.

What must be refused follows from the change, from readers of other people or from what is known of a message's form;
where nothing follows, any answer is right, and a crash, a hang or an answer that is none is wrong. What is drawn is
drawn from fixed seeds: the cases are always the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from conformance.cases.model import Case
from conformance.cases.negatives.avro import avro_negatives
from conformance.cases.negatives.canal_json import canal_json_negatives
from conformance.cases.negatives.debezium import debezium_negatives
from conformance.cases.negatives.open_protocol import open_protocol_negatives

__all__ = ["negative_cases"]

_NEGATIVES: Mapping[str, Callable[[], Iterator[Case]]] = {
    "avro": avro_negatives,
    "canal-json": canal_json_negatives,
    "debezium": debezium_negatives,
    "open-protocol": open_protocol_negatives,
}


def negative_cases(protocol: str) -> list[Case]:
    """The negatives of a protocol, always the same and in the same order; ids are unique."""
    return list({case.id: case for case in _NEGATIVES[protocol]()}.values())
