"""The pairs of sides that are compared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from differential.align.pair_context import PairContext
from differential.classify.naming import Namer, Spelling
from differential.sides import Side
from differential.window import Window
from reference_impl.column_types import ColumnType
from reference_impl.keys import handle_key

__all__ = ["Pair", "pairs_of"]


@dataclass(frozen=True, slots=True)
class Pair:
    """Two sides, with the context and the namer of their comparison."""

    a: int  # the number of the left side
    b: int  # the number of the right side
    context: PairContext
    namer: Namer
    # By schema and table: the columns whose values may be spelled differently, each with the divergence.
    spellings: Mapping[tuple[str, str], tuple[tuple[str, Spelling], ...]]
    window: Window | None = None

    @property
    def sides(self) -> tuple[str, int, int]:
        """The name of the pair, and the numbers of its sides."""
        return self.context.pair, self.a, self.b

    @property
    def has_slack(self) -> bool:
        """Whether changes outside the window take part, as partners of those inside."""
        return self.window is not None and self.window.slack > 0


def pairs_of(
    sides: Sequence[Side], types: Mapping[tuple[str, str, str], ColumnType], namers: Mapping[str, Namer]
) -> tuple[Pair, ...]:
    """All pairs of the sides: left-right, and with a third side left-third and right-third."""
    pairs = []
    for a, b in combinations(range(len(sides)), 2):
        left, right = sides[a], sides[b]
        name = f"{left.name}-{right.name}"
        same_clock = left.traits.is_of_ticdc and right.traits.is_of_ticdc
        new_rows_only = left.tables_with_new_rows_only, right.tables_with_new_rows_only
        keyless = frozenset(table.id for side in (left, right) for table in side.tables if not handle_key(table))
        context = PairContext(name, left.dialect, right.dialect, types, same_clock, new_rows_only, keyless)
        namer = namers[name]
        spellings: dict[tuple[str, str], tuple[tuple[str, Spelling], ...]] = {}
        for (schema, table, column), column_type in types.items():
            of_column = namer.spellings((schema, table, column), column_type)
            of_table = spellings.get((schema, table), ())
            spellings[schema, table] = (*of_table, *((column, spelling) for spelling in of_column))
        pairs.append(Pair(a, b, context, namer, spellings, left.window))
    return tuple(pairs)
