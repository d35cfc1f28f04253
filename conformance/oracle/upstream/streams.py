"""Recordings of the binary log: every record of rows is paired, in order, with its changes."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime

from conformance.cases.upstream.model import Position
from conformance.catalogue.recordings import Recording
from conformance.catalogue.workload import Change, Truth
from conformance.oracle.upstream.alignment import align
from conformance.oracle.upstream.annotations import statement_texts_shown
from conformance.oracle.upstream.borders import Borders
from conformance.oracle.upstream.pairing import NOTHING, Paired, Place, Unit
from conformance.oracle.upstream.reading import RecordKind
from conformance.oracle.upstream.script import Script
from conformance.oracle.upstream.writer import NOT_WRITTEN
from reference_impl.errors import Rejected, Unsupported
from reference_impl.model import Record
from reference_impl.protocols import Dialect

__all__ = ["Stream"]

# What rules call the records of statements, and what nothing decides of one: the row that was last counted.
_STATEMENTS: Mapping[RecordKind, tuple[str, frozenset[str]]] = {
    RecordKind.DDL: ("ddl", frozenset()),
    RecordKind.TRUNCATION: ("truncation", frozenset({"value.source.row"})),
}


class Stream(Paired):
    """A recording of the binary log."""

    def __init__(self, recording: Recording, truth: Truth, sql: str | None, codec: Dialect) -> None:
        super().__init__(recording, truth.changes, sql, codec)
        self.sql = sql
        self._script = None if sql is None else Script(recording, truth, sql, codec, self.writer.options)
        # By change and part: the recorded row that is it.
        self.found: dict[tuple[int, int], tuple[int, int]] = {}
        self.behind: dict[int, list[int]] = defaultdict(list)
        self._call = 0
        self.borders = Borders(self.summaries, [c.record for c in recording.records])
        # By the record before: borders of transactions that are not there.
        self.unmarked: dict[int, list[Place]] = defaultdict(list)
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
        return any(mark.is_damaged for mark in self.summaries[n].marks)

    def places(self) -> Iterator[Place]:
        judged = self._packed() if self.dialect.packs_rows else self._single()
        owned = {number for numbers in self.behind.values() for number in numbers}
        missing = self._missing(owned)
        self._judge_statements(judged, missing)
        yield from self.in_order(judged, missing)

    def _judge_statements(self, judged: dict[int, Place], missing: dict[int, list[Place]]) -> None:
        """Add the records of statements that are not there, that are there twice, and those of truncations."""
        if self._script is None:
            return
        matches = list(self._script.matches(self.summaries, [c.record for c in self.recording.records], self.standing))
        ran = [(self.changes[k].statement, n) for n, numbers in self.behind.items() for k in numbers]
        ran += [(t.number, t.got) for t in matches if t.number is not None and t.got is not None]
        last = max((number for number, _ in ran), default=-1)
        cut = self.recording.meta.get("complete") is False
        for t in matches:
            what, vague = _STATEMENTS[t.kind]
            if t.got is not None and (t.number is None or t.kind is RecordKind.TRUNCATION):
                judged[t.got] = Place(self.id(t.got), self.record(t.got), t.expected, (), t.reason, what, vague)
            elif t.got is None and t.number is not None and not (cut and t.number > last):
                before = max((n for number, n in ran if number < t.number), default=-1)
                missing[before].append(Place("", None, t.expected, (), t.reason, what))

    # -- one record a rows event -----------------------------------------------------------------------------------

    def _packed(self) -> dict[int, Place]:
        judged = {n: self._message(n) for n in sorted(self.behind)}
        self._statements(judged)
        return judged

    def _statements(self, judged: dict[int, Place]) -> None:
        """Add the messages about statements."""
        owner = {number: n for n, numbers in self.behind.items() for number in numbers}
        server = str(self.recording.meta.get("server", ""))
        records = [c.record for c in self.recording.records]
        for n, number, text in statement_texts_shown(self.sql, server, self.changes, self.summaries, records):
            expected: Record | None = None
            changes: tuple[Change, ...] = ()
            refused = "" if number is None else self.writer.refused.get(number, "")
            if number is not None and not refused:
                record = self.record(n) if n is not None else None
                event = self.writer.event(number, {**self.standing(record), "query": text}, {})
                self.writer.write([event], [self.changes[number].table])
                expected, changes = self.writer.others[0], (self.changes[number],)
            if n is not None:
                judged[n] = Place(self.id(n), self.record(n), expected, changes, refused, what="statement")
            elif expected is not None and number in owner:
                before = owner[number] - 1
                self.unmarked[before].append(Place("", None, expected, changes, what="statement"))

    def _message(self, n: int) -> Place:
        numbers = sorted(k for k in self.behind[n] if self._joins(k, min(self.behind[n])))
        self.behind[n] = numbers  # rows of another statement are not in this message, whatever it looks like
        changes = tuple(self.changes[number] for number in numbers)
        refused = next((self.writer.refused[number] for number in numbers if number in self.writer.refused), "")
        record = self.record(n)
        self.writer.define(numbers[0])
        for standing in () if refused else (self.standing(record), self.dialect.nowhere):
            source = {**standing, "rows_event": str(n)}
            events = [self.writer.event(k, source, self.now(k, record, row)) for row, k in enumerate(numbers)]
            try:
                return Place(self.id(n), record, self.writer.write(events, [changes[0].table])[0], changes)
            except (Rejected, Unsupported) as e:
                refused = f"{NOT_WRITTEN}: {e}"
        return Place(self.id(n), record, None, changes, refused)

    # -- one record a row ------------------------------------------------------------------------------------------

    def _single(self) -> dict[int, Place]:
        judged: dict[int, Place] = {}
        for numbers in self._transactions():
            kept = [number for number in numbers if number not in self.writer.refused]
            for number in set(numbers) - set(kept):
                for _, n in self._parts(number):
                    refused = self.writer.refused[number]
                    judged[n] = Place(self.id(n), self.record(n), None, (self.changes[number],), refused)
            for number, n, expected in self._transaction(kept):
                judged[n] = Place(self.id(n), self.record(n), expected, (self.changes[number],))
            recorded = [n for number in kept for _, n in self._parts(number)]
            if recorded:
                for at, before, border in self.borders.found(self.writer.others, min(recorded), max(recorded)):
                    if at is None:
                        self.unmarked[before].append(Place("", None, border))
                    else:
                        judged[at] = Place(self.id(at), self.record(at), border)
        return judged

    def _transaction(self, numbers: Sequence[int]) -> Iterator[tuple[int, int, Record]]:
        """(change, recorded record, expected record) of the changes of a transaction.

        Where a record stands elsewhere than the change's first one, all of it is written again from there.
        """
        sources = self._sources(numbers)
        standard = self._written(numbers, sources)
        for number in numbers:
            for part, n in self._parts(number):
                own = self._source(n)
                written = standard
                here = {**sources[number], **{k: v for k, v in (own or {}).items() if k != "transaction"}}
                if here != sources[number]:
                    written = self._written(numbers, {**sources, number: here})
                yield number, n, written[number][part]

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
        """The position of a record; None for a tombstone, and for an unreadable one."""
        record = self.record(n)
        if record is None or record.value is None or self._is_damaged(n):
            return None
        return dict(self.standing(record))

    def _sources(self, numbers: Sequence[int]) -> dict[int, dict[str, object]]:
        """Where each change of a transaction stands. One that was not recorded stands where a neighbour does."""
        known = {k: found for k in numbers if (found := self._standing_of(k)) is not None}
        recorded = [n for number in numbers for _, n in self._parts(number)]
        around = self.borders.ids_around(min(recorded), max(recorded)) if recorded else ()
        given = (found[0].get("transaction") for found in known.values())
        ids = Counter([*around, *(one for one in given if one is not None)])
        transaction = {"transaction": ids.most_common(1)[0][0]} if ids else {}
        events = self._events(numbers, known)
        sources = {}
        for at, number in enumerate(numbers):
            near = [number, *reversed(numbers[:at]), *numbers[at + 1 :]]
            chosen = next((k for k in near if k in known), None)
            source = known[chosen][0] if chosen is not None else dict(self.dialect.nowhere)
            sources[number] = {**source, **transaction, "rows_event": events[number]}
        return sources

    def _standing_of(self, number: int) -> tuple[dict[str, object], Position] | None:
        """The position of the first record of a change that has one."""
        for _, n in self._parts(number):
            source, record = self._source(n), self.record(n)
            if source is not None and record is not None:
                return source, self.dialect.position(record)
        return None

    def _events(
        self, numbers: Sequence[int], known: Mapping[int, tuple[dict[str, object], Position]]
    ) -> dict[int, object]:
        """The rows event of each change: where the records say to stand, and else that of the row before it.

        A row alone that says to be of another event, but not to be its first row, is of the event around it. A row
        that was not recorded is of the next event where that begins with another row than its first.
        """
        events: dict[int, object] = {}
        for at, number in enumerate(numbers):
            before = numbers[at - 1] if at and self._joins(numbers[at - 1], number) else None
            later = next((k for k in numbers[at + 1 :] if k in known and self._joins(number, k)), None)
            own, following = (known[k][1] if k in known else None for k in (number, later if later is not None else -1))
            last = events[before] if before is not None else None
            if own is not None:
                alone = own.row > 0 and (following is None or following.rows_event != own.rows_event)
                events[number] = last if before is not None and alone else own.rows_event
            elif following is not None and (before is None or following.row > 0):
                events[number] = following.rows_event
            else:
                events[number] = last if before is not None else ("alone", number)
        return events

    def _written(self, numbers: Sequence[int], sources: Mapping[int, Mapping[str, object]]) -> dict[int, list[Record]]:
        """The records of each change of a transaction."""
        if not numbers:
            return {}
        events, tables = [], {}
        self.writer.define(numbers[0])
        self._call += 1  # the encoder goes on counting where a rows event does
        for number in numbers:
            parts = self._parts(number)
            record = next((self.record(n) for _, n in parts if self._source(n) is not None), None)
            source = {**sources[number], "rows_event": (self._call, sources[number]["rows_event"])}
            events.append(self.writer.event(number, source, self.now(number, record, 0)))
            tables[self.changes[number].table.id] = self.changes[number].table
        try:
            records = iter(self.writer.write(events, list(tables.values())))
        except Rejected:  # no fault of the truth, which was written before: of where the records say to stand
            nowhere = [replace(e, source={**self.dialect.nowhere, "rows_event": self._call}) for e in events]
            self.writer.restart()
            records = iter(self.writer.write(nowhere, list(tables.values())))
        return {number: [next(records) for _ in range(self._counts[number])] for number in numbers}

    # -- what is not there -----------------------------------------------------------------------------------------

    def _missing(self, owned: set[int]) -> dict[int, list[Place]]:
        """By the record before: what should have been recorded there and was not.

        Of a recording that was cut short, what comes after its last row was not to be expected.
        """
        missing: dict[int, list[Place]] = defaultdict(list, self.unmarked)
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

    def _absent(self, unit: Unit) -> Place:
        records = self.writer.alone(unit.change)
        expected = records[unit.part] if records else NOTHING
        return Place("", None, expected, (self.changes[unit.change],))


def _together(one: Change, other: Change) -> bool:
    """Whether two rows may be of one rows event."""
    return (one.statement, one.table.id, one.op) == (other.statement, other.table.id, other.op)
