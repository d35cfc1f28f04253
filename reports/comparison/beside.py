"""In a sentence each, what a comparison tells of a pair beside the differences: other words for the same, statements,
messages not compared, types.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

__all__ = ["beside"]


def beside(pair: Mapping[str, Any]) -> list[str]:
    """The sentences that there is something to say in, without capital and full stop."""
    return [told for told in (_written(pair), _statements(pair), _not_compared(pair), _types(pair)) if told]


def _written(pair: Mapping[str, Any]) -> str:
    names: Counter[str] = Counter()
    for one in pair["written_otherwise"]:
        names[one["divergence"]] += one["count"]
    return f"the same, written otherwise: {_counted(names)}" if names else ""


def _counted(names: Counter[str]) -> str:
    return ", ".join(f"{count} {name}" for name, count in names.most_common())


def _statements(pair: Mapping[str, Any]) -> str:
    told = pair["statements"]
    if told["silent"]:
        return f"statements: not compared, {told['silent']} writes none"
    if not told["left"] and not told["right"]:
        return ""
    reworded = f", {told['written_otherwise']} of them in other words" if told["written_otherwise"] else ""
    return f"statements: {told['left']} and {told['right']}, {told['alike']} alike{reworded}"


def _not_compared(pair: Mapping[str, Any]) -> str:
    told = (
        f"{one['count']} {one['what']} of {one['side']}" + (f" ({one['divergence']})" if one["divergence"] else "")
        for one in pair["not_compared"]
    )
    text = ", ".join(told)
    return f"not compared: {text}" if text else ""


def _types(pair: Mapping[str, Any]) -> str:
    told = pair["type_names"]
    if not told["compared"]:
        return f"types of columns: not compared, {told['why']}"
    if not told["equal"] and not told["differ"]:
        return ""
    names = Counter(name for one in told["differ"] for name in one["divergences"] or ["without a name"])
    columns = {(one["schema"], one["table"], one["column"]) for one in told["differ"]}
    return f"types of columns: {told['equal']} alike" + (f", {len(columns)} not ({_counted(names)})" if columns else "")
