"""Which inputs stand in the run record."""

from __future__ import annotations

from typing import Any

import pytest

from conformance.engine.case_events import CaseEvents
from tests.toy import ROW, case, run
from tests.unit.reports.run_events import gathered


def rows(*numbers: int) -> list[Any]:
    return [case(f"c{i}", events=(ROW,) * number) for i, number in enumerate(numbers)]


def shown(numbers: tuple[int, ...], words: str = "T-1") -> list[str]:
    cases = rows(*numbers)
    _, events = run({c.id.removeprefix("toy/"): words for c in cases}, cases)
    return [e["case"].removeprefix("toy/c") for e in events if e["event"] == "case" and "input" in e]


@pytest.mark.parametrize(
    ("sizes", "with_input"), [((3,), "0"), ((3, 3, 3), "0"), ((3, 4, 2, 2, 3, 1), "025"), ((1, 2, 3), "0")]
)
def test_a_cause_is_shown_by_its_first_case_and_by_each_smaller_one(sizes: tuple[int, ...], with_input: str) -> None:
    assert "".join(shown(sizes)) == with_input


def test_every_failed_case_says_how_large_its_input_is() -> None:
    _, events = run({"c0": "T-1", "c1": "T-1"}, rows(1, 5))
    sizes = [e["size"] for e in events if e["event"] == "case"]
    assert 0 < sizes[0] < sizes[1]


def test_what_is_shown_of_a_part_of_the_cases_contains_what_is_shown_of_all() -> None:
    _, events = run({f"c{i}": "T-1" for i in range(6)}, rows(5, 6, 3, 4, 2, 1))
    told = [e for e in events if e["event"] in ("case", "verdict")]
    pairs = list(zip(told[::2], told[1::2], strict=True))
    again = CaseEvents()
    assert [again.with_input_or_not(event, verdict) for event, verdict in pairs] == [event for event, _ in pairs]


@pytest.mark.parametrize(
    "message",
    [
        "it exited with status 3 during encode (request {})",
        'line {} of its output: a second answer to request {}: {{"id":{},"ok":{{}}}}',
        'line {} of its output: an answer to request {}, which was not asked: "{{\\"id\\": {}}}"',
        'line {} of its output: no answer to encode: ok.records is a number: \'{{"id":{},"ok":{{"records":{}}}}}\'',
    ],
)
def test_requests_and_lines_are_numbered_anew_in_every_session_and_make_no_further_cause(message: str) -> None:
    inputs, verdict = CaseEvents(), {"verdict": "crash", "protocol": "toy", "findings": []}
    event = {"event": "case", "size": 9, "sql": [], "input": {}}
    told = [inputs.with_input_or_not(event, {**verdict, "message": message.format(*(n,) * 3)}) for n in (7, 18)]
    assert [set(event) - set(one) for one in told] == [set(), {"sql", "input"}]


def test_reports_show_the_smallest_input_of_a_cause() -> None:
    _, events = run({f"c{i}": "T-1" for i in range(4)}, rows(3, 2, 4, 2))
    [cause] = gathered(events).iuts["toy"].causes
    assert (cause.case["case"], cause.verdict["case"], cause.cases) == ("toy/c1", "toy/c1", 4)
