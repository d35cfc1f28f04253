"""Reads and writes the files of the index of cases; a row becomes an `IndexedCase` on demand.

PROTOCOL/contexts.jsonl   [key, what cases have in common: options, settings, needs, …]
PROTOCOL/evaluated.jsonl  [key, requirements that an answer equal to the expectation evaluates]
PROTOCOL/cases.jsonl      [role, id, part, number, requirements, axes, context, [evaluated of each profile]]

A key is a hash of the content, so that a line changes only with its own content. `context` is a key; so is `evaluated`,
which is null for a profile without the case, and "" if the evaluated requirements are unknown. Upstream dialects have
one profile. Below `recorded`, a folder of recordings takes the place of PROTOCOL: its ids begin with the protocol, and
its profile is that of its producer. `index` checks whether the files are current.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import asdict, fields
from functools import cache
from typing import Any, cast, overload

import orjson

from conformance.cases.model import Anchor, CaseHead, IndexedCase, Place, Role, ids_of, opaque_id_of, replay_id_of
from reference_impl.settings import Settings

__all__ = ["FILES", "Entry", "IndexedCases", "entries_of", "rows_of"]

FILES = ("contexts", "evaluated", "cases")

_DEFAULTS = {f.name: f.default for f in fields(Settings) if f.name != "registry"}
_ROLES: Mapping[bytes, Role] = {b"encode": "encode", b"decode": "decode"}
_PUNCTUATION_TO_BLANKS = bytes.maketrans(b'[]",', b"    ")
_ROLE_AND_ID = re.compile(rb'\["(\w+)","([^"\\]*)"').match
_ANCHORS = {str(anchor): anchor for anchor in Anchor}

Row = list[Any]
# The members of a row.
_ROLE, _ID, _PART, _NUMBER, _REQUIREMENTS, _AXES, _CONTEXT, _EVALUATED = range(8)


class Entry:
    """The selection data of a case in the index."""

    __slots__ = ("_all", "row")

    profiles: frozenset[str] = frozenset()  # empty: the rows of an index are those of its profile
    saved_in = ""

    def __init__(self, row: Row, cases: IndexedCases) -> None:
        self.row = row
        self._all = cases

    @property
    def id(self) -> str:
        """As in the case."""
        return self._all.prefix + cast(str, self.row[_ID])

    @property
    def protocol(self) -> str:
        """As in the case."""
        return self._all.protocol or self.id.partition("/")[0]

    @property
    def role(self) -> Role:
        """As in the case."""
        return cast(Role, self.row[_ROLE])

    @property
    def requirements(self) -> tuple[str, ...]:
        """As in the case."""
        return tuple(self.row[_REQUIREMENTS])

    @property
    def axes(self) -> Mapping[str, str]:
        """As in the case."""
        return cast(Mapping[str, str], self.row[_AXES])

    @property
    def anchor(self) -> str:
        """As in the case."""
        return cast(str, self._all.context(self.row[_CONTEXT])["anchor"])

    @property
    def options(self) -> Mapping[str, str]:
        """As in the case."""
        return cast(Mapping[str, str], self._all.context(self.row[_CONTEXT])["options"])

    @property
    def found_by(self) -> frozenset[str]:
        """As in the case."""
        known = self._all.evaluated_of(self.row)
        return frozenset() if known is None else ids_of(known)

    @property
    def evaluated(self) -> str | None:
        """As in the case."""
        return self._all.evaluated_of(self.row)

    @property
    def opaque_id(self) -> str:
        """As in the case."""
        return opaque_id_of(self.role, self.id)

    @property
    def replay_id(self) -> str:
        """As in the case."""
        return replay_id_of(self.role, self.id)


class IndexedCases(Sequence[IndexedCase]):
    """The cases of the index under a profile; lines are parsed, and cases made, on demand.

    `entries` has only the data by which cases are selected, ten times as fast. `protocol` is empty where the rows name
    it, `profile` where the rows have no profiles. `profile_index` is its position in the last member of a row.
    """

    def __init__(self, protocol: str, profile_index: int, profile: str, content: Mapping[str, bytes]) -> None:
        self.protocol = protocol
        self.prefix = f"{protocol}/" if protocol else ""
        self._profile_index = profile_index
        self._profiles = frozenset({profile} if profile else ())
        self._rows: list[bytes | Row] = [
            line
            for line in content["cases"].splitlines()
            if b"null" not in line or line[line.rindex(b"[") + 1 : -2].split(b",")[profile_index] != b"null"
        ]
        # A line begins `["KEY",`.
        self._contexts: dict[str, Any] = {line[2:12].decode(): line for line in content["contexts"].splitlines()}
        self._evaluated: dict[str, Any] = {line[2:12].decode(): line for line in content["evaluated"].splitlines()}
        self._files = (content["cases"], content["evaluated"])
        self._searched_text: bytes | None = None
        self._made: dict[int, IndexedCase] = {}

    def whole(self) -> IndexedCases:
        """Parse everything. Raises ValueError, LookupError or TypeError for a malformed line."""
        for number in range(len(self)):
            self._case(self._row(number))
        return self

    def __len__(self) -> int:
        return len(self._rows)

    @overload
    def __getitem__(self, number: int) -> IndexedCase: ...
    @overload
    def __getitem__(self, number: slice) -> list[IndexedCase]: ...
    def __getitem__(self, number: int | slice) -> IndexedCase | list[IndexedCase]:
        """The case at a position."""
        if isinstance(number, slice):
            return [self[i] for i in range(*number.indices(len(self)))]
        number = range(len(self))[number]
        if number not in self._made:
            self._made[number] = self._case(self._row(number))
        return self._made[number]

    def of(self, protocol: str) -> IndexedCases:
        """The cases of a protocol, if the rows name their protocols."""
        part = copy(self)
        part.protocol = protocol
        part._rows = [entry.row for entry in self.entries if entry.protocol == protocol]
        part._made = {}
        return part

    @property
    def rows(self) -> list[Row]:
        """All rows, parsed at once."""
        if any(isinstance(row, bytes) for row in self._rows):
            texts = (row if isinstance(row, bytes) else orjson.dumps(row) for row in self._rows)
            self._rows = orjson.loads(b"[" + b",".join(texts) + b"]")
        return cast("list[Row]", self._rows)

    def rows_where(self, may_match: Callable[[bytes], bool]) -> Iterator[tuple[Role, Row | None]]:
        """Role and row of each case; None for a row whose line, in lower case, cannot match: that is not parsed."""
        wanted = [n for n, row in enumerate(self._rows) if isinstance(row, bytes) and may_match(row.lower())]
        texts = [cast(bytes, self._rows[n]) for n in wanted]
        for number, parsed in zip(wanted, orjson.loads(b"[" + b",".join(texts) + b"]"), strict=True):
            self._rows[number] = parsed
        return ((_ROLES[row[2:8]], None) if isinstance(row, bytes) else (row[_ROLE], row) for row in self._rows)

    @property
    def entries(self) -> Iterator[Entry]:
        """The selection data of each case, in order."""
        return (Entry(row, self) for row in self.rows)

    @property
    def roles(self) -> Iterator[Role]:
        """The role of each case, without parsing."""
        return (_ROLES[row[2:8]] if isinstance(row, bytes) else row[_ROLE] for row in self._rows)

    @property
    def keys(self) -> Iterator[str]:
        """Role and id of each case, with a blank between them; almost without parsing."""
        prefix = self.prefix
        for number, row in enumerate(self._rows):
            if isinstance(row, bytes) and (match := _ROLE_AND_ID(row)):
                yield f"{match[1].decode()} {prefix}{match[2].decode()}"
            else:
                parsed = self._row(number)
                yield f"{parsed[_ROLE]} {prefix}{parsed[_ID]}"

    def _row(self, number: int) -> Row:
        row = self._rows[number]
        if isinstance(row, bytes):
            row = self._rows[number] = _parsed(row)
        return row

    @property
    def anchors(self) -> Mapping[str, str]:
        """The anchor of each context."""
        return {key: self.context(key)["anchor"] for key in self._contexts}

    def context(self, key: str) -> dict[str, Any]:
        """The data in a context, by the names in the file, as the values that a case holds."""
        known = self._contexts[key]
        if isinstance(known, bytes):
            content = orjson.loads(known)[1]
            known = content | {"settings": Settings(**content["settings"]), "unseen": tuple(content["unseen"])}
            self._contexts[key] = known
        return cast("dict[str, Any]", known)

    def has_text(self, text: str) -> bool:
        """Whether a text of lower-case letters, digits and dashes may occur in an id, requirement or axis.

        The files are searched without parsing.
        """
        if self._searched_text is None:
            self._searched_text = b"\n".join((*self._files, self.protocol.encode())).lower()
        return text.encode() in self._searched_text

    def vocabulary(self, roles: Collection[Role] = ()) -> list[str]:
        """The words by which the cases of these roles (empty: all) can be found, each once.

        These are their protocol, the parts of their ids, the ids of requirements, and axes as `null=yes`.
        """
        rows = [row for row in self.rows if not roles or row[_ROLE] in roles]
        parts = "/".join([row[_ID] for row in rows]).replace(" ", "/").split("/")
        axes = [f"{name}={value}" for row in rows for name, value in row[_AXES].items()]
        requirements = [requirement for row in rows for requirement in row[_REQUIREMENTS]]
        return list(dict.fromkeys([self.protocol, *parts, *requirements, *axes, *_ids_in(self._files[1])]))

    def evaluated_of(self, row: Row) -> str | None:
        """The requirements that a right answer to the case evaluates; None if they are unknown."""
        key = row[_EVALUATED][self._profile_index]
        if not key:
            return None
        known = self._evaluated[key]
        if isinstance(known, bytes):
            known = self._evaluated[key] = orjson.loads(known)[1]
        return cast(str, known)

    def _case(self, row: Row) -> IndexedCase:
        role, name, part, number, requirements, axes, key, _ = row
        context = self.context(key)
        return IndexedCase(
            self.prefix + name,
            self.protocol or name.partition("/")[0],
            role,
            options=context["options"],
            settings=context["settings"],
            registry_fault=context["registry_fault"],
            anchor=_ANCHORS[context["anchor"]],
            requirements=tuple(requirements),
            profiles=self._profiles,
            source=context["source"],
            axes=axes,
            place=Place(part, number),
            needs_text=context["needs"],
            unseen=context["unseen"],
            evaluated=self.evaluated_of(row),
        )


def entries_of(cases: Sequence[CaseHead]) -> Iterable[Entry | CaseHead]:
    """The selection data of cases: entries of the index, which are cheap, or the heads as they are."""
    return cases.entries if isinstance(cases, IndexedCases) else cases


def _parsed(line: bytes) -> Row:
    row: Row = orjson.loads(line)
    return row


def rows_of(
    protocol: str, by_profile: Mapping[str, Sequence[IndexedCase]]
) -> tuple[dict[str, Any], dict[str, Any], list[Any]]:
    """The content of a protocol's files: the contexts, the sets of requirements and the rows of the cases."""
    contexts: dict[str, Any] = {}
    evaluated: dict[str, Any] = {}
    rows: dict[bytes, list[Any]] = {}
    order: list[bytes] = []
    for profile_index, cases in enumerate(by_profile.values()):
        position = 0  # after the last case of this profile: a new row goes there, so that the profile keeps its order
        for case in cases:
            row = _row(case, protocol, contexts)
            text = orjson.dumps(row)
            if text not in rows:
                rows[text] = [*row, [None] * len(by_profile)]
                order.insert(position, text)
            position = order.index(text, position) + 1
            known = "" if case.evaluated is None else _key_of(case.evaluated, evaluated)
            rows[text][_EVALUATED][profile_index] = known
    return contexts, evaluated, [rows[text] for text in order]


