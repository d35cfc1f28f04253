"""Faults in both key and value of a record: as by an encoder that writes a column wrong in the same way in both."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from conformance.sweep.nodes import Path
from conformance.sweep.operators import Change, changes
from conformance.sweep.places import Node

__all__ = ["IN_VALUE", "change_of_both", "twins_of"]

IN_VALUE = " in the value, too"
"""The suffix of such an operator's name."""

_PART = 2  # the position of `key` or `value` in a path


def twins_of(every: Sequence[Node]) -> Mapping[Path, Sequence[Node]]:
    """By the path of a node in a key: the equal nodes of the same column in the value of its record."""
    twins: dict[Path, list[Node]] = {}
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
                    twins.setdefault(key.path, []).append(node)
    return twins


def change_of_both(change: Change, twins: Sequence[Node]) -> Iterator[Change]:
    """The change of a key, and the same change of its twins in the value."""
    yield change
    for twin in twins:
        yield from (other for other in changes(twin) if other.operator == change.operator)
