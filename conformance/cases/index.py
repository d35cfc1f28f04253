"""The index of cases, kept beside the fixtures: all that a plan needs to know of every case, so that it makes none.

`tools/case_index.py` writes the index. It is valid for the sources and fixtures that it was made from: its file
`digest` has their digest, and that of each file of the index. If anything differs, the cases themselves are made: this
is slower and gives the same cases in the same order, but without the requirements that a right answer evaluates. The
same holds for a profile that is narrowed to a release; selection then uses the requirements of the newest release in
the index, without those that do not apply.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, replace
from functools import cache
from pathlib import Path
from typing import cast

import orjson

from conformance.cases.index_rows import FILES, IndexedCases
from conformance.cases.model import Case, CaseHead, IndexedCase, Place
from conformance.catalogue.fixtures import fixtures_root
from conformance.catalogue.register import load_register
from conformance.catalogue.sealed import index_folder, seal_of, sealed_file
from conformance.errors import SuiteError
from reference_impl.profiles import LATEST, NEWARCH, PROFILES, Profile
from reference_impl.protocols import DIALECTS, UPSTREAM

__all__ = [
    "OUT_OF_DATE",
    "RECORDED",
    "STALE",
    "case_of",
    "computed_cases",
    "head_of",
    "indexed_cases",
    "indexed_recordings",
    "is_current",
    "read_index",
    "seal",
    "sources_digest",
]

OUT_OF_DATE = "the case index is out of date: python tools/case_index.py"
STALE = f"{OUT_OF_DATE}; planning from the cases themselves"
RECORDED = "recorded"
"""The part of the cases of a recording: `Place.number` is the position of a case in its whole folder."""

_PACKAGES = ("reference_impl", "conformance/cases", "conformance/catalogue", "conformance/oracle")
# The beginnings of paths below the fixtures that decide no case.
_NO_SOURCES = (
    "index",
    "MANIFEST",
    "schemas",
    "sets",
    "anchors.json",
    "faults.json",
    "harms.json",
    "pinned_faults",
)


# -- validity ----------------------------------------------------------------------------------------------------------


def sources_digest() -> str:
    """The digest of all sources and fixtures that decide the cases and the requirements of right answers."""
    home = Path(__file__).resolve().parents[2]
    files = [(name, path) for name in _PACKAGES for path in _files(home / name, name) if path.endswith(".py")]
    root = fixtures_root()
    fixtures = (path for path in _files(root, "") if not path.rpartition("/")[2].startswith("."))
    files += [("fixtures", path) for path in fixtures if not path.startswith(_NO_SOURCES)]
    digest = hashlib.sha256()
    for name, path in sorted(files):
        with open((root if name == "fixtures" else home) / path, "rb") as file:
            content = file.read()
        digest.update(f"{name}\0{path}\0{len(content)}\0".encode())
        digest.update(content)
    return digest.hexdigest()


def _files(folder: Path | str, prefix: str) -> Iterator[str]:
    """The paths of all files below a folder, each after `prefix`."""
    with os.scandir(folder) as entries:
        for entry in entries:
            path = f"{prefix}/{entry.name}" if prefix else entry.name
            if entry.is_dir():
                yield from _files(entry.path, path)
            elif entry.is_file():
                yield path


def seal(sources: str, files: Mapping[str, bytes]) -> bytes:
    """The content of the file `digest`: the digest of the sources, and those of the index's files by path."""
    content = {
        "sources": sources,
        "files": {path: hashlib.sha256(files[path]).hexdigest() for path in sorted(files)},
        "cases": {
            path.rpartition("/")[0]: files[path].count(b"\n") for path in sorted(files) if path.endswith("/cases.jsonl")
        },
    }
    return orjson.dumps(content, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)


def is_current(protocol: str | None = None, profile: str = NEWARCH.name) -> bool:
    """Whether the index is whole and was made from the current sources and fixtures.

    Checks only the files of `protocol`; without one, those of every dialect, but not those of recordings.
    """
    return all(_current_cases(p, profile) is not None for p in ([protocol] if protocol else DIALECTS))


