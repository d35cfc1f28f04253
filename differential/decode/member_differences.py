"""Compares the members of a message with those that its dialect writes.

Positional members are left out.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from typing import Any, TypeAlias

import orjson

from reference_impl import exact_json
from reference_impl.errors import Rejected
from reference_impl.model import Record
from reference_impl.open_protocol.framing import unframe

__all__ = ["MemberDifference", "Path", "as_text", "member_differences", "tree_differences"]

Path: TypeAlias = tuple[str, ...]
MemberDifference: TypeAlias = tuple[Path, "str | None", "str | None"]
"""Path from `key` or `value`, expected, got; None stands for an absent member."""


def member_differences(
    written: Record | None, record: Record, positional: Collection[Path], *, always: bool = False
) -> Iterator[MemberDifference]:
    """The differences between a message and the message that its dialect writes (`written`).

    Members at the paths `positional` are not compared; with `always` each of them must be there, with a value.
    """
    parts = (
        ("key", written.key if written else None, record.key),
        ("value", written.value if written else None, record.value),
    )
    framed = _framed(written), _framed(record)
    for n, (part, expected, got) in enumerate(parts):
        if expected == got:
            continue
        trees = (framed[0][n], framed[1][n]) if framed[0] and framed[1] else (_tree(expected), _tree(got))
        if None in trees:
            yield (part,), as_text(expected), as_text(got)
            continue
        for path, written_value, value in tree_differences(trees[0], trees[1], ()):
            is_lost = always and value in (None, _ABSENT) and written_value not in (None, _ABSENT)
            if part == "key" or is_lost or not any(path[: len(p)] == p for p in positional):
                # The encoder invents the value of a positional member, so it is not shown.
                expected_text = "a value" if is_lost and path in positional else as_text(written_value)
                yield (part, *path), expected_text, as_text(value)


def _tree(data: bytes | None) -> Any:
    try:
        return exact_json.loads(data) if data else None
    except Rejected:
        return None


def _framed(record: Record | None) -> tuple[Any, Any] | None:
    """The trees of key and value of an Open Protocol message (lists if it has several rows).

    None for other formats.
    """
    try:
        pairs = unframe(record.key, record.value) if record else []
    except Rejected:
        return None
    keys, values = ([_tree(pair[n]) for pair in pairs] for n in range(2))
    if None in keys or None in values or not pairs:
        return None
    return (keys[0], values[0]) if len(pairs) == 1 else (keys, values)


_ABSENT = object()


def tree_differences(a: Any, b: Any, path: Path) -> Iterator[tuple[Path, Any, Any]]:
    """The differences of two trees: path, and the value in each."""
    if isinstance(a, dict) and isinstance(b, dict):
        for name in a | b:
            yield from tree_differences(a.get(name, _ABSENT), b.get(name, _ABSENT), (*path, name))
    elif isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        for place, (x, y) in enumerate(zip(a, b, strict=True)):
            yield from tree_differences(x, y, (*path, str(place)))
    elif a is _ABSENT or b is _ABSENT or not exact_json.same(a, b):
        yield path, a, b


def as_text(value: Any) -> str | None:
    """A value of a tree as a text; None if it is absent or null."""
    if value is None or value is _ABSENT:
        return None
    if isinstance(value, bytes):
        return value.decode("utf-8", "backslashreplace")
    if isinstance(value, str):
        return value
    try:
        return orjson.dumps(value, default=str).decode()
    except orjson.JSONEncodeError:  # an integer beyond 64 bits, or more than 254 levels
        return json.dumps(value, default=str, ensure_ascii=False)
