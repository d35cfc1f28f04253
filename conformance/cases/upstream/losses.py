"""The JSON values that Canal does not print as JSON."""

from __future__ import annotations

from typing import Any

from reference_impl.errors import Rejected
from reference_impl.exact_json import loads

__all__ = ["prints_as_json"]


def prints_as_json(text: str) -> bool:
    """Whether Canal prints a JSON value as JSON: it escapes no names and no NUL.  [CJ-454]"""
    try:
        tree = loads(text)
    except Rejected:
        return False
    return all(map(_is_plain, _names(tree))) and "\\u0000" not in text and "$opaque" not in text


def _is_plain(name: str) -> bool:
    return '"' not in name and "\\" not in name and name.isprintable()


def _names(tree: Any) -> list[str]:
    """The names of all members in a JSON tree."""
    if isinstance(tree, dict):
        return [name for key, part in tree.items() for name in (key, *_names(part))]
    if isinstance(tree, list):
        return [name for part in tree for name in _names(part)]
    return []
