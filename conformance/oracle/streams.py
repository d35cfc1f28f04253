"""Rules between the messages of a stream, on order, partitions and time stamps.

A `Stream` takes the sent messages one by one, as `Sent`, and returns their faults. The table `CHECKS` has the checks
for each kind of message, the table `REQUIREMENTS` the requirement for each fault, by protocol: a fault without a
requirement is allowed in that protocol. Captures and the answers of encoders are judged alike.

Order holds within a lane, which is a partition of a topic; there is none between lanes. A row or statement with the
same meaning as an earlier one is a re-send, which is always allowed. [OP-200, CJ-663] A resolved time stamp or
watermark may equal those before it, but not be lower; it may be lower than rows before it. [OP-205]

Where a stream is seen from its middle (`from_start` false), an old message may be a re-send of an unseen one, and
unseen messages may have reached a lane before; neither is then a fault. The same holds for messages that dropped out of
the memory, which is bounded.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Generic, TypeAlias, TypeVar

from conformance.oracle.sent import Sent, SentKind, TableId

__all__ = ["REQUIREMENTS", "Fault", "Stream", "StreamFault", "stream_faults"]

Lane: TypeAlias = tuple[str | None, int]

_REMEMBERED = 1_000_000


class Fault(StrEnum):
    """The faults between messages; the value is the path in reports."""

    WATERMARK_BACK = "stream.watermark.back"
    WATERMARK_UNEXPECTED = "stream.watermark.unwanted"
    WATERMARK_MISSED = "stream.watermark.missed"
    BELOW_WATERMARK = "stream.below_watermark"
    BEHIND_DDL = "stream.behind_ddl"
    TABLE_BACK = "stream.table.back"
    KEY_BACK = "stream.key.back"
    KEY_MOVED = "stream.key.moved"
    DDL_MISSED = "stream.ddl.missed"
    DDL_ELSEWHERE = "stream.ddl.elsewhere"


REQUIREMENTS: Mapping[str, Mapping[Fault, str]] = {
    "open-protocol": {
        Fault.WATERMARK_BACK: "OP-202",
        Fault.BELOW_WATERMARK: "OP-202",
        Fault.BEHIND_DDL: "OP-201",
        Fault.TABLE_BACK: "OP-201",
        Fault.KEY_MOVED: "OP-207",
        Fault.WATERMARK_MISSED: "OP-203",
        Fault.DDL_MISSED: "OP-204",
    },
    "canal-json": {
        Fault.WATERMARK_BACK: "CJ-664",
        Fault.BELOW_WATERMARK: "CJ-664",
        Fault.WATERMARK_UNEXPECTED: "CJ-050",
        Fault.WATERMARK_MISSED: "CJ-051",
        Fault.BEHIND_DDL: "CJ-629",
        Fault.KEY_BACK: "CJ-666",
        Fault.KEY_MOVED: "CJ-666",
        Fault.DDL_ELSEWHERE: "CJ-051a",
    },
    "debezium": {
        Fault.WATERMARK_BACK: "DBZ-404",
        Fault.BELOW_WATERMARK: "DBZ-404",
        Fault.WATERMARK_UNEXPECTED: "DBZ-400a",
        Fault.WATERMARK_MISSED: "DBZ-403",
        Fault.BEHIND_DDL: "DBZ-039b",
        Fault.KEY_BACK: "DBZ-039a",
        Fault.KEY_MOVED: "DBZ-039a",
        Fault.DDL_MISSED: "DBZ-303",
    },
}


@dataclass(frozen=True, slots=True)
class StreamFault:
    """A broken rule: the message that shows it, with the expectation and the fact in words."""

    fault: Fault
    requirement: str
    sent: Sent
    expected: str
    got: str


K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class _Memory(Generic[K, V]):
    """A mapping that forgets the entries put longest ago; `has_forgotten` says whether it ever did."""

    def __init__(self, most: int) -> None:
        self._entries: OrderedDict[K, V] = OrderedDict()
        self._most = most
        self.has_forgotten = False

    def get(self, key: K) -> V | None:
        return self._entries.get(key)

    def put(self, key: K, value: V) -> V | None:
        """Put an entry; returns the value of the entry that is forgotten for it."""
        self._entries[key] = value
        self._entries.move_to_end(key)
        if len(self._entries) <= self._most:
            return None
        self.has_forgotten = True
        return self._entries.popitem(last=False)[1]

    def items(self) -> Iterable[tuple[K, V]]:
        return self._entries.items()


@dataclass(slots=True)
class _LaneState:
    """The state of a lane; time stamps are commit time stamps (TSO)."""

    from_start: bool  # whether the first message seen is the first one sent
    since: int | None = None  # of the first message
    watermark: int | None = None  # the highest one
    first: dict[TableId, int] = field(default_factory=dict)  # of the first message about each table
    tables: dict[TableId, int] = field(default_factory=dict)  # the highest of the rows of each table
    ddl: dict[TableId, int] = field(default_factory=dict)  # the highest of the DDL statements about each table


# (expectation, fact) of a fault; empty where the rule holds; None if the rule cannot be checked.
CheckResult: TypeAlias = tuple[str, str] | tuple[()] | None
Check: TypeAlias = Callable[["Stream", Sent, Lane, _LaneState], CheckResult]


def _older(limit: int | None, sent: Sent, what: str) -> CheckResult:
    """The fault of a message below `limit`, which is that of `what`."""
    if limit is None or sent.commit_ts is None:
        return None
    if sent.commit_ts >= limit:
        return ()
    return f"nothing new below {what} {limit}", f"a {sent.kind} of {sent.commit_ts}"


def _below_watermark(stream: Stream, sent: Sent, lane: Lane, state: _LaneState) -> CheckResult:
    return _older(state.watermark, sent, "the watermark")


def _behind_ddl(stream: Stream, sent: Sent, lane: Lane, state: _LaneState) -> CheckResult:
    schema, _ = sent.table
    limits = [state.ddl[name] for name in (sent.table, (schema, "")) if name in state.ddl]
    return _older(max(limits, default=None), sent, "the DDL statement of")


def _table_back(stream: Stream, sent: Sent, lane: Lane, state: _LaneState) -> CheckResult:
    return _older(state.tables.get(sent.table), sent, "the row of the table of")


def _key_back(stream: Stream, sent: Sent, lane: Lane, state: _LaneState) -> CheckResult:
    seen = stream.keys.get((sent.topic, sent.table, sent.key)) if sent.key is not None else None
    return _older(seen[1], sent, "the change of this row of") if seen and seen[0] == lane else None


def _key_moved(stream: Stream, sent: Sent, lane: Lane, state: _LaneState) -> CheckResult:
    seen = stream.keys.get((sent.topic, sent.table, sent.key)) if sent.key is not None else None
    if seen is None:
        return None
    if seen[0] == lane:
        return ()
    return f"every change of this row in partition {seen[0][1]}", f"one in partition {lane[1]}"


def _ddl_elsewhere(stream: Stream, sent: Sent, lane: Lane, state: _LaneState) -> CheckResult:
    return ("a DDL message in partition 0", f"one in partition {lane[1]}") if lane[1] != 0 else ()


def _watermark_unexpected(stream: Stream, sent: Sent, lane: Lane, state: _LaneState) -> CheckResult:
    return () if stream.watermarks_expected else ("no watermark without the extension", "a watermark")


CHECKS: Mapping[SentKind, tuple[tuple[Fault, Check], ...]] = {
    SentKind.ROW: (
        (Fault.BELOW_WATERMARK, _below_watermark),
        (Fault.BEHIND_DDL, _behind_ddl),
        (Fault.TABLE_BACK, _table_back),
        (Fault.KEY_BACK, _key_back),
        (Fault.KEY_MOVED, _key_moved),
    ),
    SentKind.DDL: ((Fault.BELOW_WATERMARK, _below_watermark), (Fault.DDL_ELSEWHERE, _ddl_elsewhere)),
    SentKind.WATERMARK: ((Fault.WATERMARK_BACK, _below_watermark), (Fault.WATERMARK_UNEXPECTED, _watermark_unexpected)),
}


def _saw_row(stream: Stream, sent: Sent, lane: Lane, state: _LaneState) -> None:
    ts = sent.commit_ts if sent.commit_ts is not None else 0
    state.tables[sent.table] = max(state.tables.get(sent.table, 0), ts)
    if sent.key is not None:
        seen = stream.keys.get((sent.topic, sent.table, sent.key))
        stream.keys.put((sent.topic, sent.table, sent.key), (lane, max(ts, seen[1] if seen else 0)))


def _saw_ddl(stream: Stream, sent: Sent, lane: Lane, state: _LaneState) -> None:
    if sent.commit_ts is not None:
        state.ddl[sent.table] = max(state.ddl.get(sent.table, 0), sent.commit_ts)


def _saw_watermark(stream: Stream, sent: Sent, lane: Lane, state: _LaneState) -> None:
    if sent.commit_ts is not None:
        state.watermark = max(state.watermark or 0, sent.commit_ts)


TRANSITIONS: Mapping[SentKind, Callable[[Stream, Sent, Lane, _LaneState], None]] = {
    SentKind.ROW: _saw_row,
    SentKind.DDL: _saw_ddl,
    SentKind.WATERMARK: _saw_watermark,
}

# Faults of a message that is too old: it may be the re-send of an unseen one, and is then right.
_EXCUSED_IF_RESENT = frozenset({Fault.BELOW_WATERMARK, Fault.BEHIND_DDL, Fault.TABLE_BACK, Fault.KEY_BACK})

# The fault of a message that must reach every partition, but does not.
_MISSED: Mapping[SentKind, Fault] = {SentKind.DDL: Fault.DDL_MISSED, SentKind.WATERMARK: Fault.WATERMARK_MISSED}


class Stream:
    """The stream of one protocol, with all its lanes.

    `partitions` is the number of each topic's partitions, None if only those in the stream are known. `from_start`
    says that the first message of each lane is the first one sent, whatever its offset; `complete` that the last is the
    last one sent, so that a message missing from a partition by then is lost. `remembered` limits the rows and messages
    in memory. `evaluated` collects the requirements whose checks ran. Only the rule on unexpected watermarks applies to
    a message without a partition. Raises KeyError for a protocol without stream rules.
    """

    def __init__(
        self,
        protocol: str,
        *,
        partitions: int | None = None,
        watermarks_expected: bool = True,
        from_start: bool = True,
        complete: bool = False,
        remembered: int = _REMEMBERED,
    ) -> None:
        self.watermarks_expected = watermarks_expected
        self._from_start = from_start
        self.evaluated: set[str] = set()
        self.keys: _Memory[Hashable, tuple[Lane, int]] = _Memory(remembered)
        self._requirements = REQUIREMENTS[protocol]
        self._partitions = partitions
        self._complete = complete
        self._lanes: dict[Lane, _LaneState] = {}
        self._seen: _Memory[tuple[Lane, bytes], bool] = _Memory(remembered)
        self._reached: _Memory[tuple[SentKind, str | None, bytes], tuple[Sent, set[int]]] = _Memory(remembered)
        # Kind and topic → the highest commit time stamp that dropped out of `_reached`.
        self._forgotten_until: dict[tuple[SentKind, str | None], int] = {}

    def see(self, sent: Sent) -> list[StreamFault]:
        """The faults of a message at its position in the stream."""
        if sent.partition is None:
            return self._see_without_partition(sent)
        lane = (sent.topic, sent.partition)
        state = self._lanes.get(lane)
        if state is None:
            state = self._lanes[lane] = _LaneState(self._from_start or sent.offset == 0)
        if sent.commit_ts is not None and state.since is None:
            state.since = sent.commit_ts
        self._note_reached(sent, sent.partition)
        if sent.kind is not SentKind.WATERMARK:
            if self._seen.get((lane, sent.identity)):
                return []
            self._seen.put((lane, sent.identity), True)
        faults = list(self._check(sent, lane, state))
        if sent.commit_ts is not None:
            state.first.setdefault(sent.table, sent.commit_ts)
        TRANSITIONS[sent.kind](self, sent, lane, state)
        return faults

    def _see_without_partition(self, sent: Sent) -> list[StreamFault]:
        fault = Fault.WATERMARK_UNEXPECTED
        if sent.kind is not SentKind.WATERMARK or self.watermarks_expected or fault not in self._requirements:
            return []
        self.evaluated.add(self._requirements[fault])
        return [self._fault(fault, sent, "no watermark without the extension", "a watermark")]

    def _check(self, sent: Sent, lane: Lane, state: _LaneState) -> Iterator[StreamFault]:
        for fault, check in CHECKS[sent.kind]:
            if fault not in self._requirements:
                continue
            found = check(self, sent, lane, state)
            if found is None:
                continue
            self.evaluated.add(self._requirements[fault])
            if found and not (fault in _EXCUSED_IF_RESENT and self._may_be_resent(sent, state)):
                yield self._fault(fault, sent, *found)

    def _may_be_resent(self, sent: Sent, state: _LaneState) -> bool:
        """Whether the message may have been sent before the first one seen, or be one that was forgotten.

        A table's messages are in order when first sent: one newer than the first one seen repeats no unseen message.
        """
        if self._seen.has_forgotten:
            return True
        first = state.first.get(sent.table)
        return not state.from_start and (first is None or sent.commit_ts is None or sent.commit_ts <= first)

    def _fault(self, fault: Fault, sent: Sent, expected: str, got: str) -> StreamFault:
        return StreamFault(fault, self._requirements[fault], sent, expected, got)

    def _note_reached(self, sent: Sent, partition: int) -> None:
        """Note the partition of a message that must reach every partition."""
        if _MISSED.get(sent.kind) not in self._requirements or sent.commit_ts is None:
            return
        item = (sent.kind, sent.topic, sent.identity)
        first, reached = self._reached.get(item) or (sent, set[int]())
        reached.add(partition)
        forgotten = self._reached.put(item, (first, reached))
        if forgotten is not None:
            kind_and_topic, until = (forgotten[0].kind, forgotten[0].topic), forgotten[0].commit_ts or 0
            self._forgotten_until[kind_and_topic] = max(self._forgotten_until.get(kind_and_topic, 0), until)

    def end(self) -> list[StreamFault]:
        """The faults at the end of the stream: statements and watermarks that did not reach every partition."""
        faults = []
        for (kind, topic, _), (sent, reached) in self._reached.items():
            if sent.commit_ts is None or sent.commit_ts <= self._forgotten_until.get((kind, topic), -1):
                continue  # the partitions that it reached may be forgotten
            fault = _MISSED[kind]
            self.evaluated.add(self._requirements[fault])
            missed = [p for p in self._partitions_of(topic) if p not in reached and self._passed(topic, p, sent)]
            if missed:
                where = f"not in partition {', '.join(map(str, missed))}"
                faults.append(self._fault(fault, sent, f"the {kind} of {sent.commit_ts} in every partition", where))
        return faults

    def _partitions_of(self, topic: str | None) -> Iterable[int]:
        if self._partitions is not None:
            return range(self._partitions)
        return sorted(partition for name, partition in self._lanes if name == topic)

    def _passed(self, topic: str | None, partition: int, sent: Sent) -> bool:
        """Whether the lane was seen before and after the time at which the message should have come."""
        if self._complete:
            return True
        state = self._lanes.get((topic, partition))
        if state is None or state.since is None or state.watermark is None or sent.commit_ts is None:
            return False
        return state.since < sent.commit_ts < state.watermark


def stream_faults(protocol: str, sent: Iterable[Sent], *, partitions: int) -> list[StreamFault]:
    """The faults of a whole stream, such as the answer to an encode case, in the order of production."""
    stream = Stream(protocol, partitions=partitions, complete=True)
    faults = [fault for message in sent for fault in stream.see(message)]
    return faults + stream.end()
