"""The heat map of a run: which columns a case is counted in, and which of them fail."""

from __future__ import annotations

from typing import Any

import pytest

from reports.run.heat import Heat
from tests.unit.reports.run_events import END, IUT, RUN, case, finding, page, plan, verdict, words

DECIMAL = {"family": "decimal", "operation": "insert+update+delete"}

Json = dict[str, Any]


def cells(*verdicts: Json) -> dict[str, tuple[int, int, str]]:
    """(failed, asked, harm) of DECIMAL, by operation."""
    heat = Heat()
    for one in verdicts:
        heat.add(one)
    [shown] = heat.maps(1)
    [row] = shown["rows"]
    named = zip((operation for _, operation in shown["columns"]), row["cells"], strict=True)
    return {name: (cell["failed"], cell["judged"], cell["harm"]) for name, cell in named if cell is not None}


def broken(*operations: str, harm: str = "changed", **more: Any) -> Json:
    return finding(harm=harm, operations=list(operations), **more) if operations else finding(harm=harm, **more)


def test_a_case_of_several_operations_fails_at_the_operation_that_its_finding_belongs_to() -> None:
    found = cells(verdict("a", "fail", broken("update"), axes=DECIMAL), verdict("b", axes=DECIMAL))
    assert found == {"insert": (0, 2, ""), "update": (1, 2, "changed"), "delete": (0, 2, "")}


def test_each_operation_that_fails_has_the_harm_of_its_own_findings() -> None:
    failed = verdict("a", "fail", broken("insert", harm="lost"), broken("delete", harm="form"), axes=DECIMAL)
    found = cells(failed)
    assert (found["insert"], found["delete"]) == ((1, 1, "lost"), (1, 1, "form"))


@pytest.mark.parametrize("word", ["crash", "timeout", "protocol_error", "xfail"])
def test_a_case_of_several_operations_without_an_answer_is_judged_at_several_alone(word: str) -> None:
    assert cells(verdict("a", word, axes=DECIMAL)) == {"several": (1, 1, "lost" if word != "xfail" else "")}


def test_what_belongs_to_no_single_event_fails_at_several() -> None:
    found = cells(verdict("a", "fail", broken(), axes=DECIMAL))
    assert {name: failed for name, (failed, _, _) in found.items()} == {
        "insert": 0,
        "update": 0,
        "delete": 0,
        "several": 1,
    }


def test_a_case_of_several_operations_that_fails_by_count_is_judged_at_no_operation_but_those_it_lacks() -> None:
    lost = broken("delete", harm="lost", kind="count", path="answer[2]")
    assert cells(verdict("a", "fail", lost, axes=DECIMAL)) == {"delete": (1, 1, "lost")}
    assert cells(verdict("a", "fail", lost, axes=DECIMAL), verdict("b", axes=DECIMAL)) == {
        "insert": (0, 1, ""),
        "update": (0, 1, ""),
        "delete": (1, 2, "lost"),
    }


def test_a_case_of_several_operations_with_an_unknown_message_too_many_is_judged_at_several_alone() -> None:
    assert cells(verdict("a", "fail", broken(kind="count", path="answer"), axes=DECIMAL)) == {
        "several": (1, 1, "changed")
    }


def test_another_number_of_claim_check_files_leaves_the_messages_compared() -> None:
    found = cells(verdict("a", "fail", broken("insert", kind="count", path="claim"), axes=DECIMAL))
    assert (found["insert"], found["update"], found["delete"]) == ((1, 1, "changed"), (0, 1, ""), (0, 1, ""))


def test_a_finding_of_a_may_does_not_make_an_operation_fail() -> None:
    found = cells(verdict("a", "fail", broken("insert"), broken(level="may"), axes=DECIMAL))
    assert (found["insert"][0], "several" in found) == (1, False)


def test_a_statement_between_the_rows_of_a_case_fails_at_other() -> None:
    assert cells(verdict("a", "fail", broken("ddl"), axes=DECIMAL))["other"] == (1, 1, "changed")


def test_a_case_of_one_operation_fails_there_whatever_its_messages_are() -> None:
    of_a_key = {"family": "decimal", "operation": "key change"}
    assert cells(verdict("a", "fail", broken("delete"), axes=of_a_key)) == {"update": (1, 1, "changed")}


def test_a_case_of_several_operations_is_one_failed_case_of_its_protocol() -> None:
    heat = Heat()
    heat.add(verdict("a", "fail", broken("insert", "update", "delete"), axes=DECIMAL))
    [shown] = heat.maps(1)
    assert (shown["failed"], shown["judged"]) == (1, 1)


def test_the_cell_of_an_operation_leads_to_the_causes_that_break_it_and_to_no_other() -> None:
    causes = [broken("update", requirement="CJ-1"), broken("delete", requirement="CJ-2", fingerprint="other")]
    shown = page(RUN, IUT, plan(1), case("a"), verdict("a", "fail", *causes, axes=DECIMAL), END)
    entries = [part.partition(">")[0] for part in shown.split('class="cause"')[1:]]
    leading = {
        name: [n for n, entry in enumerate(entries) if f"at:1.canal-json.decimal.encode.{name}" in entry]
        for name in ("insert", "update", "delete", "several")
    }
    assert sorted(leading["update"] + leading["delete"]) == [0, 1]
    assert leading["insert"] == leading["several"] == []
    assert "1 of 1 case broken" in words(shown)
