"""Known failures: what they cover, what goes stale, and what is written back."""

from __future__ import annotations

import json
import tomllib
from collections import Counter
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from conformance.catalogue.defects import load_defects
from conformance.catalogue.fixtures import fixtures_root
from conformance.engine import Gate, RunConfig, run_suite
from conformance.engine.baseline import Known, read_baseline, write_baseline
from conformance.engine.implementation import recorded_target
from conformance.engine.selection import Expression, Selection, subject_of
from conformance.errors import UsageError
from reference_impl.profiles import CLASSIC, NEWARCH, Profile
from tests.toy import only, run, verdicts

MARK_1 = "value@value.data[].{column}#T-1"
MARK_2 = "value@value.data[].{column}#T-2"
MARK_5 = "value@value.data[].{column}#T-5"
SHORT = "value@value.data[].{column}"
A = Known(match="toy/a", fingerprints=(MARK_1,), reason="casts to signed")


def known(words: dict[str, Any], *entries: Known, **more: Any) -> tuple[int, dict[str, str]]:
    status, events = run(words, baseline=entries, **more)
    return status, verdicts(events)


def test_a_known_failure_is_expected_and_the_gate_green() -> None:
    status, events = run({"a": "T-1"}, baseline=(A,))
    assert (status, verdicts(events)) == (0, {"a": "xfail"})
    assert only(events, "verdict")["known"][0]["reason"] == "casts to signed"


def marks(*fingerprints: str, **more: Any) -> Known:
    return replace(A, fingerprints=fingerprints, **more)


FLAKY = Known(match="toy/a", flaky=True, reason="a race")
XFAIL, CHANGED = (0, {"a": "xfail"}), (1, {"a": "xfail_changed"})
COVERED: dict[str, list[tuple[Any, Any, tuple[int, dict[str, str]]]]] = {
    "a fingerprint may be given without its hash": [("T-1", marks(SHORT), XFAIL)],
    "another failure of a known case has changed": [("T-5", A, CHANGED)],
    "every fingerprint of a case must be covered": [
        ("T-1 T-5@w", A, CHANGED),
        ("T-1 T-5@w", (A, marks(MARK_5)), XFAIL),
    ],
    "a finding under another needs no cover": [("T-1 T-5", A, XFAIL), ("T-1 T-3", A, XFAIL)],
    "a finding that stands first anywhere needs its cover": [("T-1 T-5 T-5@w", A, CHANGED)],
    "a finding under one that needs no cover needs its own": [("T-3 T-5", A, CHANGED)],
    "a heavier finding under another needs its cover": [  # or a known form of writing would hide changed values
        ("T-2 T-1", marks(MARK_2), CHANGED),
        ("T-2 T-1", marks(MARK_1, MARK_2), XFAIL),
    ],
    "a finding that changes data needs its cover under one of form": [
        ("T-1/form T-5/changed", A, CHANGED),
        ("T-1/changed T-5/form", A, XFAIL),
    ],
    "an entry without data does not cover a failure that changes data": [
        ("T-1/form", marks(f"{MARK_1} (no data)"), XFAIL),
        ("T-1/changed", marks(f"{MARK_1} (no data)"), CHANGED),
        ("T-1/changed", marks(f"{SHORT} (no data)"), CHANGED),
        ("T-1/form", marks(f"{SHORT} (no data)"), XFAIL),
        ("T-1/form", A, XFAIL),
    ],
    "an entry of what stands under another does not cover the headline": [("T-1 T-5", marks(MARK_5), CHANGED)],
    "a known case that passes makes the baseline stale": [("ok", A, (7, {"a": "xpass"}))],
    "an entry of another implementation neither covers nor is stale": [
        ("T-1", replace(A, iut="other*"), (1, {"a": "fail"})),
        ("ok", replace(A, iut="other*"), (0, {"a": "pass"})),
    ],
    "a known warning is expected, and an unknown one is made no worse": [
        ("T-2", marks(MARK_2), XFAIL),
        ("T-2", A, (7, {"a": "warn"})),  # what is known of it occurs no more
    ],
    "what happened instead of an answer can be known": [
        (word, marks(f"{word}@encode"), XFAIL) for word in ("crash", "timeout", "protocol_error")
    ],
    "our own fault is never excused": [("ours", marks("suite_error@encode"), (3, {"a": "suite_error"}))],
    "a flaky case that fails twice fails": [(["T-1", "T-1", "ok"], FLAKY, (1, {"a": "fail"}))],
    "a flaky case that passes is not put again": [(["ok", "T-1"], FLAKY, (0, {"a": "pass"}))],
}


