"""`list requirements` and `list cases`: what is listed, and what is said of the rest."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from conformance.catalogue.register import load_register
from conformance.cli.configuring import REFERENCE
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
