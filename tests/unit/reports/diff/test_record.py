"""The record of a diff: what is new, fixed, moved, out of sight, or in one run only."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from conformance.catalogue.fixtures import fixtures_root
from reports.diff import DIFF_REPORTS, Record, terminal_lines
from reports.diff.unexpected import described
from tests.unit.reports.diff.answers import answer
from tests.unit.reports.diff.answers import record as one_record
from tests.unit.reports.diff.runs import ONE, OTHER, TURNED, compared, crash, everything, finding, side, verdict

SCHEMA = json.loads((fixtures_root() / "schemas" / "diff.schema.json").read_text(encoding="utf-8"))
FAILURES = ("newly_broken", "more_cases", "changed_failures", "fixed", "hidden")


def told(record: Record) -> dict[str, list[str]]:
    return {name: [e["requirement"] or "no answer" for e in record[name]] for name in FAILURES if record[name]}


BROKEN = verdict("a", finding("T-1"))


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        ([verdict("a")], [BROKEN], {"newly_broken": ["T-1"]}),
        ([BROKEN], [verdict("a")], {"fixed": ["T-1"]}),
        ([BROKEN], [BROKEN], {}),
        ([BROKEN, verdict("b")], [BROKEN, verdict("b", finding("T-1"))], {"more_cases": ["T-1"]}),
        ([BROKEN], [verdict("a", finding("T-1", "value@y#2"))], {"changed_failures": ["T-1"]}),
        ([BROKEN], [verdict("a", finding("T-2"))], {"newly_broken": ["T-2"], "fixed": ["T-1"]}),
        ([verdict("a")], [crash("a")], {"newly_broken": ["no answer"]}),
        ([crash("a")], [verdict("a")], {"fixed": ["no answer"]}),
        ([BROKEN], [crash("a")], {"newly_broken": ["no answer"], "hidden": ["T-1"]}),
        ([crash("a")], [BROKEN], {"changed_failures": ["T-1"]}),
        ([crash("a", "panic at 0x1f")], [crash("a", "panic at 0x2e")], {}),
        ([crash("a", "index out of range")], [crash("a", "nil pointer")], {"changed_failures": ["no answer"]}),
        ([crash("a")], [crash("a", word="xfail")], {}),
        ([BROKEN], [verdict("a", finding("T-1"), verdict="xfail")], {}),
        ([BROKEN], [verdict("a", verdict="unsupported")], {}),
        ([BROKEN], [verdict("a", verdict="not_run")], {}),
        ([BROKEN], [], {}),
        ([verdict("a", verdict="unsupported")], [BROKEN], {}),
    ],
)
def test_a_failure_is_new_fixed_or_moved_only_where_both_runs_were_judged(left, right, expected) -> None:
    assert told(compared(side("1", *left), side("2", *right))) == expected


def test_more_cases_say_how_many_there_were() -> None:
    left = side("1", BROKEN, verdict("b"), verdict("c"))
    right = side("2", *(verdict(case, finding("T-1")) for case in "abc"))
    [entry] = compared(left, right)["more_cases"]
    assert (entry["cases"], entry["before"], entry["after"]) == (2, 1, 3)


def test_what_is_fixed_in_some_cases_is_told_with_those_that_are_left() -> None:
    right = side("2", BROKEN, verdict("b"))
    [entry] = compared(side("1", *(verdict(case, finding("T-1")) for case in "ab")), right)["fixed"]
    assert (entry["cases"], entry["after"]) == (1, 1)


def test_a_cause_that_only_unpaired_cases_had_is_not_new() -> None:
    left = side("1", verdict("a"), verdict("gone", finding("T-1")))
    assert told(compared(left, side("2", BROKEN))) == {"more_cases": ["T-1"]}


def test_one_requirement_broken_in_several_ways_is_one_entry_and_the_worst_way_is_first() -> None:
    lost = finding("T-1", "missing@x#2", harm="lost", path="value.data[0].d")
    [entry] = compared(side("1", verdict("a")), side("2", verdict("a", finding("T-1"), lost)))["newly_broken"]
    assert (entry["harm"], [way["fingerprint"] for way in entry["ways"]]) == ("lost", ["missing@x#2", "value@x#1"])


def test_of_the_cases_of_a_cause_the_smallest_input_is_shown() -> None:
    sizes = {"a": 900, "b": 40, "c": 300}
    cases = {("canal-json", "encode", case): {"input": {}, "size": size, "sql": [case]} for case, size in sizes.items()}
    right = side("2", *(verdict(case, finding("T-1")) for case in sizes), cases=cases)
    [entry] = compared(side("1", *map(verdict, sizes)), right)["newly_broken"]
    assert [(way["case"], way["sql"], way["cases"]) for way in entry["ways"]] == [("b", ["b"], 3)]


def test_the_worst_harm_stands_first_and_advice_last() -> None:
    found = [
        finding("T-1", harm="form", path="value.a"),
        finding("T-2", harm="lost", level="may", path="value.b"),
        finding("T-3", harm="schema", path="value.c"),
        finding("T-4", harm="lost", path="value.d"),
    ]
    record = compared(side("1", verdict("a")), side("2", verdict("a", *found)))
    assert told(record)["newly_broken"] == ["T-4", "T-3", "T-1", "T-2"]
    assert record["harms"]["newly_broken"] == {"lost": 1, "schema": 1, "form": 1, "advice": 1}


def test_cases_no_longer_judged_are_counted_with_their_failures_and_fix_nothing() -> None:
    right = side("2", verdict("a", verdict="unsupported", message="no DDL"), verdict("b", verdict="not_run"))
    record = compared(side("1", BROKEN, verdict("b")), right)
    assert [(e["verdict"], e["reason"], e["cases"], e["failing"]) for e in record["no_longer_judged"]] == [
        ("unsupported", "no DDL", 1, 1),
        ("not_run", "", 1, 0),
    ]


def test_cases_that_a_run_left_unjudged_together_fix_nothing_either() -> None:
    settled = {"verdict": "unsupported", "message": "it does not declare canal-json", "cases": 2}
    right = replace(side("2"), unjudged={("canal-json", "encode"): settled})
    record = compared(side("1", BROKEN, verdict("b")), right)
    assert [(e["reason"], e["cases"], e["failing"]) for e in record["no_longer_judged"]] == [
        ("it does not declare canal-json", 2, 1)
    ]
    assert (told(record), record["only_left"]) == ({}, [])
    turned = compared(right, side("1", BROKEN, verdict("b")))
    assert [e["cases"] for e in turned["newly_judged"]] == [2]
    assert (told(turned), turned["only_right"]) == ({}, [])


def test_cases_of_one_run_only_are_counted_with_their_failures() -> None:
    record = compared(side("1", verdict("a"), verdict("b")), side("2", verdict("a"), verdict("c", finding("T-9"))))
    assert [(e["cases"], e["examples"]) for e in record["only_left"]] == [(1, ["b"])]
    assert [(e["failing"], e["broken"]) for e in record["only_right"]] == [(1, ["T-9"])]


def test_a_case_with_advice_alone_fails_in_no_run() -> None:
    advised = verdict("b", finding("T-2", level="may"), verdict="pass")
    record = compared(side("1", verdict("a")), side("2", verdict("a"), advised))
    assert [(e["cases"], e["failing"], e["broken"]) for e in record["only_right"]] == [(1, 0, [])]


# -- what keeps runs apart ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"suite": "2.0"}, "two versions of the suite (1.0 and 2.0)"),
        ({"registers": {"canal-json": {"digest": "other"}}}, "the registers differ for canal-json"),
        ({"profile": "classic"}, "two profiles (newarch, classic)"),
        ({"level": "must"}, "--level may and --level must"),
        ({"is_whole": False}, "2 was cut"),
    ],
)
def test_runs_that_are_not_alike_are_compared_and_a_note_says_what_differs(more: dict[str, Any], said: str) -> None:
    record = compared(side("1", verdict("a")), side("2", BROKEN, **more))
    assert said in " ".join(record["notes"])
    assert told(record) == {"newly_broken": ["T-1"]}


def test_a_recording_belongs_to_the_one_of_the_other_generation() -> None:
    left = side("1", verdict("canal-json/recorded/classic/row/x"), profile="classic")
    right = side("2", verdict("canal-json/recorded/newarch/row/x", finding("T-1")))
    record = compared(left, right)
    assert told(record) == {"newly_broken": ["T-1"]}
    [way] = record["newly_broken"][0]["ways"]
    assert (way["left_case"], way["case"]) == ("canal-json/recorded/classic/row/x", "canal-json/recorded/newarch/row/x")
    assert "1 case paired by workload" in " ".join(record["notes"])


def test_nothing_in_common_is_a_status_of_its_own() -> None:
    record = compared(side("1", verdict("a")), side("2", verdict("b")))
    assert record["exit"] == 5


# -- answers -----------------------------------------------------------------------------------------------------------


def of_answers(left: bytes, right: bytes, kept: bool = True) -> Record:
    sides = [
        side(name, verdict("a", answer=text), answers=[text] if kept else ())
        for name, text in (("1", left), ("2", right))
    ]
    return compared(*sides, fail_on="form")


def test_two_runs_of_one_build_are_an_empty_diff() -> None:
    record = of_answers(ONE, ONE)
    assert not any(record[name] for name in (*FAILURES, "meaning", "bytes", "no_longer_judged", "only_left"))
    assert (record["exit"], record["notes"]) == (0, [])


def test_reordered_members_are_bytes_only_and_break_no_gate() -> None:
    record = of_answers(ONE, TURNED)
    assert [entry["at"] for entry in record["bytes"]] == ["order of members at value.data[]"]
    assert (record["meaning"], record["exit"]) == ([], 0)


def test_another_answer_with_the_same_verdict_is_of_another_meaning() -> None:
    record = of_answers(ONE, OTHER)
    [entry] = record["meaning"]
    assert (entry["at"], entry["kind"], entry["harm"]) == ("value.data[]", "missing", "lost")
    assert record["exit"] == 1


def test_a_record_of_a_capture_is_judged_again_by_the_command_of_its_run() -> None:
    left, right = side("1", verdict("a")), side("2", verdict("a", finding("T-1")))
    new = replace(right, run={**right.run, "command": ["x", "my file"]}, iut={**right.iut, "contact": "capture"})
    [entry] = compared(left, new)["newly_broken"]
    assert entry["ways"][0]["replay"] == "x 'my file'   # a"


def test_answers_that_differ_and_are_not_kept_are_counted() -> None:
    record = of_answers(ONE, OTHER, kept=False)
    assert record["counts"]["unknown"] == 1
    assert "differ and are not kept" in " ".join(record["notes"])


def test_what_came_out_differently_is_not_told_a_second_time_by_its_bytes() -> None:
    left = side("1", verdict("a", answer=ONE), answers=[ONE])
    right = side("2", verdict("a", finding("T-1"), answer=OTHER), answers=[OTHER])
    assert compared(left, right)["meaning"] == []


@pytest.mark.parametrize("right", [b"[]", answer(one_record('{"a":' * 900 + "1" + "}" * 900))])
def test_an_answer_that_cannot_be_compared_is_lost(right: bytes) -> None:
    deep = answer(one_record('{"a":' * 900 + "2" + "}" * 900))
    [entry] = of_answers(deep, right)["meaning"]
    assert (entry["at"], entry["harm"], entry["right"]) == ("answer", "lost", "one that cannot be compared with it")


def test_a_member_that_nobody_expected_is_described_part_by_part() -> None:
    right = answer(one_record('{"data":[{"a":"1","b":"2"}],"trace":{"span":7,"host":"h"}}'))
    [entry] = of_answers(ONE, right)["meaning"]
    assert (entry["at"], entry["unexpected"]) == ("value.trace", ["host is new", "span is new"])


@pytest.mark.parametrize("value", ["7", '"x"', "null", "true"])
def test_an_unexpected_value_without_parts_is_not_described(value: str) -> None:
    right = answer(one_record(f'{{"data":[{{"a":"1","b":"2"}}],"trace":{value}}}'))
    [entry] = of_answers(ONE, right)["meaning"]
    assert (entry["at"], entry["unexpected"]) == ("value.trace", [])


def test_a_changed_number_of_an_unexpected_member_is_a_part_like_any_other() -> None:
    left, right = ({"a": {"$number": "7"}, "b": b, "$more": more} for b, more in (({"$number": "7"}, 1), ("7", 2)))
    assert described(left, right | {"a": {"$number": "8"}}) == ["a has another value", "b has another type"]


def test_a_page_stays_small_though_every_case_has_a_member_of_its_own() -> None:
    names = [f"member{n}" for n in range(3000)]
    rights = [answer(one_record(json.dumps({"data": [{"a": "1", "b": "2"}], name: {"x": 1}}))) for name in names]
    left = side("1", *(verdict(name, answer=ONE) for name in names), answers=[ONE])
    cases = [verdict(name, answer=text) for name, text in zip(names, rights, strict=True)]
    record = compared(left, side("2", *cases, answers=rights))
    page = DIFF_REPORTS["html"](record)
    assert len(record["meaning"]) == 3000
    assert "And 2,000 more" in page
    assert len(page) < 5_000_000


# -- the gate ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("harm", "fail_on", "status"),
    [
        ("lost", "lost", 1),
        ("lost", "form", 1),
        ("changed", "lost", 0),
        ("changed", "changed", 1),
        ("form", "strictness", 0),
        ("form", "form", 1),
        ("lost", "", 0),
    ],
)
def test_the_gate_is_red_for_its_harm_and_worse_ones(harm: str, fail_on: str, status: int) -> None:
    right = side("2", verdict("a", finding("T-1", harm=harm)))
    assert compared(side("1", verdict("a")), right, fail_on)["exit"] == status


@pytest.mark.parametrize(("was", "now", "status"), [("form", "lost", 1), ("lost", "lost", 0), ("lost", "form", 0)])
def test_a_failure_that_moved_counts_where_it_is_worse_than_before(was: str, now: str, status: int) -> None:
    left = side("1", verdict("a", finding("T-1", harm=was)))
    right = side("2", verdict("a", finding("T-1", "value@y#2", harm=now)))
    assert compared(left, right, "form")["exit"] == status


GONE = [verdict("b", verdict=word) for word in ("unsupported", "not_run", "suite_error")]


@pytest.mark.parametrize("gone", GONE, ids=lambda one: one["verdict"])
@pytest.mark.parametrize("fail_on", ["lost", "changed", "form"])
def test_a_case_that_passed_and_is_no_longer_judged_is_lost(gone: dict[str, Any], fail_on: str) -> None:
    both = [side("1", verdict("a"), verdict("b")), side("2", verdict("a"), gone)]
    assert (compared(*both, fail_on)["exit"], compared(*both)["exit"]) == (1, 0)
    failed = [side("1", verdict("a"), verdict("b", finding("T-1"))), side("2", verdict("a"), gone)]
    assert compared(*failed, fail_on)["exit"] == 0


def test_a_protocol_that_is_no_longer_declared_is_lost() -> None:
    settled = {("canal-json", "encode"): {"verdict": "unsupported", "message": "no", "cases": 1}}
    record = compared(side("1", verdict("a")), replace(side("2"), unjudged=settled), "lost")
    assert record["exit"] == 1


@pytest.mark.parametrize("word", ["unsupported", "not_run", "suite_error"])
def test_where_no_case_was_judged_in_both_nothing_is_green(word: str) -> None:
    record = compared(side("1", verdict("a", verdict=word)), side("2", verdict("a", verdict=word)), "form")
    assert record["exit"] == 5
    assert "GREEN" not in "\n".join(terminal_lines(record))
    assert "no case was judged in both runs" in "\n".join(terminal_lines(record))


@pytest.mark.parametrize("how", ["is_whole", "is_conclusive"])
def test_a_new_run_that_was_cut_or_inconclusive_is_never_green(how: str) -> None:
    right = replace(side("2", verdict("a")), **{how: False})
    record = compared(side("1", verdict("a")), right, "lost")
    assert record["exit"] == 6
    assert "GREEN" not in "\n".join(terminal_lines(record))
    assert "inconclusive, --fail-on lost" in DIFF_REPORTS["html"](record)
    assert record["exit"] in SCHEMA["properties"]["exit"]["enum"]


def test_what_is_fixed_breaks_no_gate() -> None:
    assert compared(side("1", BROKEN), side("2", verdict("a")), "form")["exit"] == 0


# -- reports -----------------------------------------------------------------------------------------------------------


def test_a_diff_of_everything_has_every_section_of_its_published_schema() -> None:
    record = everything()
    sections = [name for name, held in SCHEMA["properties"].items() if held.get("type") == "array"]
    assert [name for name in sections if not record[name] and name not in ("sides", "notes")] == []


def test_every_section_is_in_every_report() -> None:
    record = everything()
    titles = ("Newly broken", "Broken in more cases", "Failing in another way", "Changed meaning", "Fixed")
    titles += ("Other bytes, same meaning", "No longer seen", "No longer judged", "Newly judged")
    titles += ("Only in the old run", "Only in the new run")
    for text in ("\n".join(terminal_lines(record)), DIFF_REPORTS["markdown"](record), DIFF_REPORTS["html"](record)):
        assert [title for title in titles if title.lower() not in text.lower()] == []


def test_every_entry_has_an_address_of_its_own() -> None:
    record = everything()
    ids = [entry["id"] for name in record if isinstance(record[name], list) for entry in record[name] if "id" in entry]
    assert len(ids) == len(set(ids)) > 10
