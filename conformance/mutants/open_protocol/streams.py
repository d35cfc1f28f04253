"""Encoders with a wrong order or partition of rows, or wrong updates of keys."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

from conformance.mutants.model import Mutant
from conformance.mutants.open_protocol.edits import Pair, encoder, kind_of, pairs
from conformance.mutants.record_lists import in_turn, to_partition_0
from conformance.mutants.wrappers import Context, Json, ignores, with_options

__all__ = ["MUTANTS"]

_ROW, _DDL, _RESOLVED = 1, 2, 3
"""Kinds of events."""


def _is_of(kind: int) -> Callable[[Json], bool]:
    return lambda record: kind_of(record) == kind


def _insert_first(events: list[Pair], context: Context) -> list[Pair]:
    """Move the insert of a split update before its delete."""
    events = list(events)
    for i, (first, second) in enumerate(pairwise(events)):
        if first[0] == second[0] and first[1][:4] == b'{"d"' and second[1][:4] == b'{"u"':
            events[i], events[i + 1] = second, first
    return events


MUTANTS: tuple[Mutant, ...] = (
    encoder("key-updates-whole", "OP-180", "an update of a key is one update")(
        with_options(output_raw_change_event="true")
    ),
    encoder("insert-before-delete", "OP-180", "the insert of a split update comes before the delete")(
        pairs(_insert_first)
    ),
    encoder("raw-change-events-not-heard", "OP-180a", "output-raw-change-event is ignored")(
        ignores("output-raw-change-event")
    ),
    encoder("resolved-event-to-partition-0", "OP-203", "a resolved event goes to one partition only")(
        to_partition_0(_is_of(_RESOLVED))
    ),
    encoder("statement-to-partition-0", "OP-204", "a DDL event goes to one partition only")(
        to_partition_0(_is_of(_DDL))
    ),
    encoder("partitions-in-turn", "OP-207", "messages go to the partitions in turn")(in_turn(_is_of(_ROW))),
)
