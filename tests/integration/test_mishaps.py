"""Whatever befalls an implementation or a process of the suite, the record is whole, and the same for any `-n`."""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
from collections import Counter
from contextlib import redirect_stdout
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from conformance.cli.main import main
from tests.amounts import ordinarily
from tests.integration.miniature import command

ROOT = Path(__file__).resolve().parents[2]
PATIENCE = 240  # seconds, of a run that takes a few
SELECTED = "canal-json/type/int* or canal-json/type/bigint*"  # a little more than three pieces
PIECE = 40
SEVERAL = ordinarily((3,), (2, 3))
_VOLATILE = ("seconds", "host", "command", "stderr", "address")


@cache
def record(sessions: int, *mishap: str) -> tuple[int, tuple[dict[str, Any], ...], str]:
    """The exit status of a run, its events but restarts and without what may differ, and what the terminal showed."""
    with TemporaryDirectory() as folder:
        path = Path(folder, "run.jsonl")
        asked = ["--protocol", "canal-json", "--role", "encode", "-k", SELECTED, "-n", str(sessions)]
        iut = f"cmd:{command('mishaps', *mishap)}"
        argv = ["run", "--iut", iut, *asked, "--report", f"jsonl={path}"]
        status, shown = (_apart if mishap[0] == "kills" else _here)(argv)
        events = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert events[-1]["event"] == "end", shown
    del events[0]["started"]
    plain = [{k: _plain(v) for k, v in e.items() if k not in _VOLATILE} for e in events if e["event"] != "restart"]
    return status, tuple(plain), shown


def _here(argv: list[str]) -> tuple[int, str]:
    """The status of a run in this process, and what the terminal showed."""
    with redirect_stdout(io.StringIO()) as shown:
        return main(argv), shown.getvalue()


def _apart(argv: list[str]) -> tuple[int, str]:
    """The same in a process of its own, for a harness that kills those who ask it."""
    command_line = [sys.executable, ROOT / "ticdc_conformance.py", *argv]
    run = subprocess.run(command_line, timeout=PATIENCE, capture_output=True, check=False, text=True)
    return run.returncode, run.stdout


def _plain(value: Any) -> Any:
    """Without the number of a request, which says how many its session has had."""
    return re.sub(r"\(request \d+\)", "(request)", value) if isinstance(value, str) else value


def verdicts(sessions: int, *mishap: str) -> list[tuple[str, str]]:
    """Replay id (whose beginning the implementation sees) and verdict of each case that was to be put, in order."""
    events = (e for e in record(sessions, *mishap)[1] if e["event"] == "verdict")
    return [(e["replay"][:8], e["verdict"]) for e in events if e["verdict"] not in ("excluded", "unsupported")]


@cache
def order() -> tuple[str, ...]:
    """The cases as an implementation without a mishap sees them."""
    return tuple(case for case, _ in verdicts(1, "none"))


def counted(sessions: int, *mishap: str) -> Counter[str]:
    return Counter(verdict for _, verdict in verdicts(sessions, *mishap))


def adds_up(sessions: int, *mishap: str) -> bool:
    _, events, _ = record(sessions, *mishap)
    accounting = events[-1]["accounting"]
    requirements = [e for e in events if e["event"] == "requirement"]
    return accounting["planned"] == sum(accounting["counts"].values()) and len(requirements) > 0


# -- the number of sessions changes nothing ----------------------------------------------------------------------------

CASES_OF_DEATHS = {
    "six neighbours over the border of two pieces": range(PIECE - 3, PIECE + 3),
    "six neighbours within a piece": range(PIECE + 5, PIECE + 11),
    "five neighbours over the border of two pieces": range(PIECE - 3, PIECE + 2),
    "the last six": range(-6, 0),
}


@pytest.mark.parametrize("sessions", SEVERAL)
@pytest.mark.parametrize("name", CASES_OF_DEATHS)
def test_deaths_of_neighbours_have_the_same_record_over_several_sessions(name: str, sessions: int) -> None:
    dying = ("dies", *(order()[i] for i in CASES_OF_DEATHS[name]))
    assert record(sessions, *dying)[:2] == record(1, *dying)[:2]


