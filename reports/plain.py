"""Text for viewers that show it unchanged: visible, of limited length, and valid Unicode."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from reports.texts import cut, printable

__all__ = ["plain", "plain_tree"]

LONGEST = 2_000
"""The most characters of a text."""


def plain(text: str, longest: int = LONGEST) -> str:
    """The lines of the text, with invisible characters made visible; longer than `longest` is cut."""
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
