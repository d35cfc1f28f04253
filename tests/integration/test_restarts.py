"""Restarts: counted, limited, and the configuration replayed."""

from __future__ import annotations

from pathlib import Path

import pytest
from miniature import PATIENT, command, run_case, started

from conformance.errors import SuiteError
from conformance.transport import Crashed, HarnessLost, Limits, StdinDump, open_session


def ops(file: Path) -> list[str]:
    return [line.split('"op":"')[1].split('"')[0] for line in file.read_text().splitlines()]


@pytest.mark.parametrize(
    ("name", "allowed", "cases", "outcomes", "restarts"),
    [
        ("always_dies", 5, ["any"] * 8, ["Crashed"] * 6 + ["HarnessLost"] * 2, 5),
        ("dies_in_the_middle", 1, ["bad", "good"] * 4, ["Crashed", "ok"] * 4, 4),
        ("always_dies", None, ["any"] * 8, ["Crashed"] * 8, 7),
    ],
    ids=["lost without a good answer", "a good answer forgets restarts", "a search has no limit"],
)
def test_restarts_are_limited_between_good_answers(name, allowed, cases, outcomes, restarts) -> None:
    with started(name, limits=Limits(start=20, answer=20, restarts=allowed)) as session:
        assert [run_case(session, case) for case in cases] == outcomes
        assert session.restarts == restarts


def test_five_restarts_are_allowed_by_default() -> None:
    assert PATIENT.restarts == 5


@pytest.mark.parametrize("restarts", [5, None])
def test_one_that_does_not_start_again_is_lost_whatever_the_limit(tmp_path: Path, restarts: int | None) -> None:
    limits = Limits(start=20, answer=20, restarts=restarts)
    with started("starts_once", str(tmp_path / "marker"), limits=limits) as session:
        assert run_case(session, "bad") == "Crashed"
        with pytest.raises(HarnessLost, match=r"the last fault: it ended with exit status 1 during hello") as caught:
            session.ask("reset")
        assert run_case(session, "good") == "HarnessLost"
        assert caught.value.stderr in ("", "the port is still in use\n")


def test_a_restart_replays_the_last_configure_and_reset(tmp_path: Path) -> None:
    with started("dies_in_the_middle", trace=StdinDump(tmp_path)) as session:
        session.configure({"protocol": "canal-json", "options": {"content-compatible": "true"}})
        session.ask("reset")
        with pytest.raises(Crashed):
            session.ask("encode", case="bad")
        session.ask("decode", case="good")
    second = tmp_path / "stdin-0002.jsonl"
    assert ops(second) == ["hello", "configure", "reset", "decode", "bye"]
    assert '"content-compatible":"true"' in second.read_text().splitlines()[1]


def test_a_restart_for_a_reset_does_not_reset_twice(tmp_path: Path) -> None:
    with started("dies_in_the_middle", trace=StdinDump(tmp_path)) as session:
        assert [run_case(session, case) for case in ("bad", "good")] == ["Crashed", "ok"]
    assert ops(tmp_path / "stdin-0002.jsonl") == ["hello", "configure", "reset", "encode", "bye"]


def test_a_restart_for_a_configure_replays_no_other(tmp_path: Path) -> None:
    with started("dies_in_the_middle", trace=StdinDump(tmp_path)) as session:
        assert run_case(session, "bad") == "Crashed"
        session.configure({"protocol": "canal-json", "options": {}})
        assert run_case(session, "good") == "ok"
    assert ops(tmp_path / "stdin-0002.jsonl") == ["hello", "configure", "reset", "encode", "bye"]


def test_nothing_is_started_again_before_the_next_request(tmp_path: Path) -> None:
    with started("dies_in_the_middle", trace=StdinDump(tmp_path)) as session:
        assert run_case(session, "bad") == "Crashed"
    assert [file.name for file in tmp_path.iterdir()] == ["stdin-0001.jsonl"]


def test_the_dumped_stdin_gives_the_same_answers_by_hand(tmp_path: Path) -> None:
    import shlex
    import subprocess

    with started("echo", trace=StdinDump(tmp_path)) as session:
        session.ask("reset")
        answer = session.ask("encode", case="good")
    lines = subprocess.run(
        shlex.split(command("echo")),
        input=(tmp_path / "stdin-0001.jsonl").read_bytes(),
        capture_output=True,
        check=True,
    ).stdout.splitlines()
    assert len(lines) == 5
    assert answer.payload["records"][0]["value"].encode() in lines[3]


@pytest.mark.parametrize("order", [["encode"], ["reset"], ["configure", "encode"]])
def test_a_request_out_of_order_is_our_fault(order: list[str]) -> None:
    with open_session(f"cmd:{command('echo')}", limits=PATIENT) as session:
        session.start()
        for op in order[:-1]:
            session.ask(op)
        with pytest.raises(SuiteError, match="the life-cycle of the harness protocol has no step"):
            session.ask(order[-1])


def test_a_request_before_the_start_is_our_fault() -> None:
    with pytest.raises(SuiteError, match="before the session was started"):
        open_session(f"cmd:{command('echo')}").ask("reset")


@pytest.mark.parametrize("op", ["hello", "bye", "sing"])
@pytest.mark.parametrize("scheme", ["cmd", "exec"])
def test_what_a_session_is_not_asked_is_our_fault(scheme: str, op: str) -> None:
    with started("echo", scheme=scheme) as session, pytest.raises(SuiteError, match=f"not '{op}'"):
        session.ask(op)
