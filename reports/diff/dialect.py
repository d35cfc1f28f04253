"""The facts on a protocol by which a diff decides the harm of a difference; its caller provides them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from reports.diff.trees import Tree

__all__ = ["PLAIN", "Dialect", "Dialects"]


def _harm_unknown(skeleton: str, kind: str, left: Tree, right: Tree) -> str:
    return ""


def _unpacked_never(data: bytes) -> tuple[str, bytes] | None:
    return None


@dataclass(frozen=True, slots=True)
class Dialect:
    """A protocol as a diff sees it.

    `columns_at` are the skeletons of objects whose members are columns. `volatile` are the skeletons of members that
    may differ between two runs of one build, `unordered` those of objects whose members then come in another order.
    `harm` takes skeleton, kind of difference, left and right, and returns the harm to a reader, "" at a path that the
    format does not know. `unpack` takes a value that is not JSON and returns (kind of compression, text), or None if
    it is not compressed.
    """

    columns_at: frozenset[str] = frozenset()
    volatile: frozenset[str] = frozenset()
    unordered: frozenset[str] = frozenset()
    harm: Callable[[str, str, Tree, Tree], str] = _harm_unknown
    unpack: Callable[[bytes], tuple[str, bytes] | None] = _unpacked_never


PLAIN = Dialect()
"""An unknown protocol."""

Dialects = Callable[[str], Dialect]
"""Protocol → the facts on it."""