@pytest.mark.parametrize("rule", COVERED)
def test_what_an_entry_covers(rule: str) -> None:
    for word, entries, expected in COVERED[rule]:
        assert known({"a": word}, *(entries if isinstance(entries, tuple) else [entries])) == expected, word


def test_under_the_gate_should_a_known_warning_is_expected_and_another_one_is_red() -> None:
    assert known({"a": "T-2"}, marks(MARK_2), policy=Gate.SHOULD) == XFAIL
    assert known({"a": "T-2"}, A, policy=Gate.SHOULD) == CHANGED


def test_a_red_verdict_beside_an_unexpected_pass_counts_more() -> None:
    assert known({"a": "ok", "b": "T-1"}, A)[0] == 1


def test_one_entry_covers_many_cases_through_a_pattern() -> None:
    entry = replace(A, match="toy/big*")
    assert known({"big1": "T-1", "big2": "T-1"}, entry) == (0, {"big1": "xfail", "big2": "xfail"})


def test_a_partial_entry_expects_nothing_of_a_case_that_passes_or_fails_otherwise() -> None:
    entry = replace(A, match="toy", partial=True)
    assert known({"a": "T-1", "b": "ok", "c": "T-5"}, entry) == (1, {"a": "xfail", "b": "pass", "c": "fail"})


def test_an_entry_may_name_a_finding_that_stands_under_another() -> None:
    status, events = run({"a": "T-1 T-5"}, baseline=(replace(A, fingerprints=(MARK_1, MARK_5)),))
    assert (status, verdicts(events), only(events, "end")["baseline"]["gone"]) == (0, {"a": "xfail"}, [])


def test_an_entry_that_matches_no_case_makes_the_baseline_stale() -> None:
    status, events = run({"a": "ok"}, baseline=(replace(A, match="toy/gone"),))
    assert (status, events[-1]["baseline"]["unmatched"]) == (7, ["toy/gone"])


def test_nothing_is_unmatched_in_a_run_of_a_selection() -> None:
    entry = replace(A, match="toy/gone")
    assert run({"a": "ok"}, baseline=(entry,), selection=Selection(expression=Expression("a")))[0] == 0


@pytest.mark.parametrize(("today", "status"), [(date(2027, 3, 31), 0), (date(2027, 4, 1), 7), (None, 0)])
def test_an_entry_expires_the_day_after_its_last_and_still_covers(today: date | None, status: int) -> None:
    entry = replace(A, expires=date(2027, 3, 31))
    assert known({"a": "T-1"}, entry, today=today) == (status, {"a": "xfail"})


def test_a_flaky_case_is_put_once_more() -> None:
    status, events = run({"a": ["T-1", "ok"]}, baseline=(FLAKY,))
    assert (status, verdicts(events), only(events, "verdict")["attempts"]) == (0, {"a": "flaky"}, 2)


# -- the file ------------------------------------------------------------------------------------------------------

FILE = """
[[known]]
match = "toy/a"
fingerprint = "value@value.data[].{column}#T-1"
reason = "casts to signed"
issue = "https://issues.example/12"
owner = "team-sink"
expires = 2027-03-31

[[known]]
cases = [
    "toy/b (x)",
    "toy/\\"c\\"",
]
fingerprint = [
    "one",
    "two",
]
iut = "toy*"
partial = true

[[flaky]]
match = "toy/d"
"""


def test_a_requirement_in_a_match_names_the_cases_written_for_it_alone() -> None:
    entry = Known(match="CJ-381", fingerprints=("x",))
    written = subject_of("a", "canal-json", "encode", "must", ["CJ-381"], {})
    besides = subject_of("b", "canal-json", "encode", "must", ["CJ-001"], {}, evaluated=frozenset({"CJ-381"}))
    assert (entry.names("any", written), entry.names("any", besides)) == (True, False)


