"""Writes parts of a stream by Spark's workers, a shard a task, into a shared folder."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from functools import partial
from typing import Any

import pyarrow

from conformance.errors import UsageError
from differential.generate.messages import Unwritable
from differential.generate.parts import Job, Part, write_part
from differential.generate.truth import Plan
from differential.spark.session import in_one_line, session

__all__ = ["write_on_spark"]


def _write(job: Job, plan: Plan, batches: Iterator[Any]) -> Iterator[Any]:
    for batch in batches:
        for number in batch.column(0).to_pylist():
            try:
                found: Part | Unwritable = write_part(job, number, plan)
            except Unwritable as e:
                found = e
            yield pyarrow.RecordBatch.from_pydict({"part": [pickle.dumps(found)]})


def write_on_spark(job: Job, master: str) -> Iterator[Part]:
    """The parts, once all are written.

    Raises `UsageError` if Spark fails, and what `write_part` raises.
    """
    with session(master) as spark:
        numbers = spark.range(0, job.shards, 1, job.shards)
        try:
            rows = numbers.mapInArrow(partial(_write, job, job.plan()), "part binary").collect()
        except Exception as e:
            raise UsageError(f"--master {master}: the stream could not be written on Spark: {in_one_line(e)}") from e
    for row in rows:
        found = pickle.loads(bytes(row[0]))
        if isinstance(found, Unwritable):
            raise found
        yield found
