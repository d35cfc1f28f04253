"""Walks two JSON trees together, node by node, and finds the skeleton of a path and the column that it belongs to."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any, NamedTuple

from conformance.oracle.tree import MISSING, Kind, Path, json_kind
from reference_impl.exact_json import same

__all__ = ["Node", "difference", "exchanged_images", "nodes", "place_of"]

_COLUMNS_AT = ("value.data[]", "value.old[]", "value.mysqlType", "value.sqlType", "value.before", "value.after", "key")
# Where the fields of columns stand in a schema: `key.schema.fields[n]`, `value.schema.fields[0 or 1].fields[n]`.
_FIELD_DEPTH = {"key": 3, "value": 5}
_IMAGES = (0, 1)
_PAIRS = (("before", "after"), ("after", "before"))  # an image of an update, and the other one


class Node(NamedTuple):
    """A path, and what each tree has there (`MISSING`: nothing). A path that one tree lacks has no nodes below it."""

    path: Path
    expected: Any
    got: Any


def nodes(expected: Any, got: Any, path: Path) -> Iterator[Node]:
    """Every node of two trees, parents before their children."""
    yield Node(path, expected, got)
    if isinstance(expected, dict) and isinstance(got, dict):
        for name in dict.fromkeys((*expected, *got)):
            yield from nodes(expected.get(name, MISSING), got.get(name, MISSING), (*path, name))
    elif isinstance(expected, list) and isinstance(got, list):
        for n in range(max(len(expected), len(got))):
            yield from nodes(
                expected[n] if n < len(expected) else MISSING, got[n] if n < len(got) else MISSING, (*path, n)
            )


def difference(node: Node) -> Kind | None:
    """The kind of difference at a node, its children aside. Numbers are exact: 1 and 1.0 differ."""
    if node.expected is MISSING:
        return Kind.EXTRA
    if node.got is MISSING:
        return Kind.MISSING
    if json_kind(node.expected) != json_kind(node.got):
        return Kind.JSON_KIND
    if isinstance(node.expected, (dict, list)) or (node.expected == node.got and type(node.expected) is type(node.got)):
        return None
    return Kind.VALUE


def exchanged_images(expected: Any, got: Any, path: Path) -> list[Path]:
    """The paths of the images of an update in whose place the answer has the other image whole, with all columns."""
    if isinstance(expected, dict) and isinstance(got, dict) and "payload" in expected:
        expected, got, path = expected["payload"], got.get("payload"), (*path, "payload")
    if not (isinstance(expected, dict) and isinstance(got, dict)):
        return []
    pairs = ((own, expected.get(own), expected.get(other)) for own, other in _PAIRS)
    return [
        (*path, own)
        for own, image, other in pairs
        if isinstance(image, dict) and isinstance(other, dict) and image.keys() <= other.keys()
        if same(got.get(own), other) and not same(image, other)
    ]


def place_of(path: Path, root: Any) -> tuple[str, str | None]:
    """The skeleton of a path, and the column that the path goes through (None: no column).

    `payload` is left out, as if the payload of an envelope stood alone. The name of a column follows the place of the
    field that describes it in a schema: `value.schema.fields[].fields[].{column}.default`.
    """
    second = path[2:3] if path[1:2] == ("payload",) else path[1:2]
    return _place_in_schema(path, root) if second == ("schema",) else _place(path)


@lru_cache(maxsize=1 << 13)
def _place(path: Path) -> tuple[str, str | None]:
    """The place of a path outside of a schema, where the tree does not matter."""
    skeleton, column = str(path[0]), None
    for step in path[2:] if path[1:2] == ("payload",) else path[1:]:
        if skeleton in _COLUMNS_AT and isinstance(step, str):
            skeleton, column = f"{skeleton}.{{column}}", step
        else:
            skeleton += "[]" if isinstance(step, int) else f".{step}"
    return skeleton, column


def _place_in_schema(path: Path, root: Any) -> tuple[str, str | None]:
    steps = [step for depth, step in enumerate(path) if (depth, step) != (1, "payload")]
    skeleton, column, tree = str(steps[0]), None, root
    for depth, step in enumerate(steps[1:], 1):
        tree = _child(tree, step)
        skeleton += "[]" if isinstance(step, int) else f".{step}"
        if depth == _FIELD_DEPTH.get(str(path[0])) and (path[0] == "key" or steps[3] in _IMAGES):
            name = tree.get("field") if isinstance(tree, dict) else None
            if isinstance(name, str):
                skeleton, column = f"{skeleton}.{{column}}", name
    return skeleton, column


def _child(tree: Any, step: str | int) -> Any:
    if isinstance(step, int):
        return tree[step] if isinstance(tree, list) and step < len(tree) else None
    return tree.get(step) if isinstance(tree, dict) else None
