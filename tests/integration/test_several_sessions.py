"""A verdict never depends on the number of sessions, nor on how a run was divided."""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from conformance.cli.main import main
from conformance.engine.crew import Crew

_HARNESS = f"cmd:{sys.executable} {Path(__file__).with_name('several.py')}"
_SELECTED = "canal-json/keyed* or canal-json/flags* or canal-json/name* or canal-json/evolution*"
_VOLATILE = ("seconds", "started", "host", "command", "stderr")


@cache
def record(*more: str) -> tuple[dict[str, Any], ...]:
    """The events of a run with these options, without what differs between two runs of the same cases."""
    with TemporaryDirectory() as folder:
        path = Path(folder, "run.jsonl")
        arguments = ["run", "-q", "--iut", _HARNESS, "--protocol", "canal-json", "--timeout", "0.7", "-k", _SELECTED]
        main([*arguments, *more, "--report", f"jsonl={path}"])
        events = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return tuple({name: _plain(value) for name, value in event.items() if name not in _VOLATILE} for event in events)


def _plain(value: Any) -> Any:
    """Without the number of a request, which says how many its session has had."""
    return re.sub(r"\(request \d+\)", "(request)", value) if isinstance(value, str) else value


def without_restarts(events: tuple[dict[str, Any], ...]) -> list[dict[str, Any]]:
    """When an implementation is started again is a matter of its session."""
    return [event for event in events if event["event"] != "restart"]


def test_the_implementation_shows_every_kind_of_verdict() -> None:
    verdicts = Counter(event["verdict"] for event in record("-n", "1") if event["event"] == "verdict")
    wanted = {"pass", "fail", "crash", "timeout", "unsupported", "false_claim"}
    assert sorted(wanted - set(verdicts)) == []
    assert verdicts["pass"] >= 40


@pytest.mark.parametrize("sessions", ["2", "3"])
def test_several_sessions_give_the_run_record_of_one(sessions: str) -> None:
    assert without_restarts(record("-n", sessions)) == without_restarts(record("-n", "1"))


def test_every_session_has_its_share_of_a_small_run(monkeypatch: pytest.MonkeyPatch) -> None:
    put: Counter[int] = Counter()
    take = Crew._take

    def noted(crew: Crew, worker: Any, outcomes: Any, lost: str) -> None:
        put[id(worker)] += len(outcomes)
        take(crew, worker, outcomes, lost)

    monkeypatch.setattr(Crew, "_take", noted)
    record("-n", "2", "--role", "encode")
    assert len(put) == 2
    assert min(put.values()) >= sum(put.values()) // 10


def test_after_each_crash_and_silence_a_session_is_started_again() -> None:
    ends = {e["case"] for e in record("-n", "3") if e["event"] == "verdict" and e["verdict"] in ("crash", "timeout")}
    assert {e["after"] for e in record("-n", "3") if e["event"] == "restart"} <= ends


def test_the_parts_of_a_run_have_the_verdicts_of_the_whole() -> None:
    def verdicts(*more: str) -> dict[tuple[str, str], dict[str, Any]]:
        told = [e for e in record(*more) if e["event"] == "verdict"]
        return {(e["role"], e["case"]): {n: v for n, v in e.items() if n != "position"} for e in told}

    parts = [verdicts("-n", "2", "--shard", part) for part in ("1/2", "2/2")]
    assert not parts[0].keys() & parts[1].keys()
    assert {**parts[0], **parts[1]} == verdicts("-n", "1")
