"""Helpers of the predicates of Avro: facts about a place, an event and a case."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from conformance.cases.model import Case
from conformance.oracle.avro.reading import given_in
from conformance.oracle.conditions import event_op
from conformance.oracle.rules import Place
from reference_impl.model import DdlEvent, RowChange, Table, Watermark

__all__ = ["control_events", "differs", "expected_in", "rows", "truth", "versions"]


def differs(place: Place) -> bool:
    """The answer differs from the expectation at the place."""
    return type(place.expected) is not type(place.got) or place.expected != place.got


def expected_in(place: Place, *path: str | int) -> Any:
    """The part of the expected message at a path of members, or None."""
    return given_in(place.expected_tree, *path)


def truth(place: Place) -> Any:
    """The value of the place's column in its image of the event; None for NULL, and without a row or column."""
    event, column = place.event, place.column
    if not isinstance(event, RowChange) or column is None:
        return None
    is_before = "before" in place.path[:2] or event_op(place) == "delete"
    return ((event.before if is_before else event.after) or {}).get(column.name)


# -- the case ----------------------------------------------------------------------------------------------------------


def rows(case: Case, *ops: str) -> int:
    """The number of row events of the case with one of these operations."""
    return sum(isinstance(event, RowChange) and event.op in ops for event in case.events)


def control_events(case: Case, kind: type[DdlEvent] | type[Watermark]) -> int:
    """The number of DDL statements or watermarks of the case, without their copies for several partitions."""
    return sum(isinstance(event, kind) for event in case.events)


def versions(case: Case) -> Iterator[Table]:
    """Every version of every table of the case."""
    yield from case.tables
    for event in case.events:
        if isinstance(event, DdlEvent):
            yield from (event.table_before,) if event.table_before else ()
            yield from event.tables_after
