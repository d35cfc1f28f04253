"""`report index` and `report badge`: what they write of saved runs, and what they refuse."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from conformance.cli.main import main
from conformance.engine.selection import Expression, Selection
from reports.jsonl import JsonlRenderer
from tests.toy import run


def saved(path: Path, words: dict[str, str | list[str]], **more: object) -> Path:
    """A run record at the path."""
    with path.open("w", encoding="utf-8") as file:
        renderer = JsonlRenderer(file)
        for event in run(words, **more)[1]:  # type: ignore[arg-type]
            renderer.handle(event)
    return path


@pytest.fixture
def runs(tmp_path: Path) -> list[str]:
    """A good run, and one that loses data."""
    return [str(saved(tmp_path / f"{name}.jsonl", {"a": word})) for name, word in (("good", "ok"), ("bad", "T-1/lost"))]


def test_an_index_is_a_page_a_record_and_a_badge_each(runs: list[str], tmp_path: Path) -> None:
    assert main(["report", "index", *runs, "-o", str(tmp_path / "out")]) == 0
    record = json.loads((tmp_path / "out" / "index.json").read_text(encoding="utf-8"))
    assert [column["run"] for column in record["columns"]] == sorted(runs)
    badges = {p.stem: json.loads(p.read_text(encoding="utf-8")) for p in (tmp_path / "out" / "badges").iterdir()}
    messages = [badges[column["id"]]["message"] for column in record["columns"]]
    assert messages == ["1 data fault", "passing · 1 requirement"]
    assert "Side by side" in (tmp_path / "out" / "index.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["{run}", "{run}", "-o", "{tmp}/out"], "is given twice"),
        (["{run}", "-o", "{run}"], "it is a file"),
        (["{tmp}/none", "-o", "{tmp}/out"], "cannot be read as a run record"),
        (["{run}", "-o", "{tmp}/out", "--template", "{tmp}/none"], "--template"),
    ],
)
def test_what_cannot_be_an_index_is_refused_in_a_sentence(arguments, words, runs, tmp_path, capsys) -> None:
    assert main(["report", "index", *(one.format(run=runs[0], tmp=tmp_path) for one in arguments)]) == 4
    assert words in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_a_badge_of_several_runs_is_that_of_the_worst(runs: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", "badge", *runs, "--label", "mine"]) == 0
    badge = json.loads(capsys.readouterr().out)
    assert (badge["label"], badge["message"], badge["color"]) == ("mine", "1 data fault", "red")


def test_a_badge_of_a_run_of_nothing_is_grey(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    nothing = Selection(expression=Expression("toy/none"))
    path = saved(tmp_path / "nothing.jsonl", {"a": "ok"}, selection=nothing)
    assert main(["report", "badge", str(path)]) == 0
    assert json.loads(capsys.readouterr().out)["color"] == "lightgrey"


def test_a_badge_is_not_written_over_its_run(runs: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    before = Path(runs[0]).read_bytes()
    assert main(["report", "badge", runs[0], "-o", runs[0]]) == 4
    assert "that is the run itself" in capsys.readouterr().err
    assert Path(runs[0]).read_bytes() == before


def test_a_badge_is_not_written_over_a_file_of_its_run_folder(tmp_path: Path, runs: list[str]) -> None:
    (tmp_path / "kept").mkdir()
    record = tmp_path / "kept" / "run.jsonl"
    record.write_bytes(before := Path(runs[0]).read_bytes())
    assert main(["report", "badge", str(tmp_path / "kept"), "-o", str(record)]) == 4
    assert record.read_bytes() == before


def test_reports_of_several_files_are_rendered_into_a_folder(runs: list[str], tmp_path: Path, capsys) -> None:
    assert main(["report", "render", "github", runs[1]]) == 4
    assert "-o DIR" in capsys.readouterr().err
    assert main(["report", "render", "github", runs[1], "-o", str(tmp_path / "gh")]) == 0
    assert (tmp_path / "gh" / "annotations.txt").read_text(encoding="utf-8").startswith("::error ")


@pytest.mark.parametrize("how", ["lost", "torn", "twice"])
def test_a_damaged_record_is_never_shown_green(how: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = saved(tmp_path / "run.jsonl", {"a": "ok", "b": "ok"})
    assert main(["report", "badge", str(path)]) == 0
    assert json.loads(capsys.readouterr().out)["color"] == "brightgreen"
    lines = path.read_text(encoding="utf-8").splitlines()
    at = next(i for i, line in enumerate(lines) if line.startswith('{"event":"verdict"'))
    lines[at : at + 1] = {"lost": [], "torn": [lines[at][:30]], "twice": [lines[at]] * 2}[how]
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    assert main(["report", "badge", str(path)]) == 6
    assert json.loads(capsys.readouterr().out)["color"] == "lightgrey"
    assert main(["report", "index", str(path), "-o", str(tmp_path / "index")]) == 6
    [badge] = [json.loads(one.read_text(encoding="utf-8")) for one in (tmp_path / "index" / "badges").iterdir()]
    assert badge["color"] == "lightgrey"
    capsys.readouterr()
    assert main(["report", "render", "terminal", str(path)]) == 6
    assert "UNKNOWN   the run was cut" in capsys.readouterr().out


@pytest.mark.parametrize("command", [["render", "terminal"], ["badge"], ["merge", "--out", "{}/out"]])
def test_two_runs_in_one_file_are_refused_in_a_sentence(command: list[str], tmp_path: Path, capsys) -> None:
    path = saved(tmp_path / "run.jsonl", {"a": "ok"})
    path.write_bytes(path.read_bytes() * 2)
    assert main(["report", *(word.format(tmp_path) for word in command), str(path)]) == 4
    assert "two runs in one file; use report merge" in capsys.readouterr().err
