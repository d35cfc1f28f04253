"""The `Dialect` of a protocol: what its messages show of their stream; one module for each dialect.

A tree is a message taken apart by the oracle's reader, `{"key": …, "value": …}`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

from reference_impl import exact_json
from reference_impl.column_types import ColumnType, Family
from reference_impl.compression import COMPRESSIONS, decompress
from reference_impl.errors import Rejected, RejectionClass, Unsupported
from reference_impl.model import Event, Record, Table

__all__ = ["Contradiction", "Dialect", "Refusals", "Tree", "compression_of", "fraction_of", "ids", "members_of"]

Tree: TypeAlias = Mapping[str, Any]

_NOWHERE = re.compile(r"(?!)")


class Contradiction(NamedTuple):
    """A path that is wrong whatever the table is: the message contradicts itself."""

    requirement: str
    path: str
    expected: Any
    got: Any


@dataclass(frozen=True, slots=True)
class Refusals:
    """The requirement broken by a message that the second reader reads and the reference refuses.

    The first of `phrases` that matches the words of the reference decides, as a pattern and its requirement. Where the
    pattern has a group `column`, the requirement is that of the column's family in the mapping that stands in its
    place, or the result of a function for the column's type. Words without a phrase break the oracle's general
    requirement.

    An unreadable record breaks `unreadable`, a readable one `wrong`: they apply to a refusal where no other broken
    requirement is as binding.
    """

    phrases: tuple[tuple[str, str | Mapping[Family, str] | Callable[[ColumnType], str]], ...]
    unreadable: str
    wrong: str

    def charged(self, message: str, type_of: Callable[[str], ColumnType | None]) -> str | None:
        """The requirement that a decoder's words name, or None."""
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
        """The general requirement that a refusal of that class breaks."""
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
    """What a protocol's messages show of their stream."""

    body: Callable[[Record], bytes] | None
    """Where compressed bytes would begin in a record; None if the protocol compresses nothing."""
    hints: Callable[[Tree], Mapping[str, str]]
    """The options that a message proves."""
    refusals: Refusals
    """Maps refused messages to requirements."""
    unknown: frozenset[str]
    """Requirements that no capture shows."""
    unknown_without_tables: frozenset[str]
    """Requirements that a capture shows only with tables."""
    unknown_without_time: frozenset[str] = frozenset()
    """Requirements that a capture shows only with commit time stamps."""
    unknown_places: re.Pattern[str] = _NOWHERE
    """Paths that are never compared."""
    unknown_places_without_tables: re.Pattern[str] = _NOWHERE
    """Paths that are compared only with tables."""
    cluster: Callable[[Tree], str | None] = _no_cluster
    """The id of the cluster that a message names."""
    table_of: Callable[[Tree], Table | None] = _no_table
    """The table that the message of a row shows; None for other messages."""
    completed: Callable[[Event, Tree], Event] = _as_it_is
    """The event, with the members of the message that the decoder leaves out."""
    reduced: Callable[[Tree], str] = _whole
    """Why a message has only a part of its event, in words; empty if it has all."""
    contradictions: Callable[[Tree], Iterator[Contradiction]] = _none
    """The places where a message contradicts itself."""
    schema_ids: Callable[[Record], tuple[int, ...]] = _no_ids
    """The ids of the registry that a record refers to."""


def ids(prefix: str, *numbers: int | str) -> frozenset[str]:
    """Ids of requirements: `ids("CJ", 10, "10a")` are `CJ-010` and `CJ-10a`."""
    return frozenset(
        f"{prefix}-{number:03d}" if isinstance(number, int) else f"{prefix}-{number}" for number in numbers
    )


def compression_of(body: bytes) -> str:
    """The compression of a body: the first kind, from `none` on, that gives a JSON object; else `none`."""
    for kind in COMPRESSIONS:
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
