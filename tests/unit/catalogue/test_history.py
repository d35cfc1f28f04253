"""The list of historical defects: its form, its loader, and how much of it mutants stand for."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from conformance.catalogue.history import HistoricalDefect, Scope, load_history, read_history
from conformance.errors import SuiteError

SHOWN = """
[[defect]]
defect = "CJ-01"
symptom = "…"
fixed = "5.4"
references = ["tiflow 1", "ticdc PR 2"]
mechanisms = ["G", "P"]
mutants = ["canal-json/x"]
"""
UNSHOWN = """
[[defect]]
defect = "CJ-02"
symptom = "…"
fixed = ""
references = []
mechanisms = []
scope = "not expressible"
reason = "why not"
"""

# What shows a defect in messages: the others need a second producer, a consumer, a table or a running changefeed.
OF_MESSAGES = frozenset("GNCSDRPL")


def _file(folder: Path, text: str) -> Path:
    path = folder / "history.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_list_is_read(tmp_path: Path) -> None:
    assert read_history(_file(tmp_path, SHOWN + UNSHOWN)) == {
        "CJ-01": HistoricalDefect("CJ-01", "…", "5.4", ("tiflow 1", "ticdc PR 2"), ("G", "P"), ("canal-json/x",)),
        "CJ-02": HistoricalDefect("CJ-02", "…", "", (), (), (), Scope.NOT_EXPRESSIBLE, "why not"),
    }


@pytest.mark.parametrize(
    "text",
    [
        "",
        "not toml",
        "[[defect]]",
        SHOWN.replace('"CJ-01"', "1"),
        SHOWN.replace('mutants = ["canal-json/x"]', ""),
        SHOWN.replace('["canal-json/x"]', "[]"),
        SHOWN.replace('["canal-json/x"]', '"canal-json/x"'),
        SHOWN.replace('"G", "P"', '"Z"'),
        SHOWN + 'reason = "and yet"',
        SHOWN + 'more = ""',
        UNSHOWN.replace('reason = "why not"', ""),
        UNSHOWN.replace('"why not"', '""'),
        UNSHOWN.replace('"not expressible"', '"mutants"'),
        UNSHOWN.replace('"not expressible"', '"forgotten"'),
        SHOWN + SHOWN,
    ],
)
def test_a_malformed_list_is_the_suites_fault_and_is_named(tmp_path: Path, text: str) -> None:
    with pytest.raises(SuiteError, match=r"history\.toml"):
        read_history(_file(tmp_path, text))


def test_a_list_that_is_not_there_is_the_suites_fault(tmp_path: Path) -> None:
    with pytest.raises(SuiteError, match=r"history\.toml"):
        read_history(tmp_path / "history.toml")


def test_at_most_fifteen_defects_cannot_be_expressed() -> None:
    assert Counter(defect.scope for defect in load_history().values())[Scope.NOT_EXPRESSIBLE] <= 15


def test_a_defect_that_no_message_shows_is_out_of_scope_and_has_no_mutant() -> None:
    unseen = [d for d in load_history().values() if d.mechanisms and not OF_MESSAGES & set(d.mechanisms)]
    assert [d.id for d in unseen if d.scope is not Scope.OUT] == []


def test_a_defect_that_messages_show_has_a_mutant_or_is_not_expressible_or_of_another_protocol() -> None:
    seen = [d for d in load_history().values() if not d.mechanisms or OF_MESSAGES & set(d.mechanisms)]
    out = [d for d in seen if d.scope is Scope.OUT]
    assert {d.reason for d in out} == {
        "Simple is none of the protocols of the suite",
        "Debezium messages in Avro are none of the protocols of the suite",
    }
