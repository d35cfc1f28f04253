"""The comparison on this machine alone, without a JVM: fingerprints first, values only where they differ.

    parts of the messages → fingerprints → parts of the keys → settled keys, and messages to read again
    those messages → slim records → parts of the keys → the exact way

Each step is a pool of processes. Workers read the messages by themselves, and put what others need into files; the
driver sees what differs, and counts.
"""

from __future__ import annotations

import gc
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import cache, partial
from operator import attrgetter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeAlias, TypeVar

from conformance.processes import processes
from differential.align.merging import Merge, Pair
from differential.batches import merged
from differential.blocks import Place, places_of, put, read
from differential.counts import Counts
from differential.decode.slim import Slim
from differential.model import Difference
from differential.prints.fetching import fetched
from differential.prints.reading import PrintReader, tables_of
from differential.prints.settling import Key, Wanted, settle
from differential.result.summary import order_of
from differential.sides import Side
from differential.sources.parts import Part, held, parts_of
from differential.sources.spec import Spec
from reference_impl.model import Record

__all__ = ["Outcome", "compare_locally"]

T = TypeVar("T")
R = TypeVar("R")

Stream: TypeAlias = "Spec | Iterable[Record]"
_Task: TypeAlias = tuple[int, int, Part]
"""A part of the messages of a side: the side, the number of the part on it, and the part."""


@dataclass(slots=True)
class Outcome:
    """What a comparison found."""

    differences: list[Difference] = field(default_factory=list)
    counts: Counts = field(default_factory=Counts)


@dataclass(frozen=True, slots=True)
class _Work:
    """What every worker must know. `folder` is where they put what others need, in `parts` of the keys."""

    sides: Sequence[Side]
    pairs: Sequence[Pair]
    folder: str
    parts: int
    in_pool: bool

    def print(self, task: _Task) -> tuple[int, list[Place], list[Slim]]:
        """Put the fingerprints of a part of the messages into a file.

        How many messages there are, where the fingerprints are, and what is no change of a row.
        """
        self._begin("print")
        side, number, part = task
        reader, seen = PrintReader(side, self.sides, self.pairs), 0

        def counted() -> Iterator[Any]:
            nonlocal seen
            for batch in part.batches():
                seen += batch.num_rows
                yield batch

        places = self._put(reader.read(number, counted()))
        return seen, places, reader.others

    def settle(self, places: Sequence[Place]) -> tuple[list[Difference], Counts, Wanted]:
        """Settle a part of the keys."""
        self._begin("settle")
        return settle(self.pairs, len(self.sides), tables_of(self.sides), read(places))

    def fetch(self, task: tuple[_Task, Set[int], Set[Key]]) -> list[Place]:
        """Put the changes of keys that are not settled into a file, out of some messages of a part."""
        self._begin("fetch")
        (side, _, part), messages, keys = task
        return self._put(fetched(side, self.sides[side], part.batches(), messages, keys))

    def merge(self, places: Sequence[Place]) -> tuple[list[Difference], Counts]:
        """Compare a part of the keys in the exact way."""
        self._begin("merge")
        return merged(self.pairs, len(self.sides), read(places))

    def _begin(self, work: str) -> None:
        if self.in_pool:
            _look_seldom_for_cycles(work)

    def _put(self, batches: Iterable[Any]) -> list[Place]:
        return [place for found in put(self.folder, self.parts, batches) for place in places_of(found)]


@cache
def _look_seldom_for_cycles(work: str) -> None:
    """Once for each work of a worker: modules and rows, which have no cycles, would take a tenth of its time."""
    gc.freeze()
    gc.set_threshold(50_000, 50, 50)


def _in_order(pool: ProcessPoolExecutor, ahead: int, work: Callable[[T], R], tasks: Iterable[T]) -> Iterator[R]:
    """The results in the order of the tasks; at most `ahead` are under way, where `Executor.map` takes all at once."""
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
    scratch: Path | None = None,
    progress: Callable[[int], object] = lambda messages: None,
) -> Outcome:
    """Compare the streams: sources that the workers read, or messages that are sent to them in batches.

    `progress` is told how many messages of a batch were read. What is on its way to the merge is put into a folder in
    `scratch`, which is gone in the end. The outcome depends on neither `workers`, `batch` nor `partitions`. Raises
    `UsageError` for a source that cannot be read.
    """
    outcome = Outcome()
    with ExitStack() as opened:
        folder = opened.enter_context(TemporaryDirectory(prefix="parts-", dir=scratch))
        run: Callable[..., Iterable[Any]] = map
        if workers > 1:
            run = partial(_in_order, opened.enter_context(processes(workers)), 2 * workers)
        work = _Work(tuple(sides), tuple(pairs), folder, partitions, workers > 1)
        tasks: dict[tuple[int, int], _Task] = {}

        def given() -> Iterator[_Task]:
            for side, stream in enumerate(streams):
                of_side = parts_of(stream, run, folder) if isinstance(stream, Spec) else held(stream, batch)
                for number, part in enumerate(of_side):
                    tasks[side, number] = side, number, part
                    yield tasks[side, number]

        by_part, others = _ByPart(), list[Slim]()
        for messages, places, more in run(work.print, given()):
            progress(messages)
            by_part.add(places)
            others += more
        wanted: Wanted = {}
        for differences, counts, asked in run(work.settle, by_part.places):
            outcome.differences += differences
            outcome.counts.add(counts)
            for task, (rows, keys) in asked.items():
                known = wanted.setdefault(task, (set(), set()))
                known[0].update(rows)
                known[1].update(keys)
        by_part = _ByPart()
        for places in run(work.fetch, ((tasks[task], *wanted[task]) for task in sorted(wanted))):
            by_part.add(places)
        for differences, counts in run(work.merge, by_part.places):
            outcome.differences += differences
            outcome.counts.add(counts)
    _tell(outcome, work, others)
    return outcome


class _ByPart:
    """Places of blocks by the part of the keys that they are of."""

    def __init__(self) -> None:
        self._places: dict[int, list[Place]] = {}

    def add(self, places: Iterable[Place]) -> None:
        for place in places:
            self._places.setdefault(place[0], []).append(place)

    @property
    def places(self) -> Iterable[list[Place]]:
        return (self._places[part] for part in sorted(self._places))


def _tell(outcome: Outcome, work: _Work, others: list[Slim]) -> None:
    """Add what is no change of a row."""
    merge = Merge(work.pairs, len(work.sides))
    others.sort(key=attrgetter("order"))
    outcome.differences += merge.differences(others)
    outcome.counts.add(merge.counts)
    outcome.differences.sort(key=order_of)
