"""Judges check records: yields differences."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy

from differential.checks.order import out_of_order
from differential.checks.records import Check, Records, records_in
from differential.checks.tombstones import odd_tombstones
from differential.decode.slim import Slim
from differential.model import Class, Difference, Place

__all__ = ["fault_of_side", "judged"]


def judged(pairs: Sequence[tuple[str, int, int]], rows: Sequence[Slim]) -> Iterator[Difference]:
    """The differences that one check finds in slim records of kind `CHECKS`, which are all for that check.

    `pairs` are names of pairs and the numbers of their sides.
    """
    check = rows[0].op
    by_side: dict[int, list[Slim]] = {}
    for row in rows:
        by_side.setdefault(row.side, []).append(row)
    for number, of_side in by_side.items():
        schema, table = of_side[0].schema, of_side[0].table
        topic, partition = of_side[0].topic, of_side[0].partition
        records = _in_order(numpy.concatenate([records_in(row) for row in of_side]))
        for kind, column, offset, got, expected in _observations(check, records):
            place = Place(topic, partition, offset)
            yield from fault_of_side(pairs, number, kind, (schema, table, column), place, got, expected)


def _in_order(records: Records) -> Records:
    """The records of a partition in the order of their places."""
    ordered: Records = records[numpy.lexsort((records["step"], records["offset"]))]
    has_equal_place = (ordered["offset"][1:] == ordered["offset"][:-1]) & (ordered["step"][1:] == ordered["step"][:-1])
    if not has_equal_place.any():
        return ordered
    # By all fields, so that the order does not depend on that of the rows; this takes several times as long.
    return numpy.sort(records)


def _observations(check: str, records: Records) -> Iterator[tuple[Class, str, int, str, str]]:
    """What a check finds in a partition: class of a difference, column or member, offset, got, expected."""
    for offset, got, expected in out_of_order(check, records):
        yield Class.REORDERED, "", offset, got, expected
    if check in (Check.LOG, Check.LOG_ALONE):
        for offset, got, expected in odd_tombstones(records, written=check == Check.LOG):
            yield Class.SHAPE, "tombstone", offset, got, expected


def fault_of_side(
    pairs: Iterable[tuple[str, int, int]],
    number: int,
    kind: Class,
    names: tuple[str, str, str],
    place: Place,
    got: str | None,
    expected: str | None,
    key: str = "",
) -> Iterator[Difference]:
    """A fault of a message of side `number` as a difference in every pair with that side.

    `names` are schema, table, and the column or member.
    """
    for name, a, b in pairs:
        if number == a:
            yield Difference(name, kind, *names, key, left=place, left_value=got, right_value=expected)
        elif number == b:
            yield Difference(name, kind, *names, key, right=place, left_value=expected, right_value=got)
