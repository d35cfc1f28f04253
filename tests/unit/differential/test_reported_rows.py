"""Of changes that are alike the one is told that was lost, or that came again, however late."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise

import pytest

from conformance.ddl import tables_of_sql
from differential.classify.naming import Namer
from differential.model import Change, Class, Place
from differential.sides import Side
from reference_impl.model import Record
from reference_impl.tso import compose
from tests.unit.differential.building import (
    NOON,
    differences,
    found_of_key,
    image,
    key_change,
    numbered,
    row_change,
    side_of,
    written,
)
from tests.unit.differential.generated import sent, side, transactions, unexplained

AGAIN = 1000  # what is added to the offset of a change that is there again
LIVES, LENGTH = 60, 10


def stamped(one: Change, ms: int) -> Change:
    return replace(one, commit_ts=compose(ms))


def by_the_second(one: Change, ms: int) -> Change:
    return replace(one, instant=f"{ms // 1000 * 1000}")


def lives(seed: str) -> tuple[list[Change], list[Change], int]:
    """A row that goes to and fro between two states, on TiCDC's side and upstream's, and which change a fault is of."""
    draw, states, at = random.Random(seed), [None, "A"], [NOON]
    while len(states) <= LENGTH:
        last = states[-1]
        gone = last is not None and draw.random() < 0.2
        states.append(None if gone else draw.choice([s for s in ("A", "B") if s != last]))
        at.append(at[-1] + draw.randint(3000, 60_000))
    sides = []
    for timed in (stamped, by_the_second):
        made = []
        for n, ms in enumerate(at):
            made.append(timed(key_change(image(states[n]), image(states[n + 1]), n), ms))
        sides.append(made)
    return sides[0], sides[1], draw.randrange(LENGTH)


Broken = Callable[[list[Change], int, random.Random], tuple[list[Change], int]]


def lost(changes: list[Change], at: int, draw: random.Random) -> tuple[list[Change], int]:
    return changes[:at] + changes[at + 1 :], at


def repeated(changes: list[Change], at: int, draw: random.Random) -> tuple[list[Change], int]:
    """With a change again, behind any of those that follow it."""
    later = draw.randint(at + 1, len(changes))
    again = replace(changes[at], place=Place("t", 0, AGAIN + at))
    return [*changes[:later], again, *changes[later:]], AGAIN + at


def found_in(left: Sequence[Change], right: Sequence[Change], *, clock: bool = False) -> list[tuple[Class, int]]:
    found = found_of_key(left, right, Namer(), same_clock=clock)
    return [(d.kind, (d.left or d.right or Place()).offset) for d in found]


@pytest.mark.parametrize("on_left", [True, False], ids=["TiCDC", "upstream"])
@pytest.mark.parametrize("fault", [lost, repeated])
def test_a_fault_in_a_row_that_changes_back_is_reported_at_its_own_change(fault: Broken, on_left: bool) -> None:
    missed = []
    for n in range(LIVES):
        left, right, at = lives(f"{fault.__name__} {n}")
        side_of, place = fault(left if on_left else right, at, random.Random(n))
        kind = Class.DUPLICATE if fault is repeated else Class.EXTRA if on_left else Class.MISSING
        found = found_in(*((side_of, right) if on_left else (left, side_of)))
        if found != [(kind, place)]:
            missed.append((n, found, (kind, place)))
    assert missed == []


def test_times_of_clocks_with_an_offset_show_it_as_well() -> None:
    for n in range(LIVES):
        left, right, at = lives(f"lag {n}")
        right = [replace(one, instant=f"{int(one.instant) + 7_000}") for one in right]
        at = max(at, 1)  # the clocks are known by what agrees before
        assert found_in(left, lost(right, at, random.Random())[0]) == [(Class.MISSING, at)], n


@pytest.mark.parametrize("clock", [True, False], ids=["one clock", "two clocks"])
@pytest.mark.parametrize("at", range(1, 7))
def test_lost_changes_that_restore_a_row_are_found_by_their_times(at: int, clock: bool) -> None:
    states = [None, *"ABABABABA"]
    times = [NOON + 20_000 * n for n in range(len(states))]
    left = changes(*((*step, n * 20) for n, step in enumerate(pairwise(states))))
    timed = [by_the_second(replace(one, commit_ts=None), ms) for one, ms in zip(left, times, strict=False)]
    right = left if clock else timed
    assert found_in(left, right, clock=clock) == []
    found = found_in(left, [one for n, one in enumerate(right) if n not in (at, at + 1)], clock=clock)
    assert found == [(Class.MISSING, at), (Class.MISSING, at + 1)]


# -- what is no repetition


def changes(*steps: tuple[str | None, str | None, int]) -> list[Change]:
    made = [(key_change(image(before), image(after), n), second) for n, (before, after, second) in enumerate(steps)]
    return [stamped(one, NOON + 1000 * second) for one, second in made]


SOUND = ((None, "A", 1), ("A", "B", 2), ("B", "C", 3))


def test_a_change_with_another_time_is_another_change() -> None:
    again, another = (changes(*SOUND, ("A", "B", second)) for second in (2, 4))
    assert found_in(changes(*SOUND), again) == [(Class.DUPLICATE, 3)]
    assert found_in(changes(*SOUND), another) == [(Class.EXTRA, 3)]


def test_a_late_change_that_was_not_sent_before_is_no_repetition() -> None:
    late = changes(SOUND[0], SOUND[2], SOUND[1])
    assert Class.DUPLICATE not in {kind for kind, _ in found_in(changes(*SOUND), late)}


def test_what_both_sides_have_as_often_is_no_repetition() -> None:
    twice = [*SOUND, SOUND[1]]
    assert found_in(changes(*twice), changes(*twice)) == []
    assert found_in(changes(*twice, ("B", None, 9)), changes(*twice, ("B", "X", 9))) == [(Class.SHAPE, 4)]


def test_a_repeated_batch_is_reported_change_by_change() -> None:
    again = changes(*SOUND, *SOUND[1:], ("C", "D", 4))
    assert found_in(changes(*SOUND, ("C", "D", 4)), again) == [(Class.DUPLICATE, 3), (Class.DUPLICATE, 4)]


# -- messages


def with_again(records: Sequence[Record], at: int, later: int) -> list[Record]:
    """The messages of one topic with that at a place again, so many places later."""
    return numbered([*records[: at + later], records[at], *records[at + later :]])


@pytest.mark.parametrize("dialect", ["canal-json", "canal"])
def test_a_message_that_comes_again_when_its_row_has_gone_on_is_a_repetition_though_all_before_it_agrees(
    dialect: str,
) -> None:
    sides = [
        side("left", "canal-json", "hot", enable_tidb_extension="true"),
        side("right", "canal", "hot", gtid="true"),
    ]
    stream = transactions("hot", 200, 5)
    streams = [numbered(sent(of, stream)) for of in sides]
    number = [of.dialect for of in sides].index(dialect)
    hot = [n for n, r in enumerate(streams[number]) if b'"1"' in (r.value or b"") and b'"UPDATE"' in (r.value or b"")]
    streams[number] = with_again(streams[number], hot[2], 60)
    [found] = unexplained(sides, streams)
    place = found.right if number else found.left
    assert place is not None
    assert (found.kind, place.offset) == (Class.DUPLICATE, hot[2] + 60)


def keyless(dialect: str, name: str, **options: str) -> Side:
    return side_of(name, dialect, tables_of_sql("USE shop; CREATE TABLE t (a INT, b INT)", "the test"), **options)


@pytest.mark.parametrize(("at", "rows"), [(0, 1), (1, 2)], ids=["an insert", "an update"])
def test_a_message_of_a_table_without_a_key_that_comes_again_late_is_a_repetition_of_each_of_its_rows(
    at: int, rows: int
) -> None:
    sides = [keyless("canal-json", "left", enable_tidb_extension="true"), keyless("canal", "right")]
    a, b, c = ({"a": str(n), "b": "0"} for n in range(3))
    steps = [(None, a), (a, b), (b, c), (None, c), (c, None)]
    changes = [row_change(before, after, NOON + 5000 * n) for n, (before, after) in enumerate(steps)]
    streams = [written(of, changes) for of in sides]
    assert differences(sides, streams) == []
    for number in (0, 1):
        again = [with_again(stream, at, 3) if n == number else stream for n, stream in enumerate(streams)]
        assert [d.kind for d in differences(sides, again)] == [Class.DUPLICATE] * rows


@pytest.mark.parametrize("clock", [True, False], ids=["one clock", "two clocks"])
def test_neighbours_lost_on_one_side_each_are_missing_and_not_altered(clock: bool) -> None:
    left = changes((None, "A", 1), ("A", "B", 9), ("C", "D", 25))
    right = changes((None, "A", 1), ("B", "C", 17), ("C", "D", 25))
    if not clock:
        right = [by_the_second(replace(one, commit_ts=None), NOON) for one in right]
    assert found_in(left, right, clock=clock) == [(Class.MISSING, 1), (Class.EXTRA, 1)]


def test_an_update_that_changes_nothing_on_one_side_is_that_of_the_other_side() -> None:
    """The row was made with NULL, and the right side has the default for it."""
    left = changes((None, "NULL", 1), ("NULL", "x", 9), ("x", "y", 17))
    right = changes((None, "x", 1), ("x", "x", 9), ("x", "y", 17))
    assert found_in(left, right) == [(Class.VALUE, 0), (Class.VALUE, 1)]
