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
    found: Comparison, expected: ExpectedEvents, known: Sequence[Delivery], answered: Sequence[Any]
) -> None:
    """Note in `found` the differences of the answered events; `known` are the deliveries behind the expected ones.

    A case that states its events itself has no deliveries; the tables named by its events stand for them.
    """
    deliveries: Sequence[Delivery | None] = known
    if found.case.expected is not None:
        tables = {t.id: t for t in found.case.tables}
        deliveries = [_delivery_of(e, tables.get((str(e.get("schema")), str(e.get("table"))))) for e in expected.events]
    sides = Tally.in_order(expected.events), Tally.in_order(answered)
    if not found.counted(
        len(expected.events), len(answered), *sides, lambda i: event_summary(deliveries[i], expected.events[i])
    ):
        return
    for i, (wanted, got, delivery) in enumerate(zip(expected.events, answered, deliveries, strict=False)):
        if len(expected.events) > 1:
            found.where, found.operation = f"events[{i}]", operation_of(wanted)
        event, answer = found.oracle.named(wanted), found.oracle.named(got)
        table = delivery.table if delivery else None
        given: Mapping[str, Any] = comparable_event(event, answer)
        if event["kind"] != answer.get("kind"):  # an event of another kind differs in everything
            event, given = ({"kind": e.get("kind")} for e in (event, answer))
        found.compare("decode", {"event": dict(event)}, {"event": given}, delivery, table_columns=table is not None)


def _delivery_of(event: Mapping[str, Any], table: Any) -> Delivery | None:
    """A delivery for an event that is known only as JSON: rules may still look at its table."""
    return Delivery(event, table) if table is not None else None  # type: ignore[arg-type]
