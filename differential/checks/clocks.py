"""How far the clocks of two sides are apart, learned from the changes that both have, and which changes are out of it.

Of a key that has as many changes on both sides, the first belongs to the first, and so on. Of another those changes
belong together that do the same, and of the rest those that leave the same row, as where a transaction is one change on
one side and several on the other. The offsets between their times are counted, whole seconds near to each other,
minutes and days far away; what is usual is told by the counts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy
from numpy.typing import NDArray

from differential.checks.narrow import LEFT
from differential.counts import SHOWN, Counts
from differential.model import Class, Difference, Place

__all__ = ["Clock", "clock_differences", "clock_of", "count_offsets"]

_SECONDS, _MINUTES = 600, 200_000
_NEAR = 60
"""Seconds within which an offset is usual, however constant the others are."""
_SPREADS = 20
"""Offsets that are further away than so many times the usual distance are no chance."""
_FAR = 300
"""Seconds from which on a constant offset that nobody declared is told: a zone is a quarter of an hour at least."""
_CONSTANT = 5
_HALF = 2
_ODD = numpy.uint64(0x9E3779B97F4A7C15)


_IDENTITIES: Sequence[Callable[[NDArray[Any]], NDArray[Any]]] = (
    lambda records: records["key"],
    lambda records: records["key"] * _ODD + records["does"],
    lambda records: records["key"] * _ODD + (records["does"] & LEFT),
)
"""What changes of both sides have in common that belong together, where both have as many of it; the surest first."""


def count_offsets(
    pairs: Sequence[tuple[str, int, int]], sides: Mapping[int, Mapping[str, Any]], counts: Counts
) -> None:
    """Add the offsets of the changes of some keys, by pair; a pair of which a side is not there has none."""
    for name, a, b in pairs:
        if a in sides and b in sides:
            _count(name, sides[a], sides[b], counts)


def _count(pair: str, left: Mapping[str, Any], right: Mapping[str, Any], counts: Counts) -> None:
    x, y = left["records"], right["records"]
    one, other = numpy.arange(0), numpy.arange(0)
    for identity in _IDENTITIES:
        rest = [numpy.setdiff1d(numpy.arange(len(of)), found) for of, found in ((x, one), (y, other))]
        some, its = _alike(x[rest[0]], y[rest[1]], identity(x[rest[0]]), identity(y[rest[1]]))
        one, other = numpy.concatenate((one, rest[0][some])), numpy.concatenate((other, rest[1][its]))
    timed = (x["time"][one] >= 0) & (y["time"][other] >= 0)
    one, other = one[timed], other[timed]
    offsets = _binned(y["time"][other] // 1000 - x["time"][one] // 1000)
    bins, inverse, found = numpy.unique(offsets, return_inverse=True, return_counts=True)
    for number, (offset, count) in enumerate(zip(bins.tolist(), found.tolist(), strict=True)):
        counts.clocks[pair, offset] += count
        examples = numpy.flatnonzero(inverse == number)[:SHOWN]
        counts.show_offset((pair, offset), [_shown(left, int(one[n]), right, int(other[n])) for n in examples])


def _alike(
    x: NDArray[Any], y: NDArray[Any], of_left: NDArray[Any], of_right: NDArray[Any]
) -> tuple[NDArray[Any], NDArray[Any]]:
    """The places of records of both sides that belong together: those of identities that both have as often."""
    orders = [numpy.argsort(of, kind="stable") for of in (of_left, of_right)]
    found_of = [
        numpy.unique(of[order], return_index=True, return_counts=True)
        for of, order in zip((of_left, of_right), orders, strict=True)
    ]
    _, at, its = numpy.intersect1d(found_of[0][0], found_of[1][0], assume_unique=True, return_indices=True)
    same = found_of[0][2][at] == found_of[1][2][its]
    nothing = numpy.arange(0)
    if not same.any():
        return nothing, nothing
    found = [
        order[_spread(starts[places[same]], lengths[places[same]])]
        for order, (_, starts, lengths), places in zip(orders, found_of, (at, its), strict=True)
    ]
    return found[0], found[1]


def _spread(starts: NDArray[Any], lengths: NDArray[Any]) -> NDArray[Any]:
    """The places of all records of keys that start there and have so many."""
    ends = numpy.cumsum(lengths)
    found: NDArray[Any] = numpy.arange(ends[-1]) - numpy.repeat(ends - lengths, lengths) + numpy.repeat(starts, lengths)
    return found


def _binned(seconds: NDArray[Any]) -> NDArray[Any]:
    size = numpy.where(abs(seconds) <= _SECONDS, 1, numpy.where(abs(seconds) <= _MINUTES, 60, 86_400))
    found: NDArray[Any] = seconds // size * size
    return found


def _shown(left: Mapping[str, Any], one: int, right: Mapping[str, Any], other: int) -> list[Any]:
    """Places and times of two changes that belong together."""
    shown: list[Any] = []
    for side, at in ((left, one), (right, other)):
        record = side["records"][at]
        shown += [*side["places"][record["place"]], int(record["offset"]), int(record["time"])]
    return shown


@dataclass(frozen=True, slots=True)
class Clock:
    """How far the right side's clock is ahead, in seconds: usually, and how far around it most offsets are."""

    usual: int
    spread: int
    changes: int

    @property
    def is_constant(self) -> bool:
        """Whether nearly all changes have this offset."""
        return self.spread <= _CONSTANT

    def has(self, offset: int) -> bool:
        """Whether an offset is one of the usual ones."""
        return abs(offset - self.usual) <= max(_NEAR, _SPREADS * self.spread)


