"""The expectation of a case, prepared for comparison."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from conformance.cases.model import Case, Expectation, ExpectedRecords
from conformance.errors import SuiteError
from conformance.oracle.arranged import by_id
from conformance.oracle.rules import Delivery, ProtocolOracle, Reading
from reference_impl.errors import Rejected

__all__ = ["CaseExpectation", "readings_of"]


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
