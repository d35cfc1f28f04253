"""A tree that can be changed at one path and written again: JSON inside bytes inside JSON.

An answer is plain JSON, with keys and values in base64. In an opened answer such bytes are a `Document`: their content,
and the function that writes it. Only a changed document is written again.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final, TypeAlias

__all__ = [
    "INSIDE",
    "Document",
    "FrameNumber",
    "Pairs",
    "Path",
    "Raw",
    "dumped",
    "is_json",
    "json_bytes",
    "plain",
    "replaced",
]

INSIDE: Final = ...
"""The step of a path from a document to its content."""

Path: TypeAlias = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Document:
    """Bytes of an answer, with their decoded content."""

    tree: Any
    """The decoded content; None for bytes that cannot be decoded."""
    write: Callable[[Any], bytes]
    """Turns `tree` into bytes."""
    original: bytes | None
    """The original bytes; None if the tree was changed."""
    is_text: bool = False
    """Whether the answer holds the bytes as text, not as base64."""

    @property
    def written(self) -> bytes:
        """The bytes, original or written from the tree."""
        return self.write(self.tree) if self.original is None else self.original


class Raw(str):
    """A part of a JSON document that is written as it is spelled here."""


class Pairs(list[tuple[str, Any]]):
    """The members of a JSON object, in which a name may occur twice."""


@dataclass(frozen=True, slots=True)
class FrameNumber:
    """An unsigned number in a binary frame, as its bytes."""

    data: bytes

    @property
    def number(self) -> int:
        """The value of the bytes, read as big-endian."""
        return int.from_bytes(self.data, "big")


def json_bytes(tree: Any) -> bytes:
    """A tree as compact JSON."""
    return dumped(tree).encode("utf-8", "surrogatepass")


def is_json(document: Document) -> bool:
    """Whether the document is JSON, whose spelling can be changed."""
    return document.write is json_bytes


_leaf = json.JSONEncoder(ensure_ascii=False).encode


def dumped(tree: Any, space: str = "") -> str:
    """The JSON of a tree with exact numbers, compact, or with `space` between its parts."""
    if isinstance(tree, Raw):
        return str(tree)
    if isinstance(tree, Document):
        return _leaf(_text(tree))
    if isinstance(tree, Pairs | dict):
        pairs = tree.items() if isinstance(tree, dict) else tree
        return "{" + f",{space}".join([f"{_leaf(k)}:{space}{dumped(v, space)}" for k, v in pairs]) + "}"
    if isinstance(tree, list | tuple):
        return "[" + f",{space}".join([dumped(v, space) for v in tree]) + "]"
    return str(tree) if isinstance(tree, Decimal) else _leaf(tree)


def _text(document: Document) -> str:
    data = document.written
    return data.decode("utf-8", "replace") if document.is_text else base64.b64encode(data).decode("ascii")


def plain(tree: Any) -> Any:
    """An opened answer as plain JSON, as an implementation writes it."""
    if isinstance(tree, Document):
        return _text(tree)
    if isinstance(tree, dict):
        return {name: plain(part) for name, part in tree.items()}
    return [plain(part) for part in tree] if isinstance(tree, list) else tree


def replaced(tree: Any, path: Path, value: Any) -> Any:
    """A copy of the tree with another value at a path; it shares the other parts with the tree."""
    if not path:
        return value
    step, rest = path[0], path[1:]
    if step is INSIDE:
        return Document(replaced(tree.tree, rest, value), tree.write, None, tree.is_text)
    if isinstance(tree, Mapping):
        return {name: replaced(part, rest, value) if name == step else part for name, part in tree.items()}
    return [replaced(part, rest, value) if n == step else part for n, part in enumerate(tree)]
