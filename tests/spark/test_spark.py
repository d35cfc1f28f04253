"""The comparison on Spark finds what the comparison on one machine finds. `tox run -e spark` runs this."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from conformance.cli.main import main
from conformance.errors import SuiteError
from differential.align.pairs import Pair, pairs_of
from differential.classify.naming import Namer
from differential.local import Outcome, compare_locally
from differential.sides import Side
from differential.sources.spec import Spec
from differential.spark.comparing import SparkComparison
from differential.spark.runner import compare_on_spark
from differential.spark.session import session
from reference_impl.wire import record_to_json, table_to_json
from tests.spark.staged import QUICK, frames, outcome_of, stages, write_frames
from tests.unit.differential.streams import TABLE, TYPES, changes, cut, lost, messages, repeated, side

LEFT = side("left", "canal-json", enable_tidb_extension="true")
RIGHT = side("right", "open-protocol", max_batch_size="1")
CHANGES = changes(seed=21, count=600)
STREAMS = (repeated(lost(cut(messages(LEFT, CHANGES), 30), 90), 150), messages(RIGHT, CHANGES))
SIDES = (LEFT, RIGHT)


def pairs() -> tuple[Pair, ...]:
    return pairs_of(SIDES, TYPES, {"left-right": Namer()})


@pytest.fixture(scope="module")
def spark() -> Iterator[Any]:
    with session("local[2]", QUICK) as made:
        yield made


@pytest.fixture(scope="module")
def local() -> Outcome:
    outcome = compare_locally(SIDES, STREAMS, pairs())
    assert len(outcome.differences) == 4
    return outcome


@pytest.mark.parametrize(("batch", "partitions"), [(10_000, 1), (61, 5), (1, 16)])
def test_batches_and_partitions_of_spark_change_nothing(
    spark: Any, local: Outcome, tmp_path: Path, batch: int, partitions: int
) -> None:
    spark.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", str(batch))
    put = stages(tmp_path)
    compare_on_spark(SIDES, frames(spark, tmp_path, STREAMS), pairs(), put, partitions=partitions)
    assert outcome_of(put.merged) == local
    assert put.merged.notes["observed"] == [len(stream) for stream in STREAMS]


def test_what_a_killed_run_left_is_computed_again(spark: Any, local: Outcome, tmp_path: Path) -> None:
    put = stages(tmp_path)
    put.merged.folder.mkdir()
    (put.merged.folder / "part-00000.parquet").write_bytes(b"half a fi")
    compare_on_spark(SIDES, frames(spark, tmp_path, STREAMS), pairs(), put, partitions=3)
    assert outcome_of(put.merged) == local


def test_a_stage_that_is_complete_is_taken_as_it_is_and_one_of_something_else_is_not(
    spark: Any, local: Outcome, tmp_path: Path
) -> None:
    first = stages(tmp_path, 1)
    compare_on_spark(SIDES, frames(spark, tmp_path, STREAMS), pairs(), first, partitions=2)
    others = frames(spark, tmp_path, (STREAMS[0][:200], STREAMS[1]))
    compare_on_spark(SIDES, others, pairs(), stages(tmp_path, 1), partitions=2)
    assert outcome_of(first.merged) == local
    compare_on_spark(SIDES, others, pairs(), stages(tmp_path, 2), partitions=2)
    assert outcome_of(first.merged) != local


@pytest.mark.parametrize(("more", "told"), [(0, ""), (1, "left: Spark read 601 messages, of which 600 were counted")])
def test_messages_read_but_not_counted_are_an_error_of_the_suite(
    spark: Any, tmp_path: Path, more: int, told: str
) -> None:
    specs = [Spec(of.dialect, file) for of, file in zip(SIDES, write_frames(tmp_path, STREAMS), strict=True)]
    comparison = SparkComparison(SIDES, specs, pairs(), tmp_path, "0", plan="merge")
    put = comparison.stages
    compare_on_spark(SIDES, frames(spark, tmp_path, STREAMS), pairs(), put, partitions=2)
    manifest = put.merged.folder.with_name("merged.manifest.json")
    noted = json.loads(manifest.read_text(encoding="utf-8"))
    noted["notes"]["observed"][0] += more
    manifest.write_text(json.dumps(noted), encoding="utf-8")
    with (
        pytest.raises(SuiteError, match=told) if more else nullcontext(),
        comparison.running("local[1]", 2) as differences,
    ):
        assert len(list(differences)) == 4


def test_the_command_says_the_same_on_spark_and_without_any_java_but_its_own(tmp_path: Path) -> None:
    (tmp_path / "tables.json").write_text(json.dumps([table_to_json(TABLE)]), encoding="utf-8")
    for of, stream in zip(SIDES, STREAMS, strict=True):
        lines = "".join(json.dumps(record_to_json(record)) + "\n" for record in stream)
        (tmp_path / f"{of.name}.jsonl").write_text(lines, encoding="utf-8")
    arguments = [
        "compare",
        *("--left", f"{spec(LEFT)}:{tmp_path}/left.jsonl", "--right", f"{spec(RIGHT)}:{tmp_path}/right.jsonl"),
        *("--tables", str(tmp_path / "tables.json")),
    ]
    assert main([*arguments, "--out", str(tmp_path / "local")]) == 1
    bare = {"HOME": str(tmp_path), "PATH": str(no_java(tmp_path)), "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-m", "ticdc_conformance", *arguments, "--out", str(tmp_path / "spark")]
    done = subprocess.run([*command, "--runner", "spark"], env=bare, capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stderr
    assert "Traceback" not in done.stderr
    found = {name: json.loads((tmp_path / name / "summary.json").read_text()) for name in ("local", "spark")}
    assert found["spark"].pop("runner") == "spark"
    assert found["local"].pop("runner") == "local"
    made = [one.pop("made") for one in found.values()]
    assert made[0]["registers"] == made[1]["registers"]
    assert found["spark"] == found["local"]
    assert not (tmp_path / "spark" / "stage").exists()


def spec(of: Side) -> str:
    return f"{of.dialect}?{'&'.join(f'{name}={value}' for name, value in of.options.items())}"


def no_java(folder: Path) -> Path:
    """A PATH with every program of the system but Java."""
    made = folder / "bin"
    made.mkdir()
    for place in (Path("/usr/bin"), Path("/bin")):
        for program in place.iterdir():
            if not program.name.startswith("java") and not os.path.lexists(made / program.name):
                (made / program.name).symlink_to(program)
    return made
