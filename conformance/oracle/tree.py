"""Two JSON trees side by side: every place that either has, and what differs there.

Paths are tuples of member names and array positions. A *skeleton* is a path as text in which the names of columns are
`{column}` and array positions are `[]`, so that one rule speaks of every column: `value.data[].{column}`.
"""

from __future__ import annotations

from collections.abc import Container, Iterator
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from typing import Any, Final, TypeAlias

from reference_impl.exact_json import Object

__all__ = ["MISSING", "Kind", "Maybe", "Node", "Path", "json_kind", "path_text", "walk"]

Path: TypeAlias = tuple[str | int, ...]


class _Missing:
    """The mark of a place that one of the trees does not have."""

    def __repr__(self) -> str:
        return "(missing)"


MISSING: Final = _Missing()


@dataclass(frozen=True, slots=True)
class Maybe:
    """An expected part that may be left out; where it is there it must be `value`."""

    value: Any


class Kind(StrEnum):
    """What kind of difference stands at a place."""

    MISSING = "missing"
    EXTRA = "extra"
    JSON_KIND = "json kind"
    VALUE = "value"
    DOUBLED = "doubled"
    ORDER = "order"
    TEXT = "text"
    COUNT = "count"
    REFUSED = "refused"
    ACCEPTED = "accepted"
    CLASS = "class"


@dataclass(frozen=True, slots=True)
class Node:
    """A place in the union of two trees. Of an object or array only the kind is compared here; its parts are nodes."""

    path: Path
    expected: Any
    got: Any


def json_kind(tree: Any) -> str:
    """`null`, `boolean`, `number`, `string`, `array` or `object`; `missing` for `MISSING`."""
    if tree is None:
        return "null"
    if isinstance(tree, bool):
        return "boolean"
    if isinstance(tree, (int, Decimal)):
        return "number"
    if isinstance(tree, str):
        return "string"
    if isinstance(tree, list):
        return "array"
    return "missing" if tree is MISSING else "object"


def walk(expected: Any, got: Any, path: Path = (), known: Container[int] = ()) -> Iterator[Node]:
    """Every node of either tree, parents before their parts. Below a place that only one tree has, nothing.

    `known` are the `id`s of objects below which nothing is looked at where they stand in both trees.
    """
    yield Node(path, expected, got)
    if expected is got and id(expected) in known:
        return
    if isinstance(expected, dict) and isinstance(got, dict):
        for name in expected:
            yield from walk(expected[name], got.get(name, MISSING), (*path, name), known)
        for name in got:
            if name not in expected:
                yield Node((*path, name), MISSING, got[name])
    elif isinstance(expected, (list, tuple)) and isinstance(got, (list, tuple)):
        for i in range(max(len(expected), len(got))):
            e = expected[i] if i < len(expected) else MISSING
            g = got[i] if i < len(got) else MISSING
            if e is MISSING:
                yield Node((*path, i), e, g)
            else:
                yield from walk(e, g, (*path, i), known)


def doubled_members(tree: Any) -> tuple[str, ...]:
    """The members that occur more than once in this very object."""
    return tree.doubled if isinstance(tree, Object) else ()


def path_text(path: Path) -> str:
    """`value.data[0].c`."""
    text = ""
    for step in path:
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else step
    return text
