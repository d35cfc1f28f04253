"""Reads parquet files by Spark's workers on one machine: some row groups a task."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from differential.sources.groups import Group, batches_of_group, tasks_of
from differential.spark.messages import Messages

__all__ = ["parquet_messages", "read_groups"]


def read_groups(tasks: Sequence[Sequence[Group]], batches: Iterable[Any]) -> Iterator[Any]:
    """The messages of tasks, by their numbers, as batches with the columns of `RECORD_SCHEMA`."""
    for batch in batches:
        for number in batch.column(0).to_pylist():
            for group in tasks[number]:
                yield from batches_of_group(group)


def parquet_messages(spark: Any, files: Sequence[Path]) -> Messages:
    """The messages of parquet files that workers can see.

    Raises `UsageError` as `tasks_of` does.
    """
    tasks = tasks_of(files)
    count = sum(group.rows for task in tasks for group in task)
    numbers = spark.range(0, len(tasks), 1, max(1, len(tasks)))
    return Messages(numbers, partial(read_groups, tasks), count)
