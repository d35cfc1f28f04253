"""Two JSON trees side by side, node by node, and where the column is that a node is about."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from conformance.oracle.tree import MISSING, Kind, Path, json_kind

__all__ = ["Node", "difference", "nodes", "place_of"]

_COLUMNS_AT = ("value.data[]", "value.old[]", "value.mysqlType", "value.sqlType", "value.before", "value.after", "key")
# Where the fields of columns stand in a schema: `key.schema.fields[n]`, `value.schema.fields[0 or 1].fields[n]`.
_FIELD_DEPTH = {"key": 3, "value": 5}
_IMAGES = (0, 1)


class Node(NamedTuple):
    """A place of either tree. Below a place that only one of them has there are no more."""

    path: Path
    expected: Any
    got: Any


def nodes(expected: Any, got: Any, path: Path) -> Iterator[Node]:
    """Every node of two trees, parents before their parts."""
    yield Node(path, expected, got)
    if isinstance(expected, dict) and isinstance(got, dict):
        for name in dict.fromkeys((*expected, *got)):
            yield from nodes(expected.get(name, MISSING), got.get(name, MISSING), (*path, name))
    elif isinstance(expected, list) and isinstance(got, list):
        for n in range(max(len(expected), len(got))):
            one, other = (side[n] if n < len(side) else MISSING for side in (expected, got))
            yield from nodes(one, other, (*path, n))


def difference(node: Node) -> Kind | None:
    """What differs at a node. Numbers are exact, and a whole one is not the same as one with a fraction of zeros."""
    if node.expected is MISSING:
        return Kind.EXTRA
    if node.got is MISSING:
        return Kind.MISSING
    if json_kind(node.expected) != json_kind(node.got):
        return Kind.JSON_KIND
    if isinstance(node.expected, (dict, list)) or (node.expected == node.got and type(node.expected) is type(node.got)):
        return None
    return Kind.VALUE


def place_of(path: Path, root: Any) -> tuple[str, str | None]:
    """The path as a skeleton, and the column that it goes through.

    The payload of an envelope stands as if it were alone. A field of a schema that describes a column has the column
    in its place: `value.schema.{column}.default`.
    """
    steps = [step for at, step in enumerate(path) if (at, step) != (1, "payload")]
    text, column, at = str(steps[0]), None, root
    in_schema = len(steps) > 1 and steps[1] == "schema"
    for depth, step in enumerate(steps[1:], 1):
        at = _down(at, step)
        if text in _COLUMNS_AT and isinstance(step, str) and not (text == "key" and in_schema):
            text, column = f"{text}.{{column}}", step
            continue
        text += "[]" if isinstance(step, int) else f".{step}"
        if in_schema and depth == _FIELD_DEPTH.get(str(path[0])) and (path[0] == "key" or steps[3] in _IMAGES):
            name = at.get("field") if isinstance(at, dict) else None
            if isinstance(name, str):
                text, column = f"{text}.{{column}}", name
    return text, column


def _down(tree: Any, step: str | int) -> Any:
    if isinstance(step, int):
        return tree[step] if isinstance(tree, list) and step < len(tree) else None
    return tree.get(step) if isinstance(tree, dict) else None
