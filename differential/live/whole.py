"""Runs the checks of whole streams in rounds of `--live`: those of partitions, and that of the clocks.

Up to `KEPT` judged records of a partition are kept for the next round, since later records show whether a change is
out of order. Each difference is reported once, when its change is due.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import orjson

from differential.align.pairs import Pair
from differential.checks.clocks import clock_side, count_offsets
from differential.checks.judging import judged
from differential.checks.records import arrays_of, columns_of, records_in
from differential.counts import Counts
from differential.decode.slim import Kind, Slim
from differential.model import Class, Difference

__all__ = ["KEPT", "Judged", "count_clock_offsets", "judge"]

KEPT = 50_000
"""The number of judged check records that are kept for each partition and side."""

_Place: TypeAlias = tuple[int, str, int, int]  # side, topic, partition, offset


@dataclass(frozen=True, slots=True)
class Judged:
    """The new differences, and the rows to keep: see `_as_judged`."""

    differences: Sequence[Difference]
    kept: Sequence[Slim]


def judge(pairs: Sequence[Pair], rows: Sequence[Slim], due: Sequence[bool]) -> Judged:
    """Judge the check records of a partition: rows judged before, due rows, and waiting rows.

    `due` says which rows are due. Waiting rows yield no differences. Rows judged before yield only those that later
    rows reveal: a change that stands before older ones.
    """
    reported = {place for row in rows if was_judged(row) for place in _reported_places(row)}
    found = list(judged([pair.sides for pair in pairs], rows))
    if found:
        found = _new_differences(pairs, found, rows, due, reported)
        reported |= {_place_of(pairs, difference) for difference in found if difference.kind is Class.REORDERED}
    return Judged(found, _kept(rows, due, reported))


def _new_differences(
    pairs: Sequence[Pair], found: Sequence[Difference], rows: Sequence[Slim], due: Sequence[bool], reported: set[_Place]
) -> list[Difference]:
    """The differences at due changes, and at changes judged before that turn out to be out of order."""
    due_places = {
        place for row, is_due in zip(rows, due, strict=True) if is_due and not was_judged(row) for place in _places(row)
    }
    earlier = [row for row in rows if was_judged(row)]
    found_alone = judged([pair.sides for pair in pairs], earlier) if earlier else ()
    differing_alone = {_place_of(pairs, one) for one in found_alone}
    in_order_so_far = {place for row in earlier for place in _places(row)} - differing_alone - reported
    return [
        difference
        for difference in found
        if (place := _place_of(pairs, difference)) in due_places
        or (difference.kind is Class.REORDERED and place in in_order_so_far)
    ]


def _kept(rows: Sequence[Slim], due: Sequence[bool], reported: set[_Place]) -> list[Slim]:
    """The last judged rows of each side, from the last one back, with about `KEPT` records."""
    kept: list[Slim] = []
    room: dict[int, int] = {}
    for row, is_due in zip(reversed(rows), reversed(due), strict=True):
        if (is_due or was_judged(row)) and room.setdefault(row.side, KEPT) > 0:
            room[row.side] -= len(records_in(row))
            kept.append(_as_judged(row, reported))
    return kept


def _as_judged(row: Slim, reported: set[_Place]) -> Slim:
    """A row for the next round: `moved` says that it was judged, `instant` holds its `reported` offsets as JSON."""
    offsets = sorted(offset for *_, offset in reported.intersection(_places(row))) if reported else []
    return row._replace(moved=True, instant=orjson.dumps(offsets).decode() if offsets else "")


def was_judged(row: Slim) -> bool:
    """Whether a row of check records was judged in an earlier round."""
    return row.moved


def _reported_places(row: Slim) -> Iterator[_Place]:
    """The places of changes of a judged row that were reported as out of order."""
    for offset in orjson.loads(row.instant or "[]"):
        yield *_partition(row), offset


def count_clock_offsets(pairs: Sequence[Pair], settled: Sequence[Slim], counts: Counts) -> None:
    """Count the clock offsets between changes that are settled in one round."""
    changes: dict[int, list[Slim]] = {}
    for row in settled:
        if row.kind == Kind.CHANGE:
            changes.setdefault(row.side, []).append(row)
    sides = {side: clock_side(arrays_of(columns_of(of_side))) for side, of_side in changes.items()}
    count_offsets([pair.sides for pair in pairs], sides, counts)


def _partition(row: Slim) -> tuple[int, str, int]:
    return row.side, row.topic, row.partition


def _places(row: Slim) -> Iterator[_Place]:
    for offset in records_in(row)["offset"].tolist():
        yield *_partition(row), offset


def _place_of(pairs: Sequence[Pair], difference: Difference) -> _Place:
    pair = next(pair for pair in pairs if pair.context.pair == difference.pair)
    side, place = (pair.a, difference.left) if difference.left else (pair.b, difference.right)
    assert place is not None
    return side, place.topic, place.partition, place.offset
