"""Streams as frames of Spark, commands run elsewhere, and what a comparison left."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow
from pyarrow import parquet

from differential.batches import differences_of
from differential.local import Outcome
from differential.record_batches import RECORD_SCHEMA
from differential.result.tally import order_of
from differential.rows import difference_of
from differential.spark.messages import Messages
from differential.spark.runner import Stage, Stages
from reference_impl.model import Record

ROOT = Path(__file__).resolve().parents[2]

DRIVER = f"""
import sys
sys.path.insert(0, {str(ROOT)!r})
from conformance.cli.main import main
sys.exit(main(sys.argv[1:]))
"""

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
        columns = [[getattr(record, name) for record in stream] for name in RECORD_SCHEMA.names]
        files.append(str(folder / f"side{number}.parquet"))
        parquet.write_table(pyarrow.table(columns, schema=RECORD_SCHEMA), files[-1], row_group_size=97)
    return files


def frames(spark: Any, folder: Path, streams: Sequence[Sequence[Record]]) -> list[Messages]:
    """The streams as parquet files, read by Spark itself."""
    return [Messages(spark.read.parquet(file)) for file in write_frames(folder, streams)]


def stages(folder: Path, made_of: object = "this test", plan: str = "merge") -> Stages:
    """The stages of a comparison."""
    return Stages.below(folder, {"of": made_of}, plan)


def outcome_of(stage: Stage) -> Outcome:
    """What a stage of results holds."""
    table, counts = differences_of(parquet.read_table(stage.folder))
    rows = zip(*(column.to_pylist() for column in table.columns), strict=True)
    return Outcome(sorted(map(difference_of, rows), key=order_of), counts)


def found(out: Path) -> dict[str, Any]:
    """The summary, without how it came about."""
    summary: dict[str, Any] = json.loads((out / "summary.json").read_text(encoding="utf-8"))
    return {name: value for name, value in summary.items() if name not in ("runner", "plan", "made")}


def complaints(said: str) -> str:
    """What a command wrote to standard error, without its progress, which only a slow machine shows."""
    return re.sub(r"^tasks: .*\n", "", said, flags=re.MULTILINE)


def run(arguments: list[str], environment: dict[str, str], folder: Path) -> subprocess.CompletedProcess[str]:
    """The command, in a folder that is not the checkout."""
    command = [sys.executable, "-c", DRIVER, *arguments, "--runner", "spark"]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
