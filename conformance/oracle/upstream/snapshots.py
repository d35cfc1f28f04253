"""Recordings of what tables held at the end: every read is paired with a row that the workload left behind."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from conformance.catalogue.final_state import final_rows
from conformance.catalogue.recordings import Recording
from conformance.catalogue.workload import Change, Truth
from conformance.oracle.upstream.alignment import Identity
from conformance.oracle.upstream.pairing import EMPTY_RECORD, PairedRecording, RecordPair
from reference_impl.model import Record, Value
from reference_impl.protocols import Dialect

__all__ = ["Snapshot"]


class Snapshot(PairedRecording):
    """A recording of the rows that tables held at the end; their order is free.

    If the recording was cut, no row is expected after its last one, which lacks the flag of a last row.
    """

    def __init__(self, recording: Recording, truth: Truth, sql: str | None, codec: Dialect) -> None:
        self._final_rows = final_rows(truth, sql)
        super().__init__(recording, [row.change for row in self._final_rows], None, codec)

    def pairs(self) -> Iterator[RecordPair]:
        matched = self._matched()
        # (recorded record or None, change) of all rows, missing ones among the rows of their table.
        order: list[tuple[int | None, int]] = [(n, number) for n, number in sorted(matched.items())]
        for number in (row.change for row in self.expected_rows):
            if number not in matched.values() and not self._final_rows[number].reason:
                order.insert(self._index_for(number, [other for _, other in order]), (None, number))
        written = self._written(order)
        judged: dict[int, RecordPair] = {}
        missing: dict[int, list[RecordPair]] = defaultdict(list)
        last = -1
        if self.is_cut:
            end = max((k for k, (n, _) in enumerate(order) if n is not None), default=-1)
            order, written = order[: end + 1], written[: end + 1]
        for (n, number), expected in zip(order, written, strict=True):
            changes = (self.changes[number],)
            if n is None:
                missing[last].append(RecordPair("", None, expected or EMPTY_RECORD, changes))
            else:
                last = n
                reason = self._final_rows[number].reason or self.writer.refused.get(number, "")
                judged[n] = RecordPair(self.id(n), self.record(n), expected, changes, reason)
        return self.in_order(judged, missing)

    def _index_for(self, number: int, order: Sequence[int]) -> int:
        """The index of a missing row in `order`: before the next greater key of its table, else after its table."""
        row = self.changes[number]
        of_table = [k for k, other in enumerate(order) if self.changes[other].table.id == row.table.id]
        greater = (k for k in of_table if _rank(self.changes[order[k]]) > _rank(row))
        return next(greater, of_table[-1] + 1 if of_table else len(order))

    def _matched(self) -> dict[int, int]:
        """The change behind each recorded record: of the same identity, else of the same key, else any of the table."""
        found: dict[int, int] = {}
        free = {row.change: row.identity for row in self.expected_rows}
        for same in (_same_identity, _same_key, _same_table):
            for n, row in self.recorded_rows:
                if n in found:
                    continue
                identity = self.identity(n, row)
                number = next((k for k, other in free.items() if same(identity, other)), None)
                if number is not None:
                    found[n] = number
                    del free[number]
        return found

    def _written(self, order: Sequence[tuple[int | None, int]]) -> list[Record | None]:
        """The records of the rows in this order; None for one that the reference does not write."""
        events = []
        for n, number in order:
            record = self.record(n) if n is not None else None
            source = dict(self.source_of(record))
            events.append(self.writer.event(number, source, self.clock_values(number, record, 0)))
        kept = [e for e, (_, number) in zip(events, order, strict=True) if number not in self.writer.refused]
        tables = {change.table.id: change.table for change in self.changes}
        records = iter(self.writer.write(kept, list(tables.values())))
        return [None if number in self.writer.refused else next(records) for _, number in order]


def _rank(change: Change) -> tuple[tuple[int, int | str | bytes], ...]:
    """The primary key as an index orders it, as far as that is plain: numbers by size, the rest by code."""
    row = change.after or {}
    return tuple(_ranked(row.get(name)) for name in change.table.primary_key)


def _ranked(value: Value) -> tuple[int, int | str | bytes]:
    if isinstance(value, str) and value.removeprefix("-").isdecimal():
        return 0, int(value)
    return (1, value) if isinstance(value, bytes) else (2, str(value))


def _same_identity(one: Identity, other: Identity) -> bool:
    return one == other


def _same_key(one: Identity, other: Identity) -> bool:
    return _same_table(one, other) and one.key == other.key and one.key not in (None, "null")


def _same_table(one: Identity, other: Identity) -> bool:
    return (one.schema, one.table) == (other.schema, other.table)
