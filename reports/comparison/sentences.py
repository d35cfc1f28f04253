"""Sentences on a pair beside its differences: equal changes, other spellings, statements, types, what is left out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

__all__ = ["number_of", "rate_text", "sentences"]


def number_of(count: int, noun: str) -> str:
    """`1 change`, `1830 changes`."""
    return f"{count} {noun}{'' if count == 1 else 's'}"


def rate_text(table: Mapping[str, Any]) -> str:
    """The share of a table's changes that are alike, below 100 % unless all are."""
    percent = f"{100 * table['match_rate']:.4g}"
    return "99.99 %" if percent == "100" and table["match_rate"] < 1 else f"{percent} %"


def sentences(pair: Mapping[str, Any]) -> list[str]:
    """The applicable sentences, without capital and full stop."""
    return [text for text in (_written(pair), _statements(pair), _not_compared(pair), _types(pair)) if text]


def _written(pair: Mapping[str, Any]) -> str:
    names: Counter[str] = Counter()
    for one in pair["written_otherwise"]:
        names[one["divergence"]] += one["count"]
    return f"the same, in another form: {_counted(names)}" if names else ""


def _counted(names: Counter[str]) -> str:
    return ", ".join(f"{count} {name}" for name, count in names.most_common())


def _statements(pair: Mapping[str, Any]) -> str:
    counts = pair["statements"]
    if counts["silent"]:
        return f"statements: not compared, {counts['silent']} writes none"
    if not counts["left"] and not counts["right"]:
        return ""
    reworded = f", {counts['written_otherwise']} of them in other words" if counts["written_otherwise"] else ""
    return f"statements: {counts['left']} and {counts['right']}, {counts['alike']} alike{reworded}"


def _not_compared(pair: Mapping[str, Any]) -> str:
    parts = (
        f"{one['count']} {one['what']} of {one['side']}" + (f" ({one['divergence']})" if one["divergence"] else "")
        for one in pair["not_compared"]
    )
    text = ", ".join(parts)
    return f"not compared: {text}" if text else ""


def _types(pair: Mapping[str, Any]) -> str:
    types = pair["type_names"]
    if not types["compared"]:
        return f"types of columns: not compared, {types['why']}"
    if not types["equal"] and not types["differ"]:
        return ""
    names = Counter(name for one in types["differ"] for name in one["divergences"] or ["unexplained"])
    columns = {(one["schema"], one["table"], one["column"]) for one in types["differ"]}
    return f"types of columns: {types['equal']} alike" + (
        f", {len(columns)} not ({_counted(names)})" if columns else ""
    )
