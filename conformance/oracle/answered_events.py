"""Compares the events of a decoder's answer with the expected event at the same position.

A decoder may add information that the format does not carry (`source`, ids, definitions of tables); it must not invent
an image, a column, or a time stamp.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from conformance.cases.model import ExpectedEvents
from conformance.oracle.comparison import Comparison
from conformance.oracle.conditions import operation_of
from conformance.oracle.rules import Delivery
from conformance.oracle.tree import MISSING
from conformance.oracle.unmatched import Tally, event_summary
from reference_impl.model import Table

__all__ = ["comparable_event", "judge_events"]


_INFORMATION = frozenset(
    {"source", "partition_id", "row_id", "action", "action_code", "table_before", "table_after"}
    | {"other_tables", "status", "position"}
)


# An insert has no before image, a delete no after image: an empty image there is an invented one.
_NEVER_THERE = frozenset({("insert", "before"), ("delete", "after")})


def comparable_event(expected: Mapping[str, Any], got: Mapping[str, Any]) -> dict[str, Any]:
    """The answered event without additional information; an empty image counts as null where the format permits it."""
    tree = {name: value for name, value in got.items() if name in expected or name not in _INFORMATION}
    # A null image on one side equals an absent or an empty one on the other, but for the images of `_NEVER_THERE`.
    for image in ("before", "after"):
        if image in tree and tree[image] is None and image not in expected:
            del tree[image]
        is_empty_for_null = tree.get(image) == {} and expected.get(image, MISSING) is None
        if is_empty_for_null and (expected.get("op"), image) not in _NEVER_THERE:
            tree[image] = None
        if expected.get(image) == {} and tree.get(image, MISSING) is None:
            tree[image] = {}
        if image not in tree and expected.get(image, MISSING) is None:
            tree[image] = None
    return tree


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
