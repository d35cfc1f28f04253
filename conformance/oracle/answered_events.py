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

__all__ = ["judge_events"]


def judge_events(
    comparison: Comparison, expected: ExpectedEvents, known: Sequence[Delivery], answered: Sequence[Any]
) -> None:
    """Compare the answered events with the expected ones; `known` are the deliveries of these.

    If the case states its events itself there are none: then a delivery is made of each event and the table it names.
    """
    deliveries: Sequence[Delivery | None] = known
    if comparison.case.expected is not None:
        tables = {t.id: t for t in comparison.case.tables}
        deliveries = [_delivery_of(e, tables.get((str(e.get("schema")), str(e.get("table"))))) for e in expected.events]
    sides = Tally.in_order(expected.events), Tally.in_order(answered)
    if not comparison.compare_counts(
        len(expected.events), len(answered), *sides, lambda i: event_summary(deliveries[i], expected.events[i])
    ):
        return
    for i, (expected_event, got, delivery) in enumerate(zip(expected.events, answered, deliveries, strict=False)):
        if len(expected.events) > 1:
            comparison.where, comparison.operation = f"events[{i}]", operation_of(expected_event)
        event, answer = map(comparison.oracle.with_written_names, (expected_event, got))
        given: Mapping[str, Any] = comparable_event(event, answer)
        if event["kind"] != answer.get("kind"):  # an event of another kind differs in everything
            event, given = ({"kind": e.get("kind")} for e in (event, answer))
        comparison.compare("decode", {"event": dict(event)}, {"event": given}, delivery)


def _delivery_of(event: Mapping[str, Any], table: Any) -> Delivery | None:
    """A delivery with an event as a JSON object: rules may look at its table."""
    return Delivery(event, table) if table is not None else None  # type: ignore[arg-type]
