"""`--report github=` and `--report badge=`: where they are written, and what is refused before a run begins."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from conformance.cli.outputs import open_outputs
from conformance.errors import UsageError
from tests.toy import run


def reported(*asked: str) -> None:
    """A run with these reports."""
    _, events = run({"a": "T-1", "b": "ok"})
    with open_outputs(asked, quiet=True) as outputs:
        for event in events:
            outputs.handle(event)
        assert outputs.status(1) == 1


@pytest.fixture
def summary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The summary of a step that has said something already."""
    path = tmp_path / "step_summary"
    path.write_text("before\n", encoding="utf-8")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(path))
    monkeypatch.delenv("GITHUB_OUTPUT", raising=False)
    return path


@pytest.mark.parametrize("asked", ["github=", "github=-"])
def test_in_a_job_of_github_annotations_go_to_the_log_and_the_summary_to_the_step(asked, summary, capsys) -> None:
    reported(asked)
    assert [line[:14] for line in capsys.readouterr().out.splitlines() if line.startswith("::")] == ["::error title="]
    text = summary.read_text(encoding="utf-8")
    assert text.startswith("before\n## ticdc-conformance: red (exit 1)\n")


def test_in_a_job_of_github_the_step_gets_the_number_of_findings(summary: Path, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv("GITHUB_OUTPUT", str(tmp_path / "output"))
    reported("github=")
    assert (tmp_path / "output").read_text(encoding="utf-8") == "findings=1\n"


@pytest.mark.parametrize("output", ["output", "no/output"])
def test_elsewhere_github_without_a_folder_is_refused_with_what_to_do(output: str, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    monkeypatch.setenv("GITHUB_OUTPUT", str(tmp_path / output))
    with pytest.raises(UsageError, match="--report github=DIR"):
        reported("github=")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("variable", ["GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT"])
def test_a_file_of_a_job_that_cannot_be_written_is_refused_by_name(variable, summary, tmp_path, monkeypatch) -> None:
    monkeypatch.setenv(variable, str(tmp_path / "no" / "file"))
    with pytest.raises(UsageError, match=f"{variable} .*: cannot be written"):
        reported("github=")
    assert summary.read_text(encoding="utf-8") == "before\n"


def test_a_folder_has_the_three_texts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    reported(f"github={tmp_path / 'made'}")
    assert sorted(p.name for p in (tmp_path / "made").iterdir()) == ["annotations.txt", "comment.md", "summary.md"]
    assert "::error" not in capsys.readouterr().out


@pytest.mark.parametrize(("name", "words"), [("no/folder", "there is no folder"), ("file", "a folder is needed")])
def test_a_folder_that_cannot_be_is_refused(name: str, words: str, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(UsageError, match=words):
        reported(f"github={tmp_path / name}")


def test_two_reports_into_one_folder_are_refused(tmp_path: Path, summary: Path) -> None:
    with pytest.raises(UsageError, match="is written there"):
        reported(f"github={tmp_path}/x", f"github={tmp_path}/x/")
    with pytest.raises(UsageError, match="github= is given twice"):
        reported("github=", "github=-")


@pytest.mark.parametrize("asked", ["junit=", "badge=", "github", "junit"])
def test_a_kind_without_a_place_of_its_own_needs_a_path(asked: str) -> None:
    with pytest.raises(UsageError, match="it looks like"):
        reported(asked)


@pytest.mark.parametrize("kind", ["jsonl", "badge", "allure"])
def test_a_report_on_standard_output_is_refused_where_it_would_mix_with_the_text(kind: str, tmp_path: Path) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path)
        with pytest.raises(UsageError, match="standard output has the text for the terminal"):
            reported(f"{kind}=-")
        reported(f"{kind}=./-")
    assert [path.name for path in tmp_path.iterdir()] == ["-"]


def test_a_badge_is_what_shields_reads(tmp_path: Path) -> None:
    reported(f"badge={tmp_path / 'badge.json'}")
    badge = json.loads((tmp_path / "badge.json").read_text(encoding="utf-8"))
    assert badge == {"schemaVersion": 1, "label": "TiCDC conformance", "message": "1 schema fault", "color": "orange"}