@pytest.mark.parametrize("sessions", [1, *SEVERAL])
def test_after_six_neighbours_that_died_nothing_is_run(sessions: int) -> None:
    assert len(order()) > 3 * PIECE
    dying = ("dies", *order()[PIECE - 3 : PIECE + 3])
    found = verdicts(sessions, *dying)
    assert [i for i, (_, verdict) in enumerate(found) if verdict == "crash"] == list(range(PIECE - 3, PIECE + 3))
    assert {verdict for _, verdict in found[: PIECE - 3]} == {"fail"}
    assert {verdict for _, verdict in found[PIECE + 3 :]} == {"not_run"}
    status, events, _ = record(sessions, *dying)
    assert status == 6
    assert any("given up after 5 restarts without a good answer" in e.get("message", "") for e in events)


@pytest.mark.parametrize("sessions", [1, *SEVERAL])
def test_the_death_of_the_last_six_costs_no_other_case(sessions: int) -> None:
    dying = ("dies", *order()[-6:])
    assert record(sessions, *dying)[0] == 1
    assert counted(sessions, *dying) == {"fail": len(order()) - 6, "crash": 6}


@pytest.mark.parametrize("sessions", SEVERAL)
def test_deaths_in_two_of_three_cases_have_the_same_record_over_several_sessions(sessions: int) -> None:
    assert counted(1, "thirds")["crash"] > 5
    assert record(sessions, "thirds")[:2] == record(1, "thirds")[:2]


@pytest.mark.parametrize("sessions", [1, *SEVERAL])
def test_one_that_always_dies_after_some_answers_is_never_given_up(sessions: int) -> None:
    status, *_ = record(sessions, "after", "9")
    found = counted(sessions, "after", "9")
    assert status == 1
    assert sorted(found) == ["crash", "fail"]
    assert found.total() == len(order())


@pytest.mark.parametrize("sessions", [1, *SEVERAL])
def test_one_that_dies_in_every_case_is_given_up_after_six(sessions: int) -> None:
    assert record(sessions, "after", "0")[0] == 6
    assert [verdict for _, verdict in verdicts(sessions, "after", "0")][:7] == ["crash"] * 6 + ["not_run"]
    assert counted(sessions, "after", "0")["crash"] == 6


# -- one that runs only once -------------------------------------------------------------------------------------------


def test_one_that_runs_only_once_is_judged_over_one_session_and_the_run_says_so(tmp_path: Path) -> None:
    status, events, shown = record(3, "alone", str(tmp_path / "lock"))
    assert status == 1
    assert verdicts(3, "alone", str(tmp_path / "lock")) == verdicts(1, "none")
    told = next(e for e in events if e["event"] == "iut")
    assert told["started"]
    assert told["message"].startswith("3 sessions were asked for, 1 could be started: it did not start: ")
    assert "3 sessions were asked for, 1 could be started" in " ".join(shown.split())


@pytest.mark.parametrize("sessions", [1, 2])
def test_one_of_which_no_session_starts_is_lost(sessions: int) -> None:
    status, events, _ = record(sessions, "never")
    assert status == 6
    accounting = next(event for event in events if event["event"] == "end")["accounting"]
    assert accounting["counts"].keys() == {"not_run", "excluded"}  # what -k leaves out was never to be run
    assert accounting["counts"]["not_run"] == len(order())


# -- a process of the suite is killed ----------------------------------------------------------------------------------


def test_a_killed_process_of_the_suite_costs_the_case_that_it_judged() -> None:
    costly = [order()[place] for place in (0, PIECE + 7, -1)]  # no more than are replaced
    status, events, _ = record(2, "kills", *costly)
    assert status == 3
    assert verdicts(2, "kills", *costly) == [(c, "suite_error" if c in costly else "fail") for c in order()]
    assert adds_up(2, "kills", *costly)
    told = {e["message"] for e in events if e["event"] == "verdict" and e["verdict"] == "suite_error"}
    assert told == {"a process of the suite ended with signal 9 while it judged this case"}


def test_processes_of_the_suite_are_replaced_three_times_and_the_rest_is_not_run() -> None:
    killing = ("kills", *order())
    status, events, _ = record(2, *killing)
    assert status == 3
    found = counted(2, *killing)
    assert sorted(found) == ["not_run", "suite_error"]
    assert 1 <= found["suite_error"] <= 2 + 3
    assert found.total() == len(order())
    assert adds_up(2, *killing)
    reasons = {e["message"] for e in events if e["event"] == "verdict" and e["verdict"] == "not_run"}
    assert reasons == {"a process of the suite ended with signal 9, as did others before it"}
