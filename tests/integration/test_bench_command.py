"""`bench --iut`: what it measures, and how it ends where there is nothing to measure. No test reads a figure."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path

import pytest

from conformance.cli.bench_load import Measured
from conformance.cli.configuring import REFERENCE
from conformance.cli.main import main

ROOT = Path(__file__).resolve().parents[2]
DECODER = f"cmd:{shlex.join([sys.executable, str(ROOT / 'examples' / 'minimal_harness.py')])}"
SMALL = ("--messages", "100", "--rounds", "1")


def test_every_role_of_a_protocol_is_measured_beside_the_reference(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "--iut", REFERENCE, "--protocol", "avro", "--format", "json", *SMALL]) == 0
    told = json.loads(capsys.readouterr().out)
    assert [(row["protocol"], row["role"]) for row in told["measured"]] == [("avro", "encode"), ("avro", "decode")]
    figures = {"messages_per_second", "bytes_per_second", "p50_us", "p90_us", "p99_us"}
    for row in told["measured"]:
        assert set(row["reference"]) == figures
        assert set(row) == figures | {"protocol", "role", "reference", "ratio"}


def test_only_what_is_declared_is_measured(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "--iut", DECODER, *SMALL]) == 0
    head, names, row = capsys.readouterr().out.splitlines()
    assert head == "minimal-harness 0.1 (Python) beside the reference"
    assert names.split()[:3] == ["protocol", "role", "messages/s"]
    assert row.split()[:2] == ["canal-json", "decode"]


def test_a_harness_that_refuses_the_load_is_named_and_nothing_is_measured(tmp_path: Path, capsys) -> None:
    text = (ROOT / "examples" / "minimal_harness.py").read_text(encoding="utf-8")
    broken = tmp_path / "broken.py"
    broken.write_text(text.replace('elif op == "decode":', 'elif op == "decode" and 1 // 0:'), encoding="utf-8")
    assert main(["bench", "--iut", f"cmd:{shlex.join([sys.executable, str(broken)])}", *SMALL]) == 6
    assert "not measured: answered with error: ZeroDivisionError" in capsys.readouterr().out


def test_answers_without_content_have_no_speed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = (ROOT / "examples" / "minimal_harness.py").read_text(encoding="utf-8")
    empty = tmp_path / "empty.py"
    empty.write_text(text.replace('for record in request["records"]]', "for record in ()]"), encoding="utf-8")
    assert main(["bench", "--iut", f"cmd:{shlex.join([sys.executable, str(empty)])}", *SMALL]) == 6
    assert "not measured: answered with no events" in capsys.readouterr().out


def test_a_percentile_is_a_time_that_was_measured() -> None:
    measured = Measured(100, 1000, (5, 3, 4), tuple(range(1, 101)))
    assert [measured.percentile(share) for share in (1, 50, 99, 100)] == [1, 50, 99, 100]
    assert Measured(1, 1, (1,), (7,)).percentile(50) == 7


def test_the_round_in_the_middle_counts() -> None:
    assert Measured(100, 1000, (9_000_000_000, 1, 1_000_000_000), (1,)).per_second == 100
