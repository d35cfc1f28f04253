"""Encoders with a wrong order or partition of rows, or wrong updates of keys."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

from conformance.mutants.model import Mutant
from conformance.mutants.open_protocol.edits import Pair, Wrap, encoder, pairs
from conformance.mutants.open_protocol.records import kind_of, records
from conformance.mutants.wrappers import Context, with_options

__all__ = ["MUTANTS"]

Json = dict[str, Any]


def _in_partition(kind: int, partition: Callable[[Json, int, int], int]) -> Wrap:
    """Sends the records of a kind to `partition(record, position, number of partitions)`."""

    def edit(sent: list[Json], context: Context) -> list[Json]:
        count = context.configuration.get("partitions", 1)
        return [
            {**record, "partition": partition(record, i, count)} if count > 1 and kind_of(record) == kind else record
            for i, record in enumerate(sent)
        ]

    return records(edit)


def _in_partition_0_alone(kind: int) -> Wrap:
    return records(lambda sent, context: [r for r in sent if not r.get("partition") or kind_of(r) != kind])


def _insert_first(events: list[Pair], context: Context) -> list[Pair]:
    """Move the insert of a split update before its delete."""
    events = list(events)
    for i, (first, second) in enumerate(pairwise(events)):
        if first[0] == second[0] and first[1][:4] == b'{"d"' and second[1][:4] == b'{"u"':
            events[i], events[i + 1] = second, first
    return events


MUTANTS: tuple[Mutant, ...] = (
    encoder(
        "key-updates-whole",
        "OP-180",
        "an update of a key is one update",
        with_options(output_raw_change_event="true"),
    ),
    encoder(
        "insert-before-delete",
        "OP-180",
        "the insert of a split update comes before the delete",
        pairs(_insert_first),
    ),
    encoder(
        "raw-change-events-not-heard",
        "OP-180a",
        "output-raw-change-event is ignored",
        with_options(output_raw_change_event=None),
    ),
    encoder(
        "resolved-event-to-partition-0",
        "OP-203",
        "a resolved event goes to one partition only",
        _in_partition_0_alone(3),
    ),
    encoder(
        "statement-to-partition-0",
        "OP-204",
        "a DDL event goes to one partition only",
        _in_partition_0_alone(2),
    ),
    encoder(
        "partitions-in-turn",
        "OP-207",
        "messages go to the partitions in turn",
        _in_partition(1, lambda record, i, count: i % count),
    ),
)
