"""`tox run -e everything` runs every environment of tox.ini and tells how each ended."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools import everything
from tools.everything import Ended, environments, main, run_all, table

ROOT = Path(__file__).resolve().parents[2]
FAILS = 3


@pytest.fixture(autouse=True)
def logs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(everything, "LOGS", tmp_path)
    return tmp_path


def said(text: str, status: int = 0) -> everything.Runner:
    def run(name: str, log: Path) -> int:
        of_tox = f".pkg: _exit> python\n  {name}: OK (1.00 seconds)\n  congratulations :)\n"
        log.write_text(f"{text}\n{of_tox}", encoding="utf-8")
        return status

    return run


def test_all_environments_are_run_tests_first_and_the_one_that_runs_them_is_not_among_them() -> None:
    names = environments(ROOT / "tox.ini")
    assert everything.OWN not in names
    assert {"test", "lint", "conform", "conform-profiles", "mutants", "spark", "live-kafka", "mutation"} <= {*names}
    assert names[:4] == ["lint", "test", "conform", "conform-profiles"]
    assert [name for name in names if name.startswith("bench")] == names[-2:]


def test_an_environment_that_fails_keeps_none_of_the_others_from_being_run(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lint", "test"], lambda name, log: said("a failure", FAILS if name == "lint" else 0)(name, log)) == 1
    printed = capsys.readouterr().out
    assert "2 environments: 1 passed, 1 failed" in printed
    assert f"lint  failed ({FAILS})" in printed


def test_a_row_has_the_last_line_of_the_environment_and_not_of_tox() -> None:
    times = iter([0.0, 61.5])
    assert run_all(["test"], said("5 passed"), lambda: next(times)) == [Ended("test", 0, 61.5, "5 passed")]
    assert table([Ended("test", 0, 61.5, "5 passed")]).splitlines()[0] == "test  passed         1 min 01 s  5 passed"


def test_a_name_that_tox_ini_does_not_have_is_a_mistake_in_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tests"], said("")) == 4
    assert "tox.ini has no environment tests; it has lint, test, " in capsys.readouterr().err
