"""Which JSON values Canal loses: cases must know that."""

from __future__ import annotations

from typing import Any

from reference_impl.errors import Rejected
from reference_impl.exact_json import loads

__all__ = ["prints_as_json"]


def prints_as_json(text: str) -> bool:
    """Whether Canal prints a JSON value as JSON: it escapes no names, and prints scalars in its own way.  [CJ-454]"""
    try:
        return all(_is_plain(name) for name in _names(loads(text))) and "\\u0000" not in text and "$opaque" not in text
    except Rejected:
        return False


def _is_plain(name: str) -> bool:
    return not any(c in name for c in '"\\') and name.isprintable()


def _names(tree: Any) -> list[str]:
    if isinstance(tree, dict):
        return [name for key, part in tree.items() for name in (key, *_names(part))]
    return [name for part in tree for name in _names(part)] if isinstance(tree, list) else []
