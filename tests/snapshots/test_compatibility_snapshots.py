"""The wording and layout of the reports of the table of encoders by readers, as a person sees them."""

from __future__ import annotations

import json

from jsonschema import Draft202012Validator

from conformance.catalogue.fixtures import fixtures_root
from reports.compatibility import COMPATIBILITY_REPORTS, terminal_lines
from tests.snapshots.snapshot import assert_snapshot
from tests.snapshots.tiny_compatibility import TABLE


def test_the_tiny_table_keeps_to_the_schema() -> None:
    schema = json.loads((fixtures_root() / "schemas" / "compatibility.schema.json").read_text(encoding="utf-8"))
    assert [e.message for e in Draft202012Validator(schema).iter_errors(TABLE)] == []


def test_the_table_on_a_terminal_reads_as_reviewed() -> None:
    assert_snapshot("compatibility.terminal.txt", "\n".join(terminal_lines(TABLE)) + "\n")


def test_the_page_of_the_table_reads_as_reviewed() -> None:
    page = COMPATIBILITY_REPORTS["html"](TABLE)
    assert_snapshot("compatibility.html", page[page.index("<body>") : page.index("<script>")])


def test_the_report_for_machines_is_the_record_itself() -> None:
    assert json.loads(COMPATIBILITY_REPORTS["json"](TABLE)) == TABLE


def test_of_a_single_cell_everything_is_told() -> None:
    cause = next(cell for cell in TABLE["cells"] if cell["causes"])["causes"][0]
    causes = [{**cause, "effect": f"effect {n}"} for n in range(9)]
    cells = [{**TABLE["cells"][0], "causes": causes}]
    assert "effect 8" in "\n".join(terminal_lines(TABLE | {"cells": cells}))
    assert "effect 8" not in "\n".join(terminal_lines(TABLE | {"cells": cells * 2}))
