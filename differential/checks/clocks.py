"""Finds the offset between the clocks of two sides, and the changes that deviate from it.

Changes of both sides are paired. If a key has the same operations in the same order on both sides, its changes are
paired in order. If not, changes with the same effect are paired, and then changes that leave the same row: a
transaction may be one change on one side and several on the other. Rows that a snapshot read are left out, since their
time is that of the snapshot. The offsets between paired times are counted: in seconds if small, in minutes or days if
large. The counts show the usual offset.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy
from numpy.typing import NDArray

from differential.checks.records import DELETE, EFFECT_AFTER, READ, RECORD, Arrays, packed
from differential.counts import SHOWN, Counts
from differential.model import Class, Difference, Place
from reference_impl.tso import LOGICAL_BITS

__all__ = [
    "CLOCK_RECORD",
    "Clock",
    "ClockSide",
    "clock_differences",
    "clock_of",
    "clock_side",
    "count_offsets",
    "ranges",
]

CLOCK_RECORD = numpy.dtype([*RECORD.descr, ("place", "<u4")])
"""A check record (`RECORD`) with the time in milliseconds, and the index of topic and partition in `ClockSide`."""

_SECONDS, _MINUTES = 600, 200_000  # the largest offsets, in seconds, that are counted in seconds and in minutes
_NEAR = 60
"""Seconds within which an offset is usual, however constant the others are."""
_SPREADS = 20
"""An offset is unusual if it deviates by more than this many times the usual deviation."""
_FAR = 300
"""Seconds: larger undeclared constant offsets are reported; time zones differ by 900 s or more."""
_CONSTANT = 5
"""Seconds: an offset with at most this deviation is constant."""
_MULTIPLIER, _ONE = numpy.uint64(0x9E3779B97F4A7C15), numpy.uint64(1)  # an odd multiplier spreads hashes
_UNPAIRED = numpy.uint64(0)


def _key_and_operations(records: NDArray[Any]) -> NDArray[Any]:
    """A number for the key of each record and the operations of all records of that key, in order."""
    order = numpy.argsort(records["key"], kind="stable")
    _, starts, key_of, lengths = numpy.unique(
        records["key"][order], return_index=True, return_inverse=True, return_counts=True
    )
    weights = numpy.full(lengths.max(initial=1) + 1, _MULTIPLIER).cumprod()
    nth = numpy.arange(len(order)) - starts[key_of]
    operations = numpy.add.reduceat((records["op"][order] + _ONE) * weights[nth], starts) if len(starts) else starts
    found = numpy.empty(len(order), dtype=numpy.uint64)
    found[order] = records["key"][order] * _MULTIPLIER + operations[key_of] * weights[1]
    return found


def _key_and_row_after(records: NDArray[Any]) -> NDArray[Any]:
    """A number for the key of each record and the row after it; deletes stay unpaired, since they all leave no row."""
    row_after = records["key"] * _MULTIPLIER + (records["effect"] & EFFECT_AFTER)
    return numpy.where(records["op"] == DELETE, _UNPAIRED, row_after)


_IDENTITIES: Sequence[Callable[[NDArray[Any]], NDArray[Any]]] = (
    _key_and_operations,
    lambda records: records["key"] * _MULTIPLIER + records["effect"],
    _key_and_row_after,
)
"""Identities by which changes are paired if both sides have them equally often; the most certain first."""


class ClockSide(NamedTuple):
    """The changes of some keys on one side."""

    records: NDArray[Any]  # of `CLOCK_RECORD`; those of a key are in the order of their messages
    places: Sequence[tuple[str, int]]  # topics and partitions


def clock_side(given: Arrays) -> ClockSide:
    """Changes, given as arrays in the order of their messages."""
    records = packed(given, CLOCK_RECORD)
    records["time"] = numpy.where(given.stamped, given.time >> LOGICAL_BITS, given.time)
    return ClockSide(records, given.places)


def count_offsets(pairs: Sequence[tuple[str, int, int]], sides: Mapping[int, ClockSide], counts: Counts) -> None:
    """Add the clock offsets in the changes of some keys, for each pair with both sides present.

    `pairs` are names and numbers of sides.
    """
    for name, a, b in pairs:
        if a in sides and b in sides:
            _count_offsets(name, sides[a], sides[b], counts)


def _count_offsets(pair: str, left: ClockSide, right: ClockSide, counts: Counts) -> None:
    x, y = left.records, right.records
    of_left, of_right = numpy.arange(0), numpy.arange(0)  # the positions of paired records
    for identity in _IDENTITIES:
        left_rest, right_rest = _unpaired(len(x), of_left), _unpaired(len(y), of_right)
        more_left, more_right = _pair(identity(x[left_rest]), identity(y[right_rest]))
        of_left = numpy.concatenate((of_left, left_rest[more_left]))
        of_right = numpy.concatenate((of_right, right_rest[more_right]))
    counted = _has_clock(x[of_left]) & _has_clock(y[of_right])
    of_left, of_right = of_left[counted], of_right[counted]
    # Sorted as `Counts` sorts them, so that the examples of all parts are the first of all.
    order = numpy.lexsort([*_order(right, of_right), *_order(left, of_left)])
    of_left, of_right = of_left[order], of_right[order]
    offsets = _binned(y["time"][of_right] // 1000 - x["time"][of_left] // 1000)
    bins, inverse, found = numpy.unique(offsets, return_inverse=True, return_counts=True)
    for number, (offset, count) in enumerate(zip(bins.tolist(), found.tolist(), strict=True)):
        counts.clocks[pair, offset] += count
        examples = numpy.flatnonzero(inverse == number)[:SHOWN]
        counts.show_offset((pair, offset), [_example(left, int(of_left[n]), right, int(of_right[n])) for n in examples])


def _has_clock(records: NDArray[Any]) -> NDArray[Any]:
    """Which records have the time of their change."""
    found: NDArray[Any] = (records["time"] >= 0) & (records["op"] != READ)
    return found


def _order(side: ClockSide, at: NDArray[Any]) -> list[NDArray[Any]]:
    """The columns by which records are sorted by place and time, the last one first."""
    places = side.places
    rank = numpy.empty(len(places), dtype=numpy.int64)
    rank[sorted(range(len(places)), key=places.__getitem__)] = numpy.arange(len(places))
    records = side.records[at]
    return [records["time"], records["offset"], rank[records["place"]]]


def _unpaired(count: int, paired: NDArray[Any]) -> NDArray[Any]:
    """The positions below `count` that are not paired yet."""
    is_unpaired = numpy.ones(count, dtype=bool)
    is_unpaired[paired] = False
    positions: NDArray[Any] = numpy.flatnonzero(is_unpaired)
    return positions


def _pair(of_left: NDArray[Any], of_right: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """The positions of the records to pair, by the identities of records: those that both sides have equally often."""
    orders = [numpy.argsort(identities, kind="stable") for identities in (of_left, of_right)]
    found_of = [
        numpy.unique(identities[order], return_index=True, return_counts=True)
        for identities, order in zip((of_left, of_right), orders, strict=True)
    ]
    (left_values, _, left_counts), (right_values, _, right_counts) = found_of
    both, at, its = numpy.intersect1d(left_values, right_values, assume_unique=True, return_indices=True)
    same = (left_counts[at] == right_counts[its]) & (both != _UNPAIRED)
    nothing = numpy.arange(0)
    if not same.any():
        return nothing, nothing
    found = [
        order[ranges(starts[places[same]], lengths[places[same]])]
        for order, (_, starts, lengths), places in zip(orders, found_of, (at, its), strict=True)
    ]
    return found[0], found[1]


def ranges(first: NDArray[Any], lengths: NDArray[Any]) -> NDArray[Any]:
    """The numbers of several ranges, one after the other: first 5 and 20, lengths 2 and 3 → 5 6 20 21 22."""
    ends = numpy.cumsum(lengths)
    found: NDArray[Any] = numpy.arange(ends[-1] if len(ends) else 0) + numpy.repeat(first - (ends - lengths), lengths)
    return found


def _binned(seconds: NDArray[Any]) -> NDArray[Any]:
    """Offsets as they are counted: large ones as the lowest of their minute or day."""
    size = _size(seconds)
    found: NDArray[Any] = seconds // size * size
    return found


def _size(seconds: NDArray[Any] | int) -> NDArray[Any]:
    found: NDArray[Any] = numpy.where(
        numpy.abs(seconds) <= _SECONDS, 1, numpy.where(numpy.abs(seconds) <= _MINUTES, 60, 86_400)
    )
    return found


def _example(left: ClockSide, one: int, right: ClockSide, other: int) -> list[Any]:
    """The places and times of two paired changes."""
    shown: list[Any] = []
    for side, at in ((left, one), (right, other)):
        record = side.records[at]
        shown += [*side.places[record["place"]], int(record["offset"]), int(record["time"])]
    return shown


@dataclass(frozen=True, slots=True)
class Clock:
    """The offset of the right side's clock from the left side's."""

    usual: int  # seconds, as `_binned` has them; positive if the right side's clock is ahead
    spread: int  # the usual deviation from `usual`, in seconds
    changes: int  # the number of changes that were counted

    @property
    def is_constant(self) -> bool:
        """Whether nearly all changes have this offset."""
        return self.spread <= _CONSTANT

    def has(self, offset: int) -> bool:
        """Whether an offset is one of the usual ones, or may be near them: nearly equal ones may be of two days."""
        size = max(int(_size(offset)), int(_size(self.usual)))
        return abs(offset - self.usual) <= max(_NEAR, _SPREADS * self.spread, size)


def clock_of(offsets: Mapping[int, int]) -> Clock | None:
    """The clock that the counts of offsets show; None without counts."""
    total = sum(offsets.values())
    if not total:
        return None
    usual = _middle(offsets, total)
    deviations: Counter[int] = Counter()
    for offset, count in offsets.items():
        deviations[abs(offset - usual)] += count
    return Clock(usual, _middle(deviations, total), total)


def _middle(counted: Mapping[int, int], total: int) -> int:
    """The median of `total` values, which are given with their counts."""
    seen = 0
    for value, count in sorted(counted.items()):
        seen += count
        if 2 * seen >= total:
            return value
    raise AssertionError("there is a middle")


def clock_differences(pair: str, counts: Counts, declared: int = 0) -> Iterator[Difference]:
    """The clock differences of a pair: an undeclared offset, and changes with an unusual one.

    `declared`: the number of seconds by which the right side's clock is declared to be ahead.
    """
    offsets = {offset: count for (name, offset), count in counts.clocks.items() if name == pair}
    clock = clock_of(offsets)
    if clock is None:
        return
    near_declared = _binned(numpy.arange(declared - _FAR, declared + _FAR + 1))
    if clock.is_constant and clock.usual not in near_declared:
        offset_text, changes = _offset_text(clock.usual), f"{clock.changes:,} changes"
        text = f"the right side's times are {offset_text} the left's in nearly all of {changes}"
        usual = f"{_offset_text(declared)} (--clock-offset {declared})"
        yield _difference(pair, counts.offset_examples.get((pair, clock.usual), [None])[0], text, usual)
    for offset, count in sorted(offsets.items()):
        if clock.has(offset):
            continue
        shown = counts.offset_examples.get((pair, offset), [])
        more = f"; {count:,} changes in all" if count > len(shown) else ""
        for example in shown:
            *_, left_ms, _, _, _, right_ms = example
            text = f"{left_ms} ms and {right_ms} ms: {_offset_text(offset)}{more}"
            yield _difference(pair, example, text, f"usually {_offset_text(clock.usual)}")


def _offset_text(seconds: int) -> str:
    return f"{abs(seconds):,} s {'behind' if seconds < 0 else 'ahead of'}" if seconds else "0 s apart from"


def _difference(pair: str, example: Sequence[Any] | None, text: str, usual: str) -> Difference:
    left, right = (None, None) if example is None else (Place(*example[:3]), Place(*example[4:7]))
    return Difference(pair, Class.METADATA, column="clock", left=left, right=right, left_value=text, right_value=usual)
