"""Frozen requirement sets: the requirements that a version of the suite had, their levels, and which were testable.

The data are `fixtures/sets/VERSION.json`, which `tools/requirement_sets.py` writes when a version is released. A run
with `--suite-version VERSION` judges by the requirements of today, and scores those of the set at their level of then.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from conformance import __version__
from conformance.catalogue.fixtures import fixtures_root
from conformance.catalogue.register import Level, Register, Requirement, load_register
from conformance.errors import SuiteError, UsageError
from reference_impl.protocols import DIALECTS

__all__ = [
    "Change",
    "Frozen",
    "RequirementSet",
    "as_of",
    "changes",
    "current_set",
    "load_set",
    "read_set",
    "set_text",
    "set_versions",
    "sets_folder",
]

_UNTESTABLE = "untestable"


@dataclass(frozen=True, slots=True)
class Frozen:
    """What a set keeps of a requirement: its level, and whether a harness could show it."""

    level: Level
    testable: bool

    def __str__(self) -> str:
        return str(self.level) if self.testable else f"{self.level}, {_UNTESTABLE}"


@dataclass(frozen=True, slots=True)
class RequirementSet:
    """The requirements of one version of the suite: dialect → id → what is kept of it."""

    version: str
    registers: Mapping[str, Mapping[str, Frozen]]

    def find(self, requirement: Requirement) -> Frozen | None:
        """What the set has of a requirement, by its id or a former one; None where it is later than the set."""
        known = self.registers.get(requirement.protocol, {})
        return next((known[name] for name in (requirement.id, *requirement.aliases) if name in known), None)


@dataclass(frozen=True, slots=True)
class Change:
    """A requirement that two sets do not have alike; `before` is None where it is new, `after` where it is gone."""

    protocol: str
    id: str
    before: Frozen | None
    after: Frozen | None


def sets_folder() -> Path:
    """Where the files are, one a version."""
    return fixtures_root() / "sets"


def _order(version: str) -> tuple[int, ...]:
    """Versions by their numbers: 0.10.0 comes after 0.9.1."""
    return tuple(map(int, re.findall(r"\d+", version)))


def set_versions(folder: Path | None = None) -> list[str]:
    """The versions that a run can be scored by, oldest first; the version of this suite is always one of them."""
    files = {path.stem for path in (folder or sets_folder()).glob("*.json")}
    return sorted(files | {__version__}, key=_order)


def load_set(version: str, folder: Path | None = None) -> RequirementSet:
    """The set of a version. Raises `UsageError`, which lists the versions there are, for one that is unknown."""
    there = set_versions(folder)
    if version not in there:
        raise UsageError(
            f"--suite-version {version}: no such version; there are {', '.join(there)}, and this is {__version__}"
        )
    path = (folder or sets_folder()) / f"{version}.json"
    return read_set(path) if path.exists() else current_set()


def read_set(path: Path) -> RequirementSet:
    """The set in a file. Raises `SuiteError`, naming the file, for one that is malformed."""
    try:
        given = json.loads(path.read_text(encoding="utf-8"))
        return RequirementSet(given["suite"], {p: _frozen(rows) for p, rows in given["registers"].items()})
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as e:
        raise SuiteError(f"{path}: not a requirement set: {e!r}") from None


def _frozen(rows: Mapping[str, Any]) -> dict[str, Frozen]:
    untestable = frozenset(rows[_UNTESTABLE])
    return {name: Frozen(level, name not in untestable) for level in Level for name in rows[level]}


@cache
def current_set() -> RequirementSet:
    """The requirements of the registers as they are now."""
    registers = {protocol: load_register(protocol).requirements for protocol in DIALECTS}
    kept = {p: {r.id: Frozen(r.level, r.testable) for r in rules.values()} for p, rules in registers.items()}
    return RequirementSet(__version__, kept)


def set_text(one: RequirementSet) -> str:
    """A set as its file holds it: a list of ids a level, and of those that no harness can show."""

    def rows(kept: Mapping[str, Frozen]) -> dict[str, list[str]]:
        levels = {str(level): [name for name, one in kept.items() if one.level is level] for level in Level}
        return {**levels, _UNTESTABLE: [name for name, one in kept.items() if not one.testable]}

    tree = {"set": 1, "suite": one.version, "registers": {p: rows(kept) for p, kept in one.registers.items()}}
    return json.dumps(tree, indent=1) + "\n"


def as_of(register: Register, frozen: RequirementSet) -> Register:
    """The register as a set scores it: levels are those of the set.

    A requirement that is later than the set, or that no harness could show then, is a MAY and says so in `later_than`.
    """

    def scored(requirement: Requirement) -> Requirement:
        kept = frozen.find(requirement)
        if kept is None or requirement.testable > kept.testable:
            return replace(requirement, level=Level.MAY, later_than=frozen.version)
        return replace(requirement, level=kept.level)

    return Register(register.protocol, {name: scored(one) for name, one in register.requirements.items()})


def changes(before: RequirementSet, after: RequirementSet) -> Iterator[Change]:
    """What differs from one set to another: verdicts may change where these requirements are judged.

    A requirement that got another id is one that is gone and one that is new.
    """
    for protocol in dict.fromkeys((*before.registers, *after.registers)):
        old, new = before.registers.get(protocol, {}), after.registers.get(protocol, {})
        for name in dict.fromkeys((*old, *new)):
            if old.get(name) != new.get(name):
                yield Change(protocol, name, old.get(name), new.get(name))
