"""A side's messages to slim records: the short way where it is sure, else the long way."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from differential.changes import ChangeReader
from differential.quick import QuickRows
from differential.sides import Side
from differential.slim import Slim, slim_rows
from differential.window import Cut
from reference_impl.model import Record

__all__ = ["SlimReader"]


class SlimReader:
    """Reads the messages of a side; `number` is 0 for left, 1 for right, 2 for third."""

    def __init__(self, number: int, side: Side) -> None:
        self._number, self._quick, self._reader = number, QuickRows(side), ChangeReader(side)
        self._cut = None if side.window is None else Cut(side, side.window, self._reader.counts)

    @property
    def counts(self) -> Counter[str]:
        """What was no change of a row so far."""
        return self._reader.counts

    def __call__(self, record: Record) -> Iterable[Slim]:
        """The slim records of a message."""
        row = self._quick.row(self._number, record)
        rows = slim_rows(self._reader, self._number, record) if row is None else (row,)
        return rows if self._cut is None else self._cut(rows, record)
