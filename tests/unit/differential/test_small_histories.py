"""What is found in every small history, in whatever way what two sides say of it is broken.

Different faults may leave the same messages. Then what is found costs no more than the cheapest of those faults, and it
explains all: what is left of both sides without it is the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

import pytest

from differential.align.comparison import compare_key
from differential.align.pair_context import PairContext
from differential.classify.naming import Namer
from differential.model import Class
from reference_impl.tso import compose
from tests.amounts import ordinarily
from tests.unit.differential.small_histories import (
    CLOCKS,
    Finding,
    Side,
    State,
    broken,
    cost,
    explains,
    explanations,
    histories,
    image,
    kinds_of,
    placed,
    sides_of,
)

STEP = ordinarily(3, 1)
TIMED = [clocks for clocks in CLOCKS if clocks != "no clock"]


def found_in(left: Side, right: Side, clocks: str) -> Counter[Finding]:
    context = PairContext("left-right", "left", "right", {}, same_clock=clocks == "one clock")
    differences = compare_key(context, placed(left), placed(right), Namer()).differences
    return Counter((d.kind.value, d.left and d.left.offset, d.right and d.right.offset) for d in differences)


def same_content(side: Side, other: Side) -> bool:
    """Whether two sides say the same, whatever their times are."""
    said = [[(m.change.op, m.change.before, m.change.after) for m in of] for of in (side, other)]
    return said[0] == said[1]


def observed(side: Side) -> object:
    return tuple((m.change.op, m.change.before, m.change.after, m.change.commit_ts, m.change.instant) for m in side)


Broken = tuple[Side, Side, str, int, list[Counter[Finding]]]
"""Both sides, the kinds of the cheapest faults that leave them so, what those cost, and what they come to."""


def some_histories(steps: int) -> Iterator[tuple[State, ...]]:
    """All histories, ordinarily with a third of the longest ones."""
    longest = 0
    for states in histories(steps):
        longest += len(states) > steps
        if len(states) <= steps or longest % ordinarily(3, 1) == 0:
            yield states


def cheapest(clocks: str, steps: int, faults: int) -> Iterator[Broken]:
    """All that can be observed of broken histories."""
    best: dict[object, Broken] = {}
    for states in some_histories(steps):
        sound = sides_of(states, clocks)
        for kinds in kinds_of(faults, clocks):
            for left, right in broken(sound, kinds):
                for one in explanations(left, right):
                    known = best.get(seen := (observed(left), observed(right)))
                    costs = cost(one, left, right)
                    if known is None or costs < known[3]:
                        best[seen] = (left, right, " ".join(sorted(kinds)), costs, [one])
                    elif costs == known[3]:
                        known[4].append(one)
    yield from best.values()


def unnamed(found: Counter[Finding]) -> Counter[Finding]:
    """What was found, without saying which changes are reordered."""
    made: Counter[Finding] = Counter()
    for (kind, i, j), count in found.items():
        made[(kind, None, None) if kind == Class.REORDERED.value else (kind, i, j)] += count
    return made


def wrong(clocks: str, steps: int, faults: int) -> tuple[int, Counter[str]]:
    """How many observations there are; by kinds of faults, how many are explained neither so nor as well."""
    count, missed = 0, Counter[str]()
    # Of two faults at once ordinarily every third, which is of every kind.
    for left, right, kinds, least, known in islice(cheapest(clocks, steps, faults), 0, None, STEP if faults > 1 else 1):
        count += 1
        found = found_in(left, right, clocks)
        if unnamed(found) not in known and not (cost(found, left, right) <= least and explains(found, left, right)):
            missed[kinds] += 1
    return count, missed


# A late repeat without a commit time stamp may be a new change: the row before it is the one that the key has then.
UNTOLD = {("two clocks", 4, 2): {"repeated swapped": 55, "repeated wrong after": 5}}


@pytest.mark.parametrize(("steps", "faults"), ordinarily([(4, 1), (3, 2)], [(4, 1), (4, 2)]))
@pytest.mark.parametrize("clocks", TIMED)
def test_faults_are_explained_as_they_were_done_or_as_well(clocks: str, steps: int, faults: int) -> None:
    assert wrong(clocks, steps, faults)[1] == UNTOLD.get((clocks, steps, faults), {})


def test_an_old_change_in_the_place_of_a_lost_one_is_found_by_its_time() -> None:
    """Both sides say the same; of two clocks, that of the side itself goes back."""
    green = []
    for states in histories(5):
        sound = sides_of(states, "two clocks")
        for left, right in broken(sound, ["lost", "repeated"]):
            is_replayed = all(same_content(side, of) for side, of in zip((left, right), sound, strict=True))
            is_replayed = is_replayed and (observed(left), observed(right)) != tuple(map(observed, sound))
            if is_replayed and not found_in(left, right, "two clocks"):
                green.append(states)
    assert green == []


def test_a_change_that_is_sent_again_later_is_a_repeat_though_it_stood_at_a_wrong_place() -> None:
    left, (inserted, deleted, again, updated) = sides_of((None, "A", None, "B", "C"), "one clock")
    found = found_in(left, (inserted, again, deleted, updated, again), "one clock")
    assert unnamed(found) == Counter({("reordered", None, None): 1, ("duplicate", None, 4): 1})


def test_equal_changes_of_one_transaction_are_no_repeats_where_several_rows_have_one_key() -> None:
    """A table without a key: 1, 2, 1, 2 of an UPDATE that adds 1 are two inserts and two deletes of the row 2."""
    left, right = sides_of((None, "A", None, "A", None), "two clocks")
    times = left[0].change.commit_ts, right[0].change.instant
    left = tuple(replace(m, change=replace(m.change, commit_ts=times[0])) for m in left)
    right = tuple(replace(m, change=replace(m.change, instant=times[1])) for m in right)
    assert found_in(left, right, "two clocks") == Counter()


def test_a_repeat_among_equal_rows_of_a_table_without_a_key_is_no_loss_on_the_other_side() -> None:
    """The right side has times in seconds, and both rows were inserted in the same second."""
    [one], [other] = sides_of((None, "A"), "two clocks")
    second = replace(one, change=replace(one.change, commit_ts=(one.change.commit_ts or 0) + compose(300)))
    assert found_in((one, one, second), (other, other), "two clocks") == Counter({("duplicate", 1, None): 1})


def test_a_change_whose_time_stamp_alone_makes_it_older_is_no_repeat_if_the_other_side_has_it_as_often() -> None:
    left, right = sides_of((None, "A", None, "A", None, "A"), "one clock")
    stamp = left[0].change.commit_ts or 0
    left, right = (tuple(replace(m, change=replace(m.change, commit_ts=stamp)) for m in side) for side in (left, right))
    late = replace(left[2], change=replace(left[2].change, commit_ts=stamp + 7))
    found = found_in((*left[:2], late, *left[3:]), right, "one clock")
    assert found == Counter({("metadata", 2, 2): 1})


@pytest.mark.parametrize("clocks", TIMED)
def test_wrong_values_of_a_row_that_goes_back_and_forth_are_told_where_they_stand(clocks: str) -> None:
    (first, *left), (other, second, *right) = sides_of(("A", "B", "A", "B", "A"), clocks)
    wrong_first, wrong_second = (replace(m, change=replace(m.change, after=image("Z"))) for m in (first, second))
    found = found_in((wrong_first, *left), (other, wrong_second, *right), clocks)
    assert found == Counter({("value", 0, 0): 1, ("value", 1, 1): 1})


@pytest.mark.parametrize("clocks", CLOCKS)
def test_a_sound_history_has_no_differences(clocks: str) -> None:
    assert [states for states in histories(4) if found_in(*sides_of(states, clocks), clocks)] == []
