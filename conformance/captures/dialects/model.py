"""The `Dialect` of a protocol: what its messages show of their stream.

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
    """The requirements that a message breaks that the reference refuses, by the error message of the reference."""

    phrases: tuple[tuple[str, str | Mapping[Family, str] | Callable[[ColumnType], str]], ...]
    """Patterns of error messages, each with its requirement; the first that matches decides.

    A pattern with a group `column` has a requirement for each family of the column, or a function from its type.
    """
    unreadable: str
    """The general requirement on framing and syntax; blamed if no other broken requirement is as binding."""
    wrong: str
    """The general requirement on content; blamed in the same way."""

    def blamed(self, message: str, type_of: Callable[[str], ColumnType | None]) -> str | None:
        """The requirement for an error message, or None; `type_of` returns the type of a column."""
        for pattern, requirement in self.phrases:
            match = re.search(pattern, message)
            if match is None:
                continue
            if isinstance(requirement, str):
                return requirement
            column_type = type_of(match["column"])
            if column_type is None:
                continue
            if callable(requirement):
                return requirement(column_type)
            if column_type.family in requirement:
                return requirement[column_type.family]
        return None

    def general(self, reason: RejectionClass) -> str:
        """The general requirement that a refusal of that class breaks."""
        return self.unreadable if reason in (RejectionClass.FRAMING, RejectionClass.SYNTAX) else self.wrong


def _no_table(tree: Tree) -> Table | None:
    return None


def _unchanged(event: Event, tree: Tree) -> Event:
    return event


def _whole(tree: Tree) -> str:
    return ""


def _no_cluster(tree: Tree) -> str | None:
    return None


def _no_contradictions(tree: Tree) -> Iterator[Contradiction]:
    yield from ()


def _no_ids(record: Record) -> tuple[int, ...]:
    return ()


@dataclass(frozen=True, slots=True)
class Dialect:
    """What a protocol's messages show of their stream."""

    body: Callable[[Record], bytes] | None
    """The bytes of a record that may be compressed; None if the protocol compresses nothing."""
    hints: Callable[[Tree], Mapping[str, str]]
    """The options that a message shows."""
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
    completed: Callable[[Event, Tree], Event] = _unchanged
    """The event, with the members of the message that the decoder leaves out."""
    reduced: Callable[[Tree], str] = _whole
    """Why a message has only a part of its event, in words; empty if it has all."""
    contradictions: Callable[[Tree], Iterator[Contradiction]] = _no_contradictions
    """The places where a message contradicts itself."""
    schema_ids: Callable[[Record], tuple[int, ...]] = _no_ids
    """The ids of the registry that a record refers to."""


def ids(prefix: str, *numbers: int | str) -> frozenset[str]:
    """Ids of requirements: `ids("CJ", 10, "010a")` are `CJ-010` and `CJ-010a`."""
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
    """The object at a path of members; an empty one if there is none."""
    for name in path:
        tree = tree.get(name) if isinstance(tree, Mapping) else None
    return tree if isinstance(tree, Mapping) else {}


def fraction_of(*texts: Any) -> int:
    """The highest number of fractional digits of a second in the texts."""
    matches = (re.search(r"\.(\d{1,6})", text) for text in texts if isinstance(text, str))
    return max((len(match[1]) for match in matches if match), default=0)
