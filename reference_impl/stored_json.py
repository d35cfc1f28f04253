"""JSON as MySQL stores it and writes it to the binlog: not a text but a tree, with its own order and its own scalars.

A tree is None, a bool, an int, a `Decimal` for a double, a str, an `Opaque`, a list or a dict in stored order. How a
producer prints one is its own business.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, TypeAlias

from reference_impl import exact_json
from reference_impl.errors import Rejected

__all__ = ["Node", "Opaque", "stored_tree"]

Node: TypeAlias = Any

_OPAQUE = "$opaque"
_INTEGERS = range(-(2**63), 2**64)


@dataclass(frozen=True, slots=True)
class Opaque:
    """A scalar that JSON has no form for. `kind` is `date`, `time`, `datetime`, `dec` or `bin`.

    `text` is its text: digits with their fraction, a date, a time; of `bin` its bytes, one character each.
    """

    kind: str
    text: str


_TEXTS = frozenset({"date", "time", "datetime", "dec"})


def _opaque(given: Any) -> Opaque:
    """What stands in a truth for such a scalar: `["T", [kind, text]]`, the text of `bin` a literal of bytes."""
    try:
        _, (kind, text) = given
        if kind == "bin":
            return Opaque(kind, ast.literal_eval(text).decode("latin-1"))
        if kind in _TEXTS and isinstance(text, str):
            return Opaque(kind, text)
    except (ValueError, TypeError, SyntaxError, AttributeError):
        pass
    raise Rejected("type", f"{given!r} is no scalar that JSON has no form for")


def _by_length(name: str) -> tuple[int, bytes]:
    data = name.encode("utf-8", "surrogatepass")
    return len(data), data


def _stored(tree: exact_json.Tree) -> Node:
    if isinstance(tree, list):
        return [_stored(item) for item in tree]
    if isinstance(tree, dict):
        if tree.keys() == {_OPAQUE}:
            return _opaque(tree[_OPAQUE])
        return {name: _stored(tree[name]) for name in sorted(tree, key=_by_length)}
    if isinstance(tree, int) and not isinstance(tree, bool) and tree not in _INTEGERS:
        return Decimal(tree)
    return tree


def stored_tree(text: str) -> Node:
    """The tree that a JSON text becomes: names by length and then by bytes, the last of doubled ones.  [CJ-454]

    An object whose only member is `$opaque` is an `Opaque`. Raises `Rejected` (class `type`) for what is not JSON.
    """
    try:
        tree = exact_json.loads(text)
    except Rejected as e:
        raise Rejected("type", f"a JSON column holds a text that is not JSON: {e.message}") from None
    return _stored(tree)
