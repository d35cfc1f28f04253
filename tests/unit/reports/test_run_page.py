"""The page of a run: what it says of each kind of run, and what leads where."""

from __future__ import annotations

import re
from typing import Any

import pytest

from benchmarks.reports import rendered
from reports import RENDERERS
from reports.run.side_by_side import bytes_side_by_side
from tests.unit.reports.run_events import (
    DECIMAL,
    END,
    IUT,
    RED,
    RUN,
    Json,
    case,
    finding,
    headline,
    page,
    plan,
    verdict,
    words,
)

# -- the sentence --------------------------------------------------------------------------------------------------


def test_a_red_run_says_what_is_broken_and_in_which_type() -> None:
    assert headline(page(*RED)) == (
        "bad",
        "1 data fault, in decimal; 1 of 2 cases judged fail. Gate red, exit status 1.",
    )


def test_a_green_run_says_how_many_cases_were_judged() -> None:
    end = END | {"gate": {"policy": "data", "colour": "green"}, "exit": 0}
    colour, sentence = headline(page(RUN, IUT, plan(1), verdict("a"), end))
    assert (colour, sentence) == ("good", "Nothing that counts is broken; 1 case judged. Gate green, exit status 0.")


@pytest.mark.parametrize(
    ("new", "colour", "lead"),
    [
        (False, "green", "No new failure; 1 of 1 case judged fail; failing as before: 1 data fault, in decimal"),
        (True, "red", "1 data fault, in decimal; 1 of 1 case judged fail"),
    ],
)
def test_with_the_gate_regress_an_earlier_failure_is_told_apart_from_a_new_one(new, colour, lead) -> None:
    end = END | {"gate": {"policy": "regress", "colour": colour}, "exit": int(new)}
    failed = verdict("a", "fail", finding(), axes=DECIMAL) | {"new": new}
    _, sentence = headline(page(RUN | {"gate": "regress"}, IUT, plan(1), case("a"), failed, end))
    assert sentence == f"{lead}. Gate {colour}, exit status {int(new)}."


@pytest.mark.parametrize("word", ["unsupported", "not_run", "excluded"])
def test_a_run_that_judged_nothing_is_never_green(word: str) -> None:
    end = END | {"gate": {"policy": "data", "colour": "green"}, "exit": 0}
    shown = page(RUN, IUT, plan(1), verdict("a", word), end)
    colour, sentence = headline(shown)
    assert colour == "idle"
    assert sentence.startswith("Nothing was judged")
    assert "No cause of failure" not in words(shown)


def test_a_run_of_no_selected_case_says_so() -> None:
    end = END | {"gate": {"policy": "data", "colour": "green"}, "exit": 5, "message": "nothing was selected"}
    colour, sentence = headline(page(RUN, IUT, plan(9, 9), end))
    assert colour == "idle"
    assert "none of 9 cases is selected" in sentence
    assert "exit status 5. Nothing was selected." in sentence


def test_the_page_says_which_term_or_shard_leaves_no_case_and_what_is_near() -> None:
    by_term = plan(9, 9) | {"unmatched": ["decimla"], "near": {"decimla": ["decimal"]}}
    assert "No case matches 'decimla'; did you mean decimal?" in words(page(RUN, IUT, by_term, END))
    assert "left out by -k or --level, or other cases were named" in words(page(RUN, IUT, by_term, END))
    of_shard = plan(9, 9) | {"shard": {"index": 2, "count": 3}}
    assert "No selected case belongs to shard 2/3" in words(page(RUN, IUT, of_shard, END))


def test_a_record_that_was_cut_says_so_first_and_is_not_green() -> None:
    colour, sentence = headline(page(RUN, IUT, plan(2), verdict("a")))
    assert (colour, sentence[:17]) == ("idle", "The record is cut")


def test_a_fault_stays_one_however_the_run_ended() -> None:
    colour, sentence = headline(page(*RED[:-1]))
    assert (colour, "1 data fault, in decimal" in sentence) == ("bad", True)
    end = END | {"gate": {"policy": "data", "colour": "inconclusive"}, "exit": 6}
    assert headline(page(*RED[:-1], end))[0] == "bad"


def test_an_interrupted_run_says_so_and_how_many_cases_are_missing() -> None:
    end = END | {"gate": {"policy": "data", "colour": "inconclusive"}, "exit": 2, "interrupted": True}
    shown = page(RUN, IUT, plan(10), verdict("a"), end)
    assert "The run was interrupted." in headline(shown)[1]
    assert "9 of 10 were not run" in headline(shown)[1]
    assert headline(shown)[0] == "idle"


