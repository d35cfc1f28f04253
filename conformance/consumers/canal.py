"""The shared part of Flink and SeaTunnel as readers of Canal-JSON: how data and old become rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from conformance.consumers.json_tree import Tree
from conformance.consumers.model import Refused, Row, Rule

__all__ = ["changes_of"]

Values = dict[str, str | None]


def changes_of(kind: str, data: Tree, old: Tree, row: Callable[[Tree], Values], shape: Rule) -> Iterator[Row]:
    """The rows of an INSERT, UPDATE or DELETE; `row` reads one object. Raises `Refused` by the rule `shape`."""
    if not isinstance(data, list):
        raise Refused(shape)
    if kind != "UPDATE":
        for node in data:
            yield ("+I" if kind == "INSERT" else "-D"), row(node)
        return
    for i, node in enumerate(data):
        if not isinstance(old, list):
            raise Refused(shape)  # only with a row: without one the consumer does not read `old`
        after, before = row(node), row(old[i] if i < len(old) else None)
        # A column that `old` lacks did not change; a name counts as lacking only if all rows of `old` lack it.
        yield "-U", {n: after[n] if v is None and not _mentions(old, n) else v for n, v in before.items()}
        yield "+U", after


def _mentions(node: Tree, name: str) -> bool:
    if isinstance(node, dict):
        return name in node or any(_mentions(part, name) for part in node.values())
    return isinstance(node, list) and any(_mentions(part, name) for part in node)
