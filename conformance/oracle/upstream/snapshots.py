"""Recordings of what tables held at the end: every read is paired with a row that the workload left behind."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from conformance.catalogue.final_state import final_rows
from conformance.catalogue.recordings import Recording
from conformance.catalogue.workload import Change, Truth
from conformance.oracle.upstream.alignment import Mark
from conformance.oracle.upstream.pairing import NOTHING, Paired, Place
from reference_impl.model import Record, Value
from reference_impl.protocols import Dialect

__all__ = ["Snapshot"]


class Snapshot(Paired):
    """A recording of the rows that tables held at the end; their order is free.

    If the recording was cut, no row is expected after its last one, which lacks the mark of a last row.
    """

    def __init__(self, recording: Recording, truth: Truth, sql: str | None, codec: Dialect) -> None:
        self.left = final_rows(truth, sql)
        super().__init__(recording, [row.change for row in self.left], None, codec)

    def places(self) -> Iterator[Place]:
        found = self._matched()
        order: list[tuple[int | None, int]] = [(n, number) for n, number in sorted(found.items())]
        missing = [u.change for u in self.units if u.change not in found.values() and not self.left[u.change].reason]
        for number in missing:  # a row that is missing counts among the rows of its table all the same
            order.insert(self._place_of(number, [other for _, other in order]), (None, number))
        written = self._written(order)
        judged: dict[int, Place] = {}
        gone: dict[int, list[Place]] = defaultdict(list)
        last = -1
        end = max((at for at, (n, _) in enumerate(order) if n is not None), default=-1)
        if self.recording.meta.get("complete") is False:
            order, written = order[: end + 1], written[: end + 1]
        for (n, number), expected in zip(order, written, strict=True):
            change, reason = (self.changes[number],), self.left[number].reason or self.writer.refused.get(number, "")
            if n is None:
                gone[last].append(Place("", None, expected or NOTHING, change))
            else:
                last = n
                judged[n] = Place(self.id(n), self.record(n), expected, change, reason)
        return self.in_order(judged, gone)

    def _place_of(self, number: int, order: Sequence[int]) -> int:
        """Where a row belongs among others: before the first of its table whose key is greater, or behind its table."""
        row = self.changes[number]
        same = [at for at, other in enumerate(order) if self.changes[other].table.id == row.table.id]
        greater = (at for at in same if _rank(self.changes[order[at]]) > _rank(row))
        return next(greater, same[-1] + 1 if same else len(order))

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


def _rank(change: Change) -> tuple[tuple[int, int | str | bytes], ...]:
    """The primary key as an index orders it, as far as that is plain: numbers by size, the rest by code."""
    row = change.after or {}
    return tuple(_ranked(row.get(name)) for name in change.table.primary_key)


def _ranked(value: Value) -> tuple[int, int | str | bytes]:
    if isinstance(value, str) and value.removeprefix("-").isdecimal():
        return 0, int(value)
    return (1, value) if isinstance(value, bytes) else (2, str(value))


def _same_mark(one: Mark, other: Mark) -> bool:
    return one == other


def _same_key(one: Mark, other: Mark) -> bool:
    return _same_table(one, other) and one.key == other.key and one.key not in (None, "null")


def _same_table(one: Mark, other: Mark) -> bool:
    return (one.schema, one.table) == (other.schema, other.table)
