"""The reports of a kill matrix: what a link may lead to, a matrix of nothing, and tables that hold."""

from __future__ import annotations

import copy
import re

import pytest

from reports.matrix import MATRIX_REPORTS
from tests.snapshots.tiny_matrix import RECORD


def test_every_mutant_requirement_and_historical_defect_has_an_anchor() -> None:
    anchors = {f"mutant-{m['mutant']}" for m in RECORD["mutants"]}
    anchors |= {f"requirement-{r['id']}" for r in RECORD["requirements"]}
    anchors |= {f"history-{d['id']}" for d in RECORD["history"] if d["fate"] != "out of scope"}
    assert anchors - set(re.findall(r'\bid="([^"]*)"', MATRIX_REPORTS["html"](RECORD))) == set()


@pytest.mark.parametrize("kind", MATRIX_REPORTS)
def test_a_matrix_of_nothing_has_a_report(kind: str) -> None:
    empty = {"groups": [], "requirements": [], "history": [], "mutants": [], "planned": 0, "totals": {}}
    text = MATRIX_REPORTS[kind](RECORD | empty | {"history_totals": dict.fromkeys(RECORD["history_totals"], 0)})
    assert text.endswith("\n")


def test_a_bar_in_a_text_does_not_break_a_table_of_markdown() -> None:
    record = copy.deepcopy(RECORD)
    record["mutants"][0]["fault"] = "a | b"
    record["mutants"][0]["finding"]["fingerprint"] = "value@a|b#1"
    text = MATRIX_REPORTS["markdown"](record)
    assert "a \\| b" in text
    assert "`value@a\\|b#1`" in text
