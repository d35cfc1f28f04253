"""The register: every rule of a protocol as a requirement, with its source.

The data are `fixtures/register/PROTOCOL.toml`, or `fixtures/register/upstream/DIALECT.toml`, in the form of
`fixtures/schemas/register.schema.json`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Literal

from conformance.catalogue.checks import Check, read_check, refuse_malformed_places
from conformance.catalogue.documents import heading_text
from conformance.catalogue.fixtures import fixtures_root
from conformance.catalogue.harm import Harm
from conformance.catalogue.members import Entry, reading, refuse_doubled, refuse_unknown, text, texts
from conformance.catalogue.sealed import read_toml
from reference_impl.profiles import Profile, Release, parse_release
from reference_impl.protocols import DIALECTS, Rows

__all__ = [
    "REGISTERS",
    "DocumentSource",
    "Level",
    "RecordedSource",
    "Register",
    "Requirement",
    "load_register",
    "read_register",
]


class Level(StrEnum):
    """How strong a requirement is."""

    MUST = "must"
    SHOULD = "should"
    MAY = "may"


@dataclass(frozen=True, slots=True)
class DocumentSource:
    """A paragraph in a document of record."""

    document: str  # its id in `documents.toml`
    heading: str
    paragraph: int  # its number under the heading, from 1
    sha256: str  # the hash of the paragraph, in hex, with white space folded

    def __str__(self) -> str:
        return f"{self.document}, {heading_text(self.document, self.heading)}, paragraph {self.paragraph}"


@dataclass(frozen=True, slots=True)
class RecordedSource:
    """The recorded producers that agree on a rule where the documents are silent."""

    producers: tuple[str, ...]

    def __str__(self) -> str:
        return "recorded: " + ", ".join(self.producers)


@dataclass(frozen=True, slots=True)
class Requirement:
    """A rule of a protocol."""

    id: str
    protocol: str
    level: Level
    role: Literal["encode", "decode", "both"]
    rule: str  # the sentence
    group: str
    source: DocumentSource | RecordedSource | None
    profiles: frozenset[str]
    testable: bool
    reason: str  # why it is untestable
    since: Release | None  # the first release to which it applies
    until: Release | None  # the first release to which it no longer applies
    aliases: tuple[str, ...]  # former ids
    note: str
    harm: Harm | None = None  # of its findings at any path; without it the table of the oracle decides
    checks: tuple[Check, ...] = ()  # where and when an answer breaks it
    later_than: str = ""  # the version by which a run is scored, if that lacks the requirement: see `engine.sets`

    @property
    def releases(self) -> str:
        """The releases to which it applies, as `since v6.4.0, until v6.5.0`; empty for all releases."""
        bounds = (("since", self.since), ("until", self.until))
        return ", ".join(f"{word} v{'.'.join(map(str, release))}" for word, release in bounds if release)

    def applies(self, profile: Profile) -> bool:
        """Whether the requirement holds for that profile, at its release."""
        return (
            profile.name in self.profiles
            and (self.since is None or profile.release >= self.since)
            and (self.until is None or profile.release < self.until)
        )


@dataclass(frozen=True, slots=True)
class Register:
    """The requirements of one protocol, by id."""

    protocol: str
    requirements: Mapping[str, Requirement]

    @property
    def digest(self) -> str:
        """SHA-256, in hex, of ids, levels and rules: reports with different digests may not be comparable."""
        rules = [[r.id, r.level, r.rule] for r in self.requirements.values()]
        return hashlib.sha256(json.dumps(rules, sort_keys=True, ensure_ascii=True).encode()).hexdigest()

    def find(self, id_or_alias: str) -> Requirement | None:
        """The requirement of that id or former id, or None."""
        by_id = self.requirements.get(id_or_alias)
        return by_id or next((r for r in self.requirements.values() if id_or_alias in r.aliases), None)


ALL_PROFILES = frozenset({"doc", "newarch", "classic"})


def _source(given: Entry | None) -> DocumentSource | RecordedSource | None:
    if given is None:
        return None
    if "recorded" in given:
        return RecordedSource(tuple(given["recorded"]))
    return DocumentSource(given["document"], given["heading"], given["paragraph"], given["sha256"])


def _release(given: Entry, name: str) -> Release | None:
    return parse_release(text(given, name)) if name in given else None


_ROLES = ("encode", "decode", "both")
_MEMBERS = (
    *("id", "level", "role", "group", "rule", "profiles", "since", "until", "source"),
    *("testable", "reason", "aliases", "note", "harm", "checks"),
)


def _requirement(protocol: str, given: Entry, places: Mapping[str, Sequence[str]]) -> Requirement:
    """The requirement of an entry. Raises ValueError, KeyError or TypeError for a malformed one."""
    refuse_unknown(given, _MEMBERS)
    id_, testable = text(given, "id"), given.get("testable", True)
    profiles = frozenset(texts(given, "profiles", (*ALL_PROFILES,)))
    if not isinstance(testable, bool):
        raise TypeError("'testable' is not a boolean")
    if "harm" in given and "note" not in given:
        raise ValueError(f"{id_}: a harm of its own needs a note that says why")
    if given["role"] not in _ROLES:
        raise ValueError(f"unknown role {given['role']!r}")
    if unknown := profiles - ALL_PROFILES:
        raise ValueError(f"unknown profile {min(unknown)!r}")
    return Requirement(
        id=id_,
        protocol=protocol,
        level=Level(given["level"]),
        role=given["role"],
        rule=text(given, "rule"),
        group=text(given, "group", ""),
        source=_source(given.get("source")),
        profiles=profiles,
        testable=testable,
        reason=text(given, "reason", ""),
        since=_release(given, "since"),
        until=_release(given, "until"),
        aliases=texts(given, "aliases", ()),
        note=text(given, "note", ""),
        harm=Harm(given["harm"]) if "harm" in given else None,
        checks=tuple(read_check(id_, check, places) for check in given.get("checks", ())),
    )


def read_register(protocol: str, path: Path) -> Register:
    """The register in a file. Raises `SuiteError`, naming the file, if it is malformed."""
    with reading(path, "a register"):
        content = read_toml(path)
        places = content.get("places", {})
        refuse_malformed_places(places)
        requirements = [_requirement(protocol, entry, places) for entry in content["requirement"]]
    refuse_doubled((requirement.id for requirement in requirements), path, "requirement")
    return Register(protocol, {requirement.id: requirement for requirement in requirements})


REGISTERS: Rows[Path] = Rows({})
"""The register files of dialects that are not shipped."""


@cache
def load_register(protocol: str) -> Register:
    """The register of a protocol or dialect: its own requirements, and those of its base."""
    folder = fixtures_root() / "register"
    shipped = (folder / "upstream" / f"{protocol}.toml", folder / f"{protocol}.toml")
    path = REGISTERS.own(protocol) or next((path for path in shipped if path.exists()), shipped[-1])
    dialect = DIALECTS.get(protocol)
    if dialect is None or dialect.base is None:
        return read_register(protocol, path)
    inherited = load_register(dialect.base.name).requirements
    own = read_register(protocol, path).requirements if path.exists() else {}
    return Register(protocol, {**inherited, **own})
