"""Walks two JSON trees together, the expected and the answered one, path by path.

Paths are tuples of member names and array positions. A *skeleton* is a path as text in which the names of columns are
`{column}` and array positions are `[]`, so that one rule claims every column: `value.data[].{column}`.
"""

from __future__ import annotations

from collections.abc import Callable, Set
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from typing import Any, Final, NamedTuple, TypeAlias

from reference_impl.exact_json import Object

__all__ = [
    "MISSING",
    "Kind",
    "Maybe",
    "Node",
    "Path",
    "Spot",
    "doubled_members",
    "equal",
    "is_plainly_equal",
    "json_kind",
    "part_in",
    "path_text",
    "walk",
]

Path: TypeAlias = tuple[str | int, ...]


class _Missing:
    """The type of `MISSING`, the value at a path that one of the trees lacks."""

    def __repr__(self) -> str:
        return "(missing)"

    def __reduce__(self) -> str:
        return "MISSING"  # pickling keeps the identity


MISSING: Final = _Missing()


@dataclass(frozen=True, slots=True)
class Maybe:
    """An optional part of an expected tree: the answer may lack it, but must not have another value."""

    value: Any


class Kind(StrEnum):
    """The kind of a difference."""

    MISSING = "missing"
    EXTRA = "extra"
    JSON_KIND = "json kind"
    VALUE = "value"
    DOUBLED = "doubled"  # a member occurs more than once
    ORDER = "order"
    TEXT = "text"  # the same value in another spelling
    COUNT = "count"  # another number of messages, events or files
    REFUSED = "refused"  # where an answer is expected
    ACCEPTED = "accepted"  # where a rejection is expected
    CLASS = "class"  # another class of rejection
    BROKEN = "broken"  # a crash, or a malformed answer


class Spot:
    """A skeleton, with links to the spots below it; all paths with the same skeleton share a `Spot`.

    `columns_at` are the skeletons of the objects whose members are columns. `has_columns` says that the spot is such an
    object, `is_column` that it is a member of one.
    """

    __slots__ = ("_columns_at", "_members", "_position", "has_columns", "is_column", "skeleton")

    def __init__(self, columns_at: Set[str], skeleton: str = "", *, is_column: bool = False) -> None:
        self._columns_at = columns_at
        self._members: dict[str, Spot] = {}
        self._position: Spot | None = None
        self.skeleton = skeleton
        self.has_columns = skeleton in columns_at
        self.is_column = is_column

    def member(self, name: str) -> Spot:
        """The spot of a member."""
        if self.has_columns:
            name = "{column}"
        spot = self._members.get(name)
        if spot is None:
            skeleton = f"{self.skeleton}.{name}" if self.skeleton else name
            spot = self._members[name] = Spot(self._columns_at, skeleton, is_column=self.has_columns)
        return spot

    def position(self) -> Spot:
        """The spot of every position of an array."""
        if self._position is None:
            self._position = Spot(self._columns_at, f"{self.skeleton}[]")
        return self._position


class Node(NamedTuple):
    """A path of two trees, with what they have there. The parts of an object or array are nodes of their own."""

    path: Path
    expected: Any  # `MISSING` where the tree lacks the path
    got: Any
    spot: Spot
    column: str | None = None  # the name of the column that the path leads to or through


# An array of an expected tree may be a tuple.
_ARRAYS = (list, tuple)


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
    if isinstance(tree, _ARRAYS):
        return "array"
    return "missing" if tree is MISSING else "object"


def walk(expected: Any, got: Any, path: Path = (), spot: Spot | None = None) -> list[Node]:
    """The nodes of two trees at `path`, parents before their parts; no nodes below a path that one tree lacks.

    `spot` is the spot of `path`; without it the skeletons begin here, and no node has a column.
    """
    nodes: list[Node] = []
    _collect(Node(path, expected, got, spot or Spot(frozenset())), nodes.append)
    return nodes


_CONTAINERS = (dict, *_ARRAYS)


def _collect(node: Node, add: Callable[[Node], None]) -> None:
    add(node)
    path, expected, got, spot, column = node
    if isinstance(expected, dict) and isinstance(got, dict):
        names_columns, member, given = spot.has_columns, spot.member, got.get
        for name, part in expected.items():
            column_below = name if names_columns else column
            below = Node((*path, name), part, given(name, MISSING), member(name), column_below)
            if isinstance(part, _CONTAINERS):
                _collect(below, add)
            else:
                add(below)
        for name in got:
            if name not in expected:
                column_below = name if names_columns else column
                add(Node((*path, name), MISSING, got[name], spot.member(name), column_below))
    elif isinstance(expected, _ARRAYS) and isinstance(got, _ARRAYS):
        element = spot.position()
        for i in range(max(len(expected), len(got))):
            if i < len(expected):
                _collect(Node((*path, i), expected[i], got[i] if i < len(got) else MISSING, element, column), add)
            else:
                add(Node((*path, i), MISSING, got[i], element, column))


_LEAVES = (str, int, Decimal, type(None))


def equal(one: Any, other: Any) -> bool:
    """Whether two parts are equal; unlike in Python, true is not 1, and a tuple may equal a list."""
    if isinstance(one, dict):
        is_object = isinstance(other, dict) and one.keys() == other.keys()
        return is_object and all(equal(part, other[name]) for name, part in one.items())
    if isinstance(one, _ARRAYS):
        return isinstance(other, _ARRAYS) and len(one) == len(other) and all(map(equal, one, other))
    return bool(one == other) and isinstance(one, bool) == isinstance(other, bool)


def is_plainly_equal(expected: Any, got: Any) -> bool:
    """Whether both sides are the same object, or equal strings, numbers, booleans or nulls."""
    return expected is got or (type(expected) is type(got) and isinstance(expected, _LEAVES) and bool(expected == got))


def part_in(tree: Any, *path: object, default: Any = None) -> Any:
    """The part of a tree at a path of members, or `default`."""
    for name in path:
        tree = tree.get(name, default) if isinstance(tree, dict) else default
    return tree


def doubled_members(tree: Any) -> tuple[str, ...]:
    """The names of members that occur more than once in an object; objects inside it do not count."""
    return tree.doubled if isinstance(tree, Object) else ()


def path_text(path: Path) -> str:
    """A path as text: `value.data[0].c`."""
    text = ""
    for step in path:
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else step
    return text