def _row(case: IndexedCase, protocol: str, contexts: dict[str, Any]) -> list[Any]:
    context = {
        "anchor": str(case.anchor),
        "source": case.source,
        "options": dict(case.options),
        "settings": _changed_settings(case.settings),
        "registry_fault": case.registry_fault,
        "needs": case.needs_text,
        "unseen": list(case.unseen),
    }
    key = _key_of(context, contexts)
    if not case.id.startswith(f"{case.protocol}/") or case.protocol != (protocol or case.protocol):
        raise ValueError(f"the id of the case {case.id} does not begin with its protocol, {case.protocol}")
    name = case.id.removeprefix(f"{protocol}/") if protocol else case.id
    return [case.role, name, case.place.part, case.place.number, list(case.requirements), dict(case.axes), key]


def _changed_settings(settings: Settings) -> dict[str, Any]:
    """The settings that differ from the defaults."""
    members = asdict(settings)
    return {name: members[name] for name, default in _DEFAULTS.items() if members[name] != default}


def _key_of(content: Any, table: dict[str, Any]) -> str:
    """The key of a content, under which it is added to the table."""
    text = orjson.dumps(content)
    key = hashlib.sha256(text).hexdigest()[:10]
    if table.setdefault(key, content) != content:
        raise ValueError(f"two contents have the key {key}: make it longer")
    return key


@cache
def _ids_in(evaluated: bytes) -> list[str]:
    """The ids of requirements in the content of evaluated.jsonl, each once, sorted."""
    words = set(evaluated.translate(_PUNCTUATION_TO_BLANKS).split())  # half a million words at once
    return sorted(word.decode() for word in words if b"-" in word)
