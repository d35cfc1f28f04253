"""What a `Dialect` is: how a protocol's messages speak of the stream that they are of. The dialects have a module each.

A tree is a message taken apart by the oracle's reader, `{"key": …, "value": …}`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

from reference_impl import exact_json
from reference_impl.column_types import ColumnType, Family
from reference_impl.compression import KINDS, decompress
from reference_impl.errors import Rejected, RejectionClass, Unsupported
from reference_impl.model import Event, Record, Table

__all__ = ["Contradiction", "Dialect", "Refusals", "Tree", "compression_of", "fraction_of", "ids", "members_of"]

Tree: TypeAlias = Mapping[str, Any]

_NOWHERE = re.compile(r"(?!)")


class Contradiction(NamedTuple):
    """A place that is wrong whatever the table is, since the message itself says so."""

    requirement: str
    path: str
    expected: Any
    got: Any


@dataclass(frozen=True, slots=True)
class Refusals:
    """Which requirement a message breaks that the second reader reads and the reference refuses.

    The reference says why in words: the first of `phrases` found in them decides, as a pattern and its requirement.
    Where the pattern has a group `column`, the requirement is that of the column's family in the mapping that stands in
    its place, or what a function makes of the column's type. What no phrase is about falls to the oracle's general
    requirement.

    `unreadable` is what a record breaks of which nothing can be read, `wrong` what one breaks that can: they stand for
    a refusal where it breaks nothing else that is as binding.
    """

    phrases: tuple[tuple[str, str | Mapping[Family, str] | Callable[[ColumnType], str]], ...]
    unreadable: str
    wrong: str

    def charged(self, message: str, type_of: Callable[[str], ColumnType | None]) -> str | None:
        """The requirement that a decoder's words are about, or None."""
        for pattern, requirement in self.phrases:
            found = re.search(pattern, message)
            if found is None:
                continue
            if isinstance(requirement, str):
                return requirement
            kind = type_of(found["column"])
            if kind is None:
                continue
            if callable(requirement):
                return requirement(kind)
            if kind.family in requirement:
                return requirement[kind.family]
        return None

    def general(self, reason: RejectionClass) -> str:
        """What a refusal of that class breaks, whatever it is about."""
        return self.unreadable if reason in (RejectionClass.FRAMING, RejectionClass.SYNTAX) else self.wrong


def _no_table(tree: Tree) -> Table | None:
    return None


def _as_it_is(event: Event, tree: Tree) -> Event:
    return event


def _whole(tree: Tree) -> str:
    return ""


def _no_cluster(tree: Tree) -> str | None:
    return None


def _none(tree: Tree) -> Iterator[Contradiction]:
    yield from ()


def _no_ids(record: Record) -> tuple[int, ...]:
    return ()


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a protocol's messages speak of their stream.

    `body` is where compressed bytes would begin in a record; None where nothing is compressed. `hints` are options
    that a message proves; `cluster` is the id of the cluster that it names; `table_of` the table that a row's message
    shows, None for other messages; `completed` the event with what the message tells and the decoder leaves out.
    `reduced` says in words why a message is not all of its event, or is empty. `contradictions` are what it says
    against itself. `refusals` tell which requirement a message breaks that cannot be decoded. `schema_ids` are the ids
    of the registry that a record refers to.

    `unknown` are requirements that no capture shows, and `unknown_places` paths that are never compared; those
    `…_without_tables` and `…_without_time` are what tables, or commit time stamps, would tell.
    """

    body: Callable[[Record], bytes] | None
    hints: Callable[[Tree], Mapping[str, str]]
    refusals: Refusals
    unknown: frozenset[str]
    unknown_without_tables: frozenset[str]
    unknown_without_time: frozenset[str] = frozenset()
    unknown_places: re.Pattern[str] = _NOWHERE
    unknown_places_without_tables: re.Pattern[str] = _NOWHERE
    cluster: Callable[[Tree], str | None] = _no_cluster
    table_of: Callable[[Tree], Table | None] = _no_table
    completed: Callable[[Event, Tree], Event] = _as_it_is
    reduced: Callable[[Tree], str] = _whole
    contradictions: Callable[[Tree], Iterator[Contradiction]] = _none
    schema_ids: Callable[[Record], tuple[int, ...]] = _no_ids


def ids(prefix: str, *numbers: int | str) -> frozenset[str]:
    """Ids of requirements: `ids("CJ", 7, "12a")` are `CJ-007` and `CJ-12a`."""
    return frozenset(
        f"{prefix}-{number:03d}" if isinstance(number, int) else f"{prefix}-{number}" for number in numbers
    )


def compression_of(body: bytes) -> str:
    """How a body is compressed: the first kind, `none` in front, under which it is a JSON object; else `none`."""
    for kind in KINDS:
        try:
            if isinstance(exact_json.loads(decompress(kind, body)), dict):
                return kind
        except (Rejected, Unsupported):
            continue
    return "none"


def members_of(tree: Any, *path: str) -> Mapping[str, Any]:
    """The object at that path of members; an empty one where there is none."""
    for name in path:
        tree = tree.get(name) if isinstance(tree, Mapping) else None
    return tree if isinstance(tree, Mapping) else {}


def fraction_of(*texts: Any) -> int:
    """The most fractional digits of a second that one of the texts has."""
    digits = (re.search(r"\.(\d{1,6})", text) for text in texts if isinstance(text, str))
    return max((len(found[1]) for found in digits if found), default=0)