def clock_of(offsets: Mapping[int, int]) -> Clock | None:
    """What the counts of offsets tell; None without any."""
    total = sum(offsets.values())
    if not total:
        return None
    usual = _middle(offsets, total)
    deviations: Counter[int] = Counter()
    for offset, count in offsets.items():
        deviations[abs(offset - usual)] += count
    return Clock(usual, _middle(deviations, total), total)


def _middle(counted: Mapping[int, int], total: int) -> int:
    seen = 0
    for value, count in sorted(counted.items()):
        seen += count
        if _HALF * seen >= total:
            return value
    raise AssertionError("there is a middle")


def clock_differences(pair: str, counts: Counts, declared: int = 0) -> Iterator[Difference]:
    """What is wrong with the clocks of a pair: changes whose times are not as far apart as usual, or all of them.

    `declared` is how many seconds the right side's clock is said to be ahead.
    """
    offsets = {offset: count for (of, offset), count in counts.clocks.items() if of == pair}
    clock = clock_of(offsets)
    if clock is None:
        return
    if clock.is_constant and abs(clock.usual - declared) > _FAR:
        text = f"the right side's times are {_said(clock.usual)} the left's in nearly all of {clock.changes:,} changes"
        usual = f"{_said(declared)} (--clock-offset {declared})"
        yield _difference(pair, counts.offset_examples.get((pair, clock.usual), [None])[0], text, usual)
    for offset, count in sorted(offsets.items()):
        if clock.has(offset):
            continue
        shown = counts.offset_examples.get((pair, offset), [])
        more = f"; {count:,} changes are so" if count > len(shown) else ""
        for example in shown:
            text = f"{example[3]} ms and {example[7]} ms: {_said(offset)}{more}"
            yield _difference(pair, example, text, f"usually {_said(clock.usual)}")


def _said(seconds: int) -> str:
    return f"{abs(seconds):,} s {'behind' if seconds < 0 else 'ahead of'}" if seconds else "0 s apart from"


def _difference(pair: str, example: Sequence[Any] | None, text: str, usual: str) -> Difference:
    left, right = (None, None) if example is None else (Place(*example[:3]), Place(*example[4:7]))
    return Difference(pair, Class.METADATA, column="clock", left=left, right=right, left_value=text, right_value=usual)
