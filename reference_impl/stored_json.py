"""JSON as MySQL stores it and writes it to the binlog: a tree with its own member order and scalars.

A tree is None, a bool, an int, a `Decimal` for a double, a str, an `Opaque`, a list or a dict in stored order. The
producers print it differently.
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
    """A scalar of MySQL's JSON without a form in JSON text."""

    kind: str  # `date`, `time`, `datetime`, `dec` or `bin`
    text: str  # of `dec` its digits, of `bin` its bytes as Latin-1, else a date or a time


_TEXTS = frozenset({"date", "time", "datetime", "dec"})


def _opaque(tree: Any) -> Opaque:
    """The scalar of `["T", [kind, text]]` in a truth file.

    The text of a `bin` is a bytes literal of Python.
    """
    try:
        _, (kind, text) = tree
        if kind == "bin":
            return Opaque(kind, ast.literal_eval(text).decode("latin-1"))
        if kind in _TEXTS and isinstance(text, str):
            return Opaque(kind, text)
    except (ValueError, TypeError, SyntaxError, AttributeError):
        pass
    raise Rejected("type", f"{tree!r} is not an opaque scalar of MySQL")


def _by_length(name: str) -> tuple[int, bytes]:
    data = name.encode()
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
    """The stored tree of a JSON text: names sorted by length and bytes, the last duplicate kept.  [CJ-454]

    An object whose only member is `$opaque` is an `Opaque`.

    Raises `Rejected` (class `type`) for a text that is not JSON.
    """
    try:
        tree = exact_json.loads(text)
    except Rejected as e:
        raise Rejected("type", f"a JSON column holds a text that is not JSON: {e.message}") from None
    return _stored(tree)
