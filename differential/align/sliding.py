"""Of changes that are alike, which one stands alone: the one that is out of time.

Where a row goes to and fro, that one side lacks changes is noticed when the sides no longer agree, perhaps many changes
later. Those that stand alone there slide back to where the times of what then stands opposite fit best. The pairs
between do the same as before, so that as many differences are told, and of the same kinds.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

from differential.align.alignment import Run
from differential.align.repeated import does
from differential.align.times import RESOLUTION, later
from differential.model import Change

__all__ = ["slid"]

_Pairs: TypeAlias = Sequence[tuple[Change, Change]]


def slid(runs: Iterable[Run]) -> Iterator[Run]:
    """The runs, where changes of one side stand alone those that are out of time."""
    behind: list[Run] = []
    for run in runs:
        if run.same and (run.equal or len(run.left) == len(run.right) == 1):
            behind.append(run)
            continue
        if behind and not run.same and not (run.left and run.right):
            yield from _with_alone(behind, run)
        else:
            yield from (*behind, run)
        behind = []
    yield from behind


def _with_alone(behind: Sequence[Run], run: Run) -> Iterable[Run]:
    """Runs that do the same, and one behind them of changes of one side, where those belong."""
    alone, on_left = run.left or run.right, bool(run.left)
    last = (behind[-1].left if on_left else behind[-1].right)[-1]
    if does(last) != does(alone[-1]) or _vanish(alone):
        return *behind, run
    pairs = [pair for one in behind for pair in zip(one.left, one.right, strict=True)]
    mine, others = [*(pair[not on_left] for pair in pairs), *alone], [pair[on_left] for pair in pairs]
    at = _place(pairs, mine, others, on_left=on_left)
    if at == len(pairs):
        return *behind, run
    stands = tuple(mine[at : at + len(alone)])
    moved = zip(mine[at + len(alone) :], others[at:], strict=True)
    return (
        *_first(behind, at),
        Run(stands, (), same=False) if on_left else Run((), stands, same=False),
        *(Run((one,), (other,), same=True) if on_left else Run((other,), (one,), same=True) for one, other in moved),
    )


def _vanish(changes: Sequence[Change]) -> bool:
    """Whether a row comes and goes at one time: a transaction left nothing of it."""
    times = {(one.instant, one.commit_ts) for one in changes}
    return changes[0].before is None and changes[-1].after is None and len(times) == 1


def _place(pairs: _Pairs, mine: Sequence[Change], others: Sequence[Change], *, on_left: bool) -> int:
    """Before which pair the changes belong that are the last of `mine`: behind all of them but where times tell it."""
    count = len(mine) - len(pairs)
    first = len(pairs)
    while first and does(mine[first - 1]) == does(mine[first - 1 + count]):
        first -= 1
    lag = (later(*pairs[first - 1]) or 0) if first else 0
    gain, best, place = 0, RESOLUTION, len(pairs)
    for at in range(len(pairs) - 1, first - 1, -1):
        now, then = (_apart(one, others[at], lag, on_left) for one in (mine[at], mine[at + count]))
        gain += now - then
        if gain > best:
            best, place = gain, at
    return place


def _apart(mine: Change, other: Change, lag: int, on_left: bool) -> int:
    time = later(mine, other) if on_left else later(other, mine)
    return 0 if time is None else abs(time - lag)


def _first(runs: Iterable[Run], count: int) -> Iterator[Run]:
    """The first so many pairs of runs."""
    for run in runs:
        if count <= 0:
            return
        whole = count >= len(run.left)
        yield run if whole else Run(run.left[:count], run.right[:count], same=True, equal=run.equal)
        count -= len(run.left)
