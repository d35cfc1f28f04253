"""The messages of every JSON dialect as trees, and their rows: where a corruption finds what it changes."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from reference_impl.model import Record

__all__ = [
    "BINARY",
    "Cells",
    "Tree",
    "images_of",
    "is_row",
    "is_statement",
    "opened",
    "payload_of",
    "rows_of",
    "shut",
    "table_of",
]

Tree = Any
Cells = dict[str, Any]
BINARY = frozenset({"avro"})
_VERSION = (1).to_bytes(8, "big")


def _framed(tree: Tree) -> bytes:
    data = _text(tree)
    return len(data).to_bytes(8, "big") + data


def _text(tree: Tree) -> bytes:
    text = json.dumps(tree, ensure_ascii=False, separators=(",", ":"))
    return re.sub(r'"\\u0001([^"]*)"', r"\1", text).encode("utf-8", "surrogatepass")


def opened(dialect: str, record: Record) -> tuple[Tree, Tree] | None:
    """Key and value as trees, None for what has no tree. Numbers with a fraction lose no digit."""
    if dialect in BINARY or not record.value:
        return None
    if dialect == "open-protocol":
        key = record.key or b""
        if not record.value[8:].startswith(b"{"):
            return None
        return json.loads(key[16:]), json.loads(record.value[8:], parse_float=_kept)
    key = record.key
    return (json.loads(key) if key else None), json.loads(record.value, parse_float=_kept)


_RAW = "\x01"


def _kept(text: str) -> str:
    """A number with a fraction as a text that is written again with the same digits, and no quotes."""
    return f"{_RAW}{text}"


def shut(dialect: str, record: Record, trees: tuple[Tree, Tree]) -> Record:
    """The record with other trees."""
    key, value = trees
    if dialect == "open-protocol":
        return replace(record, key=_VERSION + _framed(key), value=_framed(value))
    return replace(record, key=None if key is None else _text(key), value=_text(value))


def payload_of(value: Tree) -> Tree:
    """What a message says, without the schema around it."""
    return value.get("payload", value)


def is_statement(dialect: str, trees: tuple[Tree, Tree]) -> bool:
    """Whether it is a message of a DDL statement."""
    _key, value = trees
    if dialect == "open-protocol":
        return "q" in value
    told = payload_of(value)
    return bool(told.get("isDdl")) or "ddl" in told


def is_row(dialect: str, trees: tuple[Tree, Tree]) -> bool:
    """Whether it is a message of rows."""
    return any(True for _ in rows_of(dialect, trees[1])) and not is_statement(dialect, trees)


@dataclass(frozen=True, slots=True)
class Image:
    """An image of a row in a message: `name` is `before` or `after`."""

    name: str
    cells: Cells


def rows_of(dialect: str, value: Tree) -> Iterator[Image]:
    """The images in a message."""
    if dialect == "open-protocol":
        for name, member in (("after", "u"), ("before", "d"), ("before", "p")):
            if isinstance(value.get(member), dict):
                yield Image(name, value[member])
        return
    told = payload_of(value)
    if dialect in ("canal", "canal-json"):
        deleted = told.get("type") == "DELETE"
        for row in told.get("data") or ():
            yield Image("before" if deleted else "after", row)
        for row in told.get("old") or ():
            yield Image("before", row)
        return
    for name in ("before", "after"):
        if isinstance(told.get(name), dict):
            yield Image(name, told[name])


def images_of(dialect: str, record: Record) -> dict[str, Cells]:
    """The columns of the images of a message by `before` and `after`, of several the last."""
    trees = opened(dialect, record)
    return {} if trees is None else {image.name: image.cells for image in rows_of(dialect, trees[1])}


def table_of(dialect: str, trees: tuple[Tree, Tree]) -> str:
    """The table that a message names."""
    key, value = trees
    if dialect == "open-protocol":
        return str(key.get("tbl"))
    told = payload_of(value)
    return str(told.get("table") or told.get("source", {}).get("table"))
