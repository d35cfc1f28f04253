"""The `Dialect` of a protocol: what its messages show of their stream.

A tree is a message taken apart by the oracle's reader, `{"key": …, "value": …}`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypeAlias

from conformance.catalogue.register import load_register
from conformance.oracle.table import families_of
from reference_impl import exact_json
from reference_impl.column_types import ColumnType, Family
from reference_impl.compression import COMPRESSIONS, decompress
from reference_impl.errors import Rejected, RejectionClass, Unsupported
from reference_impl.model import Event, Record, RowChange, Table

__all__ = [
    "IN_STORAGE",
    "KEY_ONLY",
    "LARGE",
    "Contradiction",
    "Dialect",
    "Refusals",
    "Tree",
    "compression_of",
    "fraction_of",
    "ids",
    "labels_of",
    "members_of",
    "options_of_location",
    "requirements_of_families",
    "with_unknown_before",
]

Tree: TypeAlias = Mapping[str, Any]

_NO_PATH = re.compile(r"(?!)")

LARGE = "large-message-handle-option"
IN_STORAGE = "its whole message is in claim-check storage"
KEY_ONLY = "it was reduced to its handle key for its size"


class Contradiction(NamedTuple):
    """A path at which a message contradicts itself, so that it is wrong for any table."""

    requirement: str
    path: str
    expected: Any
    got: Any


@dataclass(frozen=True, slots=True)
class Refusals:
    """Blames requirements for a message that the reference refuses, by the reference's error message."""

    phrases: tuple[tuple[str, str | Mapping[Family, str] | Callable[[ColumnType], str]], ...]
    """Patterns of error messages, each with its requirement; the first that matches decides.

    A pattern with a group `column` has a table of requirements by the column's family, or a function from its type; it
    is passed over if they give no requirement.
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


@dataclass(frozen=True, slots=True)
class Dialect:
    """What a protocol's messages show of their stream."""

    body: Callable[[Record], bytes] | None
    """The bytes of a record that may be compressed; None if the protocol compresses nothing."""
    hints: Callable[[Tree], Mapping[str, str]]
    """The options that a message shows."""
    refusals: Refusals
    unknown: frozenset[str]
    """Requirements that no capture shows."""
    unknown_without_tables: frozenset[str]
    """Requirements that a capture shows only with tables."""
    unknown_without_time: frozenset[str] = frozenset()
    """Requirements that a capture shows only with commit time stamps."""
    unknown_paths: re.Pattern[str] = _NO_PATH
    """Paths that are never compared."""
    unknown_paths_without_tables: re.Pattern[str] = _NO_PATH
    """Paths that are compared only with tables."""
    cluster: Callable[[Tree], str | None] = lambda tree: None
    """The id of the cluster that a message names."""
    table_of: Callable[[Tree], Table | None] = lambda tree: None
    """The table that the message of a row shows; None for other messages."""
    completed: Callable[[Event, Tree], Event] = lambda event, tree: event
    """Adds to a decoded event the members of its message that the decoder leaves out."""
    reduced: Callable[[Tree], str] = lambda tree: ""
    """The reason why a message has only a part of its event; empty if it has all."""
    contradictions: Callable[[Tree], Iterable[Contradiction]] = lambda tree: ()
    """The places where a message contradicts itself."""
    schema_ids: Callable[[Record], tuple[int, ...]] = lambda record: ()
    """The ids of the schemas that a record refers to."""


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


def labels_of(parameters: Mapping[str, Any]) -> tuple[str, ...]:
    """The labels of an ENUM or SET in the parameter `allowed`; a comma inside a label is escaped.  [DBZ-131]"""
    labels = re.split(r"(?<!\\),", str(parameters.get("allowed", "")))
    return tuple(label.replace("\\,", ",") for label in labels)


def with_unknown_before(event: Event, tree: Tree) -> Event:
    """An update whose message omits the old row has the new row in its place.  [AV-003a, DBZ-013]"""
    if isinstance(event, RowChange) and event.op == "update" and event.before is None:
        return replace(event, before=event.after)
    return event


def options_of_location(location: str) -> Mapping[str, str]:
    """The options of the changefeed, by the location of a message in claim-check storage."""
    return {LARGE: "claim-check", "claim-check-storage-uri": location.rpartition("/")[0]}


def requirements_of_families(protocol: str, path: str, *conditions: tuple[str, ...]) -> Mapping[Family, str]:
    """The requirement on each column family at a path, by the checks whose `when` is one of `conditions`."""
    requirements = load_register(protocol).requirements.values()
    checks = (check for requirement in requirements for check in requirement.checks if path in check.at)
    return {
        family: check.requirement
        for check in checks
        if check.families and check.when in conditions
        for family in families_of(check.families)
    }
