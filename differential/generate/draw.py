"""Random choices from a seed, equal on every machine and in every release of Python."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import TypeVar

__all__ = ["Draw"]

T = TypeVar("T")


class Draw:
    """A seeded source of choices.

    It uses only `random()`, whose results Python promises not to change.
    """

    __slots__ = ("_next",)

    def __init__(self, *seed: object) -> None:
        self._next = Random("/".join(map(str, seed))).random

    def below(self, limit: int) -> int:
        """A whole number from 0 to below `limit`, evenly; above 2**53 some numbers never come."""
        return min(int(self._next() * limit), limit - 1)

    def between(self, first: int, last: int) -> int:
        """A whole number from `first` to `last`."""
        return first + self.below(last - first + 1)

    def skewed(self, limit: int) -> int:
        """A whole number below `limit`, small ones more often: half of all are in the first quarter."""
        return min(int(self._next() ** 2 * limit), limit - 1)

    def chance(self, share: float) -> bool:
        """True with the probability `share`."""
        return self._next() < share

    def of(self, items: Sequence[T]) -> T:
        """One of the items."""
        return items[self.below(len(items))]
