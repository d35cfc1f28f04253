"""The messages of a side on Spark: as frames, or as tasks for its workers.

Messages that a worker reads on its own never enter the JVM: they are decoded where they were read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

from differential.record_batches import RECORD_SCHEMA

__all__ = ["Messages", "Read", "spark_columns"]

Read: TypeAlias = Callable[[Iterable[Any]], Iterator[Any]]
"""From batches of tasks to batches with the columns of `RECORD_SCHEMA`."""

_KINDS = {"bool": "boolean", "int8": "byte", "int32": "int", "int64": "long", "string": "string", "binary": "binary"}


def spark_columns(schema: Any) -> str:
    """The columns of an Arrow schema as the text of a schema of Spark."""
    return ", ".join(f"`{field.name}` {_KINDS[str(field.type)]}" for field in schema)


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
