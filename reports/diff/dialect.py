"""The facts on a protocol by which a diff decides the harm of a difference; its caller provides them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from reports.diff.trees import Tree

__all__ = ["Dialect", "Dialects"]


@dataclass(frozen=True, slots=True)
class Dialect:
    """A protocol as a diff sees it."""

    columns_at: frozenset[str]
    """The skeletons of objects whose members are columns."""
    volatile: frozenset[str]
    """The skeletons of members that may differ between two runs of one build."""
    unordered: frozenset[str]
    """The skeletons of objects whose members come in another order where volatile members differ."""
    harm: Callable[[str, str, Tree, Tree], str]
    """(skeleton, kind of difference, left, right) → the harm to a reader; "" at an unknown path."""
    unpack: Callable[[bytes], tuple[str, bytes] | None]
    """A value that is not JSON → (kind of compression, text); None if it is not compressed."""


Dialects = Callable[[str], Dialect]
"""Protocol → the facts on it."""
