"""Records of BEGIN and END, paired by the id of the transaction with those that its recorded rows require.

The boundary of a transaction without a known row is not judged.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from conformance.cases.upstream.lenient import number_at, payload_in
from conformance.oracle.upstream.reading import RecordKind, RecordSummary
from reference_impl.model import Record

__all__ = ["Boundary", "TransactionBoundaries"]

_TIME = re.compile(rb'"ts_ms":[0-9]+')


class Boundary(NamedTuple):
    """A BEGIN or END of a transaction, recorded or expected."""

    got: int | None
    """The number of the recorded record; None if it is missing."""
    before: int
    """The number of the record before its right place."""
    expected: Record | None
    """None if it should not have been recorded there."""


class TransactionBoundaries:
    """The transaction boundaries in a recording, by status (BEGIN or END) and id."""

    def __init__(self, summaries: Sequence[RecordSummary], records: Sequence[Record | None]) -> None:
        self._records = records
        self._numbers: dict[tuple[str, str], list[int]] = defaultdict(list)
        for n, (summary, record) in enumerate(zip(summaries, records, strict=True)):
            if summary.kind is RecordKind.TRANSACTION and record is not None:
                self._numbers[_status_and_id(record)].append(n)
        self._by_number = {n: boundary for boundary, numbers in self._numbers.items() for n in numbers}

    def ids_around(self, first: int, last: int) -> Iterator[str]:
        """The ids in the boundaries right before and right after the records `first` to `last`."""
        for n, expected_status in ((first - 1, "BEGIN"), (last + 1, "END")):
            status, transaction = self._by_number.get(n, ("", ""))
            if status == expected_status:
                yield transaction

    def matches(self, expected: Sequence[Record], first: int, last: int) -> Iterator[Boundary]:
        """The boundaries of a transaction whose rows are recorded from `first` to `last`.

        `expected` are its BEGIN and END. Of a repeated one, the first in its right place is expected; one among the
        rows is not expected there. Nothing is missing from a recording that ends within the transaction.
        """
        for record in expected:
            status, transaction = _status_and_id(record)
            is_begin = status == "BEGIN"
            before = first - 1 if is_begin else last
            numbers = self._numbers.pop((status, transaction), [])
            right = next((n for n in numbers if (n < first if is_begin else n > last)), None)
            for n in numbers:
                yield Boundary(n, before, self._with_recorded_time(record, n) if n == right else None)
            if right is None and before + 1 < len(self._records):
                yield Boundary(None, before, record)

    def _with_recorded_time(self, expected: Record, n: int) -> Record:
        """The expected record with the time of the recorded one: the truth does not decide it."""
        got = self._records[n]
        time = number_at(payload_in(got.value if got else None), "ts_ms")
        if time is None or expected.value is None:
            return expected
        return replace(expected, value=_TIME.sub(b'"ts_ms":%d' % time, expected.value))


def _status_and_id(record: Record) -> tuple[str, str]:
    payload = payload_in(record.value)
    return str(payload.get("status")), str(payload.get("id"))
