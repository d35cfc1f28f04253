"""A run over several sessions comes to its end, however few its cases are, and whatever the implementation does."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from tests.integration.miniature import command

ROOT = Path(__file__).resolve().parents[2]
PATIENCE = 240  # seconds, of a run that takes a few


def ended(out: Path, name: str, selected: str) -> tuple[int, Counter[str]]:
    """The exit status of a run over two sessions, and its verdicts."""
    asked = ["--protocol", "canal-json", "--role", "encode", "-k", selected, "-n", "2", "-q"]
    argv = [sys.executable, ROOT / "ticdc_conformance.py", "run", "--iut", f"cmd:{command(name)}", *asked]
    run = subprocess.run([*argv, "--report", f"jsonl={out}"], timeout=PATIENCE, capture_output=True, check=False)
    events = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert events[-1]["event"] == "end"
    return run.returncode, Counter(event["verdict"] for event in events if event["event"] == "verdict")


@pytest.mark.parametrize("selected", ["golden", "canal-json/stream/add* or canal-json/stream/d*", "watermark"])
def test_a_run_of_a_few_cases_over_two_sessions_ends(tmp_path: Path, selected: str) -> None:
    status, verdicts = ended(tmp_path / "run.jsonl", "empty_answer", selected)
    assert status == 1
    assert 1 < verdicts.total() < 200


def test_long_answers_that_are_all_wrong_hold_up_neither_side(tmp_path: Path) -> None:
    status, verdicts = ended(tmp_path / "run.jsonl", "answers_at_length", "canal-json/type/int*")
    assert status == 1
    assert verdicts["fail"] > 40
