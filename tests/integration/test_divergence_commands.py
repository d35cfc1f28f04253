"""Divergences as a person asks for them: as a list, and one by one."""

from __future__ import annotations

import json

import pytest

from conformance.catalogue.divergences import divergences_about, load_divergences
from conformance.cli.main import main


def _asked(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(list(arguments)) == 0
    return capsys.readouterr().out


def test_the_list_has_every_divergence_of_every_pair(capsys: pytest.CaptureFixture[str]) -> None:
    rows = json.loads(_asked(capsys, "list", "divergences", "--format", "json"))
    assert [row["id"] for row in rows] == [one.id for pair in load_divergences().values() for one in pair.divergences]
    row = next(row for row in rows if row["id"] == "DV-42")
    assert (row["upstream"], row["ticdc"], row["met"], row["documented"]) == ("canal", "canal-json", "text", False)
    assert row["when"] == {"canal": {"jdk": ["17"]}}
    assert row["statements"] == ["INSERT INTO t VALUES (1, 2e23)"]


def test_a_protocol_has_the_divergences_from_what_it_imitates(capsys: pytest.CaptureFixture[str]) -> None:
    text = _asked(capsys, "list", "divergences", "--protocol", "canal-json")
    lines = text.splitlines()
    count = len(load_divergences()["canal", "canal-json"].divergences)
    assert lines[0] == f"canal -> canal-json ({count})"
    assert lines[-1] == f"{count} divergences"
    assert "DV-01     form      documented    `old` of an update" in lines


@pytest.mark.parametrize("protocol", ["avro", "open-protocol"])
def test_a_protocol_that_imitates_nothing_is_said_to_be_so(protocol: str, capsys: pytest.CaptureFixture[str]) -> None:
    lines = _asked(capsys, "list", "divergences", "--protocol", protocol).splitlines()
    assert lines == ["0 divergences", "only these protocols imitate an upstream format: canal-json, debezium"]


def test_a_requirement_names_the_divergences_that_it_tells_of() -> None:
    assert [one.name for one in divergences_about("CJ-396")] == ["divergence/DV-44"]
