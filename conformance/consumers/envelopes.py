"""The JSON envelopes of Canal and Debezium: their dialects, and how Flink and SeaTunnel read rows in them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from conformance.consumers.json_tree import Tree, java_text
from conformance.consumers.model import Message, Refused, Row, Rule, Skipped, Values
from reference_impl.protocols import CANAL, CANAL_JSON, CONNECTOR, DEBEZIUM

__all__ = ["CANAL_FORMATS", "DEBEZIUM_FORMATS", "canal_rows", "check_filters", "debezium_rows"]

CANAL_FORMATS = (CANAL_JSON.name, CANAL.name)
DEBEZIUM_FORMATS = (DEBEZIUM.name, CONNECTOR.name)


def check_filters(envelope: Mapping[str, Tree], message: Message, *, shape: Rule, filtered: Rule) -> None:
    """Apply the option `filters`: only messages that name the job's own database and table are read.

    Raises `Skipped` by the rule `filtered`; raises `Refused` by the rule `shape` if the envelope has no such name.
    """
    if message.options.get("filters") != "true":
        return
    for member, name in (("database", "schema"), ("table", "name")):
        if member not in envelope:
            raise Refused(shape)
        if java_text(envelope[member]) != message.table.get(name):
            raise Skipped(filtered)


def canal_rows(kind: str, data: Tree, old: Tree, row: Callable[[Tree], Values], shape: Rule) -> Iterator[Row]:
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


def debezium_rows(op: object, row: Callable[[str], Values], unknown: Rule) -> Iterator[Row]:
    """The rows for an `op`; `row` reads `before` or `after`. An unknown `op` is refused by the rule `unknown`."""
    if op in ("c", "r"):
        yield "+I", row("after")
    elif op == "u":
        before, after = row("before"), row("after")
        yield "-U", before
        yield "+U", after
    elif op == "d":
        yield "-D", row("before")
    else:
        raise Refused(unknown)