def not_judged(html: str) -> list[tuple[str, int]]:
    """The rows of the table "Not judged": what, and how many."""
    table = html.partition(">Not judged</h3>")[2].partition("</table>")[0]
    rows = re.findall(r'<th scope="row">(.*?)</th><td class="number" data-label="cases">(.*?)</td>', table)
    return [(word, int(number.replace(",", ""))) for word, number in rows]


def test_cases_that_are_declined_at_run_time_do_not_count_as_not_run() -> None:
    end = END | {"gate": {"policy": "data", "colour": "green"}, "exit": 0}
    answered = [verdict(f"p{n}") for n in range(8)] + [verdict(f"u{n}", "unsupported", message="no") for n in range(2)]
    shown = page(RUN, IUT, plan(10), *answered, end)
    assert "8 cases judged. Gate green" in headline(shown)[1]
    assert not_judged(shown) == [("unsupported", 2)]


def test_places_of_a_capture_that_could_not_be_judged_do_not_count_as_not_run() -> None:
    end = END | {"gate": {"policy": "data", "colour": "green"}, "exit": 0}
    answered = [verdict("p"), *(verdict(f"x{n}", "excluded", message="no table") for n in range(3))]
    shown = page(RUN, IUT | {"contact": "capture"}, plan(4), *answered, end)
    assert "1 place judged. Gate green" in headline(shown)[1]
    assert not_judged(shown) == [("excluded", 3)]


@pytest.mark.parametrize(
    ("answered", "rows"),
    [
        (["unsupported"] * 3 + ["pass"] * 4, [("unsupported", 3), ("not run", 3)]),
        (["unsupported"] + ["pass"] * 4, [("unsupported", 1), ("not run", 3), ("unsupported", 2)]),
        (["unsupported"] * 3 + ["pass"] * 4 + ["not_run"], [("unsupported", 3), ("not run", 1), ("not run", 2)]),
        (["excluded"] * 2 + ["unsupported"] * 3 + ["pass"] * 2, [("unsupported", 3), ("not run", 3), ("excluded", 2)]),
    ],
)
def test_of_a_cut_run_the_judged_cases_and_the_rows_not_judged_add_up_to_the_plan(answered, rows) -> None:
    planned = plan(10)
    planned["by"][0]["unsupported"] = 3
    verdicts = [verdict(f"{word}{n}", word, message=word) for n, word in enumerate(answered)]
    shown = page(RUN, IUT, planned, *verdicts)
    assert not_judged(shown) == rows
    assert sum(number for _, number in rows) + answered.count("pass") == 10


def test_reasons_that_differ_in_one_name_name_the_first_cases_of_all() -> None:
    lead = "for canal-json it does not declare columns of type"
    answered = [
        verdict(case, "unsupported", message=f"{lead} {of}")
        for case, of in (("a", "float"), ("b", "float"), ("c", "set"), ("d", "set"))
    ]
    text = words(page(RUN, IUT, plan(5), *answered, verdict("e"), END))
    assert f"unsupported 4 {lead} float (×2), set (×2) such as a , b , c " in text


def test_a_cut_run_of_several_implementations_keeps_their_names() -> None:
    iuts = [IUT | {"iut": name, "name": name, "version": "1"} for name in ("TiCDC", "Canal")]
    plans = [plan(1, label=iut["iut"]) for iut in iuts]
    verdicts = [verdict("a", iut="TiCDC"), verdict("a", "crash", iut="Canal", message="it crashed")]
    assert headline(page(RUN, *iuts, *plans, *verdicts))[1].endswith(
        "Until then: Canal 1: 1 crash; of 1 nothing that counts is broken."
    )
    assert headline(page(RUN, *iuts, *plans, verdicts[0]))[1].endswith(
        "Until then: nothing that counts is broken; of 1 nothing was judged."
    )


def test_a_known_failure_that_fails_otherwise_counts_among_those_that_fail() -> None:
    changed = verdict("a", "xfail_changed", finding(), axes=DECIMAL)
    sentence = headline(page(RUN, IUT, plan(2), case("a"), changed, verdict("b"), END))[1]
    assert sentence.startswith("1 data fault, in decimal; 1 of 2 cases judged fail.")


def test_under_the_gate_should_a_warning_counts_among_those_that_fail() -> None:
    warned = verdict("a", "warn", finding(level="should", harm="form"))
    end = END | {"gate": {"policy": "should", "colour": "red"}}
    sentence = headline(page(RUN | {"gate": "should"}, IUT, plan(2), case("a"), warned, verdict("b"), end))[1]
    assert sentence.startswith("1 fault of form; 1 of 2 cases judged fail.")


