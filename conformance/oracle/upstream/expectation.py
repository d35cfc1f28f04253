"""The records that a recording should hold: made by the reference from the truth, and paired with those it holds.

The truth says what is in a record. From the record under judgement comes where it stands (`dialects`), and where the
server cut the rows of a statement into rows events, which no statement tells.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from conformance.catalogue.final_state import final_rows
from conformance.catalogue.recordings import Recording
from conformance.catalogue.statements import row_images
from conformance.catalogue.workload import Change, Truth
from conformance.oracle.upstream.alignment import Mark, align
from conformance.oracle.upstream.dialects import DIALECTS, times_of
from conformance.oracle.upstream.reading import READERS, Sight, SightKind
from reference_impl.errors import Rejected, Unsupported
from reference_impl.model import Record, RowChange, Table
from reference_impl.options import parse
from reference_impl.protocols import Codec
from reference_impl.settings import Settings
from reference_impl.zones import zone_of

__all__ = ["Place", "places"]

_NOWHERE = Record(None, None)


@dataclass(frozen=True, slots=True)
class Place:
    """A place of a recording: what was recorded, what should have been, and the row changes behind it.

    `got` None: nothing was recorded. `expected` None: nothing should have been. With `reason` it cannot be judged.
    """

    id: str
    got: Record | None
    expected: Record | None = None
    changes: tuple[Change, ...] = ()
    reason: str = ""

    @property
    def table(self) -> Table | None:
        """The table whose rows it is about, None where that is not known."""
        return self.changes[0].table if self.changes else None


@dataclass(frozen=True, slots=True)
class _Unit:
    """A row that a recording should hold: which change, which of the records made from it, and its mark."""

    change: int
    part: int
    mark: Mark


def places(recording: Recording, truth: Truth, sql: str | None, codec: Codec) -> list[Place]:
    """Every record of a recording, in order, and every one that is missing after the one before it."""
    return list((_Snapshot if recording.facts.snapshot else _Stream)(recording, truth, sql, codec).places())


class _Writer:
    """The reference encoder of a recording. What it cannot write is told in `refused`, by the number of the change."""

    def __init__(self, recording: Recording, codec: Codec, changes: Sequence[Change], sql: str | None) -> None:
        self._dialect = DIALECTS[recording.protocol]
        self._changes = changes
        self._zone = zone_of(recording.facts.timezone)
        topic = self._dialect.topic.replace("{name}", recording.facts.topic)
        settings = Settings(timezone=recording.facts.timezone, topic=topic)
        options = parse(codec.options, _known_version(codec, recording.options))
        self._new: Callable[[], Any] = lambda: codec.encoder(options, settings=settings)
        self._encoder = self._new()
        self._sessions = dict(row_images(sql)) if sql is not None and self._dialect.packs_rows else {}
        self._read = READERS[recording.protocol]
        self.refused: dict[int, str] = {}

    def event(self, number: int, source: Mapping[str, object], now: Mapping[tuple[str, str], datetime]) -> RowChange:
        """A change as an event at `source`, with what its session had set."""
        change = self._changes[number]
        return change.event({**source, **self._sessions.get(change.statement, {})}, now, self._zone)

    def alone(self, number: int) -> list[Record]:
        """The records of rows that a change makes, standing nowhere; none, and `refused` says why, if it cannot be."""
        event = self.event(number, {**self._dialect.nowhere, "rows_event": str(number)}, {})
        try:
            return self.write([event], [self._changes[number].table])
        except (Rejected, Unsupported) as e:
            self.refused[number] = str(e)
            self._encoder = self._new()
            return []

    def restart(self) -> None:
        """Forget the versions of tables seen so far."""
        self._encoder = self._new()

    def write(self, events: Sequence[RowChange], tables: Sequence[Table]) -> list[Record]:
        """The records of rows for these events. Raises `Rejected` and `Unsupported`."""
        records = self._encoder.encode(events, tables).records
        return [record for record in records if self._read(record).kind is SightKind.ROWS]


def _known_version(codec: Codec, options: Mapping[str, str]) -> Mapping[str, str]:
    """The options with the version that the reference has of the same line: a patch release writes as its line does."""
    known = next((f.metadata["values"] for f in _fields(codec) if f.metadata["name"] == "version"), ())
    version = options.get("version", "")
    if version in known or not known:
        return options
    line = version.rpartition(".")[0]
    return {**options, "version": next((v for v in known if v.rpartition(".")[0] == line), version)}


def _fields(codec: Codec) -> Any:
    return codec.options.__dataclass_fields__.values()


class _Paired:
    """What streams and snapshots have in common: changes, the marks of both sides, and the places of what is no row."""

    def __init__(self, recording: Recording, changes: Sequence[Change], sql: str | None, codec: Codec) -> None:
        self.recording = recording
        self.dialect = DIALECTS[recording.protocol]
        tables: dict[tuple[int, str], Change] = {}
        self.changes = [_narrowed(change, recording.facts.left_out, tables) for change in changes]
        self.writer = _Writer(recording, codec, self.changes, sql)
        self.sights = [self._sight(c.record) for c in recording.records]
        self._times: dict[int, int] = {}
        self.units = list(self._units())
        self.got = [(n, row) for n, sight in enumerate(self.sights) for row in range(len(sight.marks))]

    def _sight(self, record: Record | None) -> Sight:
        if record is None:
            return Sight(SightKind.ROWS, (Mark(None, None, None, None, None),))
        return READERS[self.recording.protocol](record)

    def _units(self) -> Iterator[_Unit]:
        read = READERS[self.recording.protocol]
        for number, change in enumerate(self.changes):
            records = self.writer.alone(number)
            for part, record in enumerate(records):
                yield _Unit(number, part, read(record).marks[0])
            if not records:
                op = self.dialect.ops[change.op]
                yield _Unit(number, 0, Mark(change.table.schema, change.table.name, op, None, ""))
        self.writer.restart()

    def mark(self, n: int, row: int) -> Mark:
        """The mark of a recorded row."""
        return self.sights[n].marks[row]

    def now(self, number: int, record: Record | None, row: int) -> dict[tuple[str, str], datetime]:
        """What the columns of a change hold that a statement's clock filled."""
        change = self.changes[number]
        if not change.now or record is None:
            return {}
        return times_of(self.dialect, change, record, row, self.recording.facts.timezone, self.begin)

    @property
    def begin(self) -> datetime | None:
        """When the recorded statements began; None where they ran before the recording."""
        return None

    def record(self, n: int) -> Record | None:
        """A recorded record."""
        return self.recording.records[n].record

    def standing(self, record: Record | None) -> Mapping[str, object]:
        """Where a record stands, as far as it says so."""
        return {**self.dialect.nowhere, **(self.dialect.position(record).source if record is not None else {})}

    def id(self, n: int) -> str:
        """The case of a recorded record. A number that was there before is told by how often."""
        records = self.recording.records
        times = self._times.setdefault(n, sum(records[k].n == records[n].n for k in range(n + 1)))
        return f"{self.recording.name}/{records[n].n}" + (f"#{times}" if times > 1 else "")

    def in_order(self, judged: Mapping[int, Place], missing: Mapping[int, Sequence[Place]]) -> Iterator[Place]:
        """All places: of every record, judged or not, and after each (-1: before all) what is missing there."""
        for n in range(-1, len(self.sights)):
            if n in judged:
                yield judged[n]
            elif n >= 0:
                yield self._other(n)
            for k, place in enumerate(missing.get(n, ()), 1):
                after = f"after-{self.recording.records[n].n}" if n >= 0 else "before-all"
                yield replace(place, id=f"{self.recording.name}/{after}/missing-{k}")

    def _other(self, n: int) -> Place:
        sight = self.sights[n]
        if sight.kind is not SightKind.ROWS:
            return Place(self.id(n), self.record(n), reason=f"no rule models {sight.kind}")
        return Place(self.id(n), self.record(n))


