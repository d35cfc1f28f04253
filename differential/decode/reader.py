"""Reads a side's messages into slim records: ordinary ones by the fast path, all others by the slow path."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import repeat

from differential.decode.changes import ChangeReader
from differential.decode.cutting import Cut
from differential.decode.quick import ChangeColumns, QuickRows
from differential.decode.slim import Kind, Slim, slim_rows
from differential.sides import Side
from differential.window import Window
from reference_impl.model import Record
from reference_impl.tso import compose

__all__ = ["SlimReader"]


class SlimReader:
    """Reads the messages of a side; `number` is 0 for left, 1 for right, 2 for third."""

    def __init__(self, number: int, side: Side) -> None:
        self._number, self._side, self._quick, self._reader = number, side, QuickRows(side), ChangeReader(side)
        self._cut = None if side.window is None else Cut(side, side.window, self._reader.counts)

    @property
    def counts(self) -> Counter[str]:
        """Counts of everything but row changes so far."""
        return self._reader.counts

    def quickly(
        self, values: Sequence[bytes | None], keys: Sequence[bytes | None]
    ) -> tuple[list[ChangeColumns], list[int]]:
        """The slim records of ordinary messages, in columns, and the positions of all other messages."""
        try:
            found, rest = self._quick.read(values, keys)
        except Exception:  # noqa: BLE001 - the slow path reads every message and reports those that it cannot
            found, rest = [], [*range(len(values))]
        return (found if self._side.window is None else self._cut_found(self._side.window, found)), rest

    def thoroughly(self, record: Record) -> Iterable[Slim]:
        """The slim records of any message."""
        rows = [*slim_rows(self._reader, self._number, record)]
        kept, is_inside = (rows, True) if self._cut is None else self._cut(rows, record)
        if is_inside:  # what a message outside the window says is not compared, nor is its key
            self.counts.update(self._reader.named)
        self._reader.named.clear()
        return kept

    def _cut_found(self, window: Window, found: Sequence[ChangeColumns]) -> list[ChangeColumns]:
        """Keeps the records in the window, as `Cut` does."""
        kept = []
        for one in found:
            times = map(int, one.commit_ts or ())
            if one.instants is not None:
                times = map(compose, (int(instant.partition(b" ")[0]) for instant in one.instants))
            keep = list(map(window.reaches, times))
            if outside := keep.count(False):
                self.counts["outside the window"] += outside
            if outside < len(keep):
                kept.append(one.only(keep))
        return kept

    def __call__(self, record: Record) -> list[Slim]:
        """The slim records of one message."""
        return self.rows([record])

    def rows(self, records: Sequence[Record]) -> list[Slim]:
        """The slim records of messages, in their order."""
        found, rest = self.quickly([record.value for record in records], [record.key for record in records])
        placed = [(position, row) for position in rest for row in self.thoroughly(records[position])]
        for one in found:
            placed += zip(
                one.positions, self._slim(one, [records[position] for position in one.positions]), strict=True
            )
        placed.sort(key=lambda placed: (placed[0], placed[1].step))
        return [row for _, row in placed]

    def _slim(self, found: ChangeColumns, records: Sequence[Record]) -> Iterator[Slim]:
        times, instants = found.commit_ts, found.instants
        columns = zip(
            found.groups,
            repeat(found.plan.schema),
            repeat(found.plan.table),
            found.keys,
            repeat(self._number),
            [record.topic or "" for record in records],
            [record.partition or 0 for record in records],
            [record.offset or 0 for record in records],
            found.steps,
            repeat(Kind.CHANGE),
            repeat(found.op),
            repeat(found.moved),
            repeat(None) if times is None else [time.decode() for time in times],
            repeat("") if instants is None else [instant.decode() for instant in instants],
            found.payloads,
            strict=False,
        )
        return map(Slim._make, columns)
