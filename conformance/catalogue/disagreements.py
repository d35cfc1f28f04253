"""Places where the document, the recorded producers and the reference disagree, each with a decision.

The data are `fixtures/disagreements/PROTOCOL.toml`. An entry says what each party says or does, what the suite expects
and why, and where the disagreement shows: in recorded cases, by path and kind of difference; in examples of the
document, by the normalisation that they need; in named defects. A test checks that it shows there. Some ids are also
ids of requirements: commands call an entry `disagreement/ID`.
"""

from __future__ import annotations

import lzma
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path

from conformance.catalogue.defects import load_defects
from conformance.catalogue.documents import load_documents
from conformance.catalogue.fixtures import fixtures_root
from conformance.catalogue.members import Entry, reading, refuse_doubled, refuse_unknown, text, texts
from conformance.catalogue.register import DocumentSource, load_register
from conformance.catalogue.sealed import read_toml
from conformance.errors import SuiteError

__all__ = [
    "PARTIES",
    "PREFIX",
    "Catalogue",
    "Conflict",
    "Disagreement",
    "Evidence",
    "load_disagreements",
    "read_catalogue",
]

PREFIX = "disagreement/"
"""The prefix of an entry's id where other names are possible."""

PARTIES = ("document", "pages", "classic", "newarch", "reference")
"""The parties: the document of record, other pages of its site, the recorded producers, the reference."""


class Conflict(StrEnum):
    """The kind of a disagreement, by its parties."""

    ITSELF = "document against itself"
    PRODUCERS = "document against producers"
    GENERATIONS = "producers against each other"
    DEFECT = "producer defect"


@dataclass(frozen=True, slots=True)
class Evidence:
    """Where a disagreement shows: exactly these differences, in the cases with these names (`*` is a wildcard).

    A difference is a path of `at` with a kind of `kinds`, as in `conformance.oracle.sides`. In examples of a document
    it is a normalisation of `mended_by` that the example needs to equal the reference's output.
    """

    cases: tuple[str, ...]
    at: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    mended_by: tuple[str, ...] = ()

    def names(self, case: str) -> bool:
        """Whether the names match a case."""
        return any(fnmatchcase(case, pattern) for pattern in self.cases)


@dataclass(frozen=True, slots=True)
class Disagreement:
    """An entry of the catalogue."""

    id: str
    protocol: str
    kind: Conflict
    title: str
    parties: Mapping[str, str]  # party, of `PARTIES` → what it says or does
    place: str  # the heading in the document; "" where that is silent
    requirements: tuple[str, ...]
    decision: str
    recorded: tuple[Evidence, ...] = ()  # names cases without their producer
    golden: tuple[Evidence, ...] = ()  # names examples without `PROTOCOL/golden/`
    defects: tuple[str, ...] = ()
    also: tuple[str, ...] = ()  # ids of entries that this one covers

    @property
    def name(self) -> str:
        """`disagreement/ID`."""
        return PREFIX + self.id

    def statements(self) -> list[tuple[str, str]]:
        """(party, what it says or does); producers that agree are one party, `producers`."""
        statements = dict(self.parties)
        if "classic" in statements and statements["classic"] == statements.get("newarch"):
            statements = {("producers" if party == "classic" else party): text for party, text in statements.items()}
            del statements["newarch"]
        return [*statements.items()]


@dataclass(frozen=True, slots=True)
class Catalogue:
    """The disagreements of a protocol.

    `silent` are requirements with a note in the register that is about no disagreement, such as what older releases did
    or what a word means.
    """

    protocol: str
    disagreements: tuple[Disagreement, ...]
    silent: frozenset[str] = field(default=frozenset())


_TEXTS = ("id", "kind", "title", "place", "decision")
_LISTS = ("requirements", "defects", "also")
_REQUIRED = ("id", "kind", "title", "parties", "decision")


def _filled_list(entry: Entry, name: str) -> tuple[str, ...]:
    items = texts(entry, name)
    if not items or not all(items):
        raise ValueError(f"{name!r} is not a list of strings, each with a character")
    return items


def _evidence(given: Entry, where: str) -> Evidence:
    members = {"cases", "mended_by"} if "mended_by" in given else {"cases", "at", "kinds"}
    if given.keys() != members or (where == "recorded" and "mended_by" in given):
        raise ValueError(f"{where!r} has the members {', '.join(given)}")
    return Evidence(**{name: _filled_list(given, name) for name in members})


