"""`diff --redact`: no value of a column is in any report of a diff, and what it says of rules and counts stays."""

from __future__ import annotations

from typing import Any

import pytest

from conformance.cli.diff_redaction import without_values
from reports.diff import DIFF_REPORTS, terminal_lines
from reports.diff.wording import SECTIONS
from tests.unit.reports.diff.runs import compared, crash, everything, finding, side, verdict

SECRET = "4711-secret"
_VALUES = {name: {"v": SECRET} for name in ("expected", "got", "left", "right")}
_WORDS = {"message": SECRET, "reason": SECRET, "sql": [SECRET], "unexpected": [SECRET]}


def with_secrets(entry: Any) -> Any:
    """An entry that has a secret wherever there may be a value."""
    found = {name: (_VALUES | _WORDS).get(name, value) for name, value in entry.items()}
    if "ways" in entry:
        found["ways"] = [with_secrets(way) for way in entry["ways"]]
    return found | ({"rule": SECRET} if entry.get("requirement") == "" else {})


def secret() -> Any:
    record = everything()
    return record | {section.name: [with_secrets(entry) for entry in record[section.name]] for section in SECTIONS}


def text_of(kind: str, record: Any) -> str:
    return "\n".join(terminal_lines(record)) if kind == "terminal" else DIFF_REPORTS[kind](record)


@pytest.mark.parametrize("kind", ["terminal", *DIFF_REPORTS])
def test_no_value_is_in_a_report(kind: str) -> None:
    assert SECRET in text_of(kind, secret())
    text = text_of(kind, without_values(secret()))
    assert SECRET not in text
    assert "characters" in text
    assert "--redact" in text


@pytest.mark.parametrize("kind", ["terminal", *DIFF_REPORTS])
def test_the_message_of_a_failure_without_an_answer_is_in_no_report(kind: str) -> None:
    old = side("1", verdict("a"), crash("b", f"panic: {SECRET}-b"), verdict("c", finding("T-2", "value@x#0123abcd")))
    new = side("2", crash("a", f"panic: {SECRET}-a"), verdict("b", finding("T-1")), verdict("c", finding("T-2")))
    record = compared(old, new)
    assert "panic: " in text_of(kind, record)
    text = text_of(kind, without_values(record))
    assert "panic: " not in text
    assert ("value@x#0123abcd" in text) == (kind != "markdown")


def test_rules_places_and_counts_stay() -> None:
    before, after = everything(), without_values(everything())
    kept = ("id", "iut", "protocol", "role", "cases", "requirement", "harm", "at", "place")
    for section in SECTIONS:
        for one, other in zip(before[section.name], after[section.name], strict=True):
            assert {name: one.get(name) for name in kept} == {name: other.get(name) for name in kept}
