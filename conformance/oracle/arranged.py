"""Prepares an expectation for comparison, and puts schemas, records and claim-check files of both sides into order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from conformance.cases.model import Case, Expectation, ExpectedRecords
from conformance.errors import SuiteError
from conformance.oracle.rules import Delivery, ProtocolOracle, Reading, Schemas
from reference_impl.errors import Rejected
from reference_impl.model import Claim, Record
from reference_impl.registry import RegisteredSchema

__all__ = [
    "CaseExpectation",
    "by_id",
    "by_partition",
    "claim_locations",
    "content",
    "in_message_order",
    "in_partition_order",
    "placed_as",
    "readings_of",
]

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class CaseExpectation:
    """The expectation of a case, prepared for comparison."""

    case: Case
    expected: Expectation
    readings: tuple[Reading, ...] = ()  # of the expected records; empty for a decoder
    deliveries: tuple[Delivery, ...] = ()  # of the events of the case


def readings_of(oracle: ProtocolOracle, case: Case, expected: ExpectedRecords, options: Any) -> list[Reading]:
    """The expected records of a case, taken apart. Raises `SuiteError` where one of them cannot be read."""
    schemas = by_id(case.schemas, expected.schemas)
    try:
        return [oracle.read(record, options, schemas) for record in expected.records]
    except Rejected as e:
        raise SuiteError(f"case {case.id}: the expected records cannot be read: {e.message}") from None


def by_id(*registered: Sequence[RegisteredSchema]) -> Schemas:
    """The texts of schemas by id; the last of equal ids counts."""
    return {schema.id: schema.schema for some in registered for schema in some}


def content(record: Record) -> tuple[object, ...]:
    """The members of a record on which its reading depends."""
    return record.key, record.value, record.headers, record.partition


def claim_locations(readings: Sequence[Reading | None]) -> list[str]:
    """The locations of claim-check files that messages refer to, in order."""
    return [m.claim for reading in readings if reading for m in reading.messages if m.claim]


def in_message_order(claims: Sequence[Claim], readings: Sequence[Reading | None]) -> list[Claim]:
    """The claim-check file of each message that refers to an existing one, then the files without a reference.

    A file occurs once for each message that refers to it.
    """
    files = {claim.location.rpartition("/")[2]: claim for claim in reversed(claims)}
    names = [location.rpartition("/")[2] for location in claim_locations(readings)]
    named = [files[name] for name in names if name in files]
    return named + [claim for claim in claims if claim not in named]


def by_partition(deliveries: Sequence[Delivery]) -> list[int]:
    """The positions of deliveries by partition, in the order of the events inside each."""
    return sorted(range(len(deliveries)), key=lambda i: deliveries[i].partition or 0)


def in_partition_order(items: Sequence[T], records: Sequence[Record]) -> list[T]:
    """`items`, one for each record, by partition, in order of production inside each."""
    order = sorted(range(len(records)), key=lambda i: records[i].partition or 0)
    return [items[i] for i in order]


def placed_as(got: Sequence[Record], expected: Sequence[Record]) -> Sequence[Record]:
    """The records whose partitions put the answered ones into order: usually the answered records `got` themselves.

    If no answered record names a partition although several are expected, it is the expected records. The missing
    partitions are then one fault, and do not disturb the comparison of the values.
    """
    names_none = len(got) == len(expected) and all(record.partition is None for record in got)
    several = len({record.partition for record in expected}) > 1
    return expected if names_none and several else got
