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

__all__ = ["StreamFindings", "are_halves", "is_disordered", "matched", "of_halves", "stream_finding", "stream_findings"]

OrderFacts: TypeAlias = Mapping[str, bool]


def _identity(message: Message) -> object:
    return tuple(sorted(message.texts.items())) if message.identity is None else message.identity


def matched(expected: Sequence[Message], got: Sequence[Message | None]) -> list[int]:
    """For each answered message the position of its expected one; additional messages have none.

    An equal message at the same position comes first, then one with the same text elsewhere; the rest is paired in
    order.
    """
    wanted = [_identity(message) for message in expected]
    given = [None if message is None else _identity(message) for message in got[: len(expected)]]
    found = [i if g is not None and g == w else -1 for i, (w, g) in enumerate(zip(wanted, given, strict=False))]
    taken = set(found)
    if -1 not in taken:
        return found
    elsewhere: Mapping[object, deque[int]] = defaultdict(deque)
    for i, identity in enumerate(wanted):
        if i not in taken:
            elsewhere[identity].append(i)
    for i, identity in enumerate(given):
        if found[i] < 0 and identity is not None and (same := elsewhere[identity]):
            found[i] = same.popleft()
    taken = set(found)
    rest = (i for i in range(len(expected)) if i not in taken)
    return [i if i >= 0 else next(rest) for i in found]


def is_disordered(places: Iterable[tuple[int, int]]) -> bool:
    """Whether positions in the order of production go back in some partition, for (partition, position) pairs."""
    last: dict[int, int] = {}
    for partition, position in places:
        if position < last.get(partition, -1):
            return True
        last[partition] = position
    return False


# The member for the order of the answer: whether only the halves of split updates are exchanged.
_HALVES = "halves"


def of_halves(places: Sequence[tuple[int, int]], deliveries: Sequence[Delivery], events: Iterable[Event]) -> OrderFacts:
    """The facts about the order of messages, (partition, position among `deliveries`), for `are_halves`."""
    firsts = _first_halves(deliveries, events)
    at = {position: i for i, (_, position) in enumerate(places)}
    mended = list(places)
    for first in firsts:
        one, other = at.get(first), at.get(first + 1)
        if one is not None and other is not None and other < one and places[one][0] == places[other][0]:
            mended[one], mended[other] = mended[other], mended[one]
    return {_HALVES: mended != places and not is_disordered(mended)}


def are_halves(place: Place) -> bool:
    """Only halves of split updates are out of order: each insert stands where its delete should."""
    return bool(place.given.get(_HALVES))


def _first_halves(deliveries: Sequence[Delivery], events: Iterable[Event]) -> list[int]:
    """The positions of deletes that are the first half of an update; the second half follows."""
    updates = {_images(event) for event in events if isinstance(event, RowChange) and event.op == "update"}
    found = []
    for i, (one, other) in enumerate(pairwise(delivery.event for delivery in deliveries)):
        if isinstance(one, RowChange) and isinstance(other, RowChange) and (one.op, other.op) == ("delete", "insert"):
            found += [i] * (_images(replace(one, after=other.after)) in updates)
    return found


def _images(change: RowChange) -> Hashable:
    """The identity of a change, whatever the names of its columns."""
    values = [None if row is None else [*row.values()] for row in (change.before, change.after)]
    return change.schema, change.table, change.commit_ts, repr(values)


@dataclass(frozen=True, slots=True)
class StreamFindings:
    """The requirements whose checks ran, and the findings."""

    evaluated: frozenset[str]
    faults: tuple[StreamFault, ...]


def _sent(deliveries: Iterable[tuple[Delivery, int]]) -> list[Sent]:
    return [
        sent_of(delivery.event, partition, key=handle_key(delivery.table) if delivery.table else ())
        for delivery, partition in deliveries
    ]


def _seen(
    protocol: str, deliveries: Iterable[tuple[Delivery, int]], partitions: int
) -> tuple[set[str], list[StreamFault]]:
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
    """Judge the stream of an answer, given as deliveries with the partition of each.

    Faults of the expected order and partitions themselves count against no implementation.
    """
    if protocol not in REQUIREMENTS:
        return StreamFindings(frozenset(), ())
    evaluated, faults = _seen(protocol, got, partitions)
    if faults:
        own = _seen(protocol, [(delivery, delivery.partition or 0) for delivery in expected], partitions)[1]
        known = {(fault.fault, fault.sent.identity) for fault in own}
        faults = [fault for fault in faults if (fault.fault, fault.sent.identity) not in known]
    return StreamFindings(frozenset(evaluated), tuple(faults))
