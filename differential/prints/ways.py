"""Counts how messages were read and changes compared, for the plan in a summary.

No result depends on these counts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Any

import orjson

from differential.counts import Counts
from differential.decode.slim import Kind, Slim
from differential.sides import Side

__all__ = ["ComparedBy", "ReadAs", "count_compared", "ways_in", "ways_row", "ways_summary"]


class ReadAs(StrEnum):
    """How a message was read."""

    COLUMNS = "columns of a pattern"
    ONE_BY_ONE = "events of the reference decoder"


class ComparedBy(StrEnum):
    """How the changes of a key were compared."""

    PRINTS = "fingerprints alone"
    STEPS = "fingerprints of steps that are one change"
    ALIGNED = "fingerprints that were aligned"
    FAILED = "values, as the fingerprints could not be aligned"


_COMPARED = "compared"
_WAYS = "ways of reading"


def ways_row(number: int, side: Side, ways: Mapping[ReadAs, int]) -> Slim:
    """A row with the counts of how a part of a side's messages was read."""
    text = orjson.dumps([side.name, {way.value: count for way, count in ways.items()}])
    return Slim(0, "", "", b"", number, "", 0, 0, 0, Kind.COUNTS, _WAYS, False, None, "", text)


def ways_in(rows: Sequence[Slim], counts: Counts) -> list[Slim]:
    """The rows without those of `ways_row`, which are added to the counts."""
    rest = []
    for row in rows:
        if row.kind == Kind.COUNTS and row.op == _WAYS:
            assert row.payload is not None
            side, ways = orjson.loads(row.payload)
            counts.ways.update({(side, way): count for way, count in ways.items()})
        else:
            rest.append(row)
    return rest


def count_compared(counts: Counts, way: ComparedBy, changes: int) -> None:
    """Count changes, of all sides, in keys that were compared in a way."""
    if changes:
        counts.ways[_COMPARED, way.value] += changes


def ways_summary(sides: Sequence[Side], counts: Counts) -> dict[str, Any]:
    """The numbers of messages read, by side and way, and of changes compared, by way.

    Empty without fingerprints.
    """
    if not counts.ways:
        return {}
    by_side: dict[str, Counter[str]] = {name: Counter() for name in (*(side.name for side in sides), _COMPARED)}
    for (name, way), count in counts.ways.items():
        by_side[name][way] += count
    order = {way.value: place for place, way in enumerate((*ReadAs, *ComparedBy))}
    by_name = {name: {way: ways[way] for way in sorted(ways, key=order.__getitem__)} for name, ways in by_side.items()}
    compared = by_name.pop(_COMPARED)
    return {"read": by_name, "compared": compared}
