"""Text for viewers that show it as it is: nothing invisible, nothing endless, and every string is valid Unicode."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from reports.texts import cut, printable

__all__ = ["plain", "plain_tree"]

LONGEST = 2_000
"""Characters of any one text."""


def plain(text: str, longest: int = LONGEST) -> str:
    """The lines of the text, with what is invisible made visible; a text longer than `longest` is cut."""
    return printable(cut(text, longest))


def plain_tree(tree: Any) -> Any:
    """JSON in which every text and every name is plain."""
    if isinstance(tree, str):
        return plain(tree)
    if isinstance(tree, Mapping):
        return {plain(str(name)): plain_tree(part) for name, part in tree.items()}
    if isinstance(tree, list | tuple):
        return [plain_tree(part) for part in tree]
    return tree
