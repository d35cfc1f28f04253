"""The reports of the assessment of a move: links of divergences, and tables that hold."""

from __future__ import annotations

import json

from jsonschema import Draft202012Validator

from conformance.catalogue.fixtures import fixtures_root
from reports.migration import MIGRATION_REPORTS, terminal_lines
from tests.snapshots.tiny_migration import MOVE, many_columns


def test_a_move_of_many_columns_is_a_record_that_the_schema_allows() -> None:
    schema = json.loads((fixtures_root() / "schemas" / "migration.schema.json").read_text(encoding="utf-8"))
    assert list(Draft202012Validator(schema).iter_errors(many_columns())) == []


def test_every_divergence_of_a_finding_leads_to_its_entry_in_the_documentation() -> None:
    for kind in ("html", "markdown"):
        text = MIGRATION_REPORTS[kind](MOVE)
        for name in ("DV-02", "DV-71", "DV-70"):
            assert f"/divergences.html#{name.lower()}" in text
    page = (fixtures_root().parent / "docs" / "divergences.md").read_text(encoding="utf-8")
    assert '<a id="dv-02">' in page


def test_the_table_of_columns_has_four_cells_in_each_row_whatever_a_type_holds() -> None:
    columns = [{**MOVE["columns"][0], "type": "enum('a|b')"}]
    text = MIGRATION_REPORTS["markdown"](MOVE | {"columns": columns})
    [line] = [line for line in text.splitlines() if "enum(" in line]
    assert line.replace(r"\|", "").count("|") == 5


def test_a_narrow_terminal_folds_every_line_but_those_to_paste() -> None:
    lines = [*terminal_lines(MOVE, 80)]
    begin = lines.index("Configuration")
    to_paste = lines[begin : lines.index("", begin + 1)]
    assert any(len(line) > 80 for line in terminal_lines(MOVE))
    assert [line for line in lines if len(line) > 80 and line not in to_paste] == []
