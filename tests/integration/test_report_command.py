"""`report`: what is made of saved runs afterwards."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.cli.main import main
from reports import RENDERERS
from reports.saved import RECORD
from tests.integration.test_run_folder import ASKED, run


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run folder, and beside it `KIND` as the run itself wrote it."""
    out = tmp_path_factory.mktemp("render")
    reports = [word for kind in RENDERERS for word in ("--report", f"{kind}={out / kind}")]
    main(["run", "-q", *ASKED, "-n", "2", "--role", "encode", "--out", str(out / "run"), *reports])
    return out


@pytest.mark.parametrize("kind", RENDERERS)
@pytest.mark.parametrize("saved", ["run", f"run/{RECORD}"], ids=["folder", "record"])
def test_a_report_rendered_later_is_the_one_that_the_run_wrote(kind: str, saved: str, folder: Path) -> None:
    again = folder / "again"
    assert main(["report", "render", kind, str(folder / saved), "-o", str(again)]) == 0
    assert again.read_bytes() == (folder / kind).read_bytes()


def test_a_report_of_several_files_rendered_later_is_the_one_that_the_run_wrote(folder: Path, tmp_path: Path) -> None:
    pytest.importorskip("allure_commons")
    twice = [tmp_path / "one", tmp_path / "other"]
    for out in twice:
        assert main(["report", "render", "allure", str(folder / "run"), "-o", str(out)]) == 0
    one, other = ({file.name: file.read_bytes() for file in out.iterdir()} for out in twice)
    assert one == other
    assert sum(name.endswith("-result.json") for name in one) > 1


def test_without_a_file_a_report_goes_to_standard_output(folder, capfdbinary) -> None:
    for more in ([], ["-o", "-"]):
        assert main(["report", "render", "markdown", str(folder / "run"), *more]) == 0
        assert capfdbinary.readouterr().out == (folder / "markdown").read_bytes()


def test_the_terminal_is_a_kind_of_report(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", "render", "terminal", str(folder / "run")]) == 0
    assert "planned" in capsys.readouterr().out


def test_a_run_that_was_cut_is_rendered_as_one_that_was(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = (run("-n", "3").path / RECORD).read_bytes().splitlines(keepends=True)
    (tmp_path / RECORD).write_bytes(b"".join(lines[:-40]) + lines[-40][:10])
    assert main(["report", "render", "terminal", str(tmp_path)]) == 6
    shown = capsys.readouterr()
    assert f"line {len(lines) - 39}: not JSON" in shown.err
    assert "cut" in shown.out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["render", "htmll", "{}"], "did you mean html?"),
        (["render", "html", "{}/nowhere"], "cannot be read as a run record"),
        (["render", "github", "{}"], "it is several files; name a folder for them with -o DIR"),
        (["render", "html", "{}", "{}"], "report merge"),
        (["render", "html", "{}", "-o", "{}/run.jsonl"], "that is the run itself"),
        (["render", "html", "{}", "-o", "{}/made/up"], "there is no folder"),
        (["rendre"], "did you mean render"),
        ([], "required"),
    ],
)
def test_what_cannot_be_asked_is_refused_in_a_sentence(arguments: list[str], words: str, capsys) -> None:
    path = run("-n", "3").path
    before = (path / RECORD).read_bytes()
    assert main(["report", *(word.format(path) for word in arguments)]) == 4
    assert words in capsys.readouterr().err
    assert (path / RECORD).read_bytes() == before
