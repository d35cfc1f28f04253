"""Sums up differences one by one, in any order; it holds only the examples that are shown."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from differential.model import Difference, Place

__all__ = ["Tally", "TallyCell", "order_of"]

EXAMPLES = 3

_FIRST = Place()


class TallyCell(NamedTuple):
    """What the differences of a cell have in common."""

    pair: str
    schema: str
    table: str
    column: str
    kind: str  # a `Class`
    status: str
    divergence: str  # "" without one


def order_of(difference: Difference) -> tuple[Any, ...]:
    """The sort key of a difference: pair, table, key, place; the same in every run."""
    d = difference
    return (d.pair, d.schema, d.table, d.key, d.left or _FIRST, d.right or _FIRST, d.kind, d.column)


@dataclass(slots=True)
class Tally:
    """Sums of differences by pair, table, column, class and divergence, with examples."""

    cells: Counter[TallyCell] = field(default_factory=Counter)
    examples: dict[TallyCell, list[Difference]] = field(default_factory=dict)
    left_out: int = 0

    def add(self, d: Difference) -> None:
        """Count a difference."""
        cell = TallyCell(d.pair, d.schema, d.table, d.column, d.kind.value, d.status.value, d.divergence or "")
        self.cells[cell] += 1
        kept = self.examples.setdefault(cell, [])
        if len(kept) < EXAMPLES or order_of(d) < order_of(kept[-1]):
            kept.append(d)
            kept.sort(key=order_of)
            del kept[EXAMPLES:]

    def by(self, pair: str, member: str) -> dict[str, int]:
        """The number of a pair's differences by one member of `TallyCell`; empty ones are left out."""
        counts: Counter[str] = Counter()
        for cell, count in self.cells.items():
            if cell.pair == pair and (value := getattr(cell, member)):
                counts[value] += count
        return dict(sorted(counts.items()))
