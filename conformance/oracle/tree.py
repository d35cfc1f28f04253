"""Two JSON trees side by side: every place that either has, and what differs there.

Paths are tuples of member names and array positions. A *skeleton* is a path as text in which the names of columns are
`{column}` and array positions are `[]`, so that one rule speaks of every column: `value.data[].{column}`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from typing import Any, Final, NamedTuple, TypeAlias

from reference_impl.exact_json import Object

__all__ = ["MISSING", "Kind", "Maybe", "Node", "Path", "is_same", "json_kind", "path_text", "walk"]

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
    BROKEN = "broken"


class Node(NamedTuple):
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


def walk(expected: Any, got: Any, path: Path = ()) -> list[Node]:
    """Every node of either tree, parents before their parts. Below a place that only one tree has, nothing."""
    nodes: list[Node] = []
    _collect(expected, got, path, nodes.append)
    return nodes


def _collect(expected: Any, got: Any, path: Path, found: Callable[[Node], None]) -> None:
    found(Node(path, expected, got))
    if isinstance(expected, dict) and isinstance(got, dict):
        for name in expected:
            _collect(expected[name], got.get(name, MISSING), (*path, name), found)
        for name in got:
            if name not in expected:
                found(Node((*path, name), MISSING, got[name]))
    elif isinstance(expected, (list, tuple)) and isinstance(got, (list, tuple)):
        for i in range(max(len(expected), len(got))):
            if i < len(expected):
                _collect(expected[i], got[i] if i < len(got) else MISSING, (*path, i), found)
            else:
                found(Node((*path, i), MISSING, got[i]))


_LEAVES = (str, int, Decimal, type(None))


def is_same(node: Node) -> bool:
    """Whether there is nothing to find: one and the same part, or the same string, number, boolean or null."""
    _, expected, got = node
    return expected is got or (isinstance(expected, _LEAVES) and type(expected) is type(got) and bool(expected == got))


def doubled_members(tree: Any) -> tuple[str, ...]:
    """The members that occur more than once in this very object."""
    return tree.doubled if isinstance(tree, Object) else ()


def path_text(path: Path) -> str:
    """`value.data[0].c`."""
    text = ""
    for step in path:
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else step
    return text
