"""Reads a side's messages into slim records, by the fast path or the slow path."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from differential.decode.changes import ChangeReader
from differential.decode.quick import ChangeColumns, QuickRows
from differential.decode.slim import Slim, slim_rows
from differential.decode.window_filter import WindowFilter
from differential.sides import Side
from differential.window import Window
from reference_impl.model import Record
from reference_impl.tso import compose

__all__ = ["SlimReader"]


class SlimReader:
    """Reads the messages of a side; `number` is 0 for left, 1 for right, 2 for third; for `few`, see `QuickRows`."""

    def __init__(self, number: int, side: Side, *, few: int = 0) -> None:
        self._number, self._side = number, side
        self._quick, self._reader = QuickRows(side, few=few), ChangeReader(side)
        self._filter = None if side.window is None else WindowFilter(side, side.window, self._reader.counts)

    @property
    def counts(self) -> Counter[str]:
        """Counts so far: of what gives no change, and of changes outside the window or without a time for it."""
        return self._reader.counts

    def read_ordinary(
        self, values: Sequence[bytes | None], keys: Sequence[bytes | None]
    ) -> tuple[list[ChangeColumns], list[int]]:
        """The changes of ordinary messages, as columns, and the positions of all other messages."""
        try:
            changes, rest = self._quick.read(values, keys)
        except Exception:  # noqa: BLE001 - the slow path reads every message and reports those that it cannot read
            changes, rest = [], [*range(len(values))]
        return (changes if self._side.window is None else self._in_window(self._side.window, changes)), rest

    def read_any(self, record: Record) -> Iterable[Slim]:
        """The slim records of any message."""
        rows = [*slim_rows(self._reader, self._number, record)]
        kept, is_inside = (rows, True) if self._filter is None else self._filter(rows, record)
        if is_inside:  # the contradictions of a message outside the window do not count
            self.counts.update(self._reader.contradictions)
        self._reader.contradictions.clear()
        return kept

    def _in_window(self, window: Window, changes: Sequence[ChangeColumns]) -> list[ChangeColumns]:
        """The changes in the window, as `WindowFilter` selects them."""
        kept = []
        for one in changes:
            times = map(int, one.commit_ts or ())
            if one.instants is not None:
                times = map(compose, (int(instant.partition(b" ")[0]) for instant in one.instants))
            keep = list(map(window.reaches, times))
            if outside := keep.count(False):
                self.counts["outside the window"] += outside
            if outside < len(keep):
                kept.append(one.only(keep))
        return kept
