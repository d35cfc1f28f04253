"""Compares on this machine, without a JVM: by fingerprints first, by values only where they differ.

    parts of the messages → files of fingerprints and values → parts of the keys → differences and counts

A pool of processes does both steps. Workers read files on their own, and get the messages of topics and pipes from the
driver. They pass data on in files; the driver gets differences and counts.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeAlias, TypeVar

from conformance.processes import processes
from differential.align.pairs import Pair
from differential.counts import Counts
from differential.decode.quick import FEW
from differential.model import Difference
from differential.prints.layout import tables_of
from differential.prints.reading import PrintReader
from differential.prints.settling import settle
from differential.prints.storing import Stored, store, store_others
from differential.result.tally import order_of
from differential.sides import Side
from differential.sources.parts import Part, in_memory, messages_in, parts_of
from differential.sources.spec import Spec
from differential.workers import collect_garbage_rarely
from reference_impl.model import Record

__all__ = ["Outcome", "compare_locally"]

T = TypeVar("T")
R = TypeVar("R")

Stream: TypeAlias = "Spec | Iterable[Record]"
_Task: TypeAlias = "tuple[int, Part]"
"""The number of a side, and a part of its messages."""


@dataclass(slots=True)
class Outcome:
    """The result of a comparison."""

    differences: list[Difference] = field(default_factory=list)
    counts: Counts = field(default_factory=Counts)


@dataclass(frozen=True, slots=True)
class _Work:
    """The two steps that workers do, and what they need for them."""

    sides: Sequence[Side]
    pairs: Sequence[Pair]
    folder: str  # workers exchange files in it
    parts: int  # the number of parts of the keys
    in_pool: bool
    proven: bool  # see `compare_locally`

    def store_prints(self, task: _Task) -> tuple[int, list[Stored]]:
        """Write the fingerprints and values of a part of the messages into a file.

        Returns the number of messages, and the places of the blocks in the file.
        """
        self._begin("print")
        side, part = task
        reader, messages = PrintReader(side, self.sides, self.pairs, few=FEW), 0

        def counted() -> Iterator[Any]:
            nonlocal messages
            for batch in part.batches():
                messages += batch.num_rows
                yield batch

        places = list(store(self.folder, self.parts, reader.read(counted()), reader.names))
        return messages, [*places, *store_others(self.folder, self.parts, reader.others)]

    def settle(self, places: Sequence[Stored]) -> tuple[list[Difference], Counts]:
        """Compare a part of the keys."""
        self._begin("settle")
        return settle(self.pairs, len(self.sides), tables_of(self.sides), places, proven=self.proven)

    def _begin(self, work: str) -> None:
        if self.in_pool:
            collect_garbage_rarely(work)


def _in_order(pool: ProcessPoolExecutor, ahead: int, work: Callable[[T], R], tasks: Iterable[T]) -> Iterator[R]:
    """The results in task order, with at most `ahead` tasks in progress.

    `Executor.map` would submit all tasks at once.
    """
    waiting: deque[Future[R]] = deque()
    for task in tasks:
        waiting.append(pool.submit(work, task))
        if len(waiting) >= ahead:
            yield waiting.popleft().result()
    while waiting:
        yield waiting.popleft().result()


def compare_locally(
    sides: Sequence[Side],
    streams: Sequence[Stream],
    pairs: Sequence[Pair],
    *,
    workers: int = 1,
    batch: int = 5_000,
    partitions: int = 16,
    proven: bool = False,
    scratch: Path | None = None,
    progress: Callable[[int], object] = lambda messages: None,
    expected: Callable[[int], object] = lambda messages: None,
) -> Outcome:
    """Compare streams: sources that workers read, or messages that are sent to them in batches.

    With `proven` fingerprints are not trusted: values with equal ones are compared as well, which takes longer.
    `progress` is called with the number of messages in each part that was read, `expected` with their total if it is
    known before. Temporary files are in a folder in `scratch`, which is removed at the end. The outcome depends on
    neither `workers`, `batch` nor `partitions`. Raises `UsageError` for a source that cannot be read.
    """
    outcome = Outcome()
    with ExitStack() as opened:
        folder = opened.enter_context(TemporaryDirectory(prefix="parts-", dir=scratch))
        run: Callable[..., Iterable[Any]] = map
        if workers > 1:
            run = partial(_in_order, opened.enter_context(processes(workers)), 2 * workers)
        work = _Work(tuple(sides), tuple(pairs), folder, partitions, workers > 1, proven)

        parts_of_sides = [
            parts_of(stream, run, folder) if isinstance(stream, Spec) else in_memory(stream, batch)
            for stream in streams
        ]
        if (total := messages_in(parts_of_sides)) is not None:
            expected(total)
        tasks = ((side, part) for side, parts in enumerate(parts_of_sides) for part in parts)

        by_part: dict[int, list[Stored]] = {}
        for messages, places in run(work.store_prints, tasks):
            progress(messages)
            for place in places:
                by_part.setdefault(place[0], []).append(place)
        for differences, counts in run(work.settle, (by_part[part] for part in sorted(by_part))):
            outcome.differences += differences
            outcome.counts.add(counts)
    outcome.differences.sort(key=order_of)
    return outcome
