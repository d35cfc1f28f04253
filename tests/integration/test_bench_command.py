"""`bench --iut`: what it measures, and how it ends where there is nothing to measure. No test reads a figure."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from conformance.cli.bench_load import Measured
from conformance.cli.configuring import REFERENCE
from conformance.cli.main import main
from tests.integration.minimal import address, changed

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
    assert main(["bench", "--iut", address(), *SMALL]) == 0
    head, names, row = capsys.readouterr().out.splitlines()
    assert head == "minimal-harness 0.1 (Python) beside the reference"
    assert names.split()[:3] == ["protocol", "role", "messages/s"]
    assert row.split()[:2] == ["canal-json", "decode"]


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (('elif op == "decode":', 'elif op == "decode" and 1 // 0:'), "answered with error: ZeroDivisionError"),
        (('for record in request["records"]]', "for record in ()]"), "answered with no events"),
    ],
)
def test_a_refused_load_and_answers_without_content_have_no_speed(change, why, tmp_path: Path, capsys) -> None:
    assert main(["bench", "--iut", changed(tmp_path, change), *SMALL]) == 6
    assert f"not measured: {why}" in capsys.readouterr().out


def test_a_percentile_is_a_time_that_was_measured() -> None:
    measured = Measured(100, 1000, (5, 3, 4), tuple(range(1, 101)))
    assert [measured.percentile(share) for share in (1, 50, 99, 100)] == [1, 50, 99, 100]
    assert Measured(1, 1, (1,), (7,)).percentile(50) == 7


def test_the_round_in_the_middle_counts() -> None:
    assert Measured(100, 1000, (9_000_000_000, 1, 1_000_000_000), (1,)).per_second == 100
