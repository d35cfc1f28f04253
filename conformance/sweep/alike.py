"""Columns that are wrong in the key and in the value alike, as an encoder writes them that writes the column wrong."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from conformance.sweep.nodes import Path
from conformance.sweep.operators import Change, changes
from conformance.sweep.places import Node

__all__ = ["IN_VALUE", "alike", "twins_of"]

IN_VALUE = " in the value, too"
"""What the name of such an operator ends in."""

_PART = 2  # the position of `key` or `value` in a path


def twins_of(every: Sequence[Node]) -> Mapping[Path, Sequence[Node]]:
    """By the path of a node in a key, the nodes in the value of its record that say the same of the same column."""
    found: dict[Path, list[Node]] = {}
    keys: dict[tuple[Path, str, str], list[Node]] = {}
    for node in every:
        if not node.column or node.path[0] != "records":
            continue
        column = (node.path[:_PART], node.column, node.place.path.rpartition("{column}")[2])
        if node.path[_PART] == "key":
            keys.setdefault(column, []).append(node)
        else:
            for key in keys.get(column, ()):
                if type(key.value) is type(node.value) and key.value == node.value:
                    found.setdefault(key.path, []).append(node)
    return found


def alike(change: Change, twins: Sequence[Node]) -> Iterator[Change]:
    """The change of a key, and the same one in the value."""
    yield change
    for twin in twins:
        yield from (other for other in changes(twin) if other.operator == change.operator)
