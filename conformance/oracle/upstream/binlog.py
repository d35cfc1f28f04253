"""Recordings of the binary log: every record of rows is paired, in order, with its changes.

A dialect either packs the rows of a rows event into one record (`packed_rows`, Canal), or writes a record for each row
(`single_rows`, Debezium). Numbers of changes and of recorded records begin with 0; -1 stands for the place before the
first record. In all three modules `n` is the number of a recorded record, and `number` that of a change.
"""

from __future__ import annotations

from abc import abstractmethod
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime

from conformance.catalogue.recordings import Recording
from conformance.catalogue.workload import Truth
from conformance.oracle.upstream.alignment import align
from conformance.oracle.upstream.pairing import EMPTY_RECORD, ExpectedRow, PairedRecording, RecordPair
from conformance.oracle.upstream.reading import TOMBSTONE, RecordKind
from conformance.oracle.upstream.script import Script
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
        # Record → the missing transaction boundaries and texts of statements after it.
        self._missing_others: dict[int, list[RecordPair]] = defaultdict(list)
        identities = [self.identity(n, row) for n, row in self.recorded_rows]
        for i, j in align([row.identity for row in self.expected_rows], identities):
            if i is not None and j is not None:
                expected, (n, row) = self.expected_rows[i], self.recorded_rows[j]
                self._recorded_parts[expected.change, expected.part] = n, row
                self._changes_of[n].append(expected.change)

    @abstractmethod
    def _pairs_of_rows(self) -> dict[int, RecordPair]:
        """Recorded record of rows → its pair; adds what is missing beside rows to `_missing_others`."""

    @property
    def begin(self) -> datetime | None:
        seconds = (self.dialect.position(c.record).second for c in self.recording.records if c.record is not None)
        first = next((s for s in seconds if s), 0)
        return datetime.fromtimestamp(first, UTC)

    def _may_share_rows_event(self, number: int, other: int) -> bool:
        """Whether the rows of two changes may be of one rows event."""
        one, two = self.changes[number], self.changes[other]
        return (one.statement, one.table.id, one.op) == (two.statement, two.table.id, two.op)

    def _is_damaged(self, n: int) -> bool:
        return any(identity.is_damaged for identity in self.summaries[n].identities)

    def pairs(self) -> Iterator[RecordPair]:
        """Every record in order, and each missing one after the record that it should follow."""
        judged = self._pairs_of_rows()
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
