"""Row groups of parquet files, which workers read on their own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import repeat
from pathlib import Path
from typing import Any

import pyarrow
from pyarrow import compute, parquet

from differential.record_batches import RECORD_SCHEMA
from differential.sources.parquets import as_record_batches, opened, readable

__all__ = ["Group", "batches_of_group", "tasks_of"]

_TASK_BYTES = 24 * 2**20
_BATCH_ROWS = 8192


@dataclass(frozen=True, slots=True)
class Group:
    """A row group of a file; `first` is the number of its first message on the side."""

    file: str
    number: int
    first: int
    rows: int


def tasks_of(files: Sequence[Path], task_bytes: int = _TASK_BYTES) -> list[list[Group]]:
    """The groups of files, in order, as tasks of about `task_bytes`.

    Raises `UsageError` for a file that is not parquet, or lacks the columns of Kafka's records.
    """
    tasks: list[list[Group]] = []
    room, first = 0, 0  # the bytes left in the last task, and the number of the next message
    for file in files:
        with opened(file) as found:
            metadata = found.metadata
        for number in range(metadata.num_row_groups):
            group = metadata.row_group(number)
            if room <= 0:
                tasks.append([])
                room = task_bytes
            tasks[-1].append(Group(str(file), number, first, group.num_rows))
            room -= group.total_byte_size
            first += group.num_rows
    return tasks


def batches_of_group(group: Group) -> Iterator[Any]:
    """The messages of a group, as record batches with the columns of `RECORD_SCHEMA`.

    A message without an offset gets its number on the side.
    """
    with parquet.ParquetFile(group.file) as file:
        names = [name for name in RECORD_SCHEMA.names if name in file.schema_arrow.names]
        with readable(group.file):
            rows = file.read_row_group(group.number, columns=names, use_threads=False)
        table = as_record_batches(group.file, rows)
    defaults = {
        "key": repeat(None, group.rows),
        "topic": repeat("", group.rows),
        "partition": repeat(0, group.rows),
        "offset": range(group.first, group.first + group.rows),
    }
    columns = {
        field.name: table[field.name] if field.name in names else pyarrow.array(defaults[field.name], field.type)
        for field in RECORD_SCHEMA
    }
    if columns["offset"].null_count:
        columns["offset"] = compute.coalesce(columns["offset"], pyarrow.array(defaults["offset"], pyarrow.int64()))
    yield from pyarrow.table(columns, schema=RECORD_SCHEMA).to_batches(max_chunksize=_BATCH_ROWS)