def test_an_implementation_that_did_not_start_says_why() -> None:
    lost = IUT | {"started": False, "message": "it ended with exit status 3", "stderr": "no such module"}
    text = words(page(RUN, lost, plan(3), END | {"exit": 6, "gate": {"policy": "data", "colour": "inconclusive"}}))
    assert "It did not start: nothing was judged" in text
    assert "It ended with exit status 3." in text
    assert "no such module" in text


# -- facts ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        *("mine 2.1", "ticdc-conformance 1.0.0", "digest 0123456789ab", "2026-11-22 17:16:47 UTC"),
        *("ticdc-conformance run --iut cmd:./mine", "a broken SHOULD that loses or changes data"),
    ],
)
def test_the_page_says_what_was_judged_by_what_and_when(text: str) -> None:
    assert text in words(page(*RED))


# -- causes --------------------------------------------------------------------------------------------------------


def test_a_cause_shows_rule_input_difference_and_replay_line() -> None:
    text = words("<body>" + page(*RED).partition('class="cause"')[2])
    parts = [
        "The rule CJ-1.",
        "the document, 'Types', paragraph 3",
        "INSERT INTO t VALUES (1, 12.345);",
        'insert {id: "1", c: "12.345"}',
        'expected "12.345"',
        'got "12.340"',
        "They first differ at byte 6: 35 (5) is expected, 30 (0) came.",
        "ticdc-conformance replay a-encode --iut cmd:./mine",
    ]
    places = [text.index(part) for part in parts]
    assert places == sorted(places)


@pytest.mark.parametrize(("gate", "row", "number"), [("should", "trouble", "1"), ("data", "fine", "0")])
def test_a_warning_fails_the_gate_should_alone(gate: str, row: str, number: str) -> None:
    end = END | {"gate": {"policy": gate, "colour": "red"}}
    events = [RUN | {"gate": gate}, IUT, plan(1), verdict("a", "warn", finding(level="should", harm="form")), end]
    html = page(*events)
    [shown] = re.findall(r'<details class="cause" id="[^"]*" data-row="([a-z]*)"', html)
    assert (shown, re.findall(r'data-label="fail the gate">(\d+)<', html)) == (row, [number])
    [line] = [line for line in rendered(RENDERERS["markdown"], events).splitlines() if line.startswith("| mine 2.1")]
    assert line.count(f"**{1}**") == int(number)


def test_a_cause_is_shown_once_however_many_cases_it_breaks() -> None:
    many = [verdict(f"c{n}", "fail", finding(), axes=DECIMAL) for n in range(40)]
    shown = page(RUN, IUT, plan(40), case("c0"), *many, END)
    assert shown.count('class="cause"') == 1
    assert "40 cases" in shown


def test_a_cell_of_the_heat_map_leads_to_the_causes_of_its_cases() -> None:
    shown = page(*RED)
    [cell] = set(re.findall(r'href="#find=(at:[^"]*decimal\.encode\.insert)"', shown))
    [tags] = re.findall(r'data-tags="([^"]*)"', shown)
    assert cell in tags.split()


def test_a_cell_says_how_many_of_how_many_cases_failed_and_the_worst_harm() -> None:
    others = [verdict("x", axes=DECIMAL), verdict("y", "fail", finding("CJ-2", "form"), axes=DECIMAL)]
    assert "2 of 3 changed" in words(page(*RED[:-1], *others, END))


def test_every_requirement_that_is_named_has_its_rule_and_place_on_the_page() -> None:
    shown = page(*RED)
    links = set(re.findall(r'href="#(requirement-[^"]*)"', shown))
    assert links == {"requirement-CJ-1"}
    assert all(f'id="{link}"' in shown for link in links)


def test_the_causes_of_two_implementations_have_addresses_of_their_own() -> None:
    other = [e | {"iut": "theirs"} for e in RED[1:-1]]
    shown = page(*RED[:-1], *other, END)
    ids = re.findall(r'\bid="([^"]*)"', shown)
    assert len(ids) == len(set(ids))
    assert shown.count('class="cause"') == 2


def test_of_very_many_causes_the_page_says_how_many_are_left_out() -> None:
    many = [verdict(f"c{n}", "fail", finding(f"CJ-{n}")) for n in range(2000)]
    shown = page(RUN, IUT, plan(2000), *many, END)
    assert "380 more causes are not on this page" in words(shown)
    assert len(shown) < 5_000_000


