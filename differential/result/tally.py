"""Sums up differences one by one, in any order; it holds only the examples that are shown."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from differential.model import Difference, Place

__all__ = ["Tally", "order_of"]

EXAMPLES = 3

_FIRST = Place()
_Cell: TypeAlias = tuple[str, str, str, str, str, str, str]  # pair, schema, table, column, class, status, divergence


def order_of(difference: Difference) -> tuple[Any, ...]:
    """The sort key of a difference: pair, table, key, place; the same in every run."""
    d = difference
    return (d.pair, d.schema, d.table, d.key, d.left or _FIRST, d.right or _FIRST, d.kind, d.column)


@dataclass(slots=True)
class Tally:
    """Sums of differences by pair, table, column, class and divergence, with examples."""

    cells: Counter[_Cell] = field(default_factory=Counter)
    examples: dict[_Cell, list[Difference]] = field(default_factory=dict)
    left_out: int = 0

    def add(self, d: Difference) -> None:
        """Count a difference."""
        cell = (d.pair, d.schema, d.table, d.column, d.kind.value, d.status.value, d.divergence or "")
        self.cells[cell] += 1
        kept = self.examples.setdefault(cell, [])
        if len(kept) < EXAMPLES or order_of(d) < order_of(kept[-1]):
            kept.append(d)
            kept.sort(key=order_of)
            del kept[EXAMPLES:]

    def by(self, pair: str, place: int) -> dict[str, int]:
        """The number of a pair's differences by one member of the cell; empty members are left out."""
        counts: Counter[str] = Counter()
        for cell, count in self.cells.items():
            if cell[0] == pair and cell[place]:
                counts[cell[place]] += count
        return dict(sorted(counts.items()))
