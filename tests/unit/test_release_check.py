"""A release is refused unless every place that states a version states that of the tag."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from conformance import __version__
from tools.release_check import ROOT, main, notes, versions


def test_every_place_states_one_version_today() -> None:
    assert set(versions(ROOT).values()) == {__version__}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A copy of what is compared, with a changelog of two versions."""
    for folder in ("conformance", "fixtures/sets"):
        (tmp_path / folder).mkdir(parents=True)
    for name in ("pyproject.toml", "conformance/__init__.py", "CITATION.cff", f"fixtures/sets/{__version__}.json"):
        shutil.copy(ROOT / name, tmp_path / name)
    text = f"# Changelog\n\n## {__version__} (today)\n\n* One thing.\n\n## 0.0.1\n\n* Another.\n"
    (tmp_path / "CHANGELOG.md").write_text(text, encoding="utf-8")
    return tmp_path


def test_a_tag_that_all_agree_with_is_a_release_with_its_notes(root: Path) -> None:
    assert main([f"v{__version__}", "--notes", str(root / "notes.md")], root) == 0
    assert (root / "notes.md").read_text(encoding="utf-8") == "* One thing.\n"


def test_a_tag_of_another_version_is_refused_and_no_notes_are_written(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["v9.9.9", "--notes", str(root / "notes.md")], root) == 1
    assert f"v9.9.9: pyproject.toml: {__version__}" in capsys.readouterr().out
    assert not (root / "notes.md").exists()


def test_a_version_whose_requirements_are_not_frozen_is_no_release(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (root / "fixtures" / "sets" / f"{__version__}.json").unlink()
    assert main([f"v{__version__}"], root) == 1
    assert f"fixtures/sets/{__version__}.json: not there" in capsys.readouterr().out


def test_a_version_that_the_changelog_calls_unreleased_is_no_release(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    changelog = root / "CHANGELOG.md"
    changelog.write_text(changelog.read_text(encoding="utf-8").replace("(today)", "(unreleased)"), encoding="utf-8")
    assert main([f"v{__version__}"], root) == 1
    assert "CHANGELOG.md: calls this version unreleased" in capsys.readouterr().out


@pytest.mark.parametrize("other", ["1.0-rc1", "1.0.1"])
def test_the_changelog_of_a_longer_version_is_not_that_of_a_shorter_one(other: str) -> None:
    assert notes(f"## {other}\n\n* b\n", "1.0") == ""
    assert notes("## [1.0] (today)\n\n* b\n", "1.0") == "* b"


def test_the_last_version_of_a_changelog_ends_with_the_file() -> None:
    assert notes("## 2\n\n* b\n\n## 1\n\n* a\n", "1") == "* a"
