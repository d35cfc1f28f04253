"""Frozen requirement sets: what an older version scores, what is later, and what an upgrade changes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from conformance import __version__
from conformance.catalogue.register import Level, Register, load_register
from conformance.engine.sets import (
    Frozen,
    RequirementSet,
    as_of,
    changes,
    current_set,
    load_set,
    read_set,
    set_text,
    set_versions,
)
from conformance.errors import SuiteError, UsageError
from reference_impl.protocols import DIALECTS
from tests.toy import PROTOCOL, REGISTER
from tools import requirement_sets

MUST, SHOULD, MAY = (Frozen(level, testable=True) for level in Level)
OLD = RequirementSet("0.0.9", {PROTOCOL: {"T-1": SHOULD, "T-3": MAY, "T-4": Frozen(Level.MUST, testable=False)}})


def test_the_set_of_this_version_is_what_the_registers_say() -> None:
    assert requirement_sets.main(["--check"]) == 0, "run: python tools/requirement_sets.py"


def test_a_set_that_is_written_reads_as_it_was(tmp_path: Path) -> None:
    (tmp_path / "0.1.0.json").write_text(set_text(current_set()), encoding="utf-8")
    assert read_set(tmp_path / "0.1.0.json") == current_set()


@pytest.mark.parametrize("protocol", DIALECTS)
def test_the_set_of_this_version_changes_no_register(protocol: str) -> None:
    assert as_of(load_register(protocol), load_set(__version__)) == load_register(protocol)


def scored(name: str, register: Register = REGISTER) -> tuple[Level, str]:
    one = as_of(register, OLD).requirements[name]
    return one.level, one.later_than


def test_a_requirement_of_the_set_has_the_level_of_then() -> None:
    assert scored("T-1") == (Level.SHOULD, "")


@pytest.mark.parametrize("name", ["T-2", "T-5"])
def test_a_requirement_that_the_set_has_not_is_a_may_and_says_so(name: str) -> None:
    assert scored(name) == (Level.MAY, "0.0.9")


def test_a_requirement_that_a_harness_can_show_since_then_is_later() -> None:
    now = replace(REGISTER.requirements["T-4"], testable=True)
    assert scored("T-4", Register(PROTOCOL, {"T-4": now})) == (Level.MAY, "0.0.9")
    assert scored("T-4") == (Level.MUST, "")


def test_a_requirement_with_a_new_id_is_found_by_its_former_one() -> None:
    now = replace(REGISTER.requirements["T-1"], id="T-100", aliases=("T-1",))
    assert scored("T-100", Register(PROTOCOL, {"T-100": now})) == (Level.SHOULD, "")


def test_versions_stand_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    for name in ("0.0.10", "0.0.9"):
        (tmp_path / f"{name}.json").touch()
    assert set_versions(tmp_path) == ["0.0.9", "0.0.10", __version__]


def test_an_unknown_version_is_a_usage_error_that_lists_those_there_are(tmp_path: Path) -> None:
    (tmp_path / "0.0.9.json").touch()
    with pytest.raises(UsageError, match=rf"9\.9\.9: no such version; there are 0\.0\.9, {__version__}, and this is"):
        load_set("9.9.9", tmp_path)


@pytest.mark.parametrize("text", ["", "[]", '{"suite": "0.0.9", "registers": {"toy": {"must": []}}}'])
def test_a_malformed_set_is_the_suites_fault_and_is_named(text: str, tmp_path: Path) -> None:
    (tmp_path / "0.0.9.json").write_text(text, encoding="utf-8")
    with pytest.raises(SuiteError, match=r"0\.0\.9\.json: not a requirement set"):
        load_set("0.0.9", tmp_path)


NEW = RequirementSet("0.1.0", {PROTOCOL: {"T-1": MUST, "T-2": MUST, "T-3": MAY, "T-5": MAY, "T-6": SHOULD}})


def test_an_upgrade_names_what_is_new_what_is_gone_and_what_has_another_level() -> None:
    lines = requirement_sets.upgrade_lines(OLD_WITH_ALL, NEW)
    rows = [line.split(" | ")[:4] for line in lines if line.startswith("| T-")]
    assert rows == [
        ["| T-1", "should", "must", "may change: SHOULD became MUST"],
        ["| T-4", "must, untestable", "–", "none: no harness can show it"],
        ["| T-7", "must", "–", "findings of it go"],
        ["| T-2", "–", "must", "may change: a broken MUST is new"],
        ["| T-5", "–", "may", "only shown: it is a MAY"],
        ["| T-6", "–", "should", "may change: a broken SHOULD is new"],
    ]


OLD_WITH_ALL = RequirementSet("0.0.9", {PROTOCOL: {**OLD.registers[PROTOCOL], "T-7": MUST}})


def test_two_sets_that_are_alike_change_nothing() -> None:
    assert list(changes(current_set(), load_set(__version__))) == []
    assert "no verdict changes" in next(requirement_sets.upgrade_lines(OLD, OLD))


def test_the_set_of_a_released_version_is_never_written_again(tmp_path: Path) -> None:
    (tmp_path / f"{__version__}.json").write_text("{}", encoding="utf-8")
    assert "was released" in requirement_sets.problem(tmp_path, f"## {__version__}\n")
    assert requirement_sets.problem(tmp_path, f"## {__version__} (unreleased)\n") == ""


def test_an_upgrade_from_an_unknown_version_lists_those_there_are(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        requirement_sets.main(["0.0.1", __version__])
    assert f"0.0.1: no such version; there are {__version__}" in capsys.readouterr().err
