"""Runs side by side: what is counted, in which order, since when, and what keeps columns from being compared."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from conformance.catalogue.fixtures import fixtures_root
from conformance.engine import run_suite
from conformance.engine.selection import Expression, Selection
from reports.badge import badge_text
from reports.index import IndexBuilder, index_page
from reports.index.columns import version_key
from tests.amounts import examples
from tests.toy import PROTOCOL, Toy, case, config, target
from tests.unit.reports.eventful import hostile_texts
from tests.unit.reports.eventful import record as eventful_record
from tests.unit.reports.hostile import HUGE, forbidden_in, spoiled

Json = dict[str, Any]
SCHEMA = Draft202012Validator(
    json.loads((fixtures_root() / "schemas" / "report-index.schema.json").read_text(encoding="utf-8"))
)
EVENTFUL = eventful_record()


class Versioned(Toy):
    """A toy that says which version it is."""

    version = ""

    def start(self) -> Json:
        return super().start() | {"version": self.version}


def of_version(version: str, words: dict[str, str], toy: type[Versioned] = Versioned, **more: Any) -> list[Json]:
    made = toy(words, more.pop("protocols", None))
    made.version = version
    events: list[Json] = []
    run_suite(config(target(made, [case(name) for name in words]), **more), [events.append])
    return events


def index_of(*runs: Sequence[Json]) -> Json:
    """The record of these runs, which keeps to its schema."""
    builder = IndexBuilder()
    for number, events in enumerate(runs):
        builder.add(f"runs/{number}", events)
    record = builder.record()
    assert [f"{e.json_path}: {e.message}" for e in SCHEMA.iter_errors(record)] == []
    return record


def cells(record: Json, group: str = "toys") -> list[Json]:
    """The cells of a group, in the order of the columns."""
    [row] = [row for row in record["rows"] if row["group"] == group]
    return [row["cells"][column["id"]] for column in record["columns"]]


# -- what is counted -------------------------------------------------------------------------------------------------


def test_requirements_that_are_broken_are_counted_and_not_cases() -> None:
    [cell] = cells(index_of(of_version("1", {"a": "T-1", "b": "T-1", "c": "T-1 T-5/lost", "d": "ok"})))
    assert (cell["failures"], cell["broken"], cell["harm"]) == (2, ["T-1", "T-5"], "lost")


@pytest.mark.parametrize(
    ("word", "failures", "advisory"),
    [("T-1/form", 1, 0), ("T-2/lost", 1, 0), ("T-2/changed", 1, 0), ("T-2/schema", 0, 1), ("T-3/lost", 0, 1)],
)
def test_broken_is_a_must_or_a_should_that_loses_or_changes_data(word: str, failures: int, advisory: int) -> None:
    [cell] = cells(index_of(of_version("1", {"a": word, "b": "ok"})))
    assert (cell["failures"], len(cell["advisory"])) == (failures, advisory)


@pytest.mark.parametrize("gate", ["data", "must", "should"])
def test_what_is_counted_does_not_follow_the_gate_of_a_run(gate: str) -> None:
    events = of_version("1", {"a": "T-2/lost", "b": "T-2/schema"})
    events[0]["gate"] = gate
    assert cells(index_of(events))[0]["failures"] == 1


def test_what_the_baseline_knows_of_counts_all_the_same() -> None:
    events = of_version("1", {"a": "T-1/lost", "b": "crash"})
    for event in events:
        if event["event"] == "verdict":
            event["verdict"] = "xfail"
    record = index_of(events)
    assert [cells(record, group)[0]["failures"] for group in ("toys", "No answer")] == [1, 1]


@pytest.mark.parametrize("word", ["crash", "timeout", "protocol_error"])
def test_what_was_not_answered_has_a_row_of_its_own_and_counts_as_lost(word: str) -> None:
    record = index_of(of_version("1", {"a": word, "b": "ok"}))
    assert [(cell["failures"], cell["harm"]) for cell in cells(record, "No answer")] == [(1, "lost")]
    assert record["columns"][0]["harms"]["lost"] == 1


# -- what was not judged says why --------------------------------------------------------------------------------------


def test_a_cell_without_a_judgement_says_in_a_word_why() -> None:
    words = {"a": "ok"}
    record = index_of(
        of_version("1", words),
        of_version("3", words, protocols={"other": {}}),
        of_version("4", {"a": "crash"}),
        of_version("5", words)[:3],
        of_version("6", words, selection=Selection(expression=Expression("nothing"))),
    )
    assert [cell["word"] for cell in cells(record)] == ["clean", "unsupported", "not judged", "not judged", "not asked"]


def test_an_implementation_that_does_not_start_is_not_judged_anywhere() -> None:
    events: list[Json] = []
    run_suite(config(target(Toy(dead=True), [case("a")])), [events.append])
    record = index_of(events, of_version("1", {"a": "crash"}))
    assert [cells(record, group)[0]["word"] for group in ("toys", "No answer")] == ["not judged", "not judged"]


def test_a_clean_cell_counts_what_was_not_judged() -> None:
    [cell] = cells(index_of(of_version("1", {"a": "ok"})))
    assert (cell["word"], cell["unjudged"]) == ("clean", {"not asked": 2})


def test_a_run_that_judged_nothing_is_no_good_column() -> None:
    [column] = index_of(of_version("1", {"a": "ok"}, selection=Selection(expression=Expression("nothing"))))["columns"]
    assert (column["outcome"], column["colour"], column["badge"]["color"]) == ("nothing judged", "idle", "lightgrey")


# -- order and time ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "ordered",
    [["1.9", "1.10", "2.0-alpha", "2.0-rc1", "2.0-rc2", "2.0", "2.0.1"], ["v7.5", "v8.1"], ["", "1"], ["1", "1-fix"]],
)
def test_versions_stand_in_the_order_that_people_mean(ordered: list[str]) -> None:
    keys = [version_key(version) for version in ordered]
    assert keys == sorted(set(keys))


@given(st.lists(st.text(max_size=20) | st.just("9" * 10_000), max_size=5))
def test_any_texts_are_versions(texts: list[str]) -> None:
    keys = [version_key(text) for text in texts]
    assert len(sorted(keys)) == len(texts)


def test_versions_of_one_stand_together_by_version_and_then_by_date() -> None:
    runs = [of_version(version, {"a": "ok"}) for version in ("2", "1.10", "1.9", "2")]
    for events, started in zip(runs, ("2026-02-02", "2026-01-01", "2026-03-03", "2026-02-01"), strict=True):
        events[0]["started"] = started
    found = [(column["version"], column["started"]) for column in index_of(*runs)["columns"]]
    assert found == [("1.9", "2026-03-03"), ("1.10", "2026-01-01"), ("2", "2026-02-01"), ("2", "2026-02-02")]


def spans(*words: str) -> list[tuple[str, ...]]:
    """(since, until, met in) of T-1 over versions 1, 2, …: a word each, `-` where nothing was judged."""
    runs = [
        of_version(str(n), {"a": "unsupported" if word == "-" else word}, protocols={PROTOCOL: {"events": ["ddl"]}})
        if word == "-"
        else of_version(str(n), {"a": word})
        for n, word in enumerate(words, 1)
    ]
    [series] = index_of(*runs)["history"]
    found = [one for one in series["requirements"] if one["id"] == "T-1"]
    return [
        tuple(map(version_of, (span["since"], span["until"], span["met_in"]))) for one in found for span in one["spans"]
    ]


def version_of(column: str | None) -> str:
    return column.split("-")[1] if column else ""


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (("ok", "T-1"), [("2", "", "")]),
        (("T-1", "ok"), [("", "1", "2")]),
        (("T-1", "T-1"), [("", "", "")]),
        (("ok", "T-1", "T-1", "ok", "T-1"), [("2", "3", "4"), ("5", "", "")]),
        (("ok", "-", "T-1"), [("3", "", "")]),
        (("ok", "ok"), []),
    ],
)
def test_a_requirement_is_broken_since_and_until_a_version(words: tuple[str, ...], found: list[object]) -> None:
    assert spans(*words) == found


def test_runs_of_one_version_are_told_apart_in_its_history() -> None:
    runs = [of_version("2", {"a": word}) for word in ("T-1", "T-1", "ok")]
    for events, day in zip(runs, (1, 2, 3), strict=True):
        events[0]["started"] = f"2026-02-0{day}T10:00:00+00:00"
    page = index_page(index_of(*runs))
    assert "until toy 2 2026-02-02 10:00:00, met in toy 2 2026-02-03 10:00:00" in page


def test_one_version_has_no_history() -> None:
    assert index_of(of_version("1", {"a": "T-1"}))["history"] == []


# -- comparing ---------------------------------------------------------------------------------------------------------


def test_columns_that_were_judged_otherwise_say_so() -> None:
    runs = [of_version(str(n), {"a": "ok"}) for n in range(4)]
    runs[1][0]["suite"] = "9.9"
    runs[2][0]["registers"] = {PROTOCOL: {"requirements": 1, "digest": "other"}}
    runs[3] = of_version("3", {"a": "ok", "b": "ok"}, selection=Selection(expression=Expression("toy/a")))
    notes = [column["notes"] for column in index_of(*runs)["columns"]]
    assert notes == [
        [],
        ["suite 9.9, where others have 0.1.0"],
        ["other rules than the others for toy: the registers differ"],
        ["a selection: 1 case of 2 was left out"],
    ]


def test_columns_of_one_name_have_ids_of_their_own() -> None:
    runs = [of_version("1", {"a": "ok"}) for _ in range(3)]
    assert [column["id"] for column in index_of(*runs)["columns"]] == [
        "toy-1-newarch",
        "toy-1-newarch-2",
        "toy-1-newarch-3",
    ]


# -- the page ----------------------------------------------------------------------------------------------------------


def test_a_page_of_no_runs_is_one() -> None:
    assert "Side by side" in index_page(index_of())


@given(hostile_texts)
@settings(max_examples=examples(25))
def test_no_text_breaks_the_record_or_the_page(text: str) -> None:
    record = index_of(spoiled(EVENTFUL, text), spoiled(of_version("1", {"a": "T-1"}), text))
    assert forbidden_in(json.dumps(record, ensure_ascii=False)) == []
    made = index_page(record)
    assert forbidden_in(made) == []
    assert made.count("<script") == 1
    assert all(badge_text(column["badge"]) for column in record["columns"])


def test_texts_of_megabytes_leave_the_page_small() -> None:
    record = index_of(spoiled(EVENTFUL, HUGE))
    assert len(index_page(record)) < 1_000_000
    assert all(len(column["id"]) < 200 for column in record["columns"])
