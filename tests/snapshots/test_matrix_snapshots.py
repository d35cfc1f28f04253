"""The wording and layout of the reports of a kill matrix, as a person sees them."""

from __future__ import annotations

import json

import pytest
from jsonschema import Draft202012Validator

from conformance.catalogue.fixtures import fixtures_root
from reports.matrix import MATRIX_REPORTS, terminal_lines
from tests.snapshots.snapshot import assert_snapshot
from tests.snapshots.tiny_matrix import RECORD


def _body(html: str) -> str:
    """What is read: style and script are no words."""
    return html[html.index("<body>") : html.index("<script>")]


def test_the_tiny_matrix_keeps_to_the_schema() -> None:
    schema = json.loads((fixtures_root() / "schemas" / "mutants-report.schema.json").read_text(encoding="utf-8"))
    assert [e.message for e in Draft202012Validator(schema).iter_errors(RECORD)] == []


def test_the_matrix_on_a_terminal_reads_as_reviewed() -> None:
    assert_snapshot("matrix.terminal.txt", "\n".join(terminal_lines(RECORD)) + "\n")


@pytest.mark.parametrize(("kind", "suffix"), [("markdown", "md"), ("html", "html")])
def test_the_report_of_the_matrix_reads_as_reviewed(kind: str, suffix: str) -> None:
    text = MATRIX_REPORTS[kind](RECORD)
    assert_snapshot(f"matrix.{suffix}", _body(text) if kind == "html" else text)


def test_the_report_for_machines_is_the_record_itself() -> None:
    assert json.loads(MATRIX_REPORTS["json"](RECORD)) == RECORD
