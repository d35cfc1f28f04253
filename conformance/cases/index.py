"""The index of cases: what a plan asks of every case, kept beside the fixtures. No case is made to be planned.

It holds for the sources and fixtures that it was made from. `digest` says which these were, and what each file of the
index was when it was written. Where anything is another, the cases themselves are asked: slower, with the same cases
in the same order, but what a right answer to them evaluates is not known then. Under a profile that is narrowed to a
release the cases themselves are asked as well; what selects them by what they evaluate is then what the index says of
the newest release, less the requirements that do not apply. `tools/case_index.py` writes the index.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, fields, replace
from functools import cache
from pathlib import Path
from typing import Any, cast

import orjson

from conformance.cases.model import Anchor, Case, CaseHead, IndexedCase, Place, Role
from conformance.catalogue.fixtures import fixtures_root
from conformance.catalogue.register import load_register
from reference_impl.profiles import LATEST, NEWARCH, PROFILES, Profile
from reference_impl.protocols import DIALECTS, UPSTREAM
from reference_impl.settings import Settings

__all__ = [
    "FILES",
    "OUT_OF_DATE",
    "STALE",
    "case_of",
    "computed_cases",
    "index_folder",
    "indexed_cases",
    "is_current",
    "read_index",
    "rows_of",
    "seal",
    "sources_digest",
]

OUT_OF_DATE = "the case index is out of date: python tools/case_index.py"
STALE = f"{OUT_OF_DATE}; planning from the cases themselves"

FILES = ("contexts", "evaluated", "cases")

_PACKAGES = ("reference_impl", "conformance/cases", "conformance/catalogue", "conformance/oracle")
_NOT_A_SOURCE = ("index", "MANIFEST", "schemas", "anchors.json", "harms.json")
_DEFAULTS = {f.name: f.default for f in fields(Settings) if f.name != "registry"}


def index_folder() -> Path:
    """Where the index is: a folder a protocol with a file each of `FILES`, and `digest`."""
    return fixtures_root() / "index"


# -- whether it holds --------------------------------------------------------------------------------------------------


def sources_digest() -> str:
    """The digest of all that the cases follow from, and what a right answer to them evaluates: sources and fixtures."""
    home = Path(__file__).resolve().parents[2]
    found = [(name, path) for name in _PACKAGES for path in (home / name).rglob("*.py")]
    root = fixtures_root()
    named = [
        ("fixtures", path) for path in root.rglob("*") if not _is_beside(path.relative_to(root)) and path.is_file()
    ]
    whole = hashlib.sha256()
    for name, path in sorted([*found, *named], key=lambda pair: (pair[0], pair[1].as_posix())):
        place = path.relative_to(root if name == "fixtures" else home).as_posix()
        content = path.read_bytes()
        whole.update(f"{name}\0{place}\0{len(content)}\0".encode())
        whole.update(content)
    return whole.hexdigest()


def _is_beside(path: Path) -> bool:
    return path.parts[0].startswith(_NOT_A_SOURCE) or path.name.startswith(".")


def seal(sources: str, files: Mapping[str, bytes]) -> bytes:
    """What `digest` holds for the digest of the sources and the files of an index, by their path below it."""
    content = {
        "sources": sources,
        "files": {path: hashlib.sha256(files[path]).hexdigest() for path in sorted(files)},
        "cases": {Path(p).parts[0]: files[p].count(b"\n") for p in sorted(files) if p.endswith("/cases.jsonl")},
    }
    return orjson.dumps(content, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)


def is_current(protocol: str | None = None, profile: str = NEWARCH.name) -> bool:
    """Whether the index was made from the sources and fixtures that are there now, and is whole.

    Of its files only those of `protocol` are looked at, or all where none is named.
    """
    return all(_if_current(p, profile) is not None for p in ([protocol] if protocol else DIALECTS))


@cache
def _if_current(protocol: str, profile: str) -> Sequence[IndexedCase] | None:
    """What the index says, or None where it cannot be relied on."""
    try:
        sealed = _sealed()
        content = {f"{protocol}/{n}.jsonl": (index_folder() / protocol / f"{n}.jsonl").read_bytes() for n in FILES}
        if sealed is None or any(
            sealed["files"].get(path) != hashlib.sha256(given).hexdigest() for path, given in content.items()
        ):
            return None
        if sealed["cases"].get(protocol) != content[f"{protocol}/cases.jsonl"].count(b"\n"):
            return None
        return read_index(protocol, profile)
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return None  # a file that is not there, or a line that no index has


@cache
def _sealed() -> dict[str, Any] | None:
    """The content of `digest` where it is of the sources that are there now."""
    sealed = orjson.loads((index_folder() / "digest").read_bytes())
    return sealed if sealed["sources"] == sources_digest() else None


# -- what it says ------------------------------------------------------------------------------------------------------


def indexed_cases(protocol: str, profile: Profile) -> Sequence[IndexedCase]:
    """Every case of a protocol under a profile, as `all_cases` orders them; none is made where the index holds."""
    known = _if_current(protocol, profile.name)
    if known is None:
        return computed_cases(protocol, profile)
    return known if profile.release == LATEST else _narrowed(protocol, profile)


@cache
def _narrowed(protocol: str, profile: Profile) -> Sequence[IndexedCase]:
    """The cases of a release, with what selects them. It settles no answer: the release may expect another."""
    register = load_register(protocol)
    applying = {r.id for r in register.requirements.values() if r.applies(profile)}

    @cache
    def kept(evaluated: str | None) -> str | None:
        return None if evaluated is None else " ".join(i for i in evaluated.split() if i in applying)

    known = {(case.role, case.id): case.evaluated for case in read_index(protocol, profile.name)}
    cases = computed_cases(protocol, profile)
    return tuple(replace(case, evaluated=kept(known.get((case.role, case.id))), settles=False) for case in cases)


@cache
def computed_cases(protocol: str, profile: Profile) -> Sequence[IndexedCase]:
    """The same from the cases themselves; what a right answer evaluates is not known then."""
    from conformance.cases.needs import needs, unseen
    from conformance.cases.parts import placed_cases

    found = []
    for placed in placed_cases(protocol, profile):
        case = placed.case
        head = {f.name: getattr(case, f.name) for f in fields(CaseHead)}
        found.append(
            IndexedCase(
                **head,
                place=placed.place,
                needed="\n".join(dict.fromkeys(map(" ".join, needs(case)))),
                unseen=tuple(unseen(case)),
            )
        )
    return tuple(found)


def case_of(head: CaseHead, profile: Profile) -> Case:
    """The case itself: made at its place where `head` is one of the index."""
    if not isinstance(head, IndexedCase):
        return cast(Case, head)
    from conformance.cases.parts import case_at

    return case_at(head.protocol, profile, head.place, head.role, head.id)


# -- how it is written -------------------------------------------------------------------------------------------------
#
# PROTOCOL/contexts.jsonl   [key, what cases have in common: options, settings, needs, …]
# PROTOCOL/evaluated.jsonl  [key, requirements that an answer evaluates which equals the expectation]
# PROTOCOL/cases.jsonl      [role, id, part, number, requirements, axes, context, [evaluated of each profile]]
#
# A key is made from the content, so that a line changes only with what it says. Of a profile stands null where the case
# is not in it, "" where it is and nothing is known of what is evaluated. Upstream dialects have one profile.


def rows_of(
    protocol: str, by_profile: Mapping[str, Sequence[IndexedCase]]
) -> tuple[dict[str, Any], dict[str, Any], list[Any]]:
    """The contexts, the sets of requirements and the rows of the cases: what the files of a protocol hold."""
    contexts: dict[str, Any] = {}
    evaluated: dict[str, Any] = {}
    rows: dict[bytes, list[Any]] = {}
    order: list[bytes] = []
    for at, cases in enumerate(by_profile.values()):
        after = 0
        for case in cases:
            row = _row(case, contexts)
            mark = orjson.dumps(row)
            if mark not in rows:
                rows[mark] = [*row, [None] * len(by_profile)]
                order.insert(after, mark)
            after = order.index(mark, after) + 1
            rows[mark][-1][at] = "" if case.evaluated is None else _keyed(case.evaluated, evaluated)
    return contexts, evaluated, [rows[mark] for mark in order]


def _row(case: IndexedCase, contexts: dict[str, Any]) -> list[Any]:
    context = {
        "anchor": str(case.anchor),
        "source": case.source,
        "options": dict(case.options),
        "settings": {n: v for n, v in asdict(case.settings).items() if n != "registry" and v != _DEFAULTS[n]},
        "registry_fault": case.registry_fault,
        "needs": case.needed,
        "unseen": list(case.unseen),
    }
    key = _keyed(context, contexts)
    protocol, _, name = case.id.partition("/")
    if protocol != case.protocol:
        raise ValueError(f"the id of the case {case.id} does not begin with its protocol, {case.protocol}")
    return [case.role, name, case.place.part, case.place.number, list(case.requirements), dict(case.axes), key]


def _keyed(content: Any, table: dict[str, Any]) -> str:
    text = orjson.dumps(content)
    key = hashlib.sha256(text).hexdigest()[:10]
    if table.setdefault(key, content) != content:
        raise ValueError(f"two contents have the key {key}: make it longer")
    return key


@cache
def read_index(protocol: str, profile: str) -> Sequence[IndexedCase]:
    """What the files of a protocol say of a profile."""
    return tuple(_read(protocol, profile))


def _read(protocol: str, profile: str) -> Iterator[IndexedCase]:
    upstream = protocol in UPSTREAM
    at = 0 if upstream else tuple(PROFILES).index(profile)
    profiles = frozenset() if upstream else frozenset({profile})
    contexts = {key: _context(given) for key, given in _lines(protocol, "contexts")}
    evaluated = dict(_lines(protocol, "evaluated"))
    anchors, prefix = {str(a): a for a in Anchor}, f"{protocol}/"
    for role, name, part, number, requirements, axes, key, known in _lines(protocol, "cases"):
        if known[at] is None:
            continue
        c = contexts[key]
        yield IndexedCase(
            prefix + name,
            protocol,
            cast(Role, role),
            options=c["options"],
            settings=c["settings"],
            registry_fault=c["registry_fault"],
            anchor=anchors[c["anchor"]],
            requirements=tuple(requirements),
            profiles=profiles,
            source=c["source"],
            axes=axes,
            place=Place(part, number),
            needed=c["needs"],
            unseen=c["unseen"],
            evaluated=evaluated[known[at]] if known[at] else None,
        )


def _context(given: dict[str, Any]) -> dict[str, Any]:
    """A context with the values that a case holds, made once for all cases that share it."""
    return given | {"settings": Settings(**given["settings"]), "unseen": tuple(given["unseen"])}


def _lines(protocol: str, name: str) -> list[Any]:
    content = (index_folder() / protocol / f"{name}.jsonl").read_bytes()
    lines: list[Any] = orjson.loads(b"[" + content.rstrip().replace(b"\n", b",") + b"]")
    return lines
