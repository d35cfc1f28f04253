"""Encoders with a wrong order or partition of rows, or wrong updates of keys."""

from __future__ import annotations

from itertools import pairwise

from conformance.mutants.model import Mutant, Wrap
from conformance.mutants.open_protocol.edits import Pair, encoder, kind_of, pairs
from conformance.mutants.wrappers import Context, Json, edit_records, ignores, with_options

__all__ = ["MUTANTS"]

_ROW, _DDL, _RESOLVED = 1, 2, 3
"""Kinds of events."""


def _in_partition_0_alone(kind: int) -> Wrap:
    return edit_records(
        lambda sent, context: [record for record in sent if not record.get("partition") or kind_of(record) != kind]
    )


def _rows_in_turn(sent: list[Json], context: Context) -> list[Json]:
    if context.partitions == 1:
        return sent
    return [
        {**record, "partition": number % context.partitions} if kind_of(record) == _ROW else record
        for number, record in enumerate(sent)
    ]


def _insert_first(events: list[Pair], context: Context) -> list[Pair]:
    """Move the insert of a split update before its delete."""
    events = list(events)
    for i, (first, second) in enumerate(pairwise(events)):
        if first[0] == second[0] and first[1][:4] == b'{"d"' and second[1][:4] == b'{"u"':
            events[i], events[i + 1] = second, first
    return events


MUTANTS: tuple[Mutant, ...] = (
    encoder(
        "key-updates-whole", "OP-180", "an update of a key is one update", with_options(output_raw_change_event="true")
    ),
    encoder(
        "insert-before-delete", "OP-180", "the insert of a split update comes before the delete", pairs(_insert_first)
    ),
    encoder("raw-change-events-not-heard", "OP-180a", *ignores("output-raw-change-event")),
    encoder(
        "resolved-event-to-partition-0",
        "OP-203",
        "a resolved event goes to one partition only",
        _in_partition_0_alone(_RESOLVED),
    ),
    encoder(
        "statement-to-partition-0", "OP-204", "a DDL event goes to one partition only", _in_partition_0_alone(_DDL)
    ),
    encoder("partitions-in-turn", "OP-207", "messages go to the partitions in turn", edit_records(_rows_in_turn)),
)
