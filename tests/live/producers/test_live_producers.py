"""Real Canal and Debezium write what was recorded of them, and are judged by SQL like any other encoder.

`tox run -e live-producers` runs this. What a machine does not have (Maven, Debian's packages, another Java) is skipped
by name.
"""

from __future__ import annotations

import json
import os
import re
import sys
from pathlib import Path

import pytest

from conformance.cli.main import main

ROOT = Path(__file__).resolve().parents[3]
PRODUCERS = ("canal", "debezium24", "debezium36")
# A sample of the cases of each: some of every corpus, drawn by the ids of the cases.
SHARDS = {"canal": "1/48", "debezium": "1/48"}
PROTOCOLS = {"canal": "canal", "debezium": "debezium-connector"}


@pytest.mark.parametrize("producer", PRODUCERS)
def test_a_producer_writes_what_is_committed(producer: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status = main(["record", producer, "--check", "--out", str(tmp_path / producer)])
    told = capsys.readouterr()
    if status == 4 and "cannot be recorded here" in told.err:
        pytest.skip(told.err)
    [counts] = re.findall(r"^recordings .*$", told.out, re.MULTILINE)
    assert "drifted" not in told.out, told.out
    if status:
        missing = re.findall(r"^(\S+): not recorded, for there is no Java", told.out, re.MULTILINE)
        assert counts.endswith(f"not recorded {len(missing)}"), told.out


@pytest.mark.parametrize("producer", SHARDS)
def test_a_producer_driven_by_sql_is_judged_like_any_encoder(
    producer: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]))
    record = tmp_path / "run.jsonl"
    harness = f"cmd:{sys.executable} -m harnesses.producers.harness {producer}"
    selection = ["--protocol", PROTOCOLS[producer], "--role", "encode", "--shard", SHARDS[producer]]
    status = main(
        [
            "run",
            "--iut",
            harness,
            *selection,
            "-n",
            "1",
            "--timeout",
            "90",
            "--gate",
            "data",
            "--report",
            f"jsonl={record}",
            "-q",
        ]
    )
    told = capsys.readouterr()
    verdicts = [e for e in map(json.loads, record.open(encoding="utf-8")) if e["event"] == "verdict"]
    unavailable = [e["message"] for e in verdicts if "cannot be had" in str(e.get("message"))]
    if unavailable:
        pytest.skip(unavailable[0])
    assert status == 0, told.out + told.err
    passed = [e["case"] for e in verdicts if e["verdict"] == "pass"]
    declined = [e for e in verdicts if e["verdict"] == "unsupported"]
    assert len(passed) > len(verdicts) // 4, f"{len(passed)} passed, {len(declined)} declined"
