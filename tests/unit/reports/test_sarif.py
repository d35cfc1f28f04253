"""SARIF: valid by the schema whatever a record holds, one result a cause, and the limits of code scanning."""

from __future__ import annotations

import copy
import json
import random
import string
import zlib
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from jsonschema import Draft4Validator, FormatChecker

from benchmarks.reports import rendered
from reports.sarif import MOST_RESULTS, SarifRenderer
from reports.sarif.rules import level_of
from tests.amounts import examples
from tests.unit.reports.hostile_records import Json, case_event, finding, record, records, verdict

SCHEMA = json.loads((Path(__file__).parent / "schemas" / "sarif-2.1.0.schema.json").read_text(encoding="utf-8"))
VALIDATOR = Draft4Validator(SCHEMA, format_checker=FormatChecker())


def text_of(events: Sequence[Mapping[str, Any]], **options: Any) -> str:
    return rendered(partial(SarifRenderer, **options), events)


def log_of(events: Sequence[Mapping[str, Any]], **options: Any) -> Json:
    log: Json = json.loads(text_of(events, **options))
    VALIDATOR.validate(log)
    return log


def results(*events: Json, **more: Any) -> list[Json]:
    return log_of(record(*events, **more))["runs"][0]["results"]  # type: ignore[no-any-return]


def result(*events: Json, **more: Any) -> Json:
    [one] = results(*events, **more)
    return one


def notes(log: Json, run: int = 0) -> list[str]:
    return [n["message"]["text"] for n in log["runs"][run]["invocations"][0]["toolExecutionNotifications"]]


# -- any record --------------------------------------------------------------------------------------------------------


@settings(max_examples=examples(60), deadline=None)
@given(records())
def test_the_log_of_any_record_is_valid_utf_8_without_anything_invisible_and_the_same_again(events: list[Json]) -> None:
    text = text_of(events)
    assert text == text_of(copy.deepcopy(events))
    assert text.encode("utf-8")
    assert all(c.isprintable() or c == "\n" for c in text)
    log = json.loads(text)
    VALIDATOR.validate(log)
    for run in log["runs"]:
        for one in run.get("results", ()):
            assert run["tool"]["driver"]["rules"][one["ruleIndex"]]["id"] == one["ruleId"]
            assert len(one["message"]["text"]) < 20_000


def test_the_schema_would_notice() -> None:
    log = log_of(record(verdict("toy/a", "fail", finding())))
    del log["runs"][0]["results"][0]["message"]
    assert not VALIDATOR.is_valid(log)


# -- results -----------------------------------------------------------------------------------------------------------


def test_a_cause_is_one_result_however_many_cases_it_breaks() -> None:
    one = result(*(verdict(f"toy/{n}", "fail", finding()) for n in range(7)))
    assert (one["ruleId"], one["occurrenceCount"], one["properties"]["cases"]) == ("T-1", 7, 7)


def test_the_worst_stand_first() -> None:
    found = results(
        verdict("toy/a", "warn", finding("T-1", level="should", harm="form")),
        verdict("toy/b", "fail", finding("T-2", harm="schema")),
        verdict("toy/c", "fail", finding("T-3", harm="lost")),
    )
    assert [(one["ruleId"], one["level"]) for one in found] == [("T-3", "error"), ("T-2", "error"), ("T-1", "note")]
    assert [one["rank"] for one in found] == sorted((one["rank"] for one in found), reverse=True)


@pytest.mark.parametrize(
    ("level", "harm", "expected"),
    [
        ("must", "form", "error"),
        ("must", "", "error"),
        ("should", "lost", "error"),
        ("should", "changed", "error"),
        ("should", "schema", "warning"),
        ("should", "strictness", "warning"),
        ("should", "form", "note"),
        ("should", "", "warning"),
    ],
)
def test_what_fails_the_default_gate_is_an_error(level: str, harm: str, expected: str) -> None:
    assert level_of([finding(level=level, harm=harm)], "fail") == expected


def test_a_cause_has_the_level_of_its_worst_finding_whichever_leads() -> None:
    broken = [finding(requirement="T-9", level="should", harm="form"), finding(requirement="T-1", level="must")]
    one = result(case_event(), verdict("toy/a", "fail", *broken))
    assert (one["ruleId"], one["level"], one["properties"]["level"]) == ("T-9", "error", "must")


def test_the_first_line_says_the_harm_and_what_differs_and_the_rest_how_to_see_it() -> None:
    one = result(case_event(), verdict("toy/a", "fail", finding()))
    assert one["message"]["text"].splitlines() == [
        'changed: value.a: expected "1" (text), got "2" (text).',
        "1 case; rule T-1: A rule.",
        "Case: toy/a (encode)",
        "Input: CREATE TABLE t (id INT)",
        'Input: insert  {id: "1", a: "2"}',
        "Again: ticdc-conformance replay 0123abcd-encode --iut cmd:./mine",
    ]


