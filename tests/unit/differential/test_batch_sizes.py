"""Batches stay far below the 2 GiB that a column of Arrow holds, whatever the size of messages."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pyarrow
import pytest

from conformance.ddl import tables_of_sql
from conformance.errors import UsageError
from differential.batches import decode
from differential.decode.slim import Kind
from differential.record_batches import pieces, record_batch, record_batches, row_batches
from reference_impl.model import Record
from tests.unit.differential.building import row_change, side_of, written

(TABLE,) = tables_of_sql("CREATE TABLE shop.t (id INT PRIMARY KEY, c TEXT)", "t")
RECORDS = [Record(b"k" * 10, b"v" * n, topic="t", partition=0, offset=n) for n in (5, 90, 10, 40, 40, 40, 500, 1, 1)]


def offsets(batches: list[object]) -> list[list[int]]:
    return [batch.column("offset").to_pylist() for batch in batches]  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("most_records", "most_bytes", "expected"),
    [
        (100, 10_000, [[5, 90, 10, 40, 40, 40, 500, 1, 1]]),
        (4, 10_000, [[5, 90, 10, 40], [40, 40, 500, 1], [1]]),
        (100, 120, [[5, 90], [10, 40, 40], [40], [500], [1, 1]]),
    ],
)
def test_a_batch_has_a_limited_number_of_records_and_of_bytes(
    most_records: int, most_bytes: int, expected: list[list[int]]
) -> None:
    assert offsets(list(record_batches(RECORDS, most_records, most_bytes=most_bytes))) == expected


@pytest.mark.parametrize(
    ("most_rows", "most_bytes", "expected"),
    [(100, 100, [[1, 2, 3, 4]]), (3, 100, [[1, 2, 3], [4]]), (100, 8, [[1, 2], [3], [4]])],
)
def test_a_batch_of_any_rows_has_a_limited_number_of_rows_and_of_bytes(
    most_rows: int, most_bytes: int, expected: list[list[int]]
) -> None:
    schema = pyarrow.schema([("offset", pyarrow.int64()), ("text", pyarrow.string()), ("data", pyarrow.binary())])
    rows = [(1, "abcd", b""), (2, "", b"abcd"), (3, "long", b"longer"), (4, None, None)]
    batches = list(row_batches(schema, rows, most_rows, most_bytes=most_bytes))
    assert offsets(batches) == expected
    assert [tuple(row.values()) for batch in batches for row in batch.to_pylist()] == rows


def test_no_records_are_no_batch() -> None:
    assert list(record_batches([], 10)) == []


def test_a_message_that_is_too_long_is_named_by_its_place() -> None:
    with pytest.raises(UsageError, match=r"t at offset 500: 510 bytes .*; at most 509 are read"):
        list(record_batches(RECORDS, 10, longest=509))


def test_a_message_that_is_too_long_may_have_neither_topic_nor_offset() -> None:
    with pytest.raises(UsageError, match=r"^a message: 3 bytes are too long for a message; at most 2 are read$"):
        list(record_batches([Record(b"k", b"vv")], 10, longest=2))


@pytest.mark.parametrize("most_bytes", [1, 200, 400, 10_000])
def test_pieces_of_a_batch_are_small_or_a_single_row_and_keep_the_order(most_bytes: int) -> None:
    whole = record_batch(RECORDS)
    parts = list(pieces(whole, most_bytes))
    assert [number for part in offsets(parts) for number in part] == [record.offset for record in RECORDS]
    assert all(part.num_rows == 1 or part.nbytes <= most_bytes for part in parts)
    assert [value for part in parts for value in part.column("value").to_pylist()] == [r.value for r in RECORDS]


def test_a_large_batch_is_decoded_as_small_ones_are(monkeypatch: pytest.MonkeyPatch) -> None:
    of = side_of("left", "canal-json", [TABLE])
    records = written(of, [row_change(None, {"id": str(n), "c": str(n)}) for n in range(9)])

    def rows() -> list[dict[str, Any]]:
        batches = decode(0, of, [record_batch(records)])
        rows_of = (row for batch in batches for row in batch.to_pylist())
        return [row for row in rows_of if row["kind"] != Kind.CHECKS]  # they pack the changes of a batch

    def small(batch: object) -> Iterator[object]:
        return pieces(batch, 300)

    whole = rows()
    assert len(list(small(record_batch(records)))) > 1
    monkeypatch.setattr("differential.batches.pieces", small)
    assert rows() == whole
