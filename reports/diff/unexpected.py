"""Unexpected members, described by DeepDiff: their content, and the change of each part."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["described"]

_MOST = 6


def described(left: Any, right: Any) -> list[str]:
    """The change of each part of a value, in words, at most six; both values as in a run record."""
    # Imported on demand: it loads for longer than most diffs take.
    from deepdiff import DeepDiff

    empty: Any = [] if isinstance(right, list) or isinstance(left, list) else {}
    sides = [empty if _is_missing(side) else side for side in (left, right)]
    how: Mapping[str, Any] = {"verbose_level": 2, "zip_ordered_iterables": True, "threshold_to_diff_deeper": 0}
    tree = DeepDiff(sides[0], sides[1], view="tree", **how)
    lines = sorted(
        f"{_place(item.path(output_format='list'))}{_WORDS.get(kind, kind.replace('_', ' '))}"
        for kind, items in tree.items()
        for item in items
    )
    return [*lines[:_MOST], *([f"and {len(lines) - _MOST} more"] if len(lines) > _MOST else [])]


_WORDS: Mapping[str, str] = {
    "dictionary_item_added": "is new",
    "dictionary_item_removed": "is gone",
    "iterable_item_added": "is new",
    "iterable_item_removed": "is gone",
    "type_changes": "has another type",
    "values_changed": "has another value",
}


def _is_missing(value: Any) -> bool:
    return isinstance(value, dict) and "$missing" in value


def _place(path: list[Any]) -> str:
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path).lstrip(".") + " "
