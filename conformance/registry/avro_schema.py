"""Avro schemas as a registry reads them: parsed, with every name resolved; anything else is refused.

Only the parts that matter for validity and resolution are kept. Unknown attributes are ignored, and so are the values
of defaults, which a registry checks only if configured to. This module codes no data.  [AV-038]
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from reference_impl import exact_json
from reference_impl.errors import Rejected

__all__ = ["PRIMITIVES", "Field", "InvalidSchema", "Node", "parse_schema"]

PRIMITIVES = frozenset({"null", "boolean", "int", "long", "float", "double", "bytes", "string"})
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
_ORDERS = ("ascending", "descending", "ignore")
_DEEPEST = 100
"""The limit of nesting in a schema, which protects the stack."""


class InvalidSchema(Exception):
    """A text that is not an Avro schema; the message says what is wrong, and where."""


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a record. `aliases` are further names under which a reader looks for it."""

    name: str
    type: Node
    has_default: bool
    aliases: tuple[str, ...] = ()


@dataclass(slots=True, eq=False)
class Node:
    """A type. `kind` decides which of the other members have a meaning."""

    kind: str
    """A primitive type, `record`, `enum`, `fixed`, `array`, `map` or `union`."""
    name: str = ""
    """The full name of a record, enum or fixed."""
    aliases: tuple[str, ...] = ()
    """Full names, too."""
    fields: tuple[Field, ...] = ()
    """The fields of a record, whose types may contain the record itself."""
    symbols: tuple[str, ...] = ()
    """The symbols of an enum."""
    has_default: bool = False
    """Whether an enum has a default symbol."""
    size: int = 0
    """Bytes of a fixed."""
    items: Node | None = None
    """The type of an array's elements, or of a map's values."""
    branches: tuple[Node, ...] = ()
    """The types of a union."""

    @property
    def short_name(self) -> str:
        """The name without its namespace: what resolution compares."""
        return self.name.rpartition(".")[2]


def parse_schema(text: str) -> Node:
    """The schema of a JSON text; the last of two equal members counts, as in a real registry.

    Raises `InvalidSchema`.
    """
    try:
        tree = exact_json.loads(text)
    except Rejected as e:
        raise InvalidSchema(e.message) from None
    return _Parser().node(tree, "", "", 0)


