"""The messages of a side on Spark: as frames, or as tasks for its workers.

Messages that a worker reads on its own never enter the JVM: they are decoded where they were read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

import pyarrow

from differential.record_batches import RECORD_SCHEMA
from differential.sources.parts import FilePart

__all__ = ["Messages", "Read", "map_on_workers", "messages_of_parts", "spark_columns", "spark_type"]

Read: TypeAlias = Callable[[Iterable[Any]], Iterator[Any]]
"""From batches of tasks to batches with the columns of `RECORD_SCHEMA`."""

_KINDS = {"bool": "boolean", "int8": "byte", "int32": "int", "int64": "long", "string": "string", "binary": "binary"}


def spark_type(field: Any) -> str:
    """The type of an Arrow field in Spark."""
    return _KINDS[str(field.type)]


def spark_columns(schema: Any) -> str:
    """The columns of an Arrow schema as the text of a schema of Spark."""
    return ", ".join(f"`{field.name}` {spark_type(field)}" for field in schema)


def _decoded(read: Read, work: Read, batches: Iterable[Any]) -> Iterator[Any]:
    return work(read(batches))


@dataclass(frozen=True, slots=True)
class Messages:
    """The messages of a side."""

    frame: Any  # without `read`, the messages with the columns of `RECORD_SCHEMA`; with it, tasks
    read: Read | None = None  # reads the messages of tasks on a worker
    count: int = 0  # the number of messages of all tasks, 0 if unknown

    def through(self, work: Read, schema: Any) -> Any:
        """The frame of the results of `work` on the messages, with the columns of an Arrow schema."""
        work = work if self.read is None else partial(_decoded, self.read, work)
        return self.frame.mapInArrow(work, spark_columns(schema))

    def plain(self) -> Any:
        """The messages as a frame with the columns of `RECORD_SCHEMA`."""
        return self.frame if self.read is None else self.frame.mapInArrow(self.read, spark_columns(RECORD_SCHEMA))


def _numbered_results(work: Callable[[Any], int], items: Sequence[Any], batches: Iterable[Any]) -> Iterator[Any]:
    for batch in batches:
        numbers = batch.column(0).to_pylist()
        yield pyarrow.RecordBatch.from_pydict({"id": numbers, "found": [work(items[number]) for number in numbers]})


def map_on_workers(spark: Any, work: Callable[[Any], int], items: Iterable[Any]) -> list[int]:
    """As `map`, by Spark's workers, each item a task."""
    items = list(items)
    tasks = spark.range(0, len(items), 1, max(1, len(items)))
    rows = tasks.mapInArrow(partial(_numbered_results, work, items), "id long, found long").collect()
    return [found for _, found in sorted((row["id"], row["found"]) for row in rows)]


def _batches_of(parts: Sequence[FilePart], batches: Iterable[Any]) -> Iterator[Any]:
    for batch in batches:
        for number in batch.column(0).to_pylist():
            yield from parts[number].batches()


def messages_of_parts(spark: Any, parts: Sequence[FilePart]) -> Messages:
    """The messages of parts of files, each a task for a worker."""
    tasks = spark.range(0, len(parts), 1, max(1, len(parts)))
    return Messages(tasks, partial(_batches_of, parts), sum(part.messages for part in parts))
