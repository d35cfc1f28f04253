"""Recordings of the binary log: every record of rows is paired, in order, with its changes.

A dialect either packs the rows of a rows event into one record (Canal), or writes a record for each row (Debezium).
Numbers of changes and of recorded records begin with 0; -1 stands for the place before the first record.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime

from conformance.cases.upstream.model import Position
from conformance.catalogue.recordings import Recording
from conformance.catalogue.workload import Change, Truth
from conformance.oracle.upstream.alignment import align
from conformance.oracle.upstream.pairing import EMPTY_RECORD, ExpectedRow, PairedRecording, RecordPair
from conformance.oracle.upstream.reading import TOMBSTONE, RecordKind
from conformance.oracle.upstream.script import Script
from conformance.oracle.upstream.statement_texts import statement_text_matches
from conformance.oracle.upstream.transaction_boundaries import TransactionBoundaries
from conformance.oracle.upstream.writer import NOT_WRITTEN
from reference_impl.errors import Rejected, Unsupported
from reference_impl.model import Record
from reference_impl.protocols import Dialect

__all__ = ["BinlogRecording"]

# Kind of a statement's record → `what` and `uncertain` of its pair. The truth does not decide the number of the row.
_PAIRS_OF_STATEMENTS: Mapping[RecordKind, tuple[str, frozenset[str]]] = {
    RecordKind.DDL: ("ddl", frozenset()),
    RecordKind.TRUNCATION: ("truncation", frozenset({"value.source.row"})),
}


class BinlogRecording(PairedRecording):
    """A recording of the binary log.

    A change of several records (the two halves of an update of a key, a tombstone) has a part for each.
    """

    def __init__(self, recording: Recording, truth: Truth, sql: str | None, codec: Dialect) -> None:
        super().__init__(recording, truth.changes, sql, codec)
        self.sql = sql
        self._script = None if sql is None else Script(recording, truth, sql, self.writer.new_encoder)
        # (change, part) → the recorded row: (record, index of the row in it).
        self._recorded_parts: dict[tuple[int, int], tuple[int, int]] = {}
        # Recorded record → the changes behind its rows.
        self._changes_of: dict[int, list[int]] = defaultdict(list)
        self._write_count = 0
        self._boundaries = TransactionBoundaries(self.summaries, [c.record for c in recording.records])
        # Record → the missing transaction boundaries and texts of statements after it.
        self._missing_others: dict[int, list[RecordPair]] = defaultdict(list)
        # Change → the number of its records.
        self._part_counts = Counter(row.change for row in self.expected_rows)
        identities = [self.identity(n, row) for n, row in self.recorded_rows]
        for i, j in align([row.identity for row in self.expected_rows], identities):
            if i is not None and j is not None:
                expected, (n, row) = self.expected_rows[i], self.recorded_rows[j]
                self._recorded_parts[expected.change, expected.part] = n, row
                self._changes_of[n].append(expected.change)
        if self.dialect.packs_rows:
            self._assign_unpaired_changes()

    @property
    def begin(self) -> datetime | None:
        seconds = (self.dialect.position(c.record).second for c in self.recording.records if c.record is not None)
        first = next((s for s in seconds if s), 0)
        return datetime.fromtimestamp(first, UTC)

    def _record_of_each_change(self) -> dict[int, int]:
        """Change → the record that its rows are in."""
        return {number: n for n, numbers in self._changes_of.items() for number in numbers}

    def _assign_unpaired_changes(self) -> None:
        """Assign each change without a record to the record around it, or to a damaged record beside it."""
        owner = self._record_of_each_change()
        for number in range(len(self.changes)):
            if number in owner:
                continue
            before = owner.get(number - 1) if number and self._may_share_rows_event(number - 1, number) else None
            later_changes = range(number + 1, len(self.changes))
            later = (k for k in later_changes if k in owner and self._may_share_rows_event(number, k))
            after = next((owner[k] for k in later), None)
            if before is not None and (before == after or self._is_damaged(before)):
                owner[number] = before
            elif after is not None and self._is_damaged(after):
                owner[number] = after
            else:
                continue
            self._changes_of[owner[number]].append(number)

    def _may_share_rows_event(self, number: int, other: int) -> bool:
        """Whether the rows of two changes may be of one rows event."""
        one, two = self.changes[number], self.changes[other]
        return (one.statement, one.table.id, one.op) == (two.statement, two.table.id, two.op)

    def _is_damaged(self, n: int) -> bool:
        return any(identity.is_damaged for identity in self.summaries[n].identities)

    def pairs(self) -> Iterator[RecordPair]:
        judged = self._packed_pairs() if self.dialect.packs_rows else self._single_row_pairs()
        missing = self._missing_pairs()
        self._add_statements(judged, missing)
        yield from self.in_order(judged, missing)

    def _add_statements(self, judged: dict[int, RecordPair], missing: dict[int, list[RecordPair]]) -> None:
        """Add the missing and the repeated records of statements, and all records of truncations."""
        if self._script is None:
            return
        matches = list(self._script.matches(self.summaries, [c.record for c in self.recording.records], self.source_of))
        # (statement, record) of all that were recorded.
        ran = [(self.changes[k].statement, n) for n, numbers in self._changes_of.items() for k in numbers]
        ran += [(match.number, match.got) for match in matches if match.number is not None and match.got is not None]
        last_statement = max((number for number, _ in ran), default=-1)
        for match in matches:
            what, uncertain = _PAIRS_OF_STATEMENTS[match.kind]
            if match.got is not None:
                if match.number is None or match.kind is RecordKind.TRUNCATION:
                    judged[match.got] = RecordPair(
                        self.id(match.got), self.record(match.got), match.expected, (), match.reason, what, uncertain
                    )
            elif match.number is not None and (match.number <= last_statement or not self.is_cut):
                before = max((n for number, n in ran if number < match.number), default=-1)
                missing[before].append(RecordPair("", None, match.expected, (), match.reason, what))

    # -- one record a rows event -----------------------------------------------------------------------------------

    def _packed_pairs(self) -> dict[int, RecordPair]:
        judged = {n: self._message_pair(n) for n in sorted(self._changes_of)}
        self._add_statement_texts(judged)
        return judged

    def _add_statement_texts(self, judged: dict[int, RecordPair]) -> None:
        """Add the messages with the text of a statement."""
        owner = self._record_of_each_change()
        server = str(self.recording.meta.get("server", ""))
        records = [c.record for c in self.recording.records]
        for match in statement_text_matches(self.sql, server, self.changes, self.summaries, records):
            n, number = match.got, match.first_change
            expected: Record | None = None
            changes: tuple[Change, ...] = ()
            refused = "" if number is None else self.writer.refused.get(number, "")
            if number is not None and not refused:
                record = self.record(n) if n is not None else None
                event = self.writer.event(number, {**self.source_of(record), "query": match.text}, {})
                self.writer.write([event], [self.changes[number].table])
                expected, changes = self.writer.other_records[0], (self.changes[number],)
            if n is not None:
                judged[n] = RecordPair(self.id(n), self.record(n), expected, changes, refused, what="statement")
            elif expected is not None and number in owner:
                before = owner[number] - 1
                self._missing_others[before].append(RecordPair("", None, expected, changes, what="statement"))

    def _message_pair(self, n: int) -> RecordPair:
        """The pair of a record of rows, which is written anew from the changes behind it."""
        first = min(self._changes_of[n])
        # A message holds rows of one statement; a damaged one may seem to hold others.
        numbers = sorted(k for k in self._changes_of[n] if self._may_share_rows_event(k, first))
        self._changes_of[n] = numbers
        changes = tuple(self.changes[number] for number in numbers)
        refused = next((self.writer.refused[number] for number in numbers if number in self.writer.refused), "")
        record = self.record(n)
        self.writer.encode_definitions_before(numbers[0])
        if refused:
            return RecordPair(self.id(n), record, None, changes, refused)
        # At the recorded position; if the reference refuses that, at the default one.
        for position in (self.source_of(record), self.dialect.default_source):
            source = {**position, "rows_event": str(n)}
            events = [self.writer.event(k, source, self.clock_values(k, record, row)) for row, k in enumerate(numbers)]
            try:
                return RecordPair(self.id(n), record, self.writer.write(events, [changes[0].table])[0], changes)
            except (Rejected, Unsupported) as e:
                refused = f"{NOT_WRITTEN}: {e}"
        return RecordPair(self.id(n), record, None, changes, refused)

    # -- one record a row ------------------------------------------------------------------------------------------

    def _single_row_pairs(self) -> dict[int, RecordPair]:
        judged: dict[int, RecordPair] = {}
        for numbers in self._transactions():
            kept = [number for number in numbers if number not in self.writer.refused]
            for number in set(numbers) - set(kept):
                refused = self.writer.refused[number]
                for _, n in self._recorded_parts_of(number):
                    judged[n] = RecordPair(self.id(n), self.record(n), None, (self.changes[number],), refused)
            for number, n, written in self._expected_records(kept):
                judged[n] = RecordPair(self.id(n), self.record(n), written, (self.changes[number],))
            recorded = [n for number in kept for _, n in self._recorded_parts_of(number)]
            if recorded:
                boundaries = self._boundaries.matches(self.writer.other_records, min(recorded), max(recorded))
                for got, before, expected in boundaries:
                    if got is None:
                        self._missing_others[before].append(RecordPair("", None, expected))
                    else:
                        judged[got] = RecordPair(self.id(got), self.record(got), expected)
        return judged

    def _expected_records(self, numbers: Sequence[int]) -> Iterator[tuple[int, int, Record]]:
        """(change, recorded record, expected record) of the changes of a transaction.

        If a record has another position than the first one of its change, the transaction is written again with it.
        """
        sources = self._sources(numbers)
        written_once = self._write(numbers, sources)
        for number in numbers:
            for part, n in self._recorded_parts_of(number):
                own = {k: v for k, v in (self._readable_source(n) or {}).items() if k != "transaction"}
                source = {**sources[number], **own}
                is_first = source == sources[number]
                written = written_once if is_first else self._write(numbers, {**sources, number: source})
                yield number, n, written[number][part]

    def _transactions(self) -> Iterator[list[int]]:
        """The changes of each transaction."""
        groups: dict[int, list[int]] = defaultdict(list)
        for number, change in enumerate(self.changes):
            groups[change.transaction].append(number)
        yield from groups.values()

    def _recorded_parts_of(self, number: int) -> list[tuple[int, int]]:
        """(part, recorded record) of a change."""
        parts = range(self._part_counts[number])
        return [(k, self._recorded_parts[number, k][0]) for k in parts if (number, k) in self._recorded_parts]

    def _readable_source(self, n: int) -> dict[str, object] | None:
        """The position of a record; None for a tombstone, and for an unreadable record."""
        record = self.record(n)
        if record is None or record.value is None or self._is_damaged(n):
            return None
        return dict(self.source_of(record))

    def _sources(self, numbers: Sequence[int]) -> dict[int, dict[str, object]]:
        """The position of each change of a transaction: its own, else that of a change before it, else after it."""
        first_records = {k: record for k in numbers if (record := self._first_readable(k)) is not None}
        own_sources = {k: dict(self.source_of(record)) for k, record in first_records.items()}
        positions = {k: self.dialect.position(record) for k, record in first_records.items()}
        transaction = self._transaction(numbers, own_sources)
        events = self._rows_events(numbers, positions)
        sources = {}
        for k, number in enumerate(numbers):
            nearest_first = [number, *reversed(numbers[:k]), *numbers[k + 1 :]]
            chosen = next((other for other in nearest_first if other in own_sources), None)
            source = own_sources[chosen] if chosen is not None else dict(self.dialect.default_source)
            sources[number] = {**source, **transaction, "rows_event": events[number]}
        return sources

    def _transaction(
        self, numbers: Sequence[int], own_sources: Mapping[int, Mapping[str, object]]
    ) -> Mapping[str, object]:
        """The member `transaction` of positions: the id that most rows and boundaries have; empty without any."""
        recorded = [n for number in numbers for _, n in self._recorded_parts_of(number)]
        around = self._boundaries.ids_around(min(recorded), max(recorded)) if recorded else ()
        in_rows = (source.get("transaction") for source in own_sources.values())
        ids: Counter[object] = Counter([*around, *(id_ for id_ in in_rows if id_ is not None)])
        return {"transaction": ids.most_common(1)[0][0]} if ids else {}

    def _first_readable(self, number: int) -> Record | None:
        """The first record of a change that has a readable position, None if there is none."""
        readable = (n for _, n in self._recorded_parts_of(number) if self._readable_source(n) is not None)
        return next(map(self.record, readable), None)

    def _rows_events(self, numbers: Sequence[int], positions: Mapping[int, Position]) -> dict[int, object]:
        """The rows event of each change: the one in its record, else that of the row before it.

        The last row of an event of several gets the event of the row before, which is the same unless one of the two
        is damaged: this corrects it. A row that was not recorded belongs to the next event if the recorded
        part of that event begins with a later row.
        """
        events: dict[int, object] = {}
        for k, number in enumerate(numbers):
            has_before = k > 0 and self._may_share_rows_event(numbers[k - 1], number)
            event_before = events[numbers[k - 1]] if has_before else None
            own = positions.get(number)
            later = (
                positions[other]
                for other in numbers[k + 1 :]
                if other in positions and self._may_share_rows_event(number, other)
            )
            following = next(later, None)
            if own is not None:
                is_last = own.row > 0 and (following is None or following.rows_event != own.rows_event)
                events[number] = event_before if has_before and is_last else own.rows_event
            elif following is not None and (not has_before or following.row > 0):
                events[number] = following.rows_event
            else:
                events[number] = event_before if has_before else ("alone", number)
        return events

    def _write(self, numbers: Sequence[int], sources: Mapping[int, Mapping[str, object]]) -> dict[int, list[Record]]:
        """Change → its records, of the changes of a transaction at these positions."""
        if not numbers:
            return {}
        events, tables = [], {}
        self.writer.encode_definitions_before(numbers[0])
        self._write_count += 1  # makes the rows events of each call new ones for the encoder, which counts their rows
        for number in numbers:
            record = self._first_readable(number)
            source = {**sources[number], "rows_event": (self._write_count, sources[number]["rows_event"])}
            events.append(self.writer.event(number, source, self.clock_values(number, record, 0)))
            tables[self.changes[number].table.id] = self.changes[number].table
        try:
            records = iter(self.writer.write(events, list(tables.values())))
        except Rejected:  # the reference wrote the changes before, so it refuses the recorded positions
            source = {**self.dialect.default_source, "rows_event": self._write_count}
            self.writer.reset()
            records = iter(self.writer.write([replace(e, source=source) for e in events], list(tables.values())))
        return {number: [next(records) for _ in range(self._part_counts[number])] for number in numbers}

    # -- missing records -------------------------------------------------------------------------------------------

    def _missing_pairs(self) -> dict[int, list[RecordPair]]:
        """The missing records, by the record before them; none after the last row of a recording that was cut."""
        owned = {number for numbers in self._changes_of.values() for number in numbers}
        missing: dict[int, list[RecordPair]] = defaultdict(list, self._missing_others)
        packs_rows = self.dialect.packs_rows
        end = max(owned, default=-1) if self.is_cut else len(self.changes)
        last = -1  # the last recorded record
        previous = None  # the change of the missing row before this one, if no recorded row is between them
        for row in self.expected_rows:
            recorded = self._recorded_parts.get((row.change, row.part))
            if recorded is not None:
                last, previous = recorded[0], None
            elif not (packs_rows and row.change in owned) and row.change <= end:
                # The rows of one rows event are missing as one record.
                if packs_rows and previous is not None and self._may_share_rows_event(previous, row.change):
                    pair = missing[last].pop()
                    missing[last].append(replace(pair, changes=(*pair.changes, self.changes[row.change])))
                else:
                    missing[last].append(self._missing_row(row))
                previous = row.change
        return missing

    def _missing_row(self, row: ExpectedRow) -> RecordPair:
        records = self.writer.records_of(row.change)
        expected = records[row.part] if records else EMPTY_RECORD
        what = "tombstone" if row.identity.op == TOMBSTONE else "record"
        return RecordPair("", None, expected, (self.changes[row.change],), what=what)
