"""Records about the begin and the end of a transaction, by the transactions whose rows were recorded.

They belong to the rows by the id alone. A border of a transaction of which no row is known is not judged.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace

from conformance.cases.upstream.lenient import number_at, payload_of, tree_of
from conformance.oracle.upstream.reading import RecordKind, RecordSummary
from reference_impl.model import Record

__all__ = ["Borders"]

_TIME = re.compile(rb'"ts_ms":[0-9]+')


class Borders:
    """The borders in a recording, by kind and transaction."""

    def __init__(self, summaries: Sequence[RecordSummary], records: Sequence[Record | None]) -> None:
        self._records = records
        self._at: dict[tuple[str, str], list[int]] = defaultdict(list)
        for n, (summary, record) in enumerate(zip(summaries, records, strict=True)):
            if summary.kind is RecordKind.TRANSACTION and record is not None:
                self._at[_border_of(record)].append(n)
        self._ids = {n: mark for mark, places in self._at.items() for n in places}

    def ids_around(self, first: int, last: int) -> Iterator[str]:
        """The ids in the borders right before and right after some rows."""
        for n, status in ((first - 1, "BEGIN"), (last + 1, "END")):
            mark = self._ids.get(n)
            if mark is not None and mark[0] == status:
                yield mark[1]

    def found(
        self, expected: Sequence[Record], first: int, last: int
    ) -> Iterator[tuple[int | None, int, Record | None]]:
        """(recorded, the record before, expected) of a transaction whose rows are recorded from `first` to `last`.

        A border that stands twice is expected once, and one amid its rows is not where it should be. That the recording
        ends within the transaction is no fault.
        """
        for record in expected:
            mark = _border_of(record)
            before = first - 1 if mark[0] == "BEGIN" else last
            places = self._at.pop(mark, [])
            right = next((n for n in places if (n < first if mark[0] == "BEGIN" else n > last)), None)
            for n in places:
                yield n, before, self._timed(record, n) if n == right else None
            if right is None and before + 1 < len(self._records):
                yield None, before, record

    def _timed(self, expected: Record, n: int) -> Record:
        """The record with the time of the recorded one, which is positional."""
        got = self._records[n]
        time = number_at(payload_of(tree_of(got.value if got else None)), "ts_ms")
        if time is None or expected.value is None:
            return expected
        return replace(expected, value=_TIME.sub(b'"ts_ms":%d' % time, expected.value))


def _border_of(record: Record) -> tuple[str, str]:
    payload = payload_of(tree_of(record.value))
    return str(payload.get("status")), str(payload.get("id"))
