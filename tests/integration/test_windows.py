"""Several requests in flight: how many, across what, and who is blamed."""

from __future__ import annotations

import base64
from typing import Any

import pytest
from miniature import IMPATIENT, PATIENT, started

from conformance.transport import Answer, AnswerOrFault, Limits, Session


def encodes(*cases: str) -> list[dict[str, Any]]:
    return [{"op": "encode", "case": case, "tables": [], "events": []} for case in cases]


def shown(outcome: AnswerOrFault) -> str:
    """The case that an answer is for, or what was there instead of it."""
    if not isinstance(outcome, Answer):
        return type(outcome).__name__
    if outcome.kind != "ok" or not outcome.payload:
        return str(outcome.payload)
    return base64.b64decode(outcome.payload["records"][0]["value"]).decode()


def ask_many(session: Session, *cases: str) -> list[str]:
    session.ask("reset")
    return [shown(outcome) for outcome in session.ask_many(encodes(*cases))]


@pytest.mark.parametrize(("name", "window"), [("windowed", 4), ("never_pipelined", 1)])
def test_answers_in_any_order_find_their_requests_and_no_more_are_in_flight_than_declared(name, window) -> None:
    cases = [f"case {i}" for i in range(10)]
    with started(name) as session:
        assert session.window == window
        assert ask_many(session, *cases) == cases


def test_nothing_is_in_flight_across_a_reset() -> None:
    requests = [*encodes("a", "b"), {"op": "reset"}, *encodes("c")]
    with started("windowed") as session:
        session.ask("reset")
        assert [shown(outcome) for outcome in session.ask_many(requests)] == ["a", "b", "{}", "c"]


@pytest.mark.parametrize(("mode", "limits", "blame"), [("dies", PATIENT, "Crashed"), ("hangs", IMPATIENT, "TimedOut")])
def test_only_the_guilty_one_of_several_in_flight_is_blamed(mode: str, limits: Limits, blame: str) -> None:
    with started("windowed", mode, limits=limits) as session:
        assert ask_many(session, "a", "b", "bad", "c", "d", "e") == ["a", "b", blame, "c", "d", "e"]


def test_a_fault_that_only_several_in_flight_bring_out_is_blamed_on_the_first_of_them() -> None:
    with started("windowed", "crowd") as session:
        assert ask_many(session, "a", "b", "c", "d") == ["Crashed", "b", "c", "d"]


def test_one_that_is_lost_is_the_outcome_of_all_that_follow() -> None:
    limits = Limits(start=20, answer=20, restarts=2)
    with started("windowed", "dies", limits=limits) as session:
        outcomes = ask_many(session, *["bad"] * 6)
    assert outcomes == ["Crashed"] * 2 + ["HarnessLost"] * 4
    assert session.restarts == 2
