"""Streams as frames of Spark, and what a comparison of them left in its stages."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow
from pyarrow import parquet

from differential.batches import FRAME, differences_of
from differential.local import Outcome
from differential.result import order_of
from differential.rows import difference_of
from differential.spark.runner import Stage, Stages
from reference_impl.model import Record

QUICK = {
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.execution.arrow.maxRecordsPerBatch": "200",
}
"""Of a session for small data: compiling costs more than it saves."""


def write_frames(folder: Path, streams: Sequence[Sequence[Record]]) -> list[str]:
    """The streams as parquet files of several row groups."""
    files = []
    for number, stream in enumerate(streams):
        columns = [[getattr(record, name) for record in stream] for name in FRAME.names]
        files.append(str(folder / f"side{number}.parquet"))
        parquet.write_table(pyarrow.table(columns, schema=FRAME), files[-1], row_group_size=97)
    return files


def frames(spark: Any, folder: Path, streams: Sequence[Sequence[Record]]) -> list[Any]:
    """The streams as parquet files, read by Spark."""
    return [spark.read.parquet(file) for file in write_frames(folder, streams)]


def stages(folder: Path, made_of: object = "this test", plan: str = "merge") -> Stages:
    """The stages of a comparison."""
    return Stages.below(folder, {"of": made_of}, plan)


def outcome_of(stage: Stage) -> Outcome:
    """What a stage of results holds."""
    table, counts = differences_of(parquet.read_table(stage.folder))
    rows = zip(*(column.to_pylist() for column in table.columns), strict=True)
    return Outcome(sorted(map(difference_of, rows), key=order_of), counts)
