"""Every small history of a row, and every way to break what two sides say of it.

A history is the states that a row takes. Each side has a message for every step. A fault is done to the messages of one
side; what it comes to is told by `explanations`, in places of both sides, so that two ways to break a history into the
same messages can be held against one another.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations_with_replacement, pairwise, product

import orjson

from differential.align.costs import FAULTS as FAULT_COSTS
from differential.align.costs import Fault as Costs
from differential.model import Change, Class, Place
from reference_impl.tso import compose
from tests.amounts import ordinarily

NOON = 1_709_208_000_000
STEP, LAG = 5_000, 2_000  # milliseconds between two steps, and between the two clocks
ALTERED = "ZY"  # states that no history has: after a change, and before it

State = str | None
Finding = tuple[str, int | None, int | None]
"""A class and the places of the changes on both sides. `explanations` do not say which change is reordered."""


def histories(most: int) -> Iterator[tuple[State, ...]]:
    """The states of a row in so many steps at most, up to the names of the states; they begin with or without a row."""

    def longer(states: tuple[State, ...]) -> Iterator[tuple[State, ...]]:
        if len(states) > 1:
            yield states
        if len(states) <= most:
            used = sorted({state for state in states if state})
            for state in (None, *used, *"ABC"[len(used) : len(used) + 1]):
                if state != states[-1]:
                    yield from longer((*states, state))

    yield from longer((None,))
    yield from longer(("A",))


@dataclass(frozen=True, slots=True)
class Message:
    """A change, and which step of the history it is of."""

    step: int
    change: Change


Side = tuple[Message, ...]


def image(state: State) -> bytes | None:
    """The image of a state; NULL and its default are two of them."""
    return None if state is None else orjson.dumps({"id": "1", "more": "x", "state": state})


def _clocked(one: Change, ms: int) -> Change:
    return replace(one, commit_ts=compose(ms))


def _by_the_second(one: Change, ms: int) -> Change:
    return replace(one, instant=str((ms + LAG) // 1000 * 1000))


def _untimed(one: Change, ms: int) -> Change:
    return one


CLOCKS: Mapping[str, tuple[Callable[[Change, int], Change], Callable[[Change, int], Change]]] = {
    "one clock": (_clocked, _clocked),
    "two clocks": (_clocked, _by_the_second),
    "no clock": (_untimed, _untimed),
}


def sides_of(states: Sequence[State], clocks: str) -> tuple[Side, Side]:
    """What two sides say of a history, without a fault."""

    def side(timed: Callable[[Change, int], Change]) -> Side:
        made = []
        for n, (before, after) in enumerate(pairwise(states)):
            op = "insert" if before is None else "delete" if after is None else "update"
            change = Change("s", "t", b'["1"]', op, image(before), image(after), Place())
            made.append(Message(n, timed(change, NOON + STEP * n)))
        return tuple(made)

    left, right = CLOCKS[clocks]
    return side(left), side(right)


Fault = Callable[[Side], Iterator[Side]]
"""All sides with one fault of a kind in them."""


def lost(side: Side) -> Iterator[Side]:
    """Without one message."""
    for n in range(len(side)):
        yield side[:n] + side[n + 1 :]


def repeated(side: Side) -> Iterator[Side]:
    """With one message again, behind any that follows it."""
    for n, one in enumerate(side):
        for later in range(n + 1, len(side) + 1):
            yield (*side[:later], one, *side[later:])


def swapped(side: Side) -> Iterator[Side]:
    """With two neighbours in the wrong order."""
    for n in range(len(side) - 1):
        yield (*side[:n], side[n + 1], side[n], *side[n + 2 :])


def _changed(side: Side, change: Callable[[Change], Change | None]) -> Iterator[Side]:
    for n, one in enumerate(side):
        if (found := change(one.change)) is not None:
            yield (*side[:n], replace(one, change=found), *side[n + 1 :])


def wrong_after(side: Side) -> Iterator[Side]:
    """With a value that is wrong in the row after a change."""
    return _changed(side, lambda one: replace(one, after=image(ALTERED[0])) if one.after else None)


def wrong_before(side: Side) -> Iterator[Side]:
    """With a value that is wrong in the row before a change."""
    return _changed(side, lambda one: replace(one, before=image(ALTERED[1])) if one.before else None)


def wrong_operation(side: Side) -> Iterator[Side]:
    """With another name of what was done, which has the same images."""
    return _changed(side, lambda one: replace(one, op="insert") if one.op == "update" else None)


def wrong_time(side: Side) -> Iterator[Side]:
    """With a commit time stamp that is a little late."""
    return _changed(side, lambda one: replace(one, commit_ts=one.commit_ts + 7) if one.commit_ts else None)


FAULTS: Mapping[str, Fault] = {
    "lost": lost,
    "repeated": repeated,
    "swapped": swapped,
    "wrong after": wrong_after,
    "wrong before": wrong_before,
    "wrong operation": wrong_operation,
    "wrong time": wrong_time,
}


def broken(sides: tuple[Side, Side], kinds: Sequence[str]) -> Iterator[tuple[Side, Side]]:
    """Both sides with a fault of each of the kinds, one behind the other, on either side."""
    if not kinds:
        yield sides
        return
    left, right = sides
    for one in FAULTS[kinds[0]](left):
        yield from broken((one, right), kinds[1:])
    for one in FAULTS[kinds[0]](right):
        yield from broken((left, one), kinds[1:])


def kinds_of(most: int, clocks: str) -> Iterator[tuple[str, ...]]:
    """The kinds of so many faults at most, ordinarily in one order: most leave the same in another."""
    known = [kind for kind in FAULTS if kind != "wrong time" or clocks == "one clock"]
    for count in range(1, most + 1):
        yield from ordinarily(combinations_with_replacement(known, count), product(known, repeat=count))


def placed(side: Side) -> list[Change]:
    """The changes of a side, each at its place."""
    return [replace(one.change, place=Place("t", 0, n)) for n, one in enumerate(side)]


def _kept(first: Sequence[int], second: Sequence[int]) -> int:
    """How many steps are in one order on both sides."""
    at = {step: n for n, step in enumerate(second)}
    best: list[int] = []
    for step in first:
        best.append(1 + max((best[n] for n, other in enumerate(first[: len(best)]) if at[other] < at[step]), default=0))
    return max(best, default=0)


def explanations(left: Side, right: Side) -> Iterator[Counter[Finding]]:
    """What the faults come to, in places of both sides: of copies that differ any may be the one that counts."""
    copies = [_copies(left), _copies(right)]
    for lefts in product(*copies[0].values()):
        for rights in product(*copies[1].values()):
            chosen = dict(zip(copies[0], lefts, strict=True)), dict(zip(copies[1], rights, strict=True))
            yield _explanation((left, right), chosen)


def _copies(side: Side) -> dict[int, list[int]]:
    """By step the places of its messages that no message before them is like."""
    found: dict[int, list[int]] = {}
    for n, one in enumerate(side):
        if not any(other.change == one.change for other in side[:n]):
            found.setdefault(one.step, []).append(n)
    return found


def _explanation(sides: tuple[Side, Side], chosen: tuple[dict[int, int], dict[int, int]]) -> Counter[Finding]:
    found: Counter[Finding] = Counter()
    both_again = _both_again(sides, chosen)
    for number, side in enumerate(sides):
        for n, one in enumerate(side):
            place = (None, n) if number else (n, None)
            if (number, n) in both_again:
                continue
            if chosen[number][one.step] != n:
                is_again = any(other.change == one.change for other in side[:n])
                kind = Class.DUPLICATE if is_again else Class.EXTRA if number else Class.MISSING
                found[kind.value, *place] += 1
            elif one.step not in chosen[1 - number]:
                found[(Class.EXTRA if number else Class.MISSING).value, *place] += 1
    lefts, rights = chosen
    both = [[step for step, _ in sorted(of.items(), key=lambda item: item[1]) if step in other]
            for of, other in ((lefts, rights), (rights, lefts))]  # fmt: skip
    for step in both[0]:
        places = lefts[step], rights[step]
        a, b = sides[0][places[0]].change, sides[1][places[1]].change
        if a.before != b.before or a.after != b.after:
            found[Class.VALUE.value, *places] += 1
        if a.op != b.op:
            found[Class.SHAPE.value, *places] += 1
        if a.commit_ts and b.commit_ts and a.commit_ts != b.commit_ts:
            found[Class.METADATA.value, *places] += 1
    if moved := len(both[0]) - _kept(*both):
        found[Class.REORDERED.value, None, None] += moved
    return found


def _both_again(sides: tuple[Side, Side], chosen: tuple[dict[int, int], dict[int, int]]) -> set[tuple[int, int]]:
    """By side the places of messages that both sides sent again behind the same message: that is no difference."""
    again = [[(n, one, side[n - 1].step if n else None) for n, one in enumerate(side) if of[one.step] != n]
             for side, of in zip(sides, chosen, strict=True)]  # fmt: skip
    found = set()
    for n, one, behind in again[0]:
        for at, other, there in again[1]:
            does_same = one.step == other.step and _does(one.change) == _does(other.change)
            if (1, at) not in found and does_same and behind == there:
                found |= {(0, n), (1, at)}
                break
    return found


def _does(one: Change) -> object:
    return one.before, one.after, one.op


def explains(found: Counter[Finding], left: Side, right: Side) -> bool:
    """Whether what is left of both sides without what was found is the same, and what was found is so."""
    alone = {Class.MISSING.value, Class.EXTRA.value, Class.DUPLICATE.value, Class.REORDERED.value}
    gone = [{finding[1 + number] for finding in found if finding[0] in alone} for number in range(2)]
    rest = [[(n, one.change) for n, one in enumerate(side) if n not in of]
            for side, of in zip((left, right), gone, strict=True)]  # fmt: skip
    if len(rest[0]) != len(rest[1]):
        return False
    for (i, a), (j, b) in zip(*rest, strict=True):
        unlike = {
            Class.VALUE.value: (a.before, a.after) != (b.before, b.after),
            Class.SHAPE.value: a.op != b.op,
            Class.METADATA.value: a.commit_ts != b.commit_ts and not (a.instant or b.instant),
        }
        if any(((kind, i, j) in found) != is_unlike for kind, is_unlike in unlike.items()):
            return False
    for kind, n, m in found:
        if kind == Class.REORDERED.value:
            assert n is not None
            assert m is not None
            if _does(left[n].change) != _does(right[m].change):
                return False
        if kind == Class.DUPLICATE.value:
            side, at = (left, n) if n is not None else (right, m)
            assert at is not None
            if not any(other.change == side[at].change for other in side[:at]):
                return False
    return True


COSTS: Mapping[str, Costs] = {
    Class.MISSING.value: Costs.GAP,
    Class.EXTRA.value: Costs.GAP,
    Class.DUPLICATE.value: Costs.REPEATED,
    Class.REORDERED.value: Costs.MOVED,
    Class.SHAPE.value: Costs.OPERATION,
    Class.METADATA.value: Costs.TIME,
}


def cost(found: Counter[Finding], left: Side, right: Side) -> int:
    """What an explanation costs."""
    total = 0
    for (kind, i, j), count in found.items():
        if kind == Class.VALUE.value:
            assert i is not None
            assert j is not None
            a, b = left[i].change, right[j].change
            total += FAULT_COSTS[Costs.TWO_IMAGES if a.before != b.before and a.after != b.after else Costs.ONE_IMAGE]
        else:
            total += count * FAULT_COSTS[COSTS[kind]]
    return total
