"""Compares the events of a decoder's answer with the expected event at the same position."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from conformance.cases.model import ExpectedEvents
from conformance.oracle.comparison import Comparison
from conformance.oracle.conditions import operation_of
from conformance.oracle.events import comparable_event
from conformance.oracle.rules import Delivery
from conformance.oracle.unmatched import Tally, event_summary
from reference_impl.model import Table

__all__ = ["judge_events"]


def judge_events(
    comparison: Comparison, expected: ExpectedEvents, case_deliveries: Sequence[Delivery], answered: Sequence[Any]
) -> None:
    """Compare the answered events with the expected ones.

    `case_deliveries` are the deliveries of the expected events; empty if the case states its expected events itself.
    """
    events = expected.events
    deliveries: Sequence[Delivery | None] = case_deliveries
    if comparison.case.expected is not None:
        tables = {table.id: table for table in comparison.case.tables}
        deliveries = [_delivery_of(event, tables) for event in events]
    sides = Tally.in_order(events), Tally.in_order(answered)
    if not comparison.compare_counts(
        len(events), len(answered), *sides, lambda i: event_summary(deliveries[i], events[i])
    ):
        return
    for i, (event, answered_event, delivery) in enumerate(zip(events, answered, deliveries, strict=False)):
        if len(events) > 1:
            comparison.where, comparison.operation = f"events[{i}]", operation_of(event)
        event_tree = comparison.oracle.with_written_names(event)
        got = comparison.oracle.with_written_names(answered_event)
        got_tree: Mapping[str, Any] = comparable_event(event_tree, got)
        if event_tree["kind"] != got.get("kind"):  # an event of another kind differs in everything
            event_tree, got_tree = {"kind": event_tree["kind"]}, {"kind": got.get("kind")}
        comparison.compare({"event": dict(event_tree)}, {"event": got_tree}, delivery)


def _delivery_of(event: Mapping[str, Any], tables: Mapping[tuple[str, str], Table]) -> Delivery | None:
    """A delivery with an event as a JSON object and the table that it names; None if there is no such table."""
    table = tables.get((str(event.get("schema")), str(event.get("table"))))
    return Delivery(event, table) if table is not None else None  # type: ignore[arg-type]
