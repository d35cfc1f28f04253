"""The generated pages are those of today's register, cases and mutants: who forgets to write them anew is told here.

What takes minutes to compute, anchors and the outcomes of the matrix, is taken from the pages themselves; anchors are
held against the reference's own run where that is at hand anyway.
"""

from __future__ import annotations

import re
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import pytest

from conformance.catalogue.anchors import anchor_key, load_anchors
from conformance.catalogue.register import Requirement, load_register
from conformance.mutants import all_mutants
from conformance.mutants.matrix import Outcome
from reference_impl.protocols import DIALECTS
from tools import reference_pages

ROOT = Path(__file__).resolve().parents[3]
AGAIN = "run: python tools/reference_pages.py"

TESTABLE = [r for protocol in DIALECTS for r in load_register(protocol).requirements.values() if r.testable]


def written(name: str) -> str:
    return (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8")


def rows(text: str) -> list[list[str]]:
    """The cells of every row of every table."""
    return [re.split(r" ?(?<!\\)\| ?", line)[1:-1] for line in text.splitlines() if line.startswith("| ")]


def anchors() -> dict[str, str]:
    """What stands for a requirement, with a hyphen and in small letters → anchor, as the page has it."""
    return {row[0].split('"')[1]: row[6] for row in rows(written("requirements")) if len(row) == 8 and '"' in row[0]}


def place_of(requirement: Requirement) -> str:
    return anchor_key(requirement).replace("/", "-").lower()


def outcomes() -> dict[str, str]:
    """Mutant → outcome, as the page has it."""
    return {row[0].strip("`"): row[5] for row in rows(written("mutants")) if len(row) == 6}


def test_the_page_of_requirements_is_that_of_the_register() -> None:
    shown = anchors()
    assert written("requirements") == reference_pages.requirements_page(lambda r: shown.get(place_of(r), "")), AGAIN


def test_the_anchors_of_the_page_are_those_that_are_shipped() -> None:
    shown = anchors()
    assert {anchor_key(r): shown.get(place_of(r)) for r in TESTABLE} == load_anchors(), AGAIN


@pytest.mark.parametrize("page", reference_pages.PAGES)
def test_a_page_is_that_of_its_sources(page: str) -> None:
    if page == "cli" and find_spec("pyarrow") is None:
        pytest.skip("the commands that compare need an extra")
    assert written(page) == reference_pages.PAGES[page](), f"{AGAIN} {page}"


def test_the_page_of_mutants_is_that_of_the_mutants() -> None:
    shown = outcomes()
    assert written("mutants") == reference_pages.mutants_page(lambda m: shown.get(m.name, "")), AGAIN


def test_every_mutant_of_the_page_is_killed() -> None:
    shown = outcomes()
    assert {m.name: shown.get(m.name) for m in all_mutants() if shown.get(m.name) != Outcome.KILLED} == {}


def test_a_cell_does_not_break_its_table() -> None:
    assert list(reference_pages.table(("a",), [(reference_pages.cell("x|y\nz <b>"),)])) == [
        "| a |",
        "|---|",
        "| x\\|y z &lt;b> |",
        "",
    ]


@cache
def anchors_in(file: Path) -> frozenset[str]:
    """What a link into a file may name: its headings, and ids that are written out."""
    there = file.read_text(encoding="utf-8") if file.is_file() else ""
    headings = (re.sub(r"[^a-z0-9 -]", "", h.lower()).replace(" ", "-") for h in re.findall(r"^#+ (.*)", there, re.M))
    return frozenset([*headings, *re.findall(r'id="([^"]*)"', there)])


@pytest.mark.parametrize("page", sorted(p.name for p in (ROOT / "docs").glob("*.md")))
def test_pages_link_to_files_and_headings_that_are_there(page: str) -> None:
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    broken = []
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        name, _, anchor = target.partition("#")
        if "://" in name:
            continue
        file = ROOT / "docs" / name if name else ROOT / "docs" / page
        if not file.exists() or (anchor and anchor not in anchors_in(file)):
            broken.append(target)
    assert broken == []


@pytest.mark.parametrize("page", sorted(p.name for p in (ROOT / "docs").glob("*.md")))
def test_no_page_holds_a_path_of_the_machine_that_wrote_it(page: str) -> None:
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    assert [place for place in (str(ROOT), str(Path.home()), "/tmp/") if place in text and len(place) > 1] == []
