"""Saved runs that tell nothing: the commands that read them say so, and their status is that of the run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from conformance.cli.main import main
from reports.jsonl import read_record
from tests.unit.reports.hostile_records import record, verdict

ACTIONS = ("check", "prune", "update")


def saved(folder: Path, exit_status: int) -> Path:
    of = verdict("toy/a", "not_run")
    events = record(*([] if exit_status == 5 else [of]), end={"exit": exit_status})
    file = folder / "run.jsonl"
    file.write_text("".join(json.dumps(event) + "\n" for event in events), encoding="utf-8")
    return file


@pytest.mark.parametrize("action", ACTIONS)
@pytest.mark.parametrize("status", [5, 6])
def test_a_run_that_judged_nothing_leaves_the_baseline_as_it_is(action: str, status: int, tmp_path, capsys) -> None:
    listed = tmp_path / "known.toml"
    listed.write_text("# mine\n", encoding="utf-8")
    run = saved(tmp_path, status)
    assert main(["baseline", action, "--run", str(run), "--baseline", str(listed)]) == status
    assert "nothing was judged" in capsys.readouterr().out
    assert listed.read_text(encoding="utf-8") == "# mine\n"


@pytest.mark.parametrize("lines", [[], ["{}"], ["hello"]])
def test_what_is_no_record_was_not_cut(lines: list[str]) -> None:
    assert not any("was cut" in problem for problem in read_record(lines)[1])


def test_an_index_of_one_run_counts_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", "index", str(saved(tmp_path, 5)), "-o", str(tmp_path / "out")]) == 0
    assert capsys.readouterr().out.startswith("1 column of 1 run: ")


def test_the_help_of_render_asks_for_one_run(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["report", "render", "--help"])
    assert "KIND RUN\n" in capsys.readouterr().out
