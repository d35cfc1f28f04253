"""The comparison on this machine alone, without a JVM: decode in a pool of processes, then merge in it.

It holds the slim records of all sides in memory, which is enough for some millions; beyond that there is Spark.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from operator import attrgetter
from typing import Any, TypeVar

from conformance.processes import processes
from differential.align.merging import Merge, Pair
from differential.counts import Counts
from differential.decode.reader import SlimReader
from differential.decode.slim import Slim
from differential.model import Difference
from differential.result.summary import order_of
from differential.sides import Side
from reference_impl.model import Record

__all__ = ["Outcome", "compare_locally"]

T = TypeVar("T")
R = TypeVar("R")


@dataclass(slots=True)
class Outcome:
    """What a comparison found."""

    differences: list[Difference] = field(default_factory=list)
    counts: Counts = field(default_factory=Counts)


def _decode(task: tuple[int, Side, list[Record]]) -> tuple[int, list[Slim], Counter[str], Counter[tuple[str, int]]]:
    number, side, records = task
    read = SlimReader(number, side)
    copied = records if side.carries.broadcasts else ()
    places = Counter((record.topic or "", record.partition or 0) for record in copied)
    return number, read.rows(records), read.counts + Counter(messages=len(records)), places


def _merge(task: tuple[Sequence[Pair], int, list[Slim]]) -> tuple[list[Difference], Counts]:
    pairs, sides, rows = task
    merge = Merge(pairs, sides)
    rows.sort(key=attrgetter("order"))
    return list(merge.differences(rows)), merge.counts


def _chunks(records: Iterable[Record], size: int) -> Iterator[list[Record]]:
    rest = iter(records)
    while chunk := list(islice(rest, size)):
        yield chunk


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
    streams: Sequence[Iterable[Record]],
    pairs: Sequence[Pair],
    *,
    workers: int = 1,
    batch: int = 5_000,
    partitions: int = 16,
    progress: Callable[[int], object] = lambda messages: None,
) -> Outcome:
    """Compare the streams; `progress` is told how many messages of a batch were read.

    The outcome depends on neither `workers`, `batch` nor `partitions`.
    """
    outcome = Outcome()
    parts: list[list[Slim]] = [[] for _ in range(partitions)]

    def tasks() -> Iterator[tuple[int, Side, list[Record]]]:
        for number, (side, stream) in enumerate(zip(sides, streams, strict=True)):
            for chunk in _chunks(stream, batch):
                yield number, side, chunk
                progress(len(chunk))

    def settle(run: Callable[..., Iterable[Any]]) -> None:
        for number, rows, control, places in run(_decode, tasks()):
            outcome.counts.control.update({(number, what): n for what, n in control.items()})
            outcome.counts.partitions.update({(number, *place): n for place, n in places.items()})
            for row in rows:
                parts[row.group % partitions].append(row)
        for differences, counts in run(_merge, ((pairs, len(sides), part) for part in parts if part)):
            outcome.differences += differences
            outcome.counts.add(counts)

    if workers == 1:
        settle(map)
    else:
        with processes(workers) as pool:
            settle(partial(_in_order, pool, 2 * workers))
    outcome.differences.sort(key=order_of)
    return outcome
