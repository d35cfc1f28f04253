"""The wording and layout of the reports of a record, as a person sees them; and the records, by their schemas."""

from __future__ import annotations

import json

import pytest
from jsonschema import Draft202012Validator

from conformance.catalogue.fixtures import fixtures_root
from reports.compatibility import terminal_lines as compatibility_lines
from reports.diff import terminal_lines as diff_lines
from tests.snapshots.snapshot import assert_snapshot
from tests.snapshots.tiny_compatibility import TABLE
from tests.unit.reports.diff.runs import compared, side, verdict
from tests.unit.reports.every_report import EVERY, RECORDS, as_it_is

SUFFIXES = {"terminal": "terminal.txt", "markdown": "md", "html": "html"}
"""Kind of report → how the name of its snapshot ends."""
SCHEMAS = {
    "matrix": "mutants-report",
    "comparison": "comparison",
    "compatibility": "compatibility",
    "migration": "migration",
    "diff": "diff",
}
"""What a record is of → its schema."""
READ = [f"{of}: {kind}" for of in SCHEMAS for kind in SUFFIXES if f"{of}: {kind}" in EVERY]


@pytest.mark.parametrize("name", READ)
def test_a_report_reads_as_reviewed(name: str) -> None:
    of, _, kind = name.partition(": ")
    text = EVERY[name](as_it_is)
    # Style and script of a page are no words.
    shown = text[text.index("<body>") : text.index("<script>")] if kind == "html" else text
    assert_snapshot(f"{of}.{SUFFIXES[kind]}", shown)


@pytest.mark.parametrize("of", SCHEMAS)
def test_the_report_for_machines_is_the_record_itself_which_keeps_to_its_schema(of: str) -> None:
    schema = json.loads((fixtures_root() / "schemas" / f"{SCHEMAS[of]}.schema.json").read_text(encoding="utf-8"))
    record = json.loads(EVERY[f"{of}: json"](as_it_is))
    assert record == json.loads(json.dumps(RECORDS[of]()))
    assert [e.message for e in Draft202012Validator(schema).iter_errors(record)] == []


def test_an_empty_diff_on_a_terminal_is_a_few_lines() -> None:
    same = compared(side("1", verdict("a", answer=b"{}")), side("2", verdict("a", answer=b"{}")))
    assert_snapshot("diff.empty.txt", "\n".join(diff_lines(same)) + "\n")


def test_of_a_single_cell_everything_is_told() -> None:
    cause = next(cell for cell in TABLE["cells"] if cell["causes"])["causes"][0]
    causes = [{**cause, "effect": f"effect {n}"} for n in range(9)]
    cells = [{**TABLE["cells"][0], "causes": causes}]
    assert "effect 8" in "\n".join(compatibility_lines(TABLE | {"cells": cells}))
    assert "effect 8" not in "\n".join(compatibility_lines(TABLE | {"cells": cells * 2}))
