"""The samples of mutants of our own code: what `tox run -e mutation` tries is fixed, and little of it is let off."""

from __future__ import annotations

import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[3]
SAMPLES = sorted((ROOT / "tools" / "mutation" / "samples").glob("*.toml"))


def rows(path: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = tomllib.loads(path.read_text(encoding="utf-8"))["mutant"]
    return found


def identity(row: dict[str, Any]) -> tuple[Any, ...]:
    return tuple(row.get(name) for name in ("file", "scope", "operator", "was", "now", "nth"))


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
def test_every_package_gives_as_many_mutants(path: Path) -> None:
    counts = Counter(row["file"].rpartition("/")[0] for row in rows(path))
    assert len(counts) == 10
    assert len(set(counts.values())) == 1


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
def test_a_sample_has_no_mutant_of_a_file_that_it_was_drawn_without(path: Path) -> None:
    words = path.read_text(encoding="utf-8").partition("\n")[0].replace(";", " ").split()
    without = {words[at + 1] for at, word in enumerate(words) if word == "--without"}
    assert without.isdisjoint(row["file"] for row in rows(path))


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
def test_at_most_a_tenth_is_called_equivalent_and_never_without_a_reason(path: Path) -> None:
    told = [row["equivalent"] for row in rows(path) if "equivalent" in row]
    assert all(len(reason.split()) > 3 for reason in told)
    assert len(told) <= len(rows(path)) / 10


def test_no_mutant_is_in_two_samples_or_twice_in_one() -> None:
    assert [
        i for i, count in Counter(identity(row) for path in SAMPLES for row in rows(path)).items() if count > 1
    ] == []


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
def test_the_page_speaks_of_the_sample_as_it_is(path: Path) -> None:
    drawn = path.read_text(encoding="utf-8").partition("\n")[0].removeprefix("# ")
    assert f"## Sample `{path.stem}`\n\n{drawn}\n" in (ROOT / "docs" / "mutation.md").read_text(encoding="utf-8")
