"""Historical defects as a person asks for them: by `history/ID`, as a list, and in the report of the matrix."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import pytest

from conformance.catalogue.history import load_history
from conformance.cli import mutants
from conformance.cli.main import main
from conformance.mutants.parallel import matrix_results
from tests.unit.mutants.few_cases import golden


def test_the_list_has_every_defect(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", "history", "--format", "json"]) == 0
    assert [row["defect"] for row in json.loads(capsys.readouterr().out)] == list(load_history())


def test_the_list_of_a_protocol_has_the_defects_that_have_mutants_of_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", "history", "--format", "json", "--protocol", "avro"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert rows
    assert all(any(name.startswith("avro/") for name in row["mutants"]) for row in rows)


def test_the_matrix_counts_defects_and_reports_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    monkeypatch.setattr(mutants, "matrix_results", partial(matrix_results, cases_of=golden))
    table, data = tmp_path / "m.md", tmp_path / "m.json"
    chosen = ["-k", "canal-json/table-i?", "-n", "1", "--cases", "2"]
    assert main(["mutants", *chosen, "--report", f"markdown={table}", "--report", f"json={data}"]) == 0
    assert "historical defects: 1 killed, 0 survived" in capsys.readouterr().out
    assert "| CJ-18 |" in table.read_text(encoding="utf-8")
    assert json.loads(data.read_text(encoding="utf-8"))["mutants"][0]["history"] == ["CJ-18"]
