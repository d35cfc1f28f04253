"""Where a message is not what its dialect writes, by member; those of the producer's own place are left out."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from typing import Any, TypeAlias

import orjson

from reference_impl import exact_json
from reference_impl.errors import Rejected
from reference_impl.model import Record

__all__ = ["Path", "Unlike", "unlike"]

Path: TypeAlias = tuple[str, ...]
Unlike: TypeAlias = tuple[Path, "str | None", "str | None"]
"""Path from `key` or `value`, what was expected, what is there."""


def unlike(written: Record | None, record: Record, positional: Collection[Path]) -> Iterator[Unlike]:
    """Where a message is not what was written for it: path from `key` or `value`, expected, got."""
    parts = (
        ("key", written.key if written else None, record.key),
        ("value", written.value if written else None, record.value),
    )
    for part, expected, got in parts:
        if expected == got:
            continue
        trees = _tree(expected), _tree(got)
        if None in trees:
            yield (part,), _shown(expected), _shown(got)
            continue
        for path, want, have in _walk(trees[0], trees[1], ()):
            if part == "key" or not any(path[: len(p)] == p for p in positional):
                yield (part, *path), _shown(want), _shown(have)


def _tree(data: bytes | None) -> Any:
    try:
        return exact_json.loads(data) if data else None
    except Rejected:
        return None


_ABSENT = object()


def _walk(a: Any, b: Any, path: Path) -> Iterator[tuple[Path, Any, Any]]:
    if isinstance(a, dict) and isinstance(b, dict):
        for name in a | b:
            yield from _walk(a.get(name, _ABSENT), b.get(name, _ABSENT), (*path, name))
    elif isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        for place, (x, y) in enumerate(zip(a, b, strict=True)):
            yield from _walk(x, y, (*path, str(place)))
    elif a is _ABSENT or b is _ABSENT or not exact_json.same(a, b):
        yield path, a, b


def _shown(value: Any) -> str | None:
    if value is None or value is _ABSENT:
        return None
    if isinstance(value, bytes):
        return value.decode("utf-8", "backslashreplace")
    if isinstance(value, str):
        return value
    try:
        return orjson.dumps(value, default=str).decode()
    except orjson.JSONEncodeError:  # integers of more than 64 bits, or more than 254 depths
        return json.dumps(value, default=str, ensure_ascii=False)
