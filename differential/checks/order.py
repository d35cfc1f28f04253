"""Checks the order across keys: by commit time in a partition, or by place in the binary log.

The alignment checks the order of the changes of one key. A producer that restarts at an earlier place sends everything
from there again: a duplicate is out of order only if the newer changes of its key do not come again behind it. The
order of deletes and inserts within a transaction is not checked: the halves of a split update look like changes of two
rows, which the newer generation leaves in their order.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence

import numpy
from numpy.typing import NDArray

from differential.checks.records import TOMBSTONE, Check, Records

__all__ = ["out_of_line", "out_of_order"]

_COMMIT_TIME = "commit time", "commit times"
_HALF_OF_PLACES = 1 << 62
_LOG_PLACE = "place in the binary log", "places in the binary log"


def out_of_order(check: str, records: Records) -> Iterator[tuple[int, str, str]]:
    """The changes of a partition that are out of order: offset, got, expected.

    `check` is one of `Check`; `records` must be sorted by offset.
    """
    changes = records[records["op"] != TOMBSTONE]
    timed = changes[changes["time"] > 0]
    if not len(timed):
        return
    if check in (Check.ORDER_AND_DUPLICATES, Check.DUPLICATES):
        for at in _stale(changes):
            text = "an older change of the row, behind a newer one that does not come again"
            yield int(changes["offset"][at]), text, "no change, or all later ones again"
    if check == Check.DUPLICATES:
        return
    is_by_time = check in (Check.ORDER, Check.ORDER_AND_DUPLICATES)
    what, plural = _COMMIT_TIME if is_by_time else _LOG_PLACE
    times = timed["time"]
    # The numbers of log files begin again at 0 in a place: halves that are both in use change sides.
    is_across = not is_by_time and int(times.max()) - int(times.min()) > _HALF_OF_PLACES
    flipped = _HALF_OF_PLACES if is_across else 0
    times ^= flipped
    if (times[1:] < times[:-1]).any():
        once = timed[~_repeats(timed)]  # duplicates are not out of order
        positions = numpy.asarray(out_of_line(once["time"].tolist()), dtype=numpy.int64)
        for at in _in_order_within_key(once, positions):
            time = once["time"][at] ^ flipped
            yield int(once["offset"][at]), f"{what} {time}, out of order", f"{plural} that do not go back"


def out_of_line(times: Sequence[int]) -> list[int]:
    """The positions of the fewest times whose removal leaves an ascending sequence.

    [1, 9, 2, 3] → [1]: without the 9 the others ascend. (This is patience sorting.)
    """
    ends: list[int] = []  # by length, the lowest time that ends an ascending sequence of that length
    last: list[int] = []  # the position of that time
    before: list[int] = []  # by position, that of the time before it in its longest sequence, or -1
    for at, time in enumerate(times):
        length = bisect_right(ends, time)
        before.append(last[length - 1] if length else -1)
        if length == len(ends):
            ends.append(time)
            last.append(at)
        else:
            ends[length], last[length] = time, at
    line, at = set(), last[-1] if last else -1
    while at >= 0:
        line.add(at)
        at = before[at]
    return [at for at in range(len(times)) if at not in line]


def _repeats(timed: Records) -> NDArray[numpy.bool_]:
    """Which changes equal an earlier one."""
    columns = (timed[name] for name in ("time", "key", "effect", "op"))
    identity = numpy.stack([column.astype(numpy.uint64) for column in columns], axis=1)
    _, first, inverse = numpy.unique(identity, axis=0, return_index=True, return_inverse=True)
    found: NDArray[numpy.bool_] = first[inverse.reshape(-1)] < numpy.arange(len(timed))
    return found


def _stale(changes: Records) -> Iterator[int]:
    """Positions of old changes repeated after a newer one of their key that is not repeated."""
    timed = numpy.flatnonzero(changes["time"] > 0)
    keys = numpy.unique(changes["key"][timed[_repeats(changes[timed])]])
    if not len(keys):
        return
    for mine in _of_keys(keys, changes):
        columns = (changes[name][mine].tolist() for name in ("time", "effect", "op"))
        yield from (int(mine[n]) for n in _stale_repeats([*zip(*columns, strict=True)]))


def _of_keys(keys: NDArray[numpy.uint64], changes: Records) -> Iterator[NDArray[numpy.int64]]:
    """The positions of the changes of each key."""
    order = numpy.argsort(changes["key"], kind="stable")
    sorted_keys = changes["key"][order]
    limits = (sorted_keys.searchsorted(keys, side).tolist() for side in ("left", "right"))
    for begin, end in zip(*limits, strict=True):
        yield order[begin:end]


def _stale_repeats(changes: Sequence[tuple[int, int, int]]) -> Iterator[int]:
    """The positions of repeats that are not followed by a repeat of the next newer change.

    A change is (time, effect, operation). A change without a time, as a delete may be, repeats an earlier one if it
    stands behind that one or behind a repeat of the change before it, or ahead of a repeat of the change behind it.
    """
    # Changes get ranks in the order in which they are first sent; changes of one time share a rank.
    known: dict[tuple[int, int, int], int] = {}  # by change, its rank
    timeless: set[int] = set()  # the ranks of changes without a time
    newest, here = -1, -1  # the highest rank so far, and the rank of the change before
    repeat = -1  # the position of the last repeat
    latest = 0  # the latest time so far
    timed_behind = _timed_behind(changes)
    for n, change in enumerate(changes):
        rank = known.get(change)
        if change[0] <= 0:
            behind = known.get(timed_behind[n])
            ranks = here + 1, here, -1 if behind is None else behind - 1
            rank = next((one for one in ranks if one in timeless), None)
        elif rank is None and change[0] < latest:
            continue  # never sent before: out of order, or without an order
        if rank is None:
            if here < newest:
                yield repeat
            is_timeless = change[0] <= 0
            newest += is_timeless or change[0] != latest or newest in timeless
            here = newest
            if is_timeless:
                timeless.add(here)
            else:
                known[change], latest = here, change[0]
        else:
            if rank > here + 1:
                yield repeat
            here, repeat = rank, n
    if here < newest:
        yield repeat


def _timed_behind(changes: Sequence[tuple[int, int, int]]) -> list[tuple[int, int, int]]:
    """For each change the next change with a time behind it; for the last ones a change that was never sent."""
    found = []
    behind = (0, 0, 0)
    for change in reversed(changes):
        found.append(behind)
        behind = change if change[0] > 0 else behind
    return found[::-1]


def _in_order_within_key(timed: Records, positions: NDArray[numpy.int64]) -> Iterator[int]:
    """Those positions whose change is in order among the changes of its key; the alignment reports the others."""
    is_in_order = numpy.zeros(len(timed), dtype=numpy.bool_)
    for mine in _of_keys(numpy.unique(timed["key"][positions]), timed):
        times = timed["time"][mine]
        latest_so_far, earliest_to_come = numpy.maximum.accumulate(times), numpy.minimum.accumulate(times[::-1])[::-1]
        is_in_order[mine] = (times == latest_so_far) & (times == earliest_to_come)
    yield from positions[is_in_order[positions]].tolist()