def _disagreement(protocol: str, given: Entry) -> Disagreement:
    refuse_unknown(given, (*_TEXTS, *_LISTS, "recorded", "golden", "parties"))
    if missing := [name for name in _REQUIRED if not given.get(name)]:
        raise ValueError(f"{given.get('id', 'an entry')} has no {missing[0]}")
    parties = given["parties"]
    if wrong := parties.keys() - set(PARTIES):
        raise ValueError(f"{given['id']}: unknown party {min(wrong)!r}")
    if ("document" in parties) is not ("place" in given):
        raise ValueError(f"{given['id']}: 'place' is needed where the document is a party, and only there")
    return Disagreement(
        id=text(given, "id"),
        protocol=protocol,
        kind=Conflict(given["kind"]),
        title=text(given, "title"),
        parties={party: parties[party] for party in PARTIES if party in parties},
        place=text(given, "place", ""),
        decision=text(given, "decision"),
        recorded=tuple(_evidence(row, "recorded") for row in given.get("recorded", ())),
        golden=tuple(_evidence(row, "golden") for row in given.get("golden", ())),
        **{name: _filled_list(given, name) if name in given else () for name in _LISTS},
    )


def read_catalogue(path: Path) -> Catalogue:
    """The catalogue in a file, with its references resolved.

    Raises `SuiteError`, naming the file, for a malformed file, an id that occurs twice, or a reference to something
    that does not exist.
    """
    catalogue = _catalogue(path)
    _check_references(path, catalogue)
    return catalogue


def _catalogue(path: Path) -> Catalogue:
    with reading(path, "a catalogue of disagreements"):
        given = read_toml(path)
        entries = tuple(_disagreement(given["protocol"], entry) for entry in given["disagreement"])
        silent = frozenset(_filled_list(given, "silent") if "silent" in given else ())
    catalogue = Catalogue(given["protocol"], entries, silent)
    _check_ids(path, entries)
    return catalogue


def _check_ids(path: Path, entries: Sequence[Disagreement]) -> None:
    refuse_doubled((name for entry in entries for name in (entry.id, *entry.also)), path, "disagreement")


def _check_references(path: Path, catalogue: Catalogue) -> None:
    """Raises `SuiteError` for a requirement, place, defect, case or example that does not exist."""
    register = load_register(catalogue.protocol).requirements
    headings = _headings(catalogue.protocol)
    defects = {defect.id for defect in load_defects() if defect.protocol == catalogue.protocol}
    if unknown := catalogue.silent - register.keys():
        raise SuiteError(f"{path}: there is no requirement {min(unknown)!r}")
    for entry in catalogue.disagreements:
        named: tuple[tuple[str, Iterable[str], Iterable[str]], ...] = (
            ("requirement", entry.requirements, register),
            ("heading", filter(None, (entry.place,)), headings),
            ("defect", entry.defects, defects),
        )
        for what, names, known in named:
            if wrong := set(names) - set(known):
                raise SuiteError(f"{path}: {entry.id}: there is no {what} {min(wrong)!r}")
        for rows, known in (
            (entry.recorded, _recorded(catalogue.protocol)),
            (entry.golden, _golden(catalogue.protocol)),
        ):
            for pattern in {pattern for row in rows for pattern in row.cases}:
                if not any(fnmatchcase(name, pattern) for name in known):
                    raise SuiteError(f"{path}: {entry.id}: no evidence is called {pattern!r}")
        if not (entry.requirements or entry.recorded or entry.golden or entry.defects):
            raise SuiteError(f"{path}: {entry.id}: neither a requirement nor evidence")


def _headings(protocol: str) -> set[str]:
    """The headings of a protocol's documents, listed or named by a requirement, and the titles of the documents."""
    sources = [r.source for r in load_register(protocol).requirements.values() if isinstance(r.source, DocumentSource)]
    documents = (load_documents()[name] for name in {source.document for source in sources})
    return {source.heading for source in sources}.union(*((d.title, *d.headings) for d in documents))


_NAME_OF_CASE = re.compile(rb'^\{"case": *"[^"/]*/([^"]*)".*?"protocol": *"([^"]*)"', re.MULTILINE)


@cache
def _recorded(protocol: str) -> frozenset[str]:
    """Names of the shipped recorded cases, without their producers; the lines are scanned, not parsed."""
    names = set()
    for path in (fixtures_root() / "recorded").glob("*/*.jsonl.xz"):
        if path.name.removesuffix(".jsonl.xz") in (protocol, "crashes"):
            names |= set(_NAME_OF_CASE.findall(lzma.decompress(path.read_bytes())))
    return frozenset(case.decode() for case, of in names if of.decode() == protocol)


@cache
def _golden(protocol: str) -> frozenset[str]:
    """Names of the examples of the protocol's documents, without `PROTOCOL/golden/`."""
    folder = fixtures_root() / "golden" / protocol
    return frozenset(
        f"{path.stem}/{example['id']}" for path in folder.glob("*.toml") for example in read_toml(path)["example"]
    )


@cache
def load_disagreements() -> Mapping[str, Catalogue]:
    """Protocol → its shipped catalogue, in the order of the files. Raises `SuiteError` where an id occurs twice.

    It does not check the references, which would take reading every recording; a test does.
    """
    paths = sorted((fixtures_root() / "disagreements").glob("*.toml"))
    catalogues = [_catalogue(path) for path in paths]
    _check_ids(fixtures_root() / "disagreements", [entry for c in catalogues for entry in c.disagreements])
    return {catalogue.protocol: catalogue for catalogue in catalogues}
