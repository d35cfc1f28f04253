"""Whether a schema may follow others under a subject: Avro's resolution rules, and the levels built on them.

`problems` checks whether one schema can read all that another wrote; `incompatibilities` decides which of a subject's
schemas to check, and in which direction. Logical types, documentation and unknown attributes do not count: resolution
looks at the types beneath.  [AV-190]
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum

from conformance.registry.avro_schema import Field, Node

__all__ = ["PROMOTIONS", "Level", "incompatibilities", "problems"]

PROMOTIONS: Mapping[str, frozenset[str]] = {
    "long": frozenset({"int"}),
    "float": frozenset({"int", "long"}),
    "double": frozenset({"int", "long", "float"}),
    "string": frozenset({"bytes"}),
    "bytes": frozenset({"string"}),
}
"""The types that a reader's primitive type accepts besides itself."""


class Level(StrEnum):
    """The compatibility that a subject demands of its next schema.

    BACKWARD: it must read data of the old schemas. FORWARD: they must read its data. FULL: both. TRANSITIVE: all old
    schemas count, not only the latest.
    """

    NONE = "NONE"
    BACKWARD = "BACKWARD"
    BACKWARD_TRANSITIVE = "BACKWARD_TRANSITIVE"
    FORWARD = "FORWARD"
    FORWARD_TRANSITIVE = "FORWARD_TRANSITIVE"
    FULL = "FULL"
    FULL_TRANSITIVE = "FULL_TRANSITIVE"


def incompatibilities(level: Level, new: Node, older: Sequence[Node]) -> list[str]:
    """Why `new` may not follow `older`, which is in the order of versions; empty if it may."""
    compared = older if level.endswith("TRANSITIVE") else older[-1:]
    found: list[str] = []
    for old in reversed(compared):
        if level.startswith(("BACKWARD", "FULL")):
            found += [f"the new schema cannot read what the old one wrote: {p}" for p in problems(new, old)]
        if level.startswith(("FORWARD", "FULL")):
            found += [f"the old schema cannot read what the new one writes: {p}" for p in problems(old, new)]
    return list(dict.fromkeys(found))


def problems(reader: Node, writer: Node) -> list[str]:
    """Why `reader` cannot read everything that is written with `writer`; empty if it can."""
    return _Resolution().problems(reader, writer, "")


_DEEPEST = 100
"""The limit of types within types, which protects the stack: names can chain records that do not nest in the text."""


class _Resolution:
    """One comparison. A pair already under comparison counts as readable, so that recursive types end.

    Every problem of a pair is listed once, even if records share the type and contain it in many places.
    """

    def __init__(self) -> None:
        self._known: dict[tuple[int, int], list[str]] = {}
        self._depth = 0

    def problems(self, reader: Node, writer: Node, at: str) -> list[str]:
        """The problems of a pair of types at a path of field names."""
        pair = id(reader), id(writer)
        if pair not in self._known:
            self._known[pair] = []
            if self._depth > _DEEPEST:
                self._known[pair] = [f"the types nest more than {_DEEPEST} levels deep"]
                return self._known[pair]
            self._depth += 1
            self._known[pair] = list(dict.fromkeys(self._compared(reader, writer, at)))
            self._depth -= 1
        return self._known[pair]

    def _compared(self, reader: Node, writer: Node, at: str) -> list[str]:
        if writer.kind == "union":
            return [problem for branch in writer.branches for problem in self.problems(reader, branch, at)]
        if reader.kind == "union":
            if any(not self.problems(branch, writer, at) for branch in reader.branches):
                return []
            return [f"{_place(at)}: no branch of the reader's union reads {_called(writer)}"]
        if reader.kind != writer.kind:
            if writer.kind in PROMOTIONS.get(reader.kind, ()):
                return []
            return [f"{_place(at)}: {_called(reader)} does not read {_called(writer)}"]
        if reader.name and reader.short_name != writer.short_name and writer.name not in reader.aliases:
            return [f"{_place(at)}: {_called(reader)} does not read {_called(writer)}"]
        if reader.kind == "record":
            return self._fields(reader, writer, at)
        if reader.kind == "enum" and not reader.has_default:
            unread = [symbol for symbol in writer.symbols if symbol not in reader.symbols]
            return [f"{_place(at)}: the reader's enum has no {', '.join(unread)}"] if unread else []
        if reader.kind == "fixed" and reader.size != writer.size:
            return [f"{_place(at)}: {reader.size} bytes do not read {writer.size}"]
        if reader.items is not None and writer.items is not None:
            return self.problems(reader.items, writer.items, f"{at}[]")
        return []

    def _fields(self, reader: Node, writer: Node, at: str) -> list[str]:
        written = {field.name: field for field in writer.fields}
        found: list[str] = []
        for field in reader.fields:
            place = f"{at}.{field.name}" if at else field.name
            source = _source(field, written)
            if source is not None:
                found += self.problems(field.type, source.type, place)
            elif not field.has_default:
                found.append(f"{place}: was not written, and the reader has no default for it")
        return found


def _source(field: Field, written: Mapping[str, Field]) -> Field | None:
    """The writer's field that gives a reader's field its value."""
    return next((written[name] for name in (field.name, *field.aliases) if name in written), None)


def _place(at: str) -> str:
    return at or "the whole"


def _called(node: Node) -> str:
    return f"{node.kind} {node.name}" if node.name else node.kind
