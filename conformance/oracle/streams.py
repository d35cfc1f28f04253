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
from typing import Generic, NamedTuple, TypeAlias, TypeVar

from conformance.oracle.sent import Sent, SentKind, TableId

__all__ = ["REQUIREMENTS", "FaultKind", "Stream", "StreamFault"]


class Lane(NamedTuple):
    """A partition of a topic."""

    topic: str | None
    partition: int


_REMEMBERED = 1_000_000


class FaultKind(StrEnum):
    """The kinds of faults between messages; the value is the path in reports."""

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


REQUIREMENTS: Mapping[str, Mapping[FaultKind, str]] = {
    "open-protocol": {
        FaultKind.WATERMARK_BACK: "OP-202",
        FaultKind.BELOW_WATERMARK: "OP-202",
        FaultKind.BEHIND_DDL: "OP-201",
        FaultKind.TABLE_BACK: "OP-201",
        FaultKind.KEY_MOVED: "OP-207",
        FaultKind.WATERMARK_MISSED: "OP-203",
        FaultKind.DDL_MISSED: "OP-204",
    },
    "canal-json": {
        FaultKind.WATERMARK_BACK: "CJ-664",
        FaultKind.BELOW_WATERMARK: "CJ-664",
        FaultKind.WATERMARK_UNEXPECTED: "CJ-050",
        FaultKind.WATERMARK_MISSED: "CJ-051",
        FaultKind.BEHIND_DDL: "CJ-629",
        FaultKind.KEY_BACK: "CJ-666",
        FaultKind.KEY_MOVED: "CJ-666",
        FaultKind.DDL_ELSEWHERE: "CJ-051a",
    },
    "debezium": {
        FaultKind.WATERMARK_BACK: "DBZ-404",
        FaultKind.BELOW_WATERMARK: "DBZ-404",
        FaultKind.WATERMARK_UNEXPECTED: "DBZ-400a",
        FaultKind.WATERMARK_MISSED: "DBZ-403",
        FaultKind.BEHIND_DDL: "DBZ-039b",
        FaultKind.KEY_BACK: "DBZ-039a",
        FaultKind.KEY_MOVED: "DBZ-039a",
        FaultKind.DDL_MISSED: "DBZ-303",
    },
}


@dataclass(frozen=True, slots=True)
class StreamFault:
    """A broken rule: the message that shows it, with the expectation and the fact in words."""

    kind: FaultKind
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


class _LastChange(NamedTuple):
    """The last change of a row."""

    lane: Lane
    commit_ts: int  # the highest one of all changes of the row


@dataclass(slots=True)
class _LaneState:
    """The state of a lane; all numbers are commit time stamps (TSO)."""

    from_start: bool  # whether the first message seen is the first one sent
    since: int | None = None  # of the first message
    watermark: int | None = None  # the highest watermark
    first: dict[TableId, int] = field(default_factory=dict)  # of the first message about each table
    tables: dict[TableId, int] = field(default_factory=dict)  # of each table: the highest of its rows
    ddl: dict[TableId, int] = field(default_factory=dict)  # of each table: the highest of its DDL statements


CheckResult: TypeAlias = tuple[str, str] | tuple[()] | None
"""(expectation, fact) of a fault; `_HOLDS` or `_UNCHECKED` without one."""

_HOLDS: tuple[()] = ()
_UNCHECKED: None = None  # the rule cannot be checked, so that its requirement is not evaluated
Check: TypeAlias = Callable[["Stream", Sent, Lane, _LaneState], CheckResult]


def _older(limit: int | None, sent: Sent, what: str) -> CheckResult:
    """The fault of a message older than `limit`, the commit time stamp of `what`."""
    if limit is None or sent.commit_ts is None:
        return _UNCHECKED
    if sent.commit_ts >= limit:
        return _HOLDS
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
    last = stream.last_change(sent)
    if last is None or last.lane != lane:
        return _UNCHECKED
    return _older(last.commit_ts, sent, "the change of this row of")


def _key_moved(stream: Stream, sent: Sent, lane: Lane, state: _LaneState) -> CheckResult:
    last = stream.last_change(sent)
    if last is None:
        return _UNCHECKED
    if last.lane == lane:
        return _HOLDS
    return f"every change of this row in partition {last.lane.partition}", f"one in partition {lane.partition}"


def _ddl_elsewhere(stream: Stream, sent: Sent, lane: Lane, state: _LaneState) -> CheckResult:
    return _HOLDS if lane.partition == 0 else ("a DDL message in partition 0", f"one in partition {lane.partition}")


def _watermark_unexpected(stream: Stream, sent: Sent, lane: Lane, state: _LaneState) -> CheckResult:
    return _HOLDS if stream.watermarks_expected else ("no watermark without the extension", "a watermark")