class _Parser:
    """Reads one schema. It remembers the named types so far, by full name."""

    def __init__(self) -> None:
        self._named: dict[str, Node] = {}

    def node(self, tree: Any, space: str, at: str, depth: int) -> Node:
        """The type in `tree`, which stands at the JSON pointer `at` inside the namespace `space`."""
        if depth > _DEEPEST:
            raise InvalidSchema(f"nested more than {_DEEPEST} levels deep")
        if isinstance(tree, str):
            return self._reference(tree, space, at)
        if isinstance(tree, list):
            return self._union(tree, space, at, depth)
        if not isinstance(tree, dict):
            raise _invalid(at, "a type is a name, an object or a list")
        kind = _text(tree, "type", at)
        if kind in _COMPLEX:
            return _COMPLEX[kind](self, tree, space, at, depth)
        return self._reference(kind, space, at)

    def _reference(self, name: str, space: str, at: str) -> Node:
        if name in PRIMITIVES:
            return Node(name)
        known = self._named.get(_full_name(name, space)) or self._named.get(name)
        if known is None:
            raise _invalid(at, f"there is no type {name!r}")
        return known

    def _union(self, tree: list[Any], space: str, at: str, depth: int) -> Node:
        branches = tuple(self.node(branch, space, f"{at}/{i}", depth + 1) for i, branch in enumerate(tree))
        seen: set[str] = set()
        for branch in branches:
            if branch.kind == "union":
                raise _invalid(at, "a union directly within a union")
            identity = branch.name or branch.kind
            if identity in seen:
                raise _invalid(at, f"the union has {identity!r} twice")
            seen.add(identity)
        return Node("union", branches=branches)

    def _declare(self, kind: str, tree: Mapping[str, Any], space: str, at: str) -> tuple[Node, str]:
        """A new record, enum or fixed, and the namespace of the types within it."""
        name = _text(tree, "name", at)
        namespace = _text(tree, "namespace", at, space)
        full = _full_name(name, namespace)
        if not all(_NAME.match(part) for part in full.split(".")):
            raise _invalid(at, f"{full!r} is not a name")
        if full in PRIMITIVES or full in self._named:
            raise _invalid(at, f"{full!r} is defined twice")
        inner = full.rpartition(".")[0]
        node = Node(kind, full, tuple(_full_name(alias, inner) for alias in _names(tree, "aliases", at)))
        self._named[full] = node
        return node, inner

    def _record(self, tree: Mapping[str, Any], space: str, at: str, depth: int) -> Node:
        node, inner = self._declare("record", tree, space, at)
        fields = tree.get("fields")
        if not isinstance(fields, list):
            raise _invalid(at, "a record without a list of fields")
        node.fields = tuple(self._field(field, inner, f"{at}/fields/{i}", depth) for i, field in enumerate(fields))
        seen: set[str] = set()
        for field in node.fields:
            if field.name in seen:
                raise _invalid(at, f"the record has field {field.name!r} twice")
            seen.add(field.name)
        return node

    def _field(self, tree: Any, space: str, at: str, depth: int) -> Field:
        if not isinstance(tree, dict):
            raise _invalid(at, "a field is an object")
        name = _text(tree, "name", at)
        if not _NAME.match(name):
            raise _invalid(at, f"{name!r} is not a name")
        if "type" not in tree:
            raise _invalid(at, f"the field {name!r} has no type")
        if _text(tree, "order", at, "ascending") not in _ORDERS:
            raise _invalid(at, f"order is one of {', '.join(_ORDERS)}")
        node = self.node(tree["type"], space, f"{at}/type", depth + 1)
        return Field(name, node, "default" in tree, tuple(_names(tree, "aliases", at)))

    def _enum(self, tree: Mapping[str, Any], space: str, at: str, depth: int) -> Node:
        node, _ = self._declare("enum", tree, space, at)
        symbols = _names(tree, "symbols", at, required=True)
        if any(not _NAME.match(symbol) for symbol in symbols) or len(set(symbols)) != len(symbols):
            raise _invalid(at, "symbols are names, and no two are equal")
        if "default" in tree and tree["default"] not in symbols:
            raise _invalid(at, "the default is not a symbol of the enum")
        node.symbols, node.has_default = tuple(symbols), "default" in tree
        return node

    def _fixed(self, tree: Mapping[str, Any], space: str, at: str, depth: int) -> Node:
        node, _ = self._declare("fixed", tree, space, at)
        size = tree.get("size")
        if not isinstance(size, int) or isinstance(size, bool) or size < 0:
            raise _invalid(at, "a fixed has a size of bytes")
        node.size = size
        return node

    def _container(self, tree: Mapping[str, Any], space: str, at: str, depth: int) -> Node:
        kind = tree["type"]
        member = "items" if kind == "array" else "values"
        if member not in tree:
            raise _invalid(at, f"the {kind} has no {member}")
        return Node(kind, items=self.node(tree[member], space, f"{at}/{member}", depth + 1))


_COMPLEX: Mapping[str, Callable[[_Parser, Mapping[str, Any], str, str, int], Node]] = {
    "record": _Parser._record,
    "error": _Parser._record,
    "enum": _Parser._enum,
    "fixed": _Parser._fixed,
    "array": _Parser._container,
    "map": _Parser._container,
}


def _full_name(name: str, space: str) -> str:
    return name if "." in name or not space else f"{space}.{name}"


def _invalid(at: str, problem: str) -> InvalidSchema:
    """The error for a problem at a JSON pointer."""
    return InvalidSchema(f"{at or 'the schema'}: {problem}")


def _text(tree: Mapping[str, Any], member: str, at: str, default: str | None = None) -> str:
    value = tree.get(member, default)
    if not isinstance(value, str):
        raise _invalid(at, f"{member} is {'missing' if member not in tree else 'not a text'}")
    return value


def _names(tree: Mapping[str, Any], member: str, at: str, *, required: bool = False) -> list[str]:
    values = tree.get(member, None if required else [])
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise _invalid(at, f"{member} is not a list of names")
    return values