def test_a_crash_is_a_result_with_both_ends_of_stderr() -> None:
    lines = "\n".join(["panic: index", "", *map(str, range(9))])
    one = result(verdict("toy/a", "crash", message="it ended with signal 11", stderr=lines))
    assert (one["ruleId"], one["level"], one["properties"]["harm"]) == ("crash", "error", "lost")
    text = one["message"]["text"]
    assert text.startswith("lost: crash: it ended with signal 11\n1 case\nstderr: panic: index\nstderr: 0\n")
    assert "\nstderr: 2\nstderr: … 2 more lines …\nstderr: 5\n" in text
    assert "\nstderr: 8\nCase: " in text


def test_what_nobody_would_act_on_is_no_result() -> None:
    log = log_of(
        record(
            verdict("toy/a", "pass", finding(level="may")),
            verdict("toy/b", "xpass"),
            verdict("toy/c", "suite_error", message="the fixture is wrong"),
        )
    )
    assert log["runs"][0]["results"] == []
    assert notes(log) == [
        "suite error at toy/c: the fixture is wrong",
        "1 difference of a kind that any implementation is free to make, left out",
    ]


def test_a_rule_is_a_requirement_with_its_rule_place_and_level_as_help() -> None:
    [rule] = log_of(record(verdict("toy/a", "fail", finding())))["runs"][0]["tool"]["driver"]["rules"]
    assert rule["help"]["text"].splitlines() == [
        "A rule.",
        "Level: MUST",
        "Place: toy manual",
        "All there is about it: ticdc-conformance explain T-1",
    ]
    assert rule["properties"]["tags"] == ["toy", "toys", "must"]
    assert len(rule["properties"]["tags"]) <= 20


def test_an_entity_in_a_rule_stays_text_in_the_help() -> None:
    found = finding(rule="`&lt;` is written for <")
    [rule] = log_of(record(verdict("toy/a", "fail", found)))["runs"][0]["tool"]["driver"]["rules"]
    assert rule["help"]["markdown"].startswith(r"\`\&lt;\` is written for \<")


# -- places ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("of_answer", "of_run", "place"),
    [
        ({"file": "pkg/a b.go", "line": 7}, {"file": "go/main.go", "line": 3}, ("pkg/a%20b.go", 7)),
        ({"file": "pkg/é.go"}, None, ("pkg/%C3%A9.go", 1)),
        (None, {"file": "go/main.go", "line": 3}, ("go/main.go", 3)),
        (None, None, None),
    ],
)
def test_the_place_is_that_of_the_answer_or_of_the_run_or_in_the_message_alone(of_answer, of_run, place) -> None:
    more = {"origin": of_answer} if of_answer else {}
    run = {"origin": of_run} if of_run else {}
    [there] = result(verdict("toy/a", "fail", finding(), **more), run=run)["locations"]
    assert there["logicalLocations"][0]["fullyQualifiedName"] == "toy/encode/value.a"
    physical = there.get("physicalLocation")
    found = physical and (physical["artifactLocation"]["uri"], physical["region"]["startLine"])
    assert found == place


# -- fingerprints ------------------------------------------------------------------------------------------------------


def mark(*events: Json, **more: Any) -> str:
    return str(result(*events, **more)["partialFingerprints"]["ticdcConformance/v1"])


def test_a_fingerprint_outlives_cases_gates_baselines_and_values() -> None:
    first = mark(verdict("toy/a", "fail", finding()))
    assert first == mark(verdict("toy/renamed", "fail", finding(got="3", rule="Put otherwise.")))
    assert first == mark(verdict("toy/a", "xfail", finding()), end={"baseline": {"known": 1}})
    assert first == mark(verdict("toy/a", "warn", finding(level="should")), run={"gate": "must"})
    assert first != mark(verdict("toy/a", "fail", finding("T-2")))
    assert first != mark(verdict("toy/a", "fail", finding(), protocol="other"))


def test_a_crash_keeps_its_fingerprint_when_another_request_hits_it() -> None:
    crashes = [f"it ended with signal 11 during encode (request {n})" for n in (17, 4)]
    assert len({mark(verdict("toy/a", "crash", message=message)) for message in crashes}) == 1
    assert len(results(*(verdict(f"toy/{m}", "crash", message=m) for m in crashes))) == 1


def test_a_failure_that_is_known_in_some_cases_alone_is_one_result_and_stays_open() -> None:
    one = result(
        verdict("toy/a", "xfail", finding(), known=[{"entry": "1", "reason": "we know"}]),
        verdict("toy/b", "fail", finding()),
        end={"baseline": {"known": 1}},
    )
    assert (one["occurrenceCount"], one["suppressions"], one["baselineState"]) == (2, [], "new")


# -- known failures ----------------------------------------------------------------------------------------------------


def test_a_known_failure_is_suppressed_with_its_reason() -> None:
    known = [{"entry": "1", "reason": "casts", "issue": "https://issues.example/12", "expires": "2027-03-31"}]
    one = result(verdict("toy/a", "xfail", finding(), known=known), end={"baseline": {"known": 1}})
    assert one["baselineState"] == "unchanged"
    assert one["suppressions"] == [
        {
            "kind": "external",
            "status": "accepted",
            "justification": "casts, https://issues.example/12, until 2027-03-31",
        }
    ]


