"""Two sequences of changes of one key laid side by side.

A lost, repeated or altered message costs its own step and no later one: after a difference the sequences are brought
together again at the nearest place where they agree. Steps that together do the same (a delete and an insert for an
update; two updates for one) are one `Run`. Time is linear in the length of the sequences where they agree.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import TypeAlias

from differential.align.times import apart, later
from differential.align.untold import begin_alike, follows, goes_on, tells_its_start
from differential.decode.canonical import agree
from differential.model import Change, time_of

__all__ = ["WINDOW", "Run", "align", "quite_equal", "transaction_of", "vanishing"]

WINDOW = 64
"""How many changes ahead the sequences are searched for the place where they meet again."""

_CLOCK_WINDOW = 8
_NEARNESS = 8  # changes that tell which of two places is nearer in time

_ABOUT = 3
_FITTING = 3  # of one transaction, and the sides go on alike


@dataclass(frozen=True, slots=True)
class Run:
    """Changes that stand beside one another. `same`: both runs lead from the same image to the same image.

    `equal`: each change is quite that of the other side. `as_it_is`: all of these belong together, by whatever name.
    """

    left: tuple[Change, ...]
    right: tuple[Change, ...]
    same: bool
    equal: bool = False
    as_it_is: bool = False


def quite_equal(a: Change, b: Change) -> bool:
    """Whether both changes do the same, and say so in the same words."""
    return a.after == b.after and a.before == b.before and a.op == b.op and a.moved == b.moved


def _equal(a: Change, b: Change) -> bool:
    return agree(a.after, b.after) and begin_alike(a, b)


def _start(changes: Sequence[Change], at: int) -> bytes | None:
    """The row that a change starts from; where it does not tell it, that which the change before it left."""
    return changes[at].before if at == 0 or tells_its_start(changes[at]) else changes[at - 1].after


def _from_one_row(left: Sequence[Change], i: int, right: Sequence[Change], j: int) -> bool:
    """Whether changes that start alike, as far as they tell it, do so by what is before them, too."""
    return left[i].before == right[j].before or agree(_start(left, i), _start(right, j))


def _goes_on(changes: Sequence[Change], at: int) -> bool:
    return goes_on(changes[at - 1] if at else None, changes[at])


def _of_one_time(changes: Sequence[Change]) -> bool:
    """Whether nothing speaks against changes being of one transaction, and something for it."""
    times = {(change.instant, change.commit_ts) for change in changes}
    return len(times) == 1 and times != {("", None)}


@lru_cache(maxsize=2 * WINDOW)
def _sums(limit: int) -> Sequence[tuple[int, int]]:
    """Pairs of lengths, the smallest sum first, and of one sum the most alike first."""
    return [
        (a, total - a)
        for total in range(1, limit + 1)
        for a in sorted(range(total + 1), key=lambda a: (abs(2 * a - total), a))
    ]


def _chain(changes: Sequence[Change], start: int, most: int) -> int:
    """How many changes from a place on each start where the one before it ended."""
    end = start + 1
    while end < len(changes) and end - start < most and follows(changes[end - 1], changes[end]):
        end += 1
    return end - start


def _quite_equal(left: Sequence[Change], i: int, right: Sequence[Change], j: int, same_clock: bool) -> int:
    """How many changes of both sides are quite equal from here on."""
    for n in range(min(len(left) - i, len(right) - j)):
        a, b = left[i + n], right[j + n]
        if not quite_equal(a, b) or (same_clock and a.commit_ts != b.commit_ts):
            return n
    return min(len(left) - i, len(right) - j)


def _never(a: Change, b: Change) -> bool:
    return False


def align(
    left: Sequence[Change],
    right: Sequence[Change],
    *,
    same_clock: bool = False,
    window: int = WINDOW,
    explained: Callable[[Change, Change], bool] = _never,
    in_one: bool = False,
) -> Iterator[Run]:
    """The runs of both sequences, in order; each change is in exactly one.

    Two changes of which `explained` is true belong together though they differ.

    With `same_clock` both sides have the time stamps of one clock: of changes that look alike, those of the same time
    belong together. With `in_one`, changes that are quite equal, one after the other, are one run.
    """
    i = j = 0
    partners: tuple[int, int] | None = None
    while i < len(left) and j < len(right):
        if in_one and (n := _quite_equal(left, i, right, j, same_clock)):
            yield Run(tuple(left[i : i + n]), tuple(right[j : j + n]), same=True, equal=True)
            i, j = i + n, j + n
            partners = (i - 1, j - 1)
            continue
        step = (1, 1, _equal(left[i], right[j]))
        if same_clock and left[i].commit_ts != right[j].commit_ts:
            step = _meeting(left, right, i, j, _CLOCK_WINDOW, clocked=True) or step
        if not step[2] and step[:2] == (1, 1) and not explained(left[i], right[j]):
            step = (
                (_meeting(left, right, i, j, window, clocked=True) if same_clock else None)
                or _meeting(left, right, i, j, window, lag=_lag(left, right, partners))
                or (min(len(left) - i, window), min(len(right) - j, window), False)
            )
        a, b, same = _as_long(left, right, i, j, step)
        yield Run(tuple(left[i : i + a]), tuple(right[j : j + b]), same)
        i, j = i + a, j + b
        partners = (i - 1, j - 1) if same else partners
    if i < len(left) or j < len(right):
        yield Run(tuple(left[i:]), tuple(right[j:]), False)


def _as_long(
    left: Sequence[Change], right: Sequence[Change], i: int, j: int, step: tuple[int, int, bool]
) -> tuple[int, int, bool]:
    """The step, or one of as many changes of both sides where those lead to one row, too, and do the same by name.

    An update that changes nothing on one side is still that of the other side. Of one transaction fewer may be meant.
    """
    a, b, same = step
    count = max(a, b)
    if not same or a == b or i + count > len(left) or j + count > len(right):
        return step
    mine, others = left[i : i + count], right[j : j + count]
    if _of_one_time(mine) or _of_one_time(others) or not agree(mine[-1].after, others[-1].after):
        return step
    if any(x.op != y.op or x.moved != y.moved for x, y in zip(mine, others, strict=True)):
        return step
    is_chain = all(follows(x, y) for side in (mine, others) for x, y in pairwise(side))
    return (count, count, True) if is_chain else step


def _lag(left: Sequence[Change], right: Sequence[Change], partners: tuple[int, int] | None) -> int:
    """How far ahead the right clock was at the last changes that do the same, in milliseconds."""
    return (later(left[partners[0]], right[partners[1]]) or 0) if partners else 0


def _meeting(
    left: Sequence[Change], right: Sequence[Change], i: int, j: int, window: int, *, clocked: bool = False, lag: int = 0
) -> tuple[int, int, bool] | None:
    """How many changes of each side to step over until the sides meet, and whether the two steps do the same.

    With `clocked` they meet only where the time is the same, too. Of steps that do the same and are about as long,
    those of one transaction come first, then those after which the sides go on alike. None where they do not meet
    within the window. Where a row at the start is not told, only changes of one transaction that go on from what is
    before them are taken for others that do the same: any other could be one that a side lacks, or has twice. A place
    where the sides meet is doubtful if a change there does not tell its start, and what is before it speaks against it.
    """
    rest_left, rest_right = len(left) - i, len(right) - j
    found: tuple[int, int, bool] | None = None
    best, doubtful = -1, False
    # Runs that do the same start from the same row, and each of their changes where the one before it ended.
    starts_told = tells_its_start(left[i]) and tells_its_start(right[j])
    sure = starts_told or (not clocked and _goes_on(left, i) and _goes_on(right, j))
    chains = (_chain(left, i, window), _chain(right, j, window)) if sure and begin_alike(left[i], right[j]) else (0, 0)
    further = _ABOUT if sure and not starts_told else 0
    is_made = left[i].before is None or right[j].before is None
    for a, b in _sums(min(window, rest_left + rest_right)):
        if a > rest_left or b > rest_right:
            continue
        if found and a + b > found[0] + found[1] + (_ABOUT if found[2] or doubtful else further):
            break
        if found and found[2] and best > 0 and a >= found[0] and b >= found[1]:
            continue  # no other way, but the same one and more
        net = 0 < a <= chains[0] and 0 < b <= chains[1] and _end_alike(is_made, left[i + a - 1], right[j + b - 1])
        at_once = net and _of_one_time(left[i : i + a] if a >= b else right[j : j + b])
        net = (
            net
            and (starts_told or at_once)
            and (not clocked or left[i + a - 1].commit_ts == right[j + b - 1].commit_ts)
        )
        is_rival = found is not None and not found[2] and a + b == found[0] + found[1] and not clocked
        if not net and found and not doubtful and not is_rival:
            continue
        alike = a < rest_left and b < rest_right and _equal(left[i + a], right[j + b])
        if net:
            fit = 2 * at_once + (alike or (a == rest_left and b == rest_right))
            if fit > best:
                found, best, doubtful = (a, b, True), fit, False
            if fit == _FITTING:
                break
        elif alike and (not clocked or left[i + a].commit_ts == right[j + b].commit_ts):
            unsure = not clocked and not _from_one_row(left, i + a, right, j + b)
            if not found or (doubtful and not unsure):
                found, doubtful = (a, b, False), unsure
            elif (
                is_rival
                and not unsure
                and _is_nearer(_ahead(left, right, i + a, j + b), _ahead(left, right, i + found[0], j + found[1]), lag)
            ):
                found = (a, b, False)
    return found


def _ahead(left: Sequence[Change], right: Sequence[Change], i: int, j: int) -> _Rest:
    return left[i : i + _NEARNESS], right[j : j + _NEARNESS]


_Rest: TypeAlias = tuple[Sequence[Change], Sequence[Change]]


def _is_nearer(one: _Rest, other: _Rest, lag: int) -> bool:
    """Whether changes from one place on are nearer in time than those from another."""
    near, far = (apart(left, right, lag) for left, right in (one, other))
    return near is not None and far is not None and near < far


def _end_alike(is_made: bool, a: Change, b: Change) -> bool:
    """Whether runs that start alike end alike, and lead somewhere. `is_made`: they start without a row."""
    return not (is_made and a.after is None) and agree(a.after, b.after)


def transaction_of(change: Change) -> object:
    """What tells the transaction of a change from all others, None where nothing does."""
    return change.commit_ts or (change.instant if change.instant != time_of(change.instant) else None)


def vanishing(changes: Sequence[Change], places: Mapping[int, int] | None = None) -> Iterator[tuple[Change, ...]]:
    """Runs that start without a row and end without it, each change at the row that the one before it left.

    `places` tell which changes follow one another on their side, where not all of them do.
    """
    start: int | None = None
    for n, one in enumerate(changes):
        if one.before is None:
            start = n
        elif start is not None:
            last = changes[n - 1]
            if last.after != one.before or (places and places[id(last)] + 1 != places[id(one)]):
                start = None
        if start is not None and one.after is None:
            yield tuple(changes[start : n + 1])
            start = None