CHECKS: Mapping[SentKind, tuple[tuple[FaultKind, Check], ...]] = {
    SentKind.ROW: (
        (FaultKind.BELOW_WATERMARK, _below_watermark),
        (FaultKind.BEHIND_DDL, _behind_ddl),
        (FaultKind.TABLE_BACK, _table_back),
        (FaultKind.KEY_BACK, _key_back),
        (FaultKind.KEY_MOVED, _key_moved),
    ),
    SentKind.DDL: ((FaultKind.BELOW_WATERMARK, _below_watermark), (FaultKind.DDL_ELSEWHERE, _ddl_elsewhere)),
    SentKind.WATERMARK: (
        (FaultKind.WATERMARK_BACK, _below_watermark),
        (FaultKind.WATERMARK_UNEXPECTED, _watermark_unexpected),
    ),
}


def _saw_row(stream: Stream, sent: Sent, lane: Lane, state: _LaneState) -> None:
    commit_ts = sent.commit_ts or 0
    state.tables[sent.table] = max(state.tables.get(sent.table, 0), commit_ts)
    stream.note_change(sent, lane, commit_ts)


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
_EXCUSED_IF_RESENT = frozenset(
    {FaultKind.BELOW_WATERMARK, FaultKind.BEHIND_DDL, FaultKind.TABLE_BACK, FaultKind.KEY_BACK}
)

# The fault of a message that must reach every partition, but does not.
_MISSED: Mapping[SentKind, FaultKind] = {
    SentKind.DDL: FaultKind.DDL_MISSED,
    SentKind.WATERMARK: FaultKind.WATERMARK_MISSED,
}


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
        self._last_changes: _Memory[Hashable, _LastChange] = _Memory(remembered)
        self._requirements = REQUIREMENTS[protocol]
        self._partition_count = partitions
        self._complete = complete
        self._lanes: dict[Lane, _LaneState] = {}
        self._seen: _Memory[tuple[Lane, bytes], bool] = _Memory(remembered)
        self._reached: _Memory[tuple[SentKind, str | None, bytes], tuple[Sent, set[int]]] = _Memory(remembered)
        # Kind and topic → the highest commit time stamp that dropped out of `_reached`.
        self._forgotten_until: dict[tuple[SentKind, str | None], int] = {}

    def last_change(self, sent: Sent) -> _LastChange | None:
        """The last change of a row before the message; None if its key is unknown or has not been seen."""
        return None if sent.key is None else self._last_changes.get((sent.topic, sent.table, sent.key))

    def note_change(self, sent: Sent, lane: Lane, commit_ts: int) -> None:
        """Note a message as the last change of its row; a message without a key is of no known row."""
        if sent.key is not None:
            last = self.last_change(sent)
            change = _LastChange(lane, max(commit_ts, last.commit_ts if last else 0))
            self._last_changes.put((sent.topic, sent.table, sent.key), change)

    def see(self, sent: Sent) -> list[StreamFault]:
        """The faults of a message at its position in the stream."""
        if sent.partition is None:
            return self._see_without_partition(sent)
        lane = Lane(sent.topic, sent.partition)
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
        fault = FaultKind.WATERMARK_UNEXPECTED
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

    def _fault(self, fault: FaultKind, sent: Sent, expected: str, got: str) -> StreamFault:
        return StreamFault(fault, self._requirements[fault], sent, expected, got)

    def _note_reached(self, sent: Sent, partition: int) -> None:
        """Note the partition of a message that must reach every partition."""
        if _MISSED.get(sent.kind) not in self._requirements or sent.commit_ts is None:
            return
        item = (sent.kind, sent.topic, sent.identity)
        first, reached = self._reached.get(item) or (sent, set[int]())
        reached.add(partition)
        dropped = self._reached.put(item, (first, reached))
        if dropped is not None:
            message, _ = dropped
            kind_and_topic, until = (message.kind, message.topic), message.commit_ts or 0
            self._forgotten_until[kind_and_topic] = max(self._forgotten_until.get(kind_and_topic, 0), until)

    def end(self) -> list[StreamFault]:
        """The faults at the end of the stream: statements and watermarks that did not reach every partition."""
        faults = []
        for (kind, topic, _), (sent, reached) in self._reached.items():
            if sent.commit_ts is None or sent.commit_ts <= self._forgotten_until.get((kind, topic), -1):
                continue  # the partitions that it reached may be forgotten
            fault = _MISSED[kind]
            self.evaluated.add(self._requirements[fault])
            missed = [p for p in self._partitions_of(topic) if p not in reached and self._is_past(sent, Lane(topic, p))]
            if missed:
                where = f"not in partition {', '.join(map(str, missed))}"
                faults.append(self._fault(fault, sent, f"the {kind} of {sent.commit_ts} in every partition", where))
        return faults

    def _partitions_of(self, topic: str | None) -> Iterable[int]:
        if self._partition_count is not None:
            return range(self._partition_count)
        return sorted(partition for name, partition in self._lanes if name == topic)

    def _is_past(self, sent: Sent, lane: Lane) -> bool:
        """Whether the lane was seen before and after the time at which the message should have come."""
        if self._complete:
            return True
        state = self._lanes.get(lane)
        if state is None or state.since is None or state.watermark is None or sent.commit_ts is None:
            return False
        return state.since < sent.commit_ts < state.watermark
