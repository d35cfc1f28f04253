"""Writes parts by a pool of processes on this machine (`differential.spark.generating`: on Spark)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import repeat

from conformance.processes import processes
from differential.generate.parts import Job, Part, write_part

__all__ = ["write_locally"]


def write_locally(job: Job, workers: int) -> Iterator[Part]:
    """The parts as they are written, in order. Raises what `write_part` raises."""
    numbers = range(job.shards)
    if workers == 1 or job.shards == 1:
        yield from map(partial(write_part, job), numbers)
        return
    with processes(min(workers, job.shards)) as pool:
        yield from pool.map(write_part, repeat(job), numbers)
