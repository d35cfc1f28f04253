"""Offsets between the clocks of the sides, counted where the keys of a part are settled."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy

from differential.counts import Counts
from differential.prints.clock_offsets import count_clock_offsets
from differential.prints.layout import OPS
from reference_impl.tso import LOGICAL_BITS


def part_of(*changes: dict[str, Any], topics: tuple[str, ...] = ("t",)) -> dict[str, Any]:
    """The sorted columns of a part; each change is an insert unless said otherwise."""
    base = {"side": 0, "key_number": 0, "topic": 0, "partition": 0, "offset": 0, "step": 0, "op_code": 0}
    base |= {"commit_ts": -1, "instant": -1}
    columns: dict[str, Any] = {name: numpy.array([{**base, **one}[name] for one in changes]) for name in base}
    rows = numpy.array([[one.get("key_number", 0) + 1, 0] for one in changes], dtype=numpy.uint64)
    return columns | {"before": rows * 0, "after": rows, "topics": list(topics)}


def counted(columns: dict[str, Any], *pairs: tuple[str, int, int]) -> Counts:
    """What is counted for pairs of sides."""
    counts = Counts()
    some: Any = [SimpleNamespace(sides=sides) for sides in pairs]
    count_clock_offsets(some, columns, counts)
    return counts


def test_a_commit_time_stamp_is_compared_with_the_milliseconds_of_the_other_side() -> None:
    counts = counted(part_of({"commit_ts": 5_000 << LOGICAL_BITS}, {"side": 1, "instant": 12_000}), ("a-b", 0, 1))
    assert dict(counts.clocks) == {("a-b", 7): 1}


def test_a_change_without_a_time_counts_for_nothing() -> None:
    assert not counted(part_of({}, {"side": 1, "instant": 12_000}), ("a-b", 0, 1)).clocks


def test_a_row_that_a_snapshot_read_has_the_time_of_the_snapshot_and_counts_for_nothing() -> None:
    read = {"side": 1, "op_code": OPS.index("read"), "instant": 12_000}
    assert not counted(part_of({"instant": 5_000}, read), ("a-b", 0, 1)).clocks
    assert not counted(part_of(read | {"side": 0}, read), ("a-b", 0, 1)).clocks


def test_each_pair_has_its_offsets_and_a_side_that_is_absent_has_none() -> None:
    columns = part_of({"instant": 1_000}, {"side": 2, "instant": 3_000})
    counts = counted(columns, ("a-b", 0, 1), ("a-c", 0, 2))
    assert dict(counts.clocks) == {("a-c", 2): 1}


def test_a_part_of_very_many_partitions_shows_where_its_changes_are() -> None:
    partitions = [-1, 0, 65_536, 70_000]
    many = [{"key_number": n, "partition": p, "offset": p, "instant": 0} for n, p in enumerate(range(66_000))]
    some = [
        {"key_number": 66_000 + n, "topic": 1, "partition": p, "offset": 9, "instant": 0}
        for n, p in enumerate(partitions)
    ]
    others = [{"side": 1, "key_number": 66_000 + n, "instant": 4_000} for n in range(len(partitions))]
    counts = counted(part_of(*many, *some, *others, topics=("s", "t")), ("a-b", 0, 1))
    assert dict(counts.clocks) == {("a-b", 4): len(partitions)}
    shown = str(counts.offset_examples[("a-b", 4)])
    assert all(str(partition) in shown for partition in partitions[:2])
