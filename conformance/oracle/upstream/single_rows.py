"""Recordings of the binary log in which every row has a record of its own, as Debezium writes them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from conformance.cases.upstream.model import Position
from conformance.catalogue.recordings import Recording
from conformance.catalogue.workload import Truth
from conformance.oracle.upstream.binlog import BinlogRecording
from conformance.oracle.upstream.pairing import RecordPair
from conformance.oracle.upstream.transaction_boundaries import TransactionBoundaries
from reference_impl.errors import Rejected
from reference_impl.model import Record
from reference_impl.protocols import Dialect

__all__ = ["SingleRows"]


class SingleRows(BinlogRecording):
    """The changes of a transaction are written together: a record says its place in the transaction."""

    def __init__(self, recording: Recording, truth: Truth, sql: str | None, codec: Dialect) -> None:
        super().__init__(recording, truth, sql, codec)
        self._write_count = 0
        self._boundaries = TransactionBoundaries(self.summaries, [c.record for c in recording.records])
        # Change → the number of its records.
        self._part_counts = Counter(row.change for row in self.expected_rows)

    def _pairs_of_rows(self) -> dict[int, RecordPair]:
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