def _narrowed(change: Change, left_out: frozenset[str], seen: dict[tuple[int, str], Change]) -> Change:
    """The change without columns left out; the tables of one version stay one object."""
    narrow = change.without(left_out)
    if narrow is change:
        return change
    first = seen.setdefault((change.version, change.table.name), narrow)
    return replace(narrow, table=first.table)


class _Stream(_Paired):
    """A recording of the binary log."""

    def __init__(self, recording: Recording, truth: Truth, sql: str | None, codec: Codec) -> None:
        super().__init__(recording, truth.changes, sql, codec)
        # By change and part: the recorded row that is it.
        self.found: dict[tuple[int, int], tuple[int, int]] = {}
        self.behind: dict[int, list[int]] = defaultdict(list)
        self._call = 0
        self._counts = Counter(unit.change for unit in self.units)
        marks = [self.mark(*at) for at in self.got]
        for unit, at in align([unit.mark for unit in self.units], marks):
            if unit is not None and at is not None:
                number = self.units[unit].change
                self.found[number, self.units[unit].part] = self.got[at]
                self.behind[self.got[at][0]].append(number)
        if self.dialect.packs_rows:
            self._absorb()

    @property
    def begin(self) -> datetime | None:
        seconds = (self.dialect.position(c.record).second for c in self.recording.records if c.record is not None)
        first = next((s for s in seconds if s), 0)
        return datetime.fromtimestamp(first, UTC)

    def _absorb(self) -> None:
        """Rows that nothing was paired with are of the record around them, and of one beside them that is damaged."""
        owner = {number: n for n, numbers in self.behind.items() for number in numbers}
        for number, change in enumerate(self.changes):
            if number in owner:
                continue
            before = owner.get(number - 1) if number and _together(self.changes[number - 1], change) else None
            later = (k for k in range(number + 1, len(self.changes)) if k in owner or not self._joins(number, k))
            after = next((owner.get(k) for k in later if self._joins(number, k)), None)
            n = before if before is not None and (before == after or self._is_damaged(before)) else None
            if n is None and after is not None and self._is_damaged(after):
                n = after
            if n is not None:
                owner[number] = n
                self.behind[n].append(number)

    def _joins(self, number: int, other: int) -> bool:
        return _together(self.changes[number], self.changes[other])

    def _is_damaged(self, n: int) -> bool:
        return any(mark.is_damaged for mark in self.sights[n].marks)

    def places(self) -> Iterator[Place]:
        judged = self._packed() if self.dialect.packs_rows else self._single()
        owned = {number for numbers in self.behind.values() for number in numbers}
        yield from self.in_order(judged, self._missing(owned))

    # -- one record a rows event -----------------------------------------------------------------------------------

    def _packed(self) -> dict[int, Place]:
        return {n: self._message(n, sorted(numbers)) for n, numbers in sorted(self.behind.items())}

    def _message(self, n: int, numbers: Sequence[int]) -> Place:
        changes = tuple(self.changes[number] for number in numbers)
        refused = next((self.writer.refused[number] for number in numbers if number in self.writer.refused), None)
        record = self.record(n)
        if refused is not None:
            return Place(self.id(n), record, None, changes, f"the reference does not write it: {refused}")
        source = {**self.standing(record), "rows_event": str(n)}
        events = [self.writer.event(number, source, self.now(number, record, k)) for k, number in enumerate(numbers)]
        return Place(self.id(n), record, self.writer.write(events, [changes[0].table])[0], changes)

    # -- one record a row ------------------------------------------------------------------------------------------

    def _single(self) -> dict[int, Place]:
        judged: dict[int, Place] = {}
        for numbers in self._transactions():
            kept = [number for number in numbers if number not in self.writer.refused]
            for number in set(numbers) - set(kept):
                for _, n in self._parts(number):
                    reason = f"the reference does not write it: {self.writer.refused[number]}"
                    judged[n] = Place(self.id(n), self.record(n), None, (self.changes[number],), reason)
            sources = self._sources(kept)
            standard = self._written(kept, sources)
            for number in kept:
                for part, n in self._parts(number):
                    own = self._source(n)
                    written = standard
                    if own is not None and own != {k: v for k, v in sources[number].items() if k != "rows_event"}:
                        event = sources[number]["rows_event"]
                        written = self._written(kept, {**sources, number: {**own, "rows_event": event}})
                    judged[n] = Place(self.id(n), self.record(n), written[number][part], (self.changes[number],))
        return judged

    def _transactions(self) -> Iterator[list[int]]:
        groups: dict[int, list[int]] = defaultdict(list)
        for number, change in enumerate(self.changes):
            groups[change.transaction].append(number)
        yield from groups.values()

    def _parts(self, number: int) -> list[tuple[int, int]]:
        """(part, recorded record) of a change."""
        found = ((part, self.found.get((number, part))) for part in range(self._counts[number]))
        return [(part, at[0]) for part, at in found if at is not None]

    def _source(self, n: int) -> dict[str, object] | None:
        """Where a record stands; None for one that does not tell, which is a tombstone."""
        record = self.record(n)
        return dict(self.standing(record)) if record is not None and record.value is not None else None

    def _sources(self, numbers: Sequence[int]) -> dict[int, dict[str, object]]:
        """Where each change of a transaction stands. One that was not recorded stands where a neighbour does."""
        known = {n: s for n in numbers if (s := self._first_source(n)) is not None}
        found: dict[int, dict[str, object]] = {}
        for at, number in enumerate(numbers):
            near = [*reversed(numbers[:at]), *numbers[at + 1 :]]
            same = next((k for k in near if k in known and self._joins(k, number)), None)
            other = next((k for k in near if k in known), None)
            chosen = number if number in known else same if same is not None else other
            found[number] = known[chosen] if chosen is not None else dict(self.dialect.nowhere)
        return {number: {**source, "rows_event": str(_event_of(source))} for number, source in found.items()}

    def _first_source(self, number: int) -> dict[str, object] | None:
        return next((s for _, n in self._parts(number) if (s := self._source(n)) is not None), None)

    def _written(self, numbers: Sequence[int], sources: Mapping[int, Mapping[str, object]]) -> dict[int, list[Record]]:
        """The records of each change of a transaction."""
        events, tables = [], {}
        self._call += 1  # the encoder goes on counting where a rows event does
        for number in numbers:
            parts = self._parts(number)
            record = next((self.record(n) for _, n in parts if self._source(n) is not None), None)
            source = {**sources[number], "rows_event": (self._call, sources[number]["rows_event"])}
            events.append(self.writer.event(number, source, self.now(number, record, 0)))
            tables[self.changes[number].table.id] = self.changes[number].table
        records = iter(self.writer.write(events, list(tables.values())))
        return {number: [next(records) for _ in range(self._counts[number])] for number in numbers}

    # -- what is not there -----------------------------------------------------------------------------------------

    def _missing(self, owned: set[int]) -> dict[int, list[Place]]:
        """By the record before: what should have been recorded there and was not.

        Of a recording that was cut short, what comes after its last row was not to be expected.
        """
        missing: dict[int, list[Place]] = defaultdict(list)
        last, previous = -1, None
        end = max(owned, default=-1) if self.recording.meta.get("complete") is False else len(self.changes)
        for unit in self.units:
            at = self.found.get((unit.change, unit.part))
            change = self.changes[unit.change]
            if at is not None:
                last, previous = at[0], None
            elif not (self.dialect.packs_rows and unit.change in owned) and unit.change <= end:
                packed = self.dialect.packs_rows and previous is not None and _together(previous, change)
                if packed:
                    missing[last][-1] = replace(missing[last][-1], changes=(*missing[last][-1].changes, change))
                else:
                    missing[last].append(self._absent(unit))
                previous = change
        return missing

    def _absent(self, unit: _Unit) -> Place:
        records = self.writer.alone(unit.change)
        expected = records[unit.part] if records else _NOWHERE
        return Place("", None, expected, (self.changes[unit.change],))


