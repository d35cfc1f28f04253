"""Upstream dialects on the command line: the reference serves them, and is judged in them like any implementation."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from conformance.cli.configuring import REFERENCE
from conformance.cli.main import main
from reference_impl.protocols import DIALECTS, UPSTREAM

every_dialect = pytest.mark.parametrize("protocol", UPSTREAM)


def run(tmp_path: Path, *arguments: str) -> tuple[int, list[dict[str, object]]]:
    out = tmp_path / "run.jsonl"
    status = main(["run", "-q", f"--report=jsonl={out}", *arguments])
    return status, [json.loads(line) for line in out.read_bytes().split(b"\n") if line]


@every_dialect
def test_the_served_reference_is_green_in_both_roles_and_the_gate_is_should(tmp_path: Path, protocol: str) -> None:
    served = f"{REFERENCE} --protocol {protocol}"
    status, events = run(tmp_path, "--protocol", protocol, "--iut", served, "-k", "keyed or snapshot")
    verdicts = [e for e in events if e["event"] == "verdict"]
    put = [e for e in verdicts if e["verdict"] != "excluded"]
    assert (status, {e["verdict"] for e in put}, {e["role"] for e in put}) == (0, {"pass"}, {"encode", "decode"})
    assert events[-1]["accounting"]["adds_up"]  # type: ignore[index]
    assert "should" in json.dumps(events[0])


def test_what_is_not_offered_is_unsupported(tmp_path: Path) -> None:
    served = f"{REFERENCE} --protocol canal-json"
    _, events = run(tmp_path, "--protocol", "canal", "--iut", served, "-k", "keyed")
    verdicts = [e for e in events if e["event"] in ("verdict", "verdicts")]
    assert {e["verdict"] for e in verdicts} <= {"unsupported", "excluded"}
    assert any("it does not declare canal" in str(e["message"]) for e in verdicts)


@pytest.mark.parametrize("what", ["requirements", "mutants"])
@every_dialect
def test_lists_know_the_dialects(what: str, protocol: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", what, "--protocol", protocol, "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)


def test_the_list_of_protocols_has_the_dialects_and_their_options(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", "protocols", "--format", "json"]) == 0
    assert [row["protocol"] for row in json.loads(capsys.readouterr().out)] == list(DIALECTS)
    assert main(["list", "protocols", "canal"]) == 0
    assert "binlog_row_image" in capsys.readouterr().out


def test_doctor_talks_to_a_dialect(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--iut", REFERENCE, "--protocol", "canal"]) == 0
    assert "decode" in capsys.readouterr().out
