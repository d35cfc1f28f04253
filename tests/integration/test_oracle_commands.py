"""Disagreements as a person asks for them: as a list, and one by one."""

from __future__ import annotations

import json

import pytest

from conformance.catalogue.disagreements import load_disagreements
from conformance.cli.disagreements import disagreement_named, disagreements_about
from conformance.cli.main import main


def test_the_list_has_every_disagreement_of_a_protocol_with_the_cases_that_show_it(capsys) -> None:
    assert main(["list", "divergences", "--oracle", "--format", "json", "--protocol", "open-protocol"]) == 0
    rows = {row["id"]: row for row in json.loads(capsys.readouterr().out)}
    assert list(rows) == [entry.id for entry in load_disagreements()["open-protocol"].disagreements]
    assert len(rows["OPD-01"]["recorded"]) == 2
    assert rows["OPD-01"]["defects"] == ["open-protocol/nameless-null-in-p"]
    assert "open-protocol/golden/02-logs/log-9" in rows["DD-OP-02"]["golden"]


def test_the_text_is_as_wide_as_the_terminal(capsys, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "72")
    assert main(["list", "divergences", "--oracle", "--protocol", "avro"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 72
    assert lines[-1] == f"{len(load_disagreements()['avro'].disagreements)} disagreements"
    assert any(line.startswith("  decision") for line in lines)


def test_an_id_that_is_told_with_another_is_found_there() -> None:
    found = disagreement_named("disagreement/DV-OP-25")
    assert found is not None
    assert found.id == "DD-OP-02"


def test_a_requirement_names_the_disagreements_that_it_settles() -> None:
    assert [entry.id for entry in disagreements_about("open-protocol", "OP-058")] == ["OPD-01"]
