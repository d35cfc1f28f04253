"""Truth and records side by side: what streams and snapshots have in common."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from conformance.cases.upstream.dialects import DIALECTS, times_of
from conformance.catalogue.recordings import Recording
from conformance.catalogue.statements import session_zones, statements
from conformance.catalogue.workload import Change
from conformance.oracle.upstream.alignment import Mark
from conformance.oracle.upstream.definitions import Definitions
from conformance.oracle.upstream.dialects import DIALECTS as ORACLES
from conformance.oracle.upstream.reading import TOMBSTONE, RecordKind, RecordSummary
from conformance.oracle.upstream.writer import Writer
from reference_impl.model import Expression, Record, Table
from reference_impl.protocols import Dialect
from reference_impl.upstream.debezium.definitions import key_names

__all__ = ["NOTHING", "Paired", "Place", "Unit"]

NOTHING = Record(None, None)
_UTC = re.compile(r"\butc_(?:timestamp|date)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Place:
    """A place of a recording: what was recorded, what should have been, and the row changes behind it.

    `got` None: nothing was recorded. `expected` None: nothing should have been. With `reason` it cannot be judged.
    `what` is what a rule calls a record that is missing or too many; at the places `uncertain` nothing is asked.
    """

    id: str
    got: Record | None
    expected: Record | None = None
    changes: tuple[Change, ...] = ()
    reason: str = ""
    what: str = "record"
    uncertain: frozenset[str] = frozenset()

    @property
    def table(self) -> Table | None:
        """The table whose rows it is about, None if that is not known."""
        return self.changes[0].table if self.changes else None


@dataclass(frozen=True, slots=True)
class Unit:
    """A row that a recording should hold: which change, which of the records made from it, and its mark."""

    change: int
    part: int
    mark: Mark


class Paired:
    """The common base of streams and snapshots: changes, the marks of both sides, and the places of other records."""

    def __init__(self, recording: Recording, changes: Sequence[Change], sql: str | None, codec: Dialect) -> None:
        self.recording = recording
        self.dialect = DIALECTS[recording.protocol]
        tables: dict[tuple[int, str], Change] = {}
        self.changes = [_narrowed(change, recording.facts.left_out, tables) for change in changes]
        self.writer = Writer(recording, codec, self.changes, sql)
        self._definitions = Definitions(recording, codec, self.writer.options, sql)
        self.summaries = [self._summary_of(c.record) for c in recording.records]
        self._times: dict[int, int] = {}
        self._script_of = statements(sql) if sql is not None else []
        self._zones = session_zones(sql) if sql is not None else []
        self.units = list(self._units())
        self.got = [(n, row) for n, summary in enumerate(self.summaries) for row in range(len(summary.marks))]

    def _summary_of(self, record: Record | None) -> RecordSummary:
        if record is None:
            return RecordSummary(RecordKind.ROWS, (Mark(None, None, None, None, None),))
        return ORACLES[self.recording.protocol].summary(record)

    def _units(self) -> Iterator[Unit]:
        read = ORACLES[self.recording.protocol].summary
        for number, change in enumerate(self.changes):
            records = self.writer.alone(number)
            for part, record in enumerate(records):
                yield Unit(number, part, read(record).marks[0])
            if not records:
                for part, op in enumerate(self._unwritten(change)):
                    yield Unit(number, part, Mark(change.table.schema, change.table.name, op, None, ""))
        self.writer.restart()

    def _unwritten(self, change: Change) -> Iterator[str]:
        """The operations of the records of a change that the reference does not write; a key that goes has several."""
        gone = change.op == "delete" or (change.op == "update" and _moves(change))
        if self.dialect.packs_rows or not gone:
            yield self.dialect.ops[change.op]
            return
        yield self.dialect.ops["delete"]
        if self.writer.options.get("tombstones.on.delete") != "false":
            yield TOMBSTONE
        if change.op == "update":
            yield self.dialect.ops["insert"]

    def mark(self, n: int, row: int) -> Mark:
        """The mark of a recorded row."""
        return self.summaries[n].marks[row]

    def now(self, number: int, record: Record | None, row: int) -> dict[tuple[str, str], datetime]:
        """What the columns of a change hold that a statement's clock filled."""
        change = self.changes[number]
        if not change.now or record is None:
            return {}
        zone = self.recording.facts.timezone
        return times_of(self.dialect, change, record, row, zone, self.begin, self._sessions(change))

    def _sessions(self, change: Change) -> Mapping[str, Sequence[str]] | None:
        """The zones in which the images of a change may have been filled: its own session's, or one of those before.

        A statement that says so has the clock of UTC.
        """
        if change.statement >= len(self._zones):
            return None
        until = self._zones[: change.statement + 1]
        defaults = (c.default.text for c in change.table.columns if isinstance(c.default, Expression))
        utc = ["UTC"] if any(map(_UTC.search, (self._script_of[change.statement], *defaults))) else []
        return {"before": list(dict.fromkeys([*until, *utc])), "after": [*utc, until[-1]]}

    @property
    def begin(self) -> datetime | None:
        """When the recorded statements began; None if they ran before the recording."""
        return None

    def record(self, n: int) -> Record | None:
        """A recorded record."""
        return self.recording.records[n].record

    def standing(self, record: Record | None) -> Mapping[str, object]:
        """Where a record stands, as far as it says so."""
        found = dict(self.dialect.nowhere)
        for name, shown in (self.dialect.position(record).source if record is not None else {}).items():
            there = found.get(name)
            found[name] = {**there, **shown} if isinstance(there, dict) and isinstance(shown, dict) else shown
        return found

    def id(self, n: int) -> str:
        """The case of a recorded record. A repeated number gets a count."""
        records = self.recording.records
        times = self._times.setdefault(n, sum(records[k].n == records[n].n for k in range(n + 1)))
        return f"{self.recording.name}/{records[n].n}" + (f"#{times}" if times > 1 else "")

    def in_order(self, judged: Mapping[int, Place], missing: Mapping[int, Sequence[Place]]) -> Iterator[Place]:
        """All places: of every record, judged or not, and after each (-1: before all) what is missing there."""
        for n in range(-1, len(self.summaries)):
            if n in judged:
                yield judged[n]
            elif n >= 0:
                yield self._other(n)
            for k, place in enumerate(missing.get(n, ()), 1):
                after = f"after-{self.recording.records[n].n}" if n >= 0 else "before-all"
                yield replace(place, id=f"{self.recording.name}/{after}/missing-{k}")

    def _other(self, n: int) -> Place:
        summary, record = self.summaries[n], self.record(n)
        if summary.kind is RecordKind.DDL and record is not None:
            expected, uncertain, reason = self._definitions.expected(record)
            return Place(self.id(n), record, expected, (), reason, "ddl", uncertain)
        if summary.kind is not RecordKind.ROWS:
            return Place(self.id(n), self.record(n), reason=f"no rule models {summary.kind}")
        return Place(self.id(n), self.record(n))


def _moves(change: Change) -> bool:
    """Whether an update gives a row another key."""
    before, after = change.before or {}, change.after or {}
    return any(before.get(name) != after.get(name) for name in key_names(change.table, snapshot=False))


def _narrowed(change: Change, left_out: frozenset[str], seen: dict[tuple[int, str], Change]) -> Change:
    """The change without columns left out; the tables of one version stay one object."""
    narrow = change.without(left_out)
    if narrow is change:
        return change
    first = seen.setdefault((change.version, change.table.name), narrow)
    return replace(narrow, table=first.table)
