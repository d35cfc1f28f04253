"""Skeletons as files: complete, short, and never written over what is there."""

from __future__ import annotations

import os
import re
import tomllib
from pathlib import Path

import pytest
import yaml

from conformance import __version__
from conformance.cli.settings import read_settings_file
from conformance.errors import SuiteError, UsageError
from conformance.skeletons import Skeleton, load_skeletons, write_skeleton
from conformance.transport.addresses import parse_address

SKELETONS = load_skeletons()
SOURCES = {".go", ".java", ".mjs", ".py", ".rs"}
WORKFLOW = ".github/workflows/ticdc-conformance.yml"


@pytest.fixture(params=SKELETONS)
def skeleton(request: pytest.FixtureRequest) -> Skeleton:
    return SKELETONS[request.param]


@pytest.fixture
def folder(skeleton: Skeleton, tmp_path: Path) -> Path:
    """The folder of a new skeleton, in a folder that is made with it."""
    target = tmp_path / "team" / "My Harness!"
    write_skeleton(skeleton, target, "canal-json")
    return target


def is_code(line: str) -> bool:
    """Whether a line is neither blank nor a comment."""
    return bool(line.strip()) and not line.strip().startswith(("//", "#", "/*", "*"))


def test_every_language_that_was_promised_has_a_skeleton() -> None:
    assert SKELETONS.keys() == {"go", "go-wrapper", "java", "node", "python", "rust"}


def test_what_is_written_is_what_is_told(skeleton: Skeleton, tmp_path: Path) -> None:
    told = write_skeleton(skeleton, tmp_path, "canal-json")
    assert sorted(told) == sorted(p.relative_to(tmp_path).as_posix() for p in tmp_path.rglob("*") if p.is_file())
    assert {"README.md", "ticdc-conformance.toml", ".gitignore", WORKFLOW} <= set(told)


def test_no_placeholder_is_left(folder: Path) -> None:
    texts = {p: p.read_text(encoding="utf-8") for p in folder.rglob("*") if p.is_file() and p.suffix != ".jar"}
    left = [path.name for path, text in texts.items() if re.search("@[a-z_]+@", text)]
    assert left == []


def test_the_name_of_the_harness_is_that_of_its_folder_in_plain_letters(folder: Path) -> None:
    assert (folder / "README.md").read_text(encoding="utf-8").startswith("# my-harness\n")


def test_no_source_file_has_150_lines_of_code(folder: Path) -> None:
    counts = {
        path.name: sum(map(is_code, path.read_text(encoding="utf-8").splitlines()))
        for path in folder.rglob("*")
        if path.suffix in SOURCES
    }
    assert counts
    assert {name: count for name, count in counts.items() if count >= 150} == {}


def test_the_readme_has_ten_lines_or_so_and_names_the_command(skeleton: Skeleton, folder: Path) -> None:
    lines = (folder / "README.md").read_text(encoding="utf-8").splitlines()
    assert len(lines) <= 12
    assert f"    {skeleton.start}" in lines


def test_the_settings_are_read_by_the_suite(skeleton: Skeleton, folder: Path) -> None:
    settings = read_settings_file(folder / "ticdc-conformance.toml")
    assert settings["iut"] == (skeleton.address,)
    assert settings["protocol"] == ("canal-json",)
    parse_address(skeleton.address)


def test_the_workflow_installs_this_version_builds_and_judges(folder: Path) -> None:
    workflow = yaml.safe_load((folder / WORKFLOW).read_text(encoding="utf-8"))
    steps = workflow["jobs"]["conformance"]["steps"]
    runs = [step["run"] for step in steps if "run" in step]
    assert runs[0] == f'pip install "ticdc-conformance=={__version__}"'
    assert runs[-1].startswith("ticdc-conformance run ")
    assert [step for step in steps if not step.keys() & {"run", "uses"}] == []


def test_what_the_harness_leaves_behind_is_not_committed(folder: Path) -> None:
    ignored = (folder / ".gitignore").read_text(encoding="utf-8").splitlines()
    reports = tomllib.loads((folder / "ticdc-conformance.toml").read_text(encoding="utf-8"))["report"]
    assert {"/" + report.partition("=")[2] for report in reports} <= set(ignored)


@pytest.mark.parametrize("there", ["README.md", WORKFLOW])
def test_where_a_file_exists_nothing_is_written(skeleton: Skeleton, there: str, tmp_path: Path) -> None:
    (tmp_path / there).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / there).write_text("mine", encoding="utf-8")
    with pytest.raises(UsageError, match=re.escape(there)):
        write_skeleton(skeleton, tmp_path, "canal-json")
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert [path.read_text(encoding="utf-8") for path in files] == ["mine"]


def test_a_link_that_leads_nowhere_exists(tmp_path: Path) -> None:
    os.symlink(tmp_path / "nowhere", tmp_path / "README.md")
    with pytest.raises(UsageError, match=r"README\.md"):
        write_skeleton(SKELETONS["python"], tmp_path, "canal-json")
    assert not (tmp_path / "nowhere").exists()


def test_other_files_in_the_folder_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine", encoding="utf-8")
    write_skeleton(SKELETONS["python"], tmp_path, "canal-json")
    assert (tmp_path / "mine.txt").read_text(encoding="utf-8") == "mine"


@pytest.mark.parametrize("place", ["harness", ".github"])
def test_a_file_where_a_folder_must_be_is_named(place: str, tmp_path: Path) -> None:
    folder = tmp_path / "harness"
    file = folder if place == "harness" else folder / place
    file.parent.mkdir(exist_ok=True)
    file.write_text("", encoding="utf-8")
    with pytest.raises(UsageError, match=re.escape(str(file))):
        write_skeleton(SKELETONS["python"], folder, "canal-json")


def test_a_placeholder_without_a_value_is_our_fault(tmp_path: Path) -> None:
    template = tmp_path / "file.template"
    template.write_text("a @nothing@ b", encoding="utf-8")
    python = SKELETONS["python"]
    mine = Skeleton("x", "X", python.address, "", "", "", "", python.needs, python.roles, templates={"file": template})
    with pytest.raises(SuiteError, match="@nothing@"):
        write_skeleton(mine, tmp_path / "new", "canal-json")
    assert not (tmp_path / "new").exists()
