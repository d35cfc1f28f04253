"""Known defects of recorded producers: named, off by default, never part of a profile.

The data are `fixtures/defects/*.toml`; `DEFECTS` in the module `style` of a protocol has the effect of each.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from conformance.catalogue.fixtures import fixtures_root
from conformance.catalogue.members import Entry, reading, refuse_doubled, refuse_unknown, text, texts
from conformance.catalogue.sealed import read_toml

__all__ = ["Defect", "defects_of_profile", "load_defects", "read_defects"]


@dataclass(frozen=True, slots=True)
class Defect:
    """A defect of recorded producers."""

    id: str
    protocol: str
    profiles: tuple[str, ...]
    requirement: str  # the one that it breaks
    description: str
    recorded: tuple[str, ...] = ()  # the recordings that show it
    fixed_in: str = ""  # the release that fixed it; "" for none


_TEXTS = ("id", "protocol", "requirement", "description", "fixed_in")
_LISTS = ("profiles", "recorded")


def _defect(entry: Entry) -> Defect:
    refuse_unknown(entry, (*_TEXTS, *_LISTS))
    members: dict[str, Any] = {name: text(entry, name) for name in _TEXTS}
    members |= {name: texts(entry, name) for name in _LISTS}
    return Defect(**members)


def read_defects(path: Path) -> tuple[Defect, ...]:
    """The defects in a file. Raises `SuiteError`, naming the file, if it is malformed."""
    with reading(path, "a list of defects"):
        return tuple(map(_defect, read_toml(path)["defect"]))


@cache
def load_defects() -> tuple[Defect, ...]:
    """Every shipped defect, in the order of files and entries. Raises `SuiteError` where an id occurs twice."""
    folder = fixtures_root() / "defects"
    defects = tuple(defect for path in sorted(folder.glob("*.toml")) for defect in read_defects(path))
    refuse_doubled((defect.id for defect in defects), folder, "defect")
    return defects


def defects_of_profile(name: str) -> list[Defect]:
    """The shipped defects of the producer that a profile is named after; none for a profile without a producer."""
    return [defect for defect in load_defects() if name in defect.profiles]
