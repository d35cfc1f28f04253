"""Known defects of recorded producers: named, off by default, never part of a profile.

The data are `fixtures/defects/*.toml`; `DEFECTS` in the module `style` of a protocol has the effect of each.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from conformance.catalogue.fixtures import fixtures_root
from conformance.catalogue.sealed import read_toml
from conformance.errors import SuiteError

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


_STRINGS = ("id", "protocol", "requirement", "description", "fixed_in")
_LISTS = ("profiles", "recorded")


def _defect(given: Mapping[str, Any]) -> Defect:
    for name in _STRINGS:
        if not isinstance(given[name], str):
            raise TypeError(f"{name!r} is not a string")
    for name in _LISTS:
        if not isinstance(given[name], list) or not all(isinstance(item, str) for item in given[name]):
            raise TypeError(f"{name!r} is not a list of strings")
    if unknown := given.keys() - {*_STRINGS, *_LISTS}:
        raise ValueError(f"unknown member {min(unknown)!r}")
    return Defect(
        id=given["id"],
        protocol=given["protocol"],
        profiles=tuple(given["profiles"]),
        requirement=given["requirement"],
        description=given["description"],
        recorded=tuple(given["recorded"]),
        fixed_in=given["fixed_in"],
    )


def read_defects(path: Path) -> tuple[Defect, ...]:
    """The defects in a file. Raises `SuiteError`, naming the file, if it is malformed."""
    try:
        return tuple(_defect(entry) for entry in read_toml(path)["defect"])
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as e:
        raise SuiteError(f"{path}: not a list of defects: {e!r}") from None


@cache
def load_defects() -> tuple[Defect, ...]:
    """Every shipped defect, in the order of files and entries. Raises `SuiteError` where an id occurs twice."""
    defects = [d for path in sorted((fixtures_root() / "defects").glob("*.toml")) for d in read_defects(path)]
    ids = [defect.id for defect in defects]
    if doubled := {name for name in ids if ids.count(name) > 1}:
        raise SuiteError(f"the defect {min(doubled)!r} is described twice")
    return tuple(defects)


def defects_of_profile(name: str) -> list[Defect]:
    """The shipped defects of the producer that a profile is named after; none for a profile without a producer."""
    return [defect for defect in load_defects() if name in defect.profiles]