@cache
def _current_cases(protocol: str, profile: str) -> IndexedCases | None:
    """The cases of the index, or None if it is invalid."""
    profile_index = 0 if protocol in UPSTREAM else tuple(PROFILES).index(profile)
    return _read_if_sealed(protocol, protocol, profile_index, "" if protocol in UPSTREAM else profile)


def _read_if_sealed(folder: str, protocol: str, profile_index: int, profile: str) -> IndexedCases | None:
    if not _is_of_these_sources():
        return None
    content = {name: data for name in FILES if (data := sealed_file(f"{folder}/{name}.jsonl")) is not None}
    try:
        if content.keys() != set(FILES) or seal_of(index_folder())["cases"][folder] != content["cases"].count(b"\n"):
            return None
        return IndexedCases(protocol, profile_index, profile, content)
    except (ValueError, LookupError, TypeError, AttributeError):
        return None  # a malformed line


@cache
def _is_of_these_sources() -> bool:
    """Whether the index was made from the current sources."""
    return seal_of(index_folder()).get("sources") == sources_digest()


# -- cases -------------------------------------------------------------------------------------------------------------


def indexed_cases(protocol: str, profile: Profile) -> Sequence[IndexedCase]:
    """Every case of a protocol under a profile, in the order of `all_cases`.

    They are read from the index if it is valid and the profile is of the latest release, else computed.
    """
    known = _current_cases(protocol, profile.name)
    if known is None:
        return computed_cases(protocol, profile)
    return known if profile.release == LATEST else _narrowed(protocol, profile)


@cache
def _narrowed(protocol: str, profile: Profile) -> Sequence[IndexedCase]:
    """The cases of a release; they are selected by the requirements that right answers of the newest release evaluate.

    Those of its own right answers are unknown: this release may differ.
    """
    register = load_register(protocol)
    applying = {r.id for r in register.requirements.values() if r.applies(profile)}

    @cache
    def applying_only(evaluated: str | None) -> str | None:
        return None if evaluated is None else " ".join(i for i in evaluated.split() if i in applying)

    known = {(entry.role, entry.id): entry.evaluated for entry in read_index(protocol, profile.name).entries}
    return tuple(
        replace(case, evaluated=applying_only(known.get((case.role, case.id))), is_exact=False)
        for case in computed_cases(protocol, profile)
    )


@cache
def computed_cases(protocol: str, profile: Profile) -> Sequence[IndexedCase]:
    """What `indexed_cases` returns, from the cases themselves and without the requirements of right answers."""
    from conformance.cases.parts import placed_cases

    return tuple(head_of(placed.case, placed.place) for placed in placed_cases(protocol, profile))


def head_of(case: Case, place: Place) -> IndexedCase:
    """The entry of a case in the index, without the requirements of a right answer."""
    from conformance.cases.needs import needs, unseen

    return IndexedCase(
        **{f.name: getattr(case, f.name) for f in fields(CaseHead)},
        place=place,
        needs_text="\n".join(dict.fromkeys(map(" ".join, needs(case)))),
        unseen=tuple(unseen(case)),
    )


def case_of(head: CaseHead, profile: Profile) -> Case:
    """The case of a head: made at its place if the head is an entry of the index; else the head is the case."""
    if not isinstance(head, IndexedCase):
        return cast(Case, head)
    from conformance.cases.parts import case_at

    return case_at(head.protocol, profile, head.place, head.role, head.id)


@cache
def read_index(protocol: str, profile: str) -> IndexedCases:
    """The cases of the index for a protocol and profile. Raises `SuiteError` for files that are out of date."""
    known = _current_cases(protocol, profile)
    if known is None:
        raise SuiteError(OUT_OF_DATE)
    return known


@cache
def indexed_recordings(folder: Path, profile: Profile) -> IndexedCases | None:
    """The cases of a shipped folder of vectors under the profile of its producer.

    None for other folders, a profile narrowed to a release and an invalid index.
    """
    if folder.resolve().parent != fixtures_root().resolve() / "recorded" or profile.release != LATEST:
        return None
    return _read_if_sealed(f"recorded/{folder.resolve().name}/{profile.name}", "", 0, "")
