"""Runs the checks of whole streams in rounds of `--live`: those of partitions, and that of the clocks.

Up to `KEPT` judged records of a partition are kept for the next round, since later records show whether a change is
out of order. Each difference is reported once, when its change is due.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter
from typing import TypeAlias

import orjson

from differential.align.merging import Pair
from differential.checks.judging import judged
from differential.checks.records import CheckRecords, records_in
from differential.counts import Counts
from differential.decode.slim import Kind, Slim
from differential.model import Class, Difference

__all__ = ["KEPT", "Judged", "count_clock_offsets", "judge"]

KEPT = 50_000
"""The number of judged check records that are kept, by partition and side."""

_Place: TypeAlias = tuple[int, str, int, int]  # side, topic, partition, offset


@dataclass(frozen=True, slots=True)
class Judged:
    """The new differences, and the rows to keep.

    A kept row has `moved` set, to tell that it was judged; its `instant` is the JSON list of the offsets of changes
    that were reported as out of order.
    """

    differences: Sequence[Difference]
    kept: Sequence[Slim]


def judge(pairs: Sequence[Pair], rows: Sequence[Slim], due: Sequence[bool], counts: Counts) -> Judged:
    """Judge the check records of a partition: rows judged before, due rows, and waiting rows.

    `due` says which rows are due. Waiting rows yield no differences. Rows judged before yield only those that later
    rows reveal: a change that stands before older ones.
    """
    found = list(judged(_named(pairs), rows, counts))
    old = [row for row in rows if row.moved]
    reported = {
        (row.side, row.topic, row.partition, offset) for row in old for offset in orjson.loads(row.instant or "[]")
    }
    if found:
        fresh = {place for row, now in zip(rows, due, strict=True) if now and not row.moved for place in _places(row)}
        early = {_place_of(pairs, one) for one in judged(_named(pairs), old, Counts())} if old else set()
        late = {place for row in old for place in _places(row)} - early - reported
        found = [one for one in found if _is_news(one, _place_of(pairs, one), fresh, late)]
        reported |= {_place_of(pairs, one) for one in found if one.kind is Class.REORDERED}
    kept: list[Slim] = []
    room: dict[int, int] = {}
    for row, now in zip(reversed(rows), reversed(due), strict=True):
        if (now or row.moved) and room.setdefault(row.side, KEPT) > 0:
            room[row.side] -= len(records_in(row)[0])
            mine = sorted({place[3] for place in _places(row) if place in reported}) if reported else []
            kept.append(row._replace(moved=True, instant=orjson.dumps(mine).decode() if mine else ""))
    return Judged(found, kept)


def _is_news(one: Difference, place: _Place, fresh: Set[_Place], late: Set[_Place]) -> bool:
    """Whether a difference is new: its change is due now, or was due before and seemed to be in order."""
    return place in fresh or (one.kind is Class.REORDERED and place in late)


def count_clock_offsets(pairs: Sequence[Pair], settled: Sequence[Slim], counts: Counts) -> None:
    """Count the clock offsets between changes that are settled together."""
    changes: dict[int, list[Slim]] = {}
    for row in settled:
        if row.kind == Kind.CHANGE:
            changes.setdefault(row.side, []).append(row)
    clocks = [row for side, of_side in changes.items() for row in CheckRecords(side).of_changes(of_side)]
    for _, rows in groupby(sorted(clocks, key=attrgetter("key", "side")), attrgetter("key")):
        for _ in judged(_named(pairs), list(rows), counts):
            raise AssertionError("the check of the clocks only counts")


def _named(pairs: Sequence[Pair]) -> list[tuple[str, int, int]]:
    return [(pair.context.pair, pair.a, pair.b) for pair in pairs]


def _partition(row: Slim) -> tuple[int, str, int]:
    return row.side, row.topic, row.partition


def _places(row: Slim) -> Iterator[_Place]:
    for offset in records_in(row)[0]["offset"].tolist():
        yield *_partition(row), offset


def _place_of(pairs: Sequence[Pair], one: Difference) -> _Place:
    pair = next(pair for pair in pairs if pair.context.pair == one.pair)
    place = one.left or one.right
    assert place is not None
    return pair.b if one.left is None else pair.a, place.topic, place.partition, place.offset
