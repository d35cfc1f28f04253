"""Divergences: named differences between dialects of TiCDC and of upstream.

A dialect of TiCDC imitates an upstream one. The data are `fixtures/divergences/*.toml`, a file for each pair of
dialects. An entry says what each side does, which types and events are concerned, its harm, what removes it, whether a
document describes it, and where a comparison meets it. It has a reproducer that shows it, and a near miss, one digit or
byte beyond it, that must stay unexplained; tests check both.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any

from conformance.catalogue.fixtures import fixtures_root
from conformance.catalogue.harm import Harm
from conformance.catalogue.members import Entry, reading, refuse_doubled, refuse_unknown, text, texts
from conformance.catalogue.remedies import NONE, Remedy, read_remedies
from conformance.catalogue.sealed import read_toml

__all__ = [
    "PREFIX",
    "Divergence",
    "Edit",
    "Met",
    "Pair",
    "Reproducer",
    "divergences_about",
    "find_divergence",
    "load_divergences",
    "read_divergences",
]

PREFIX = "divergence/"
"""The prefix that distinguishes the id of a divergence from that of a requirement."""


class Met(StrEnum):
    """Where a comparison of streams meets a divergence.

    `TEXT`: a value is the same, its text is not. `CELL`: the values differ. `ABSENT`: one side lacks the column.
    `STEPS`: other messages lead to the same row. `ENVELOPE`: members around the row. `STATEMENT`: DDL
    messages. `MESSAGE`: messages that only one dialect has. `OUTSIDE`: nothing that a comparison of messages can see.
    """

    TEXT = "text"
    CELL = "cell"
    ABSENT = "absent"
    STEPS = "steps"
    ENVELOPE = "envelope"
    STATEMENT = "statement"
    MESSAGE = "message"
    OUTSIDE = "outside"


@dataclass(frozen=True, slots=True)
class Reproducer:
    """The smallest case that shows a divergence."""

    columns: tuple[str, ...]  # definitions of columns in addition to `id BIGINT PRIMARY KEY`
    statements: tuple[str, ...]  # the SQL of the changes, for people to read
    # Objects with `op`, `before`, `after` (rows as in the harness protocol; `id` is 1 by default) and `transaction`,
    # which is equal for changes of one transaction.
    changes: tuple[Mapping[str, Any], ...]
    create: str = ""  # a whole CREATE TABLE in place of `columns`


@dataclass(frozen=True, slots=True)
class Edit:
    """The near miss: the first `old` in the messages of one dialect is replaced by `new`."""

    dialect: str
    old: str
    new: str


@dataclass(frozen=True, slots=True)
class Divergence:
    """A named difference between two dialects."""

    id: str
    upstream: str
    ticdc: str
    title: str
    upstream_does: str
    ticdc_does: str
    harm: Harm
    """The effect on a reader of one side's messages who gets the other's, in the worse direction."""
    met: Met
    documented: bool
    place: tuple[str, str] | None = None
    """Document and heading; set exactly if `documented`."""
    types: tuple[str, ...] = ()
    """Families of column types; empty means all."""
    events: tuple[str, ...] = ()
    """Operations; empty means all."""
    when: Mapping[str, Mapping[str, tuple[str, ...]]] = field(default_factory=dict)
    """By dialect, the values of options under which the divergence exists; other options do not matter."""
    predicate: str = ""
    """The test by which a comparison recognises values, steps, statements or messages; empty if all are concerned."""
    remedies: tuple[Remedy, ...] = ()
    """Each removes the divergence; empty if nothing does."""
    reader: str = ""
    """What a consumer can do instead."""
    aliases: tuple[str, ...] = ()
    requirements: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()
    reproducer: Reproducer | None = None
    near_miss: Edit | None = None
    note: str = ""

    @property
    def name(self) -> str:
        """`divergence/ID`."""
        return PREFIX + self.id

    def remedies_for(self, dialects: Collection[str]) -> tuple[Remedy, ...]:
        """The remedies that need no options of dialects other than these."""
        return tuple(remedy for remedy in self.remedies if remedy.options.keys() <= set(dialects))

    def remedy(self, dialects: Collection[str]) -> str:
        """The text of `remedies_for`, or `NONE`."""
        return "; or ".join(remedy.text for remedy in self.remedies_for(dialects)) or NONE

    def applies(self, options: Mapping[str, Mapping[str, str]]) -> bool:
        """Whether the divergence exists under these options, by dialect; an option not given rules out nothing."""
        return all(
            options.get(dialect, {}).get(name, values[0]) in values
            for dialect, named in self.when.items()
            for name, values in named.items()
        )


@dataclass(frozen=True, slots=True)
class Pair:
    """Two dialects and their divergences, in the order of the file."""

    upstream: str
    ticdc: str
    divergences: tuple[Divergence, ...]


_TEXTS = ("id", "title", "upstream_does", "ticdc_does", "predicate", "reader", "note")
_LISTS = ("types", "events", "aliases", "requirements", "evidence")


def _when(given: Any) -> Mapping[str, Mapping[str, tuple[str, ...]]]:
    return {
        dialect: {option: tuple(values) for option, values in named.items()} for dialect, named in dict(given).items()
    }


def _reproducer(given: Entry) -> Reproducer:
    refuse_unknown(given, ("columns", "statements", "changes", "create"))
    changes = tuple(given["changes"])
    for change in changes:
        refuse_unknown(change, ("op", "before", "after", "transaction"))
    return Reproducer(texts(given, "columns", ()), texts(given, "statements", ()), changes, text(given, "create", ""))


def _edit(given: Entry) -> Edit:
    refuse_unknown(given, ("dialect", "old", "new"))
    return Edit(given["dialect"], given["old"], given["new"])


def _divergence(upstream: str, ticdc: str, given: Entry) -> Divergence:
    refuse_unknown(
        given, (*_TEXTS, *_LISTS, "harm", "remedy", "met", "documented", "place", "when", "reproducer", "near_miss")
    )
    place = given.get("place")
    if given["documented"] is not (place is not None):
        raise ValueError(f"{given['id']}: documented and place contradict each other")
    if not given["title"]:
        raise ValueError(f"{given['id']}: the title is empty")
    more: dict[str, Any] = {name: text(given, name, "") for name in _TEXTS}
    more |= {name: texts(given, name, ()) for name in _LISTS}
    return Divergence(
        upstream=upstream,
        ticdc=ticdc,
        harm=Harm(given["harm"]),
        remedies=read_remedies(given["remedy"]),
        met=Met(given["met"]),
        documented=given["documented"],
        place=None if place is None else (place["document"], place["heading"]),
        when=_when(given.get("when", {})),
        reproducer=_reproducer(given["reproducer"]) if "reproducer" in given else None,
        near_miss=_edit(given["near_miss"]) if "near_miss" in given else None,
        **more,
    )


def read_divergences(path: Path) -> Pair:
    """The divergences in a file. Raises `SuiteError`, naming the file, if it is malformed."""
    with reading(path, "a list of divergences"):
        given = read_toml(path)
        refuse_unknown(given, ("upstream", "ticdc", "divergence"))
        upstream, ticdc = given["upstream"], given["ticdc"]
        return Pair(upstream, ticdc, tuple(_divergence(upstream, ticdc, entry) for entry in given["divergence"]))


@cache
def load_divergences() -> Mapping[tuple[str, str], Pair]:
    """The shipped divergences by (upstream, TiCDC's dialect). Raises `SuiteError` where an id or alias occurs twice."""
    folder = fixtures_root() / "divergences"
    pairs = [read_divergences(path) for path in sorted(folder.glob("*.toml"))]
    ids = [name for pair in pairs for one in pair.divergences for name in (one.id, *one.aliases)]
    refuse_doubled(ids, folder, "divergence")
    return {(pair.upstream, pair.ticdc): pair for pair in pairs}


def find_divergence(name: str) -> Divergence | None:
    """The divergence of that id or alias, with `divergence/` before it or without."""
    id_or_alias = name.removeprefix(PREFIX)
    every = (divergence for pair in load_divergences().values() for divergence in pair.divergences)
    return next((divergence for divergence in every if id_or_alias in (divergence.id, *divergence.aliases)), None)


def divergences_about(requirement: str) -> list[Divergence]:
    """The divergences whose sides a requirement describes."""
    return [one for pair in load_divergences().values() for one in pair.divergences if requirement in one.requirements]
