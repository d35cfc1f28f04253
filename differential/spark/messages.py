"""The messages of a side as Spark has them: frames of its own, or tasks out of which workers read for themselves.

What a worker reads for itself never passes through the JVM: it is decoded where it was read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

from differential.frames import FRAME

__all__ = ["Messages", "Read"]

Read: TypeAlias = Callable[[Iterable[Any]], Iterator[Any]]
"""From batches of tasks to batches with the columns of `FRAME`."""

_KINDS = {"binary": "binary", "string": "string", "int32": "int", "int64": "long"}
_COLUMNS = ", ".join(f"`{field.name}` {_KINDS[str(field.type)]}" for field in FRAME)


def _decoded(read: Read, work: Read, batches: Iterable[Any]) -> Iterator[Any]:
    return work(read(batches))


@dataclass(frozen=True, slots=True)
class Messages:
    """The messages of a side.

    Without `read` the frame has the columns of `FRAME`; with it, it has tasks, and `count` is how many messages they
    are known to have.
    """

    frame: Any
    read: Read | None = None
    count: int = 0

    def through(self, work: Read, columns: str) -> Any:
        """The frame of what a worker makes of the messages."""
        return self.frame.mapInArrow(work if self.read is None else partial(_decoded, self.read, work), columns)

    def plain(self) -> Any:
        """The messages as a frame with the columns of `FRAME`."""
        return self.frame if self.read is None else self.frame.mapInArrow(self.read, _COLUMNS)
