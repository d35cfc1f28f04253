"""Two JSON trees side by side: every path of either, and the difference there.

Paths are tuples of member names and array positions. A *skeleton* is a path as text in which the names of columns are
`{column}` and array positions are `[]`, so that one rule claims every column: `value.data[].{column}`.
"""

from __future__ import annotations

from collections.abc import Callable, Set
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from typing import Any, Final, NamedTuple, TypeAlias

from reference_impl import exact_json
from reference_impl.exact_json import Object

__all__ = ["MISSING", "Kind", "Maybe", "Node", "Path", "Spot", "equal", "is_same", "json_kind", "path_text", "walk"]

Path: TypeAlias = tuple[str | int, ...]


class _Missing:
    """The mark of a path that one of the trees lacks."""

    def __repr__(self) -> str:
        return "(missing)"

    def __reduce__(self) -> str:
        return "MISSING"  # pickling keeps the identity


MISSING: Final = _Missing()


@dataclass(frozen=True, slots=True)
class Maybe:
    """An optional expected part; if it is there it must be `value`."""

    value: Any


class Kind(StrEnum):
    """The kind of a difference."""

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


class Spot:
    """A skeleton, and the spots below it; every path with the same skeleton has the same `Spot`.

    `columns_at` has the skeletons of objects whose members are columns; for such a spot `has_columns` is true, and for
    those members `is_column`.
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
        found = self._members.get(name)
        if found is None:
            skeleton = f"{self.skeleton}.{name}" if self.skeleton else name
            found = self._members[name] = Spot(self._columns_at, skeleton, is_column=self.has_columns)
        return found

    def position(self) -> Spot:
        """The spot of every position of an array."""
        if self._position is None:
            self._position = Spot(self._columns_at, f"{self.skeleton}[]")
        return self._position


class Node(NamedTuple):
    """A place in the union of two trees. For an object or array only the kind is compared here; its parts are nodes.

    `column` is the column that the path names at its end or on the way.
    """

    path: Path
    expected: Any
    got: Any
    spot: Spot
    column: str | None = None


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


_ANYWHERE: Final = frozenset[str]()


def walk(expected: Any, got: Any, path: Path = (), spot: Spot | None = None) -> list[Node]:
    """Every node of either tree, parents before their parts; nothing below a path of only one tree.

    `spot` is that of `path`; without one the skeletons begin here, and no column is known.
    """
    nodes: list[Node] = []
    _collect(Node(path, expected, got, spot or Spot(_ANYWHERE)), nodes.append)
    return nodes


_CONTAINERS = (dict, list, tuple)


def _collect(node: Node, found: Callable[[Node], None]) -> None:
    found(node)
    path, expected, got, spot, column = node
    if isinstance(expected, dict) and isinstance(got, dict):
        names_columns = spot.has_columns
        for name, part in expected.items():
            known = name if names_columns else column
            below = Node((*path, name), part, got.get(name, MISSING), spot.member(name), known)
            if isinstance(part, _CONTAINERS):
                _collect(below, found)
            else:
                found(below)
        for name in got:
            if name not in expected:
                known = name if names_columns else column
                found(Node((*path, name), MISSING, got[name], spot.member(name), known))
    elif isinstance(expected, (list, tuple)) and isinstance(got, (list, tuple)):
        at = spot.position()
        for i in range(max(len(expected), len(got))):
            if i < len(expected):
                _collect(Node((*path, i), expected[i], got[i] if i < len(got) else MISSING, at, column), found)
            else:
                found(Node((*path, i), MISSING, got[i], at, column))


_LEAVES = (str, int, Decimal, type(None))


def equal(one: Any, other: Any) -> bool:
    """Whether two parts are equal: true is not 1, which it is to Python."""
    if one != other:
        return False
    if isinstance(one, dict | list):
        return bool(exact_json.same(one, other))
    return isinstance(one, bool) == isinstance(other, bool)


def is_same(node: Node) -> bool:
    """Whether the two are equal: one and the same part, or the same string, number, boolean or null."""
    _, expected, got, _, _ = node
    return expected is got or (type(expected) is type(got) and isinstance(expected, _LEAVES) and bool(expected == got))


def doubled_members(tree: Any) -> tuple[str, ...]:
    """The members that occur more than once in this object itself."""
    return tree.doubled if isinstance(tree, Object) else ()


def path_text(path: Path) -> str:
    """`value.data[0].c`."""
    text = ""
    for step in path:
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else step
    return text
