"""`list`: what is listed, by protocol, release, level or expression, and what is said of the rest."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from conformance.catalogue.disagreements import load_disagreements
from conformance.catalogue.divergences import divergences_about, load_divergences
from conformance.catalogue.history import load_history
from conformance.catalogue.register import load_register
from conformance.cli.configuring import REFERENCE
from conformance.cli.disagreements import disagreement_named, disagreements_about
from conformance.cli.main import main
from reference_impl.profiles import NEWARCH, profile_of_release

RULES = load_register("canal-json").requirements


def listed(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[dict[str, Any]]:
    assert main(["list", *arguments, "--protocol", "canal-json", "--format", "json"]) == 0
    rows: list[dict[str, Any]] = json.loads(capsys.readouterr().out)
    return rows


def test_by_default_the_testable_requirements_of_the_newest_release_are_listed(capsys) -> None:
    ids = {row["id"] for row in listed(capsys, "requirements")}
    assert ids == {r.id for r in RULES.values() if r.testable and r.applies(NEWARCH)}
    assert ids == {row["id"] for row in listed(capsys, "requirements", "--testable")}


def test_what_is_left_out_is_counted_with_the_option_that_lists_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", "requirements", "--protocol", "canal-json"]) == 0
    *_, count, first, second = capsys.readouterr().out.splitlines()
    untestable = sum(not r.testable and r.applies(NEWARCH) for r in RULES.values())
    other = sum(not r.applies(NEWARCH) for r in RULES.values())
    assert untestable
    assert other
    assert count.endswith(" requirements")
    first, second = sorted((first, second), key=lambda note: "release" in note)
    assert first.startswith(f"left out: {untestable} that no harness can observe: --untestable lists them")
    assert second.startswith(f"left out: {other} of other releases than the newest release: --release")


def test_all_lists_every_requirement_and_leaves_nothing_out(capsys: pytest.CaptureFixture[str]) -> None:
    assert {row["id"] for row in listed(capsys, "requirements", "--all")} == set(RULES)
    assert main(["list", "requirements", "--all"]) == 0
    assert "\nleft out:" not in capsys.readouterr().out


def test_untestable_requirements_are_listed_alone(capsys: pytest.CaptureFixture[str]) -> None:
    rows = listed(capsys, "requirements", "--untestable")
    assert {row["level"] for row in rows} == {"untestable"}


def test_a_level_lists_the_requirements_of_that_level(capsys: pytest.CaptureFixture[str]) -> None:
    assert {row["level"] for row in listed(capsys, "requirements", "--level", "may")} == {"may"}


def test_a_release_lists_what_held_then(capsys: pytest.CaptureFixture[str]) -> None:
    then = profile_of_release("v6.4.1")
    ids = {row["id"] for row in listed(capsys, "requirements", "--release", "v6.4.1")}
    assert ids == {r.id for r in RULES.values() if r.testable and r.applies(then)}


def test_requirements_of_some_releases_say_which(capsys: pytest.CaptureFixture[str]) -> None:
    releases = {row["id"]: row["releases"] for row in listed(capsys, "requirements", "--all")}
    assert releases["CJ-006"] == "since v6.4.0, until v6.5.0"
    assert main(["list", "requirements", "--protocol", "canal-json", "--all"]) == 0
    [line] = [line for line in capsys.readouterr().out.splitlines() if line.startswith("CJ-006")]
    assert "since v6.4.0, until v6.5.0" in line
    assert main(["explain", "CJ-006"]) == 0
    assert "since v6.4.0, until v6.5.0" in capsys.readouterr().out


def test_cases_are_listed_by_the_expression_that_run_takes(capsys: pytest.CaptureFixture[str]) -> None:
    rows = listed(capsys, "cases", "-k", "CJ-388 and decode")
    assert rows
    assert {row["role"] for row in rows} == {"decode"}
    written = [row for row in listed(capsys, "cases") if "CJ-388" in row["requirements"] and row["role"] == "decode"]
    # With the index at hand there are also cases that merely evaluate it.
    assert written == [row for row in rows if "CJ-388" in row["requirements"]] != []


def test_a_protocol_narrows_protocols_and_defects(capsys: pytest.CaptureFixture[str]) -> None:
    assert [row["protocol"] for row in listed(capsys, "protocols")] == ["canal-json"]
    assert main(["list", "defects", "--protocol", "open-protocol", "--format", "json"]) == 0
    assert {row["id"].partition("/")[0] for row in json.loads(capsys.readouterr().out)} == {"open-protocol"}


def test_a_protocol_that_is_named_twice_is_listed_once(capsys: pytest.CaptureFixture[str]) -> None:
    rows = listed(capsys, "requirements", "--protocol", "canal-json")
    assert len(rows) == len({row["id"] for row in rows})


def test_a_requirement_is_not_covered_by_a_run_of_another_protocol_with_its_id(tmp_path: Path, capsys) -> None:
    run = tmp_path / "run.jsonl"
    arguments = ["--protocol", "canal-json", "--role", "decode", "-k", "CJ-881", "-q", "--report", f"jsonl={run}"]
    assert main(["run", "--iut", REFERENCE, *arguments]) == 0
    capsys.readouterr()
    assert main(["list", "requirements", "--protocol", "canal", "--uncovered", str(run)]) == 1
    assert "CJ-881" in capsys.readouterr().out


# -- divergences and disagreements -------------------------------------------------------------------------------------


def test_the_list_has_every_divergence_of_every_pair(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", "divergences", "--format", "json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert [row["id"] for row in rows] == [one.id for pair in load_divergences().values() for one in pair.divergences]
    row = next(row for row in rows if row["id"] == "DV-42")
    assert (row["upstream"], row["ticdc"], row["met"], row["documented"]) == ("canal", "canal-json", "text", False)
    assert row["when"] == {"canal": {"jdk": ["17"]}}
    assert row["statements"] == ["INSERT INTO t VALUES (1, 2e23)"]


def test_a_protocol_has_the_divergences_from_what_it_imitates(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", "divergences", "--protocol", "canal-json"]) == 0
    lines = capsys.readouterr().out.splitlines()
    count = len(load_divergences()["canal", "canal-json"].divergences)
    assert lines[0] == f"canal -> canal-json ({count})"
    assert lines[-1] == f"{count} divergences"
    assert "DV-01     form      documented    `old` of an update" in lines


@pytest.mark.parametrize("protocol", ["avro", "open-protocol"])
def test_a_protocol_that_imitates_nothing_is_said_to_be_so(protocol: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", "divergences", "--protocol", protocol]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines == ["0 divergences", "only these protocols imitate an upstream format: canal-json, debezium"]


def test_a_requirement_names_the_divergences_that_it_tells_of() -> None:
    assert [one.name for one in divergences_about("CJ-396")] == ["divergence/DV-44"]


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


# -- historical defects ------------------------------------------------------------------------------------------------


def test_the_list_has_every_defect(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", "history", "--format", "json"]) == 0
    assert [row["defect"] for row in json.loads(capsys.readouterr().out)] == list(load_history())


def test_the_list_of_a_protocol_has_the_defects_that_have_mutants_of_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", "history", "--format", "json", "--protocol", "avro"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert rows
    assert all(any(name.startswith("avro/") for name in row["mutants"]) for row in rows)
