"""Helpers of the predicates of Avro: facts about a place and a case."""

from __future__ import annotations

from collections.abc import Iterator

from conformance.cases.model import Case
from conformance.oracle.rules import Place
from reference_impl.model import DdlEvent, RowChange, Table

__all__ = ["differs", "rows", "versions"]


def differs(place: Place) -> bool:
    """The answer differs from the expectation at the place."""
    return type(place.expected) is not type(place.got) or place.expected != place.got


def rows(case: Case, *ops: str) -> int:
    """The number of row events of the case with one of these operations."""
    return sum(isinstance(event, RowChange) and event.op in ops for event in case.events)


def versions(case: Case) -> Iterator[Table]:
    """Every version of every table of the case."""
    yield from case.tables
    for event in case.events:
        if isinstance(event, DdlEvent):
            yield from (event.table_before,) if event.table_before else ()
            yield from event.tables_after
