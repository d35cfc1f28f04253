"""Pairs answered messages with expected ones, and judges their order and partitions.

Differences inside a message are judged elsewhere, and do not count against the order: a message counts as the event at
its position.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TypeAlias

from conformance.oracle.findings import Finding, fingerprint
from conformance.oracle.harm import harm_of
from conformance.oracle.rules import Delivery, Message, Place
from conformance.oracle.sent import Sent, sent_of
from conformance.oracle.streams import REQUIREMENTS, Stream, StreamFault
from conformance.oracle.tree import Kind
from reference_impl.keys import handle_key
from reference_impl.model import Event, RowChange

__all__ = [
    "StreamFindings",
    "are_halves",
    "is_disordered",
    "matched",
    "order_facts",
    "stream_finding",
    "stream_findings",
]

OrderFacts: TypeAlias = Mapping[str, bool]


def _identity(message: Message) -> object:
    return tuple(sorted(message.texts.items())) if message.identity is None else message.identity


def matched(expected: Sequence[Message], got: Sequence[Message | None]) -> list[int]:
    """The position of the expected message for each answered one; additional messages, at the end, have none.

    A message is paired with an equal one at its own position, else with an equal one elsewhere; messages without an
    equal one are paired in order.
    """
    identities = [_identity(message) for message in expected]
    answered = [None if message is None else _identity(message) for message in got[: len(expected)]]
    positions = [
        i if a is not None and a == e else -1 for i, (e, a) in enumerate(zip(identities, answered, strict=False))
    ]
    taken = set(positions)
    if -1 not in taken:
        return positions
    elsewhere: Mapping[object, deque[int]] = defaultdict(deque)
    for i, identity in enumerate(identities):
        if i not in taken:
            elsewhere[identity].append(i)
    for i, identity in enumerate(answered):
        if positions[i] < 0 and identity is not None and (same := elsewhere[identity]):
            positions[i] = same.popleft()
    taken = set(positions)
    rest = (i for i in range(len(expected)) if i not in taken)
    return [i if i >= 0 else next(rest) for i in positions]


def is_disordered(places: Iterable[tuple[int, int]]) -> bool:
    """Whether the positions of some partition descend; `places` are (partition, position), as produced."""
    last: dict[int, int] = {}
    for partition, position in places:
        if position < last.get(partition, -1):
            return True
        last[partition] = position
    return False


# The member of `OrderFacts`: whether only the halves of split updates are out of order.
_HALVES = "halves"


def order_facts(
    places: Sequence[tuple[int, int]], deliveries: Sequence[Delivery], events: Iterable[Event]
) -> OrderFacts:
    """Facts for `are_halves` about the order of messages; `places` are (partition, position among `deliveries`)."""
    index_of = {position: i for i, (_, position) in enumerate(places)}
    exchanged_back = list(places)
    for first in _first_halves(deliveries, events):
        delete, insert = index_of.get(first), index_of.get(first + 1)
        if delete is None or insert is None or insert >= delete or places[delete][0] != places[insert][0]:
            continue
        exchanged_back[delete], exchanged_back[insert] = places[insert], places[delete]
    return {_HALVES: exchanged_back != places and not is_disordered(exchanged_back)}


def are_halves(place: Place) -> bool:
    """The answer's order is right but for halves of split updates, whose insert and delete have changed places."""
    return bool(place.got_tree.get(_HALVES))


def _first_halves(deliveries: Sequence[Delivery], events: Iterable[Event]) -> list[int]:
    """The positions of deletes that are the first half of a split update; the insert follows at the next position."""
    updates = {_images(event) for event in events if isinstance(event, RowChange) and event.op == "update"}
    positions = []
    for i, (one, other) in enumerate(pairwise(delivery.event for delivery in deliveries)):
        if not (isinstance(one, RowChange) and isinstance(other, RowChange)):
            continue
        if (one.op, other.op) == ("delete", "insert") and _images(replace(one, after=other.after)) in updates:
            positions.append(i)
    return positions


def _images(change: RowChange) -> Hashable:
    """The identity of a change; the names of its columns do not count."""
    values = [None if row is None else [*row.values()] for row in (change.before, change.after)]
    return change.schema, change.table, change.commit_ts, repr(values)


@dataclass(frozen=True, slots=True)
class StreamFindings:
    """The requirements on a stream whose checks ran, and the faults."""

    evaluated: frozenset[str]
    faults: tuple[StreamFault, ...]


def _sent(deliveries: Iterable[tuple[Delivery, int]]) -> list[Sent]:
    return [
        sent_of(delivery.event, partition, key=handle_key(delivery.table) if delivery.table else ())
        for delivery, partition in deliveries
    ]


def _judged(
    protocol: str, deliveries: Iterable[tuple[Delivery, int]], partitions: int
) -> tuple[set[str], list[StreamFault]]:
    """(requirements whose checks ran, faults) of a stream of deliveries, each with its partition."""
    stream = Stream(protocol, partitions=partitions, complete=True)
    faults = [fault for sent in _sent(deliveries) for fault in stream.see(sent)]
    return stream.evaluated, faults + stream.end()


def stream_finding(fault: StreamFault) -> Finding:
    """A fault between messages as a finding; its path is the kind of fault."""
    mark = fingerprint(fault.requirement, fault.fault, Kind.ORDER)
    harm = harm_of(fault.fault, Kind.ORDER, fault.expected, fault.got)
    return Finding(fault.requirement, fault.fault, Kind.ORDER, fault.expected, fault.got, mark, harm)


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
        own = _judged(protocol, [(delivery, delivery.partition or 0) for delivery in expected], partitions)[1]
        known = {(fault.fault, fault.sent.identity) for fault in own}
        faults = [fault for fault in faults if (fault.fault, fault.sent.identity) not in known]
    return StreamFindings(frozenset(evaluated), tuple(faults))
