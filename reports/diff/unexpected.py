"""Unexpected members, described by DeepDiff: their content, and the change of each part."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from reports.diff.trees import Number

__all__ = ["described"]

_MOST = 6


def described(left: Any, right: Any) -> list[str]:
    """The change of each part of a value, in words, at most six; both values as in a run record.

    Empty for a value without parts.
    """
    # Imported on demand: it loads for longer than most diffs take.
    from deepdiff import DeepDiff

    # A missing side counts as empty, so that each part of the other one is new or gone.
    empty: Any = [] if isinstance(right, list) or isinstance(left, list) else {}
    old, new = (empty if _is_missing(side) else _plain(side) for side in (left, right))
    options: Mapping[str, Any] = {"verbose_level": 2, "zip_ordered_iterables": True, "threshold_to_diff_deeper": 0}
    tree = DeepDiff(old, new, view="tree", **options)
    lines = sorted(
        f"{_place(path)} {_WORDS.get(kind, kind.replace('_', ' '))}"
        for kind, items in tree.items()
        for item in items
        if (path := item.path(output_format="list"))
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


def _plain(value: Any) -> Any:
    """The value without the marks of a run record: `$number` and `$text` are replaced by what they hold."""
    if isinstance(value, dict):
        if "$number" in value:
            return Number(value["$number"])
        if "$text" in value:
            return value["$text"]
        return {name: _plain(part) for name, part in value.items() if not name.startswith("$")}
    return [_plain(part) for part in value] if isinstance(value, list) else value


def _place(path: list[Any]) -> str:
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path).lstrip(".")