# -- bytes ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("expected", "got", "sentence"),
    [
        ("né", "ne", "they first differ at byte 2: c3 is expected, 65 (e) came"),
        ("ab", "abc", "nothing more is expected from byte 3 on, where 63 (c) came"),
        ("abc", "ab", "what came ends before byte 3, where 63 (c) is expected"),
        (
            {"$bytes": "00 ff", "length": 900, "from": 400},
            {"$bytes": "00 fe", "length": 900, "from": 400},
            "they first differ at byte 402: ff is expected, fe came",
        ),
    ],
)
def test_bytes_part_at_the_first_that_differs(expected: Any, got: Any, sentence: str) -> None:
    beside = bytes_side_by_side(expected, got)
    assert beside is not None
    assert beside.sentence == sentence
    assert beside.expected[beside.at] != beside.got[beside.at]


@pytest.mark.parametrize(("expected", "got"), [("1", 1), (None, "x"), ({"$missing": True}, "x"), ("a", "a"), (1, 2)])
def test_values_that_are_not_both_text_or_both_bytes_have_no_bytes(expected: Any, got: Any) -> None:
    assert bytes_side_by_side(expected, got) is None


# -- the baseline --------------------------------------------------------------------------------------------------


def entry(name: str, standing: str, **more: Any) -> Json:
    of = {"entry": name, "standing": standing, "flaky": False, "reason": "", "issue": "", "owner": "", "expires": None}
    return of | {"expired": False, "failing": 0, "changed": 0, "passing": 0, "unseen": []} | more


BASELINE = {
    "known": 3,
    "stale": True,
    "standings": {"failing": 1, "gone": 1, "unmatched": 1},
    "entries": [
        entry("a*", "failing", failing=4, reason="a double", owner="team-sink", expires="2026-12-10"),
        entry("b*", "gone", passing=7, expires="2026-01-01", expired=True),
        entry("c*", "unmatched", expires="2027-12-10"),
    ],
}


def test_the_baseline_says_what_became_of_each_entry_and_what_expires_when() -> None:
    text = words(page(*RED[:-1], END | {"baseline": BASELINE})).partition("Baseline entries 3")[2]
    assert "expired 1 expire within 30 days 1 The next entry expires on 2026-12-10." in text
    assert "a* still failing 4 cases fail as it says a double team-sink 2026-12-10 soon" in text
    assert "b* gone 7 cases pass now Take it out: baseline prune. 2026-01-01 expired" in text
    assert "c* no such case" in text


def test_known_failures_stand_apart_with_reason_owner_and_expiry() -> None:
    known = {"entry": "a*", "reason": "a double", "issue": "", "owner": "team-sink", "expires": "2026-12-10"}
    failing = verdict("a", "xfail", finding(), axes=DECIMAL, known=[known])
    green = END | {"gate": {"policy": "data", "colour": "green"}, "exit": 0, "baseline": BASELINE}
    shown = page(RUN, IUT, plan(1), case("a"), failing, green)
    before, _, after = words(shown).partition("Known failures The baseline has them: they do not fail the gate.")
    assert "The rule CJ-1." not in before
    assert "known a double, team-sink, until 2026-12-10" in after
    assert headline(shown)[0] == "good"
    assert "1 case known to fail" in headline(shown)[1]


def test_consumers_that_suffer_alike_are_named_together() -> None:
    alike = [{"consumer": name, "effect": "reads another value in c"} for name in ("flink@2.3.0", "paimon@1.3.1")]
    other = [{"consumer": "seatunnel@2.3.8", "effect": "fails on the message"}]
    failing = verdict("a", "fail", finding(affected=[*alike, *other]))
    text = words(page(RUN, IUT, plan(1), case("a"), failing, END))
    assert "affects flink@2.3.0, paimon@1.3.1: reads another value in c; seatunnel@2.3.8: fails on the message" in text


def test_a_case_without_sql_shows_the_statement_that_makes_its_table() -> None:
    columns = [{"name": "id", "type": "int", "nullable": False}, {"name": "c`", "type": "decimal(5,3)"}]
    given = case("a", sql=[])
    given["input"]["tables"] = [{"schema": "s", "name": "t", "columns": columns, "primary_key": ["id"]}]
    text = words(page(RUN, IUT, plan(1), given, verdict("a", "fail", finding()), END))
    assert "CREATE TABLE `s`.`t` (`id` int NOT NULL, `c``` decimal(5,3), PRIMARY KEY (`id`));" in text
