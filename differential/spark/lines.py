"""Reads captures of lines by Spark's workers: byte ranges of files, each a task."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import accumulate
from pathlib import Path
from typing import Any

import pyarrow

from differential.sources.ranges import FILE_NOT_SEEN, Range, batches_of, count_records, ranges_of
from differential.spark.messages import Messages

__all__ = ["lines_messages"]

_BYTES = 16 * 2**20


def _count(ranges: Sequence[Range], batches: Iterable[Any]) -> Iterator[Any]:
    for batch in batches:
        numbers = batch.column(0).to_pylist()
        columns = [numbers, [count_records(ranges[number]) for number in numbers]]
        yield pyarrow.RecordBatch.from_arrays([pyarrow.array(c, type=pyarrow.int64()) for c in columns], ["id", "n"])


def _read(ranges: Sequence[Range], firsts: Sequence[int], batches: Iterable[Any]) -> Iterator[Any]:
    for batch in batches:
        for number in batch.column(0).to_pylist():
            yield from batches_of(ranges[number], firsts[number])


def lines_messages(spark: Any, path: Path, protocol: str, most: int = _BYTES) -> Messages | None:
    """The messages of a capture; None if workers do not see its files, or it has no lines.

    Raises `UsageError` as `read_capture` does.
    """
    ranges = ranges_of(path, protocol, most)
    if not ranges:
        return None
    tasks = spark.range(0, len(ranges), 1, len(ranges))
    rows = tasks.mapInArrow(partial(_count, ranges), "id long, n long").collect()
    counts = [n for _, n in sorted((row["id"], row["n"]) for row in rows)]
    if FILE_NOT_SEEN in counts:
        return None
    firsts = [0, *accumulate(counts)][:-1]
    return Messages(tasks, partial(_read, ranges, firsts), sum(counts))