@pytest.mark.parametrize(
    ("word", "more", "run", "state"),
    [
        ("fail", {}, {}, None),
        ("fail", {"new": False}, {"gate": "regress"}, "unchanged"),
        ("fail", {"new": True}, {"gate": "regress"}, "new"),
        ("xfail_changed", {"known": [{"entry": "1", "reason": "x"}]}, {}, "updated"),
    ],
)
def test_a_state_is_said_where_the_run_was_compared_with_something(word, more, run, state) -> None:
    assert result(verdict("toy/a", word, finding(), **more), run=run).get("baselineState") == state


# -- limits ------------------------------------------------------------------------------------------------------------


def test_of_more_than_5000_causes_the_worst_are_listed_and_the_rest_are_counted() -> None:
    mild = [verdict(f"toy/m{n}", "fail", finding(f"M-{n}", harm="form")) for n in range(MOST_RESULTS)]
    bad = [verdict(f"toy/b{n}", "fail", finding(f"B-{n}", harm="lost")) for n in range(3)]
    log = json.loads(text_of(record(*mild, *bad)))  # to validate as many would take a minute
    listed = log["runs"][0]["results"]
    assert len(listed) == MOST_RESULTS
    assert [one["ruleId"] for one in listed[:3]] == ["B-0", "B-1", "B-2"]
    assert len(log["runs"][0]["tool"]["driver"]["rules"]) == MOST_RESULTS
    assert notes(log) == ["3 more causes, in 3 cases, are left out: the worst 5,000 are here"]


def test_a_log_that_would_be_refused_for_its_size_keeps_the_worst_results() -> None:
    drawn = random.Random(1)
    noise = ["".join(drawn.choices(string.ascii_letters, k=400)) for _ in range(200)]
    events = [verdict(f"toy/{n}", "fail", finding(f"T-{n}", got=text)) for n, text in enumerate(noise)]
    text = text_of(record(*events), most_bytes=30_000)
    assert len(zlib.compress(text.encode())) <= 30_000
    log = json.loads(text)
    VALIDATOR.validate(log)
    kept = len(log["runs"][0]["results"])
    assert 0 < kept < 200
    assert notes(log) == [f"{200 - kept} more causes, in {200 - kept} cases, are left out: the worst {kept} are here"]


@pytest.mark.parametrize("causes", [1, 2, 3])
def test_the_worst_result_stays_even_where_it_alone_is_too_large(causes: int) -> None:
    verdicts = [verdict(f"toy/{n}", "fail", finding(f"T-{n}")) for n in range(causes)]
    log = json.loads(text_of(record(*verdicts), most_bytes=10))
    assert [one["ruleId"] for one in log["runs"][0]["results"]] == ["T-0"]
    assert len(notes(log)) == (causes > 1)


# -- the run -----------------------------------------------------------------------------------------------------------


def test_the_invocation_says_the_command_the_time_and_the_exit_status() -> None:
    [call] = log_of(record(run={"command": ["ticdc-conformance", "run", "a b"]}))["runs"][0]["invocations"]
    assert call == {
        "executionSuccessful": True,
        "commandLine": "ticdc-conformance run 'a b'",
        "arguments": ["run", "a b"],
        "exitCode": 1,
        "exitCodeDescription": "red",
        "startTimeUtc": "2026-11-22T17:38:01.000Z",
        "endTimeUtc": "2026-11-22T17:38:02.500Z",
        "toolExecutionNotifications": [],
    }


def test_a_record_that_was_cut_is_no_success_and_says_so() -> None:
    for events in (record()[:-1], []):
        log = log_of(events)
        assert log["runs"][0]["invocations"][0]["executionSuccessful"] is False
        assert notes(log) == ["the record has no 'end' event: the run was cut"]


def test_a_record_that_was_cut_has_no_time_of_an_end() -> None:
    [call] = log_of(record()[:-1])["runs"][0]["invocations"]
    assert call["startTimeUtc"] == "2026-11-22T17:38:01.000Z"
    assert "endTimeUtc" not in call


def test_what_is_noted_of_an_implementation_is_a_notification() -> None:
    note = {"event": "note", "iut": "mine", "case": "toy/a", "role": "encode", "text": "its origin is ignored"}
    assert notes(log_of(record(note))) == ["its origin is ignored (first at toy/a)"]


def test_each_implementation_is_a_run_of_a_category_of_its_own() -> None:
    events = record(verdict("toy/a", "fail", finding()))
    others = [{**e, "iut": label} for label in ("mine!", "mine?") for e in events[1:4]]
    log = log_of([*events[:-1], *others, events[-1]])
    assert [run["automationDetails"]["id"] for run in log["runs"]] == [
        "ticdc-conformance/mine/",
        "ticdc-conformance/mine-2/",
        "ticdc-conformance/mine-3/",
    ]
