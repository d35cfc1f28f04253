"""A release is refused unless every place that states a version states that of the tag."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from conformance import __version__
from tools.release_check import ROOT, main, notes, versions

TAG, FROZEN = f"v{__version__}", f"fixtures/sets/{__version__}.json"


def test_every_place_states_one_version_today() -> None:
    assert set(versions(ROOT).values()) == {__version__}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A copy of what is compared, with a changelog of two versions."""
    for folder in ("conformance", "fixtures/sets"):
        (tmp_path / folder).mkdir(parents=True)
    for name in ("pyproject.toml", "conformance/__init__.py", "CITATION.cff", FROZEN):
        shutil.copy(ROOT / name, tmp_path / name)
    text = f"# Changelog\n\n## {__version__} (today)\n\n* One thing.\n\n## 0.0.1\n\n* Another.\n"
    (tmp_path / "CHANGELOG.md").write_text(text, encoding="utf-8")
    return tmp_path


def test_a_tag_that_all_agree_with_is_a_release_with_its_notes(root: Path) -> None:
    assert main([TAG, "--notes", str(root / "notes.md")], root) == 0
    assert (root / "notes.md").read_text(encoding="utf-8") == "* One thing.\n"


def changelog(text: str) -> Callable[[Path], object]:
    return lambda root: (root / "CHANGELOG.md").write_text(text, encoding="utf-8")


@pytest.mark.parametrize(
    ("tag", "spoil", "said"),
    [
        ("v9.9.9", lambda root: None, f"pyproject.toml: {__version__}"),
        (TAG, lambda root: (root / FROZEN).unlink(), f"{FROZEN}: not there"),
        (TAG, changelog("## 0.0.1\n\n* Another.\n"), f"CHANGELOG.md: nothing below a heading '## {__version__}'"),
        (TAG, changelog(f"## {__version__} (unreleased)\n\n* a\n"), "CHANGELOG.md: calls this version unreleased"),
    ],
    ids=["another version", "requirements not frozen", "no notes", "unreleased"],
)
def test_a_tag_that_something_contradicts_is_no_release_and_has_no_notes(
    tag: str, spoil: Callable[[Path], object], said: str, root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    spoil(root)
    assert main([tag, "--notes", str(root / "notes.md")], root) == 1
    assert f"{tag}: {said}" in capsys.readouterr().out
    assert not (root / "notes.md").exists()


@pytest.mark.parametrize("other", ["1.0-rc1", "1.0.1"])
def test_the_changelog_of_a_longer_version_is_not_that_of_a_shorter_one(other: str) -> None:
    assert notes(f"## {other}\n\n* b\n", "1.0") == ""
    assert notes("## [1.0] (today)\n\n* b\n", "1.0") == "* b"


def test_the_last_version_of_a_changelog_ends_with_the_file() -> None:
    assert notes("## 2\n\n* b\n\n## 1\n\n* a\n", "1") == "* a"
