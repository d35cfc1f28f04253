"""The closed list of verdicts, the exit statuses and the gate."""

from __future__ import annotations

import itertools

import pytest

from conformance.engine.verdicts import EFFECTS, PRECEDENCE, ExitStatus, Gate, Tally, Verdict, gate, statuses, worst

CLOSED_LIST = {
    *("pass", "fail", "warn", "crash", "timeout", "protocol_error", "xfail", "xfail_changed", "xpass", "flaky"),
    *("unsupported", "false_claim", "excluded", "not_run", "suite_error"),
}


def tally(planned: int | None = None, **counts: int) -> Tally:
    given = {Verdict(name): n for name, n in counts.items()}
    return Tally(sum(given.values()) if planned is None else planned, given)


def test_the_list_of_verdicts_is_closed_and_each_has_an_effect() -> None:
    assert {str(v) for v in Verdict} == CLOSED_LIST == {str(v) for v in EFFECTS}


RED = {"fail", "crash", "timeout", "protocol_error", "false_claim", "xfail_changed"}


@pytest.mark.parametrize("verdict", sorted(CLOSED_LIST))
def test_one_verdict_beside_a_pass_has_the_status_of_the_table(verdict: str) -> None:
    expected = 1 if verdict in RED else {"suite_error": 3, "not_run": 6, "xpass": 7}.get(verdict, 0)
    found = gate([Tally(2, {Verdict.PASS: 1} | {Verdict(verdict): 1 + (verdict == "pass")})], Gate.MUST)
    assert found.status == expected


def test_a_warning_is_red_only_when_strict() -> None:
    assert [gate([tally(warn=1)], policy).status for policy in Gate] == [0, 0, 1, 0]


def test_statuses_take_precedence_in_the_published_order() -> None:
    assert [int(status) for status in PRECEDENCE] == [4, 2, 3, 6, 1, 7, 5, 0]


@pytest.mark.parametrize(("first", "second"), list(itertools.combinations(PRECEDENCE, 2)))
def test_of_two_statuses_the_earlier_in_the_order_counts(first: ExitStatus, second: ExitStatus) -> None:
    assert worst([second, first]) is first


GATED: dict[str, tuple[list[Tally], int]] = {
    "planned cases without a verdict are inconclusive": ([tally(planned=3, **{"pass": 2})], 6),
    "more verdicts than planned cases are inconclusive": ([tally(planned=1, **{"pass": 2})], 6),
    "a run in which nothing was judged selected nothing": ([tally(unsupported=4, excluded=2)], 5),
    "a run of no cases selected nothing": ([Tally()], 5),
    "the worst implementation decides for all": ([tally(**{"pass": 1}), tally(unsupported=1), tally(fail=1)], 1),
}


@pytest.mark.parametrize(("tallies", "status"), GATED.values(), ids=GATED)
def test_the_status_follows_from_what_was_counted(tallies: list[Tally], status: int) -> None:
    assert gate(tallies, Gate.MUST).status == status


def test_what_an_earlier_run_already_had_does_not_count() -> None:
    known = tally(fail=2)
    known.tolerated = 2
    assert gate([known], Gate.REGRESS).status == 0


def test_every_status_that_applies_is_found() -> None:
    everything = tally(planned=9, suite_error=1, fail=1, xpass=1)
    everything.interrupted = True
    assert statuses(everything, Gate.MUST) == {2, 3, 6, 1, 7}


def test_nothing_was_selected_only_where_that_is_so_of_every_implementation() -> None:
    nothing, passed, silent = tally(excluded=3), tally(excluded=2, **{"pass": 1}), tally(unsupported=3)
    assert gate([nothing, passed], Gate.DATA).status is ExitStatus.GREEN
    assert gate([Tally(), passed], Gate.DATA).status is ExitStatus.GREEN, "it has no case of the selected role"
    assert gate([nothing, nothing], Gate.DATA).status is ExitStatus.NOTHING
    assert gate([silent, passed], Gate.DATA).status is ExitStatus.NOTHING, "it declares nothing of what was selected"
