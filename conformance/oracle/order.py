"""Pairs answered messages with expected ones, and judges their order and partitions.

Differences inside a message are judged elsewhere, and do not count against the order: a message counts as the event at
its position.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import NamedTuple, TypeAlias

from conformance.oracle.findings import Finding, fingerprint
from conformance.oracle.harm import harm_of
from conformance.oracle.rules import Delivery, Message, Place
from conformance.oracle.sent import sent_of
from conformance.oracle.streams import REQUIREMENTS, Stream, StreamFault
from conformance.oracle.tree import Kind
from reference_impl.keys import handle_key
from reference_impl.model import Event, RowChange

__all__ = [
    "Placement",
    "StreamFindings",
    "are_halves",
    "is_disordered",
    "order_facts",
    "paired_positions",
    "stream_finding",
    "stream_findings",
]

OrderFacts: TypeAlias = Mapping[str, bool]


def _identity(message: Message) -> object:
    return tuple(sorted(message.texts.items())) if message.identity is None else message.identity


def paired_positions(expected: Sequence[Message], got: Sequence[Message | None]) -> list[int]:
    """The position of the expected message for each answered one; additional messages, at the end, have none.

    A message is paired with an equal one at its own position, else with an equal one elsewhere. Messages without an
    equal one are paired in order. A message that cannot be read (None) equals none: `ab`, `-a` → `[1, 0]`. Equal
    messages keep their order: `aab`, `baa` → `[2, 0, 1]`.
    """
    expected_identities = [_identity(message) for message in expected]
    got_identities = [None if message is None else _identity(message) for message in got[: len(expected)]]
    positions: list[int | None] = [
        i if identity is not None and identity == expected_identities[i] else None
        for i, identity in enumerate(got_identities)
    ]
    if None not in positions:
        return [i for i in positions if i is not None]
    elsewhere: Mapping[object, deque[int]] = defaultdict(deque)
    for i in _without(positions, len(expected)):
        elsewhere[expected_identities[i]].append(i)
    for i, identity in enumerate(got_identities):
        if positions[i] is None and identity is not None and elsewhere[identity]:
            positions[i] = elsewhere[identity].popleft()
    ascending: Mapping[object, deque[int]] = defaultdict(deque)
    for position in sorted(position for position in positions if position is not None):
        ascending[expected_identities[position]].append(position)
    positions = [
        position if position is None else ascending[identity].popleft()
        for position, identity in zip(positions, got_identities, strict=True)
    ]
    rest = iter(_without(positions, len(expected)))
    return [next(rest) if i is None else i for i in positions]


def _without(taken: Iterable[int | None], count: int) -> list[int]:
    """The numbers below `count` without those that are taken."""
    return sorted(set(range(count)).difference(i for i in taken if i is not None))


class Placement(NamedTuple):
    """Where an answered message was sent, and the event that it is about."""

    partition: int
    position: int  # of its delivery in the order of the events


def is_disordered(placements: Iterable[Placement]) -> bool:
    """Whether the positions of some partition descend; `placements` are in the order produced."""
    last: dict[int, int] = {}
    for partition, position in placements:
        if position < last.get(partition, -1):
            return True
        last[partition] = position
    return False


# The member of `OrderFacts`: whether only the halves of split updates are out of order.
_HALVES = "halves"


def order_facts(placements: Sequence[Placement], deliveries: Sequence[Delivery], events: Iterable[Event]) -> OrderFacts:
    """Facts for `are_halves` about the order of messages; `deliveries` are in the order of the events."""
    index_of = {placement.position: i for i, placement in enumerate(placements)}
    exchanged_back = list(placements)
    for first in _first_halves(deliveries, events):
        delete, insert = index_of.get(first), index_of.get(first + 1)
        if delete is None or insert is None or insert >= delete:
            continue
        if placements[delete].partition == placements[insert].partition:
            exchanged_back[delete], exchanged_back[insert] = placements[insert], placements[delete]
    return {_HALVES: exchanged_back != placements and not is_disordered(exchanged_back)}


def are_halves(place: Place) -> bool:
    """The answer's order is right but for halves of split updates, whose insert and delete have changed places."""
    return bool(place.got_tree.get(_HALVES))


def _first_halves(deliveries: Sequence[Delivery], events: Iterable[Event]) -> list[int]:
    """The positions of deletes that are the first half of a split update; the insert follows at the next position."""
    updates = {_images(event) for event in events if isinstance(event, RowChange) and event.op == "update"}
    positions = []
    for i, (delete, insert) in enumerate(pairwise(delivery.event for delivery in deliveries)):
        if not (isinstance(delete, RowChange) and isinstance(insert, RowChange)):
            continue
        is_split = (delete.op, insert.op) == ("delete", "insert")
        if is_split and _images(replace(delete, after=insert.after)) in updates:
            positions.append(i)
    return positions


def _images(change: RowChange) -> Hashable:
    """The table, time and values of a change; the names of its columns do not count."""
    values = [None if row is None else [*row.values()] for row in (change.before, change.after)]
    return change.schema, change.table, change.commit_ts, repr(values)


@dataclass(frozen=True, slots=True)
class StreamFindings:
    """The requirements on a stream whose checks ran, and the faults."""

    evaluated: frozenset[str]
    faults: tuple[StreamFault, ...]


def stream_findings(
    protocol: str, expected: Sequence[Delivery], got: Sequence[tuple[Delivery, int]], partitions: int
) -> StreamFindings:
    """Judge the stream of an answer: `got` are the answered deliveries, each with the partition of its record.

    Faults that the expected order and partitions have, too, do not count.
    """
    if protocol not in REQUIREMENTS:
        return StreamFindings(frozenset(), ())
    evaluated, faults = _judged(protocol, got, partitions)
    if faults:
        _, own = _judged(protocol, [(delivery, delivery.partition or 0) for delivery in expected], partitions)
        known = {(fault.kind, fault.sent.identity) for fault in own}
        faults = [fault for fault in faults if (fault.kind, fault.sent.identity) not in known]
    return StreamFindings(frozenset(evaluated), tuple(faults))


def _judged(
    protocol: str, deliveries: Iterable[tuple[Delivery, int]], partitions: int
) -> tuple[set[str], list[StreamFault]]:
    """(requirements whose checks ran, faults) of a stream of deliveries, each with its partition."""
    stream = Stream(protocol, partitions=partitions, complete=True)
    faults: list[StreamFault] = []
    for delivery, partition in deliveries:
        key = handle_key(delivery.table) if delivery.table else ()
        faults += stream.see(sent_of(delivery.event, partition, key=key))
    return stream.evaluated, faults + stream.end()


def stream_finding(fault: StreamFault) -> Finding:
    """A fault between messages as a finding; its path is the kind of fault."""
    mark = fingerprint(fault.requirement, fault.kind, Kind.ORDER)
    harm = harm_of(fault.kind, Kind.ORDER, fault.expected, fault.got)
    return Finding(fault.requirement, fault.kind, Kind.ORDER, fault.expected, fault.got, mark, harm)