def test_a_file_reads_back_as_it_was_written(tmp_path: Path) -> None:
    path = tmp_path / "baseline.toml"
    path.write_text(FILE, encoding="utf-8")
    entries = read_baseline(path).entries
    assert write_baseline(entries) == FILE.lstrip("\n")
    for encoding in ("utf-8", "utf-8-sig"):  # some editors of Windows begin a file with U+FEFF
        path.write_text(write_baseline(entries), encoding=encoding)
        assert read_baseline(path).entries == entries


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[[known]", "not TOML"),
        (f"known = {'[' * 5000}", "not TOML"),
        ("[[unknown]]", "unknown table 'unknown'"),
        ("[[known]]\nmatch = 'a'\n", r"\[\[known\]\] 1: fingerprint is missing"),
        ("[[known]]\nfingerprint = 'a'\n", "one of match and cases"),
        ("[[known]]\nmatch = 'a'\nfingerprint = 'f'\nexpiry = 'x'\n", "unknown member 'expiry'"),
        ("[[known]]\nmatch = 'a'\nfingerprint = 'f'\nexpires = 'soon'\n", "expires has the wrong type"),
        ("[[known]]\nmatch = '(a'\nfingerprint = 'f'\n", "parenthesis"),
        ("known = 3\n", "not a list of tables"),
        ("[[known]]\nmatch = ''\nfingerprint = 'f'\n", "match is empty"),
        ("[[flaky]]\ncases = []\n", "cases is empty"),
        ("[[known]]\ncases = [1]\nfingerprint = 'f'\n", "cases has the wrong type"),
    ],
)
def test_a_file_that_cannot_be_used_is_a_usage_error_with_its_place(tmp_path: Path, text: str, problem: str) -> None:
    path = tmp_path / "baseline.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UsageError, match=problem):
        read_baseline(path)


def test_a_file_that_is_not_there_is_a_usage_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be read"):
        read_baseline(tmp_path / "none.toml")


# -- what is shipped -----------------------------------------------------------------------------------------------

SCHEMA = Draft202012Validator(
    json.loads((fixtures_root() / "schemas" / "baseline.schema.json").read_text(encoding="utf-8"))
)
SHIPPED = fixtures_root() / "recorded" / "baseline.toml"


@pytest.mark.parametrize("text", [FILE, SHIPPED.read_text(encoding="utf-8")], ids=["example", "shipped"])
def test_a_baseline_that_can_be_used_validates(text: str) -> None:
    assert [e.message for e in SCHEMA.iter_errors(tomllib.loads(text))] == []


@pytest.mark.parametrize("text", ["[[known]]\nmatch = 'a'\n", "[[known]]\nfingerprint = 'a'\n", "[[other]]\n"])
def test_a_baseline_that_cannot_be_used_does_not_validate(text: str) -> None:
    assert not SCHEMA.is_valid(tomllib.loads(text))


LEAST_RECORDED = {"canal-json": 240, "open-protocol": 190, "debezium": 280, "avro": 260}
"""Protocol → the number of records or refusals of a producer, at the least."""


def named_defects(profile: Profile, recorded: set[str]) -> set[tuple[str, str]]:
    """The (vector, requirement) of the defects that a recorded producer is known to have."""
    defects = [defect for defect in load_defects() if profile.name in defect.profiles]
    return {(vector, d.requirement) for d in defects for vector in d.recorded if vector in recorded}


@pytest.mark.parametrize(("producer", "profile"), [("ticdc-newarch", NEWARCH), ("ticdc-classic", CLASSIC)])
def test_the_shipped_recordings_show_their_named_defects_and_nothing_else(producer: str, profile: Profile) -> None:
    recorded = recorded_target(f"recorded:{producer}", fixtures_root() / "recorded" / producer, profile)
    events: list[dict[str, Any]] = []
    status = run_suite(RunConfig((recorded,), baseline=tuple(read_baseline(SHIPPED).entries)), [events.append])
    counts = events[-1]["accounting"]["counts"]
    assert (status, set(counts), events[-1]["baseline"]["stale"]) == (0, {"pass", "xfail"}, False)

    judged = [event for event in events if event["event"] == "verdict"]
    written = [event for event in judged if event["verdict"] == "pass" or "ok" in (event["answer"] or {})]
    found = {(e["case"].partition("/recorded/")[2], f["requirement"]) for e in written for f in e["findings"]}
    # OP-032a, a MAY: newarch writes `ohk` twice in the key of a claim check, and the last one is false
    named = named_defects(profile, {event["case"].partition("/recorded/")[2] for event in written})
    assert {one for one in found if one[1] != "OP-032a"} == named
    counted = Counter(event["protocol"] for event in judged)
    assert all(counted[protocol] >= least for protocol, least in LEAST_RECORDED.items())