def _event_of(source: Mapping[str, object]) -> object:
    where = source.get("source")
    return (where.get("file"), where.get("pos")) if isinstance(where, Mapping) else None


def _together(one: Change, other: Change) -> bool:
    """Whether two rows may be of one rows event."""
    return (one.statement, one.table.id, one.op) == (other.statement, other.table.id, other.op)


class _Snapshot(_Paired):
    """A recording of what tables held at the end. A snapshot promises no order of rows: theirs is taken as it is."""

    def __init__(self, recording: Recording, truth: Truth, sql: str | None, codec: Codec) -> None:
        self.left = final_rows(truth, sql)
        super().__init__(recording, [row.change for row in self.left], None, codec)

    def places(self) -> Iterator[Place]:
        found = self._matched()
        order: list[tuple[int | None, int]] = [(n, number) for n, number in sorted(found.items())]
        missing = [u.change for u in self.units if u.change not in found.values() and not self.left[u.change].reason]
        for number in missing:  # a row that is missing counts among the rows of its table all the same
            same = [
                k for k, (_, other) in enumerate(order) if self.changes[other].table.id == self.changes[number].table.id
            ]
            order.insert(same[-1] + 1 if same else len(order), (None, number))
        written = self._written(order)
        judged: dict[int, Place] = {}
        gone: dict[int, list[Place]] = defaultdict(list)
        last = -1
        for (n, number), expected in zip(order, written, strict=True):
            change, reason = (self.changes[number],), self.left[number].reason or self.writer.refused.get(number, "")
            if n is None:
                gone[last].append(Place("", None, expected or _NOWHERE, change))
            else:
                last = n
                judged[n] = Place(self.id(n), self.record(n), expected, change, reason)
        return self.in_order(judged, gone)

    def _matched(self) -> dict[int, int]:
        """The change behind each recorded record: the same mark, else the same key, else what is left of the table."""
        found: dict[int, int] = {}
        free = {unit.change: unit.mark for unit in self.units}
        for same in (_same_mark, _same_key, _same_table):
            for n, row in self.got:
                if n in found:
                    continue
                mark = self.mark(n, row)
                number = next((k for k, other in free.items() if same(mark, other)), None)
                if number is not None:
                    found[n] = number
                    del free[number]
        return found

    def _written(self, order: Sequence[tuple[int | None, int]]) -> list[Record | None]:
        """The records of the rows in this order; None for one that the reference does not write."""
        events = []
        for n, number in order:
            record = self.record(n) if n is not None else None
            source = dict(self.standing(record))
            events.append(self.writer.event(number, source, self.now(number, record, 0)))
        kept = [e for e, (_, number) in zip(events, order, strict=True) if number not in self.writer.refused]
        tables = {change.table.id: change.table for change in self.changes}
        records = iter(self.writer.write(kept, list(tables.values())))
        return [None if number in self.writer.refused else next(records) for _, number in order]


def _same_mark(one: Mark, other: Mark) -> bool:
    return one == other


def _same_key(one: Mark, other: Mark) -> bool:
    return _same_table(one, other) and one.key == other.key and one.key not in (None, "null")


def _same_table(one: Mark, other: Mark) -> bool:
    return (one.schema, one.table) == (other.schema, other.table)
