"""Parquet that workers read for themselves has the messages that the local reader has, however it is cut."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow
import pytest
from pyarrow import parquet

from conformance.errors import UsageError
from differential.record_batches import RECORD_SCHEMA
from differential.sources.captures import read_source
from differential.sources.groups import batches_of_group, tasks_of
from differential.sources.spec import Spec


def written(folder: Path, names: tuple[str, ...], files: int = 2, rows: int = 25) -> Path:
    """Files of a side, with some of Kafka's columns, in groups of four rows."""
    for number in range(files):
        columns: dict[str, list[Any]] = {
            "key": [None if n % 3 else b"k%d" % n for n in range(rows)],
            "value": [None if n == 7 else b"v%d-%d" % (number, n) for n in range(rows)],
            "topic": [f"t{number}"] * rows,
            "partition": [n % 2 for n in range(rows)],
            "offset": [100 * number + n for n in range(rows)],
        }
        table = pyarrow.table({name: pyarrow.array(columns[name]) for name in names})
        parquet.write_table(table, folder / f"part-{number}.parquet", row_group_size=4)
    return folder


def read(tasks: list[Any]) -> list[tuple[Any, ...]]:
    batches = [batch for task in tasks for group in task for batch in batches_of_group(group)]
    assert all(batch.schema == RECORD_SCHEMA for batch in batches)
    return [row for batch in batches for row in zip(*(column.to_pylist() for column in batch.columns), strict=True)]


@pytest.mark.parametrize("most", [1, 300, 2**30])
@pytest.mark.parametrize("names", [("value",), ("key", "value", "offset"), tuple(RECORD_SCHEMA.names)])
def test_groups_of_rows_are_the_messages_that_the_local_reader_has(
    tmp_path: Path, names: tuple[str, ...], most: int
) -> None:
    folder = written(tmp_path, names)
    tasks = tasks_of(sorted(folder.glob("*.parquet")), most)
    here = read_source(Spec("canal-json", str(folder)))
    expected = [(r.key, r.value, r.topic or "", r.partition or 0, r.offset) for r in here]
    assert read(tasks) == expected
    assert sum(group.rows for task in tasks for group in task) == len(expected)
    assert len(tasks) == 1 if most == 2**30 else len(tasks) > 1


def test_a_file_that_is_no_parquet_and_one_without_values_say_so(tmp_path: Path) -> None:
    (tmp_path / "a.parquet").write_bytes(b"PAR1, or not")
    with pytest.raises(UsageError, match=r"a\.parquet: not a parquet file"):
        tasks_of([tmp_path / "a.parquet"])
    parquet.write_table(pyarrow.table({"key": [b"k"]}), tmp_path / "b.parquet")
    with pytest.raises(UsageError, match="no column `value`"):
        tasks_of([tmp_path / "b.parquet"])
