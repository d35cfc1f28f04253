"""Frozen requirement sets: the requirements of a version of the suite, with their level and testability.

The data are `fixtures/sets/VERSION.json`, written by `tools/requirement_sets.py` at each release. A run with
`--suite-version VERSION` judges by the requirements of today, and scores those of the set at their old level.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from conformance import __version__
from conformance.catalogue.fixtures import fixtures_root
from conformance.catalogue.register import Level, Register, Requirement, load_register
from conformance.engine.verdicts import FAULTS, Verdict
from conformance.errors import SuiteError, UsageError
from reference_impl.protocols import DIALECTS

if TYPE_CHECKING:
    from conformance.engine.outcomes import Outcome
    from conformance.engine.plan import Item

__all__ = [
    "Change",
    "Frozen",
    "RequirementSet",
    "as_of",
    "changes",
    "current_set",
    "excluded_if_later",
    "load_set",
    "read_set",
    "set_text",
    "set_versions",
    "sets_folder",
]

_UNTESTABLE = "untestable"


@dataclass(frozen=True, slots=True)
class Frozen:
    """A requirement in a set: its level, and whether a harness could observe it."""

    level: Level
    testable: bool

    def __str__(self) -> str:
        return str(self.level) if self.testable else f"{self.level}, {_UNTESTABLE}"


@dataclass(frozen=True, slots=True)
class RequirementSet:
    """The requirements of one version of the suite, by dialect and id."""

    version: str
    registers: Mapping[str, Mapping[str, Frozen]]

    def find(self, requirement: Requirement) -> Frozen | None:
        """A requirement in the set, by its id or a former one; None if it is later than the set."""
        frozen = self.registers.get(requirement.protocol, {})
        return next((frozen[name] for name in (requirement.id, *requirement.aliases) if name in frozen), None)


@dataclass(frozen=True, slots=True)
class Change:
    """A requirement that differs between two sets; `before` is None if it is new, `after` if it is gone."""

    protocol: str
    id: str
    before: Frozen | None
    after: Frozen | None


def sets_folder() -> Path:
    """The folder of the files, one for each version."""
    return fixtures_root() / "sets"


def _order(version: str) -> tuple[int, ...]:
    """The sort key of a version: 0.10.0 comes after 0.9.1."""
    return tuple(map(int, re.findall(r"\d+", version)))


def set_versions(folder: Path | None = None) -> list[str]:
    """The versions that can score a run, the oldest first, including this one."""
    files = {path.stem for path in (folder or sets_folder()).glob("*.json")}
    return sorted(files | {__version__}, key=_order)


def load_set(version: str, folder: Path | None = None) -> RequirementSet:
    """The set of a version. Raises `UsageError`, which lists the known versions, for an unknown one."""
    versions = set_versions(folder)
    if version not in versions:
        raise UsageError(
            f"--suite-version {version}: no such version; there are {', '.join(versions)}, and this is {__version__}"
        )
    path = (folder or sets_folder()) / f"{version}.json"
    return read_set(path) if path.exists() else current_set()


def read_set(path: Path) -> RequirementSet:
    """The set in a file. Raises `SuiteError`, naming the file, for one that is malformed."""
    try:
        tree = json.loads(path.read_text(encoding="utf-8"))
        return RequirementSet(tree["suite"], {p: _frozen(rows) for p, rows in tree["registers"].items()})
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as e:
        raise SuiteError(f"{path}: not a requirement set: {e!r}") from None


def _frozen(rows: Mapping[str, Any]) -> dict[str, Frozen]:
    untestable = frozenset(rows[_UNTESTABLE])
    return {name: Frozen(level, name not in untestable) for level in Level for name in rows[level]}


@cache
def current_set() -> RequirementSet:
    """The requirements of the registers as they are now."""
    registers = {protocol: load_register(protocol).requirements for protocol in DIALECTS}
    frozen = {p: {r.id: Frozen(r.level, r.testable) for r in rules.values()} for p, rules in registers.items()}
    return RequirementSet(__version__, frozen)


def set_text(requirement_set: RequirementSet) -> str:
    """The text of a set's file: by dialect, a list of ids for each level, and a list of untestable ones."""

    def rows(frozen: Mapping[str, Frozen]) -> dict[str, list[str]]:
        levels = {str(level): [name for name, data in frozen.items() if data.level is level] for level in Level}
        return {**levels, _UNTESTABLE: [name for name, data in frozen.items() if not data.testable]}

    registers = {protocol: rows(frozen) for protocol, frozen in requirement_set.registers.items()}
    tree = {"set": 1, "suite": requirement_set.version, "registers": registers}
    return json.dumps(tree, indent=1) + "\n"


def as_of(register: Register, requirement_set: RequirementSet) -> Register:
    """The register with the levels of a set.

    A requirement that the set lacks, or has as untestable, becomes a MAY with `later_than`, the version of the set.
    """

    def scored(requirement: Requirement) -> Requirement:
        frozen = requirement_set.find(requirement)
        if frozen is None or (requirement.testable and not frozen.testable):
            return replace(requirement, level=Level.MAY, later_than=requirement_set.version)
        return replace(requirement, level=frozen.level)

    return Register(register.protocol, {name: scored(r) for name, r in register.requirements.items()})


def excluded_if_later(item: Item, outcome: Outcome, register: Register) -> Outcome:
    """The outcome that counts: `excluded` for a fault in a case whose requirements are all later than the set."""
    if outcome.verdict not in FAULTS or not item.requirements:
        return outcome
    requirements = [register.find(name) for name in item.requirements]
    later = [r.later_than for r in requirements if r is not None and r.later_than]
    if len(later) < len(requirements):
        return outcome
    message = f"its requirements are later than {later[0]}; {outcome.verdict}: {outcome.message}"
    return replace(outcome, verdict=Verdict.EXCLUDED, message=message)


def changes(before: RequirementSet, after: RequirementSet) -> Iterator[Change]:
    """The requirements that differ between two sets: verdicts that rest on them may change.

    A renamed requirement counts as one that is gone and one that is new.
    """
    for protocol in dict.fromkeys((*before.registers, *after.registers)):
        old, new = before.registers.get(protocol, {}), after.registers.get(protocol, {})
        for name in dict.fromkeys((*old, *new)):
            if old.get(name) != new.get(name):
                yield Change(protocol, name, old.get(name), new.get(name))
