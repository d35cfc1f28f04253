"""The manifest of the fixtures: that it is kept, and that it notices."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.catalogue.fixtures import fixtures_root
from conformance.catalogue.manifest import MANIFEST, build_manifest, manifest_text, verify_manifest
from conformance.errors import SuiteError


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two files and their manifest."""
    (tmp_path / "register").mkdir()
    for name in ("a.toml", "register/b.toml"):
        (tmp_path / name).write_text(f"# {name}\n", encoding="utf-8")
    (tmp_path / MANIFEST).write_text(manifest_text(build_manifest(tmp_path)), encoding="utf-8")
    return tmp_path


def test_the_manifest_lists_every_fixture_as_it_is() -> None:
    assert verify_manifest(fixtures_root()) == [], "run: python tools/manifest.py"


def test_the_manifest_is_stored_as_its_tool_writes_it() -> None:
    stored = (fixtures_root() / MANIFEST).read_text(encoding="utf-8")
    assert stored == manifest_text(build_manifest(fixtures_root())), "run: python tools/manifest.py"


def test_examples_of_the_documents_keep_the_licence_of_the_documents() -> None:
    listed = build_manifest(fixtures_root())["files"]
    # The design of Avro stands in a repository of code, the other documents in that of the documentation.
    shown = {"canal-json", "open-protocol", "debezium"}
    of_pages = {n for n in listed if n.startswith("golden/") and n.split("/")[1] in shown}
    assert {n.split("/")[1] for n in of_pages} == shown
    assert {listed[name]["licence"] for name in of_pages} == {"CC-BY-SA-3.0"}
    assert {listed[name]["licence"] for name in listed.keys() - of_pages} == {"Apache-2.0"}


def test_nothing_is_wrong_with_a_manifest_that_was_just_written(folder: Path) -> None:
    assert verify_manifest(folder) == []


def test_a_changed_file_a_new_one_and_one_that_is_gone_are_named(folder: Path) -> None:
    (folder / "a.toml").write_text("# other\n", encoding="utf-8")
    (folder / "register" / "b.toml").rename(folder / "register" / "c.toml")
    assert verify_manifest(folder) == [
        "a.toml: differs from what is listed",
        "register/b.toml: listed, but not there",
        "register/c.toml: there, but not listed",
    ]


@pytest.mark.parametrize("text", ["", "[]", "{}"])
def test_a_manifest_that_is_none_is_the_suites_fault(folder: Path, text: str) -> None:
    (folder / MANIFEST).write_text(text, encoding="utf-8")
    with pytest.raises(SuiteError, match=MANIFEST):
        verify_manifest(folder)
