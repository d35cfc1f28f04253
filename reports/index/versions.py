"""The order of versions as people mean it: `1.9` before `1.10`, `2.0-rc1` before `2.0`."""

from __future__ import annotations

import re
from typing import TypeAlias

__all__ = ["VersionKey", "version_key"]

VersionKey: TypeAlias = tuple[tuple[int, int, str], ...]
_PART = re.compile(r"([0-9]+)|([A-Za-z]+)")
_BEFORE = frozenset(
    {"a", "alpha", "b", "beta", "c", "dev", "m", "milestone", "nightly", "pre", "preview", "rc", "snapshot"}
)
"""Words of versions before the release of that number."""


def version_key(text: str) -> VersionKey:
    """The sort key of a version; works for any text and any number of digits."""
    parts = [_part(found[1], found[2]) for found in _PART.finditer(text[:1].replace("v", "") + text[1:])]
    return (*parts, (0, 0, ""))


def _part(digits: str | None, word: str) -> tuple[int, int, str]:
    if digits is not None:
        shown = digits.lstrip("0")
        return 2, len(shown), shown  # longer numbers are greater
    word = word.lower()
    return (-1, 0, word) if word in _BEFORE else (1, 0, word)
