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
"""Path from `key` or `value`, expected text, got text; None stands for an absent or null member."""


def member_differences(
    written: Record | None, record: Record, positional: Collection[Path], *, always: bool = False
) -> Iterator[MemberDifference]:
    """The differences between a message and `written`, the message that its dialect writes.

    In the value, members at or below the paths `positional` are not compared; with `always` they must have a value if
    the written ones have.
    """
    parts = (
        ("key", written.key if written else None, record.key),
        ("value", written.value if written else None, record.value),
    )
    expected_trees, got_trees = _framed(written), _framed(record)
    for part, expected, got in parts:
        if expected == got:
            continue
        if expected_trees and got_trees:
            expected_tree, got_tree = expected_trees[part], got_trees[part]
        else:
            expected_tree, got_tree = _tree(expected), _tree(got)
        if expected_tree is None or got_tree is None:
            yield (part,), as_text(expected), as_text(got)
            continue
        for path, expected_value, value in tree_differences(expected_tree, got_tree, ()):
            is_lost = always and value in (None, _ABSENT) and expected_value not in (None, _ABSENT)
            if part == "key" or is_lost or not any(path[: len(p)] == p for p in positional):
                # The encoder invents the value of a positional member, so it is not shown.
                expected_text = "a value" if is_lost and path in positional else as_text(expected_value)
                yield (part, *path), expected_text, as_text(value)


def _tree(data: bytes | None) -> Any:
    try:
        return exact_json.loads(data) if data else None
    except Rejected:
        return None


def _framed(record: Record | None) -> dict[str, Any] | None:
    """The trees of the `key` and `value` of an Open Protocol message, lists if it has several rows.

    None for other formats.
    """
    try:
        pairs = unframe(record.key, record.value) if record else []
    except Rejected:
        return None
    keys, values = [_tree(key) for key, _ in pairs], [_tree(value) for _, value in pairs]
    if None in keys or None in values or not pairs:
        return None
    is_one_row = len(pairs) == 1
    return {"key": keys[0] if is_one_row else keys, "value": values[0] if is_one_row else values}


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
