"""Sequences of changes of one key laid side by side."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from differential.align.alignment import align
from differential.model import UNKNOWN, Change, Place


def change(before: str | None, after: str | None, offset: int = 0) -> Change:
    op = "insert" if before is None else "delete" if after is None else "update"
    images = [None if image is None else image.encode() for image in (before, after)]
    return Change("s", "t", b"[1]", op, *images, Place("t", 0, offset))


def chain(*states: str | None) -> list[Change]:
    """The changes that lead from each state to the next."""
    return [change(a, b, n) for n, (a, b) in enumerate(pairwise(states))]


def unlike(left: list[Change], right: list[Change]) -> list[tuple[int, int]]:
    """How many changes of each side stand in the runs that do not do the same."""
    return [(len(run.left), len(run.right)) for run in align(left, right) if not run.same]


LONG = chain(None, *(str(n) for n in range(200)), None)


def test_equal_sequences_have_only_runs_of_one_and_one() -> None:
    assert [(len(run.left), len(run.right), run.same) for run in align(LONG, LONG)] == [(1, 1, True)] * len(LONG)


@pytest.mark.parametrize("at", [0, 1, 57, len(LONG) - 1])
def test_a_lost_change_costs_one_run_and_no_later_one(at: int) -> None:
    assert unlike(LONG, LONG[:at] + LONG[at + 1 :]) == [(1, 0)]


@pytest.mark.parametrize("at", [0, 1, 57, len(LONG) - 1])
def test_a_repeated_change_costs_one_run_and_no_later_one(at: int) -> None:
    assert unlike(LONG, LONG[: at + 1] + LONG[at:]) == [(0, 1)]


@pytest.mark.parametrize("at", [0, 57, len(LONG) - 2])
def test_an_altered_change_meets_the_one_it_was(at: int) -> None:
    altered = [*LONG[:at], replace(LONG[at], after=b"altered"), *LONG[at + 1 :]]
    assert unlike(LONG, altered) == [(1, 1)]


def test_a_delete_and_an_insert_do_the_same_as_an_update() -> None:
    split = [change("a", None), change(None, "b")]
    [run] = align(split, [change("a", "b")])
    assert (len(run.left), len(run.right), run.same) == (2, 1, True)


def test_two_updates_do_the_same_as_one_that_goes_as_far() -> None:
    [run] = align(chain("a", "c"), chain("a", "b", "c"))
    assert (len(run.left), len(run.right), run.same) == (1, 2, True)


def test_an_update_that_starts_where_the_lost_one_ended_does_not_stand_for_both() -> None:
    assert unlike([change("b", "c")], chain("a", "b", "c")) == [(0, 1)]


def test_an_image_that_is_not_said_agrees_with_every_other() -> None:
    unsaid = [replace(one, before=UNKNOWN) if one.op == "update" else one for one in LONG]
    assert unlike(unsaid, LONG) == []


@given(st.lists(st.sampled_from("abc"), max_size=12), st.lists(st.sampled_from("abc"), max_size=12))
def test_every_change_of_both_sides_is_in_exactly_one_run_and_in_order(left: list[str], right: list[str]) -> None:
    a, b = chain(None, *left), chain(None, *right)
    runs = list(align(a, b))
    assert [one for run in runs for one in run.left] == a
    assert [one for run in runs for one in run.right] == b
    assert all(run.left or run.right for run in runs)


def test_runs_that_lead_nowhere_do_not_stand_for_one_another() -> None:
    life, vanished = chain(None, "a", "b", None), chain(None, "x", None)
    runs = list(align(life, [*vanished, *chain(None, "y", "a", "b", None)]))
    assert [(len(run.left), len(run.right)) for run in runs if run.same] == [(1, 4), (1, 1), (1, 1)]


def test_of_two_ways_to_step_over_a_difference_the_one_is_taken_after_which_the_sides_go_on_alike() -> None:
    split = [change(None, "a"), change("a", None), change(None, "b"), change("b", None)]
    assert unlike(split, chain(None, "a", "b", None)) == unlike(chain(None, "a", "b", None), split) == []


def test_a_row_that_is_replaced_and_updated_is_updated_even_where_a_shorter_way_leads_to_no_row() -> None:
    replaced = [change("a", None), change(None, "b"), change("b", "c"), change("c", None)]
    assert unlike(chain("a", "c", None), replaced) == unlike(replaced, chain("a", "c", None)) == []


def test_steps_of_one_transaction_are_not_taken_together_with_those_of_another() -> None:
    first = [replace(one, instant="1") for one in chain("a", "b", None)]
    second = [replace(one, instant="2") for one in chain(None, "c", None)]
    assert [len(run.right) for run in align(chain("a", None), [*first, *second])] == [2, 2]


def test_two_steps_that_do_the_same_one_after_the_other_are_two() -> None:
    upstream = [replace(one, instant="1") for one in [*chain(None, "a", "b", None), change(None, "c")]]
    assert [(len(run.left), len(run.right)) for run in align(upstream, chain(None, "b", "c"))] == [(2, 1), (2, 1)]


STATES = st.lists(st.sampled_from(["a", "b", "c", None]), max_size=9)


@given(STATES, STATES, STATES, STATES, st.booleans())
def test_runs_of_changes_that_are_quite_equal_are_the_runs_that_they_are_made_of(
    first: list[str | None], left: list[str | None], right: list[str | None], last: list[str | None], clocked: bool
) -> None:
    sides = [
        [replace(one, commit_ts=one.place.offset // 3) for one in chain(*first, *middle, *last)]
        for middle in (left, right)
    ]
    parts = []
    for run in align(*sides, same_clock=clocked, in_one=True):
        if run.equal:
            parts += [((a,), (b,), True) for a, b in zip(run.left, run.right, strict=True)]
        else:
            parts.append((run.left, run.right, run.same))
    assert parts == [(run.left, run.right, run.same) for run in align(*sides, same_clock=clocked)]
