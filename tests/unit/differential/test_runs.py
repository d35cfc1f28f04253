"""Sequences of changes of one key laid side by side."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from differential.align.alignment import align
from differential.align.costs import NAMED
from differential.align.pair_context import PairContext
from differential.align.steps import Step, StepKind
from differential.align.weighing import Weighing
from differential.classify.naming import Name, Namer
from differential.model import UNKNOWN, Change
from tests.unit.differential.building import chain, image, key_change


class AnySteps(Namer):
    """Names all steps of one time that lead to the same row."""

    def steps(self, left: Sequence[Change], right: Sequence[Change]) -> Name | None:
        return Name("DV-0", documented=True)


def change(before: str | None, after: str | None) -> Change:
    return key_change(image(before), image(after))


def aligned(left: Sequence[Change], right: Sequence[Change], namer: Namer | None = None) -> list[Step]:
    return align(left, right, Weighing(PairContext("left-right", "left", "right", {}), namer or Namer()))


def unlike(
    left: Sequence[Change], right: Sequence[Change], namer: Namer | None = None
) -> list[tuple[StepKind, int, int]]:
    """The steps in which something differs: kind, and how many changes of each side."""
    return [(step.kind, len(step.left), len(step.right)) for step in aligned(left, right, namer) if step.cost >= NAMED]


LONG = chain(None, *(str(n) for n in range(200)), None)


def test_equal_sequences_are_one_step() -> None:
    assert [(step.kind, len(step.left)) for step in aligned(LONG, LONG)] == [(StepKind.EQUAL, len(LONG))]


FAULTS: Mapping[str, tuple[Callable[[int], list[Change]], tuple[StepKind, int, int]]] = {
    "lost": (lambda at: LONG[:at] + LONG[at + 1 :], (StepKind.GAP, 1, 0)),
    "repeated": (lambda at: LONG[: at + 1] + LONG[at:], (StepKind.REPEATED, 0, 1)),
    "altered": (
        lambda at: [*LONG[:at], replace(LONG[at], after=image("altered")), *LONG[at + 1 :]],
        (StepKind.MATCH, 1, 1),
    ),
    "in the wrong order": (lambda at: [*LONG[:at], LONG[at + 1], LONG[at], *LONG[at + 2 :]], (StepKind.MOVED, 2, 2)),
}


AT = [*product(FAULTS, (0, 57, len(LONG) - 2)), *product(("lost", "repeated"), (1, len(LONG) - 1))]


@pytest.mark.parametrize(("fault", "at"), AT)
def test_a_fault_costs_one_step_and_no_later_one(fault: str, at: int) -> None:
    put, step = FAULTS[fault]
    assert unlike(LONG, put(at)) == [step]


def test_changes_after_very_many_lost_ones_match_again() -> None:
    assert unlike(LONG[:3] + LONG[180:], LONG) == [(StepKind.GAP, 0, 1)] * 177


def test_a_delete_and_an_insert_lead_as_far_as_an_update() -> None:
    split = [change("a", None), change(None, "b")]
    assert unlike(split, [change("a", "b")]) == [(StepKind.NET, 2, 1)]


@pytest.mark.parametrize("states", [(None, "A", None), ("A", "B", "A"), ("A", "B", None, "A")])
def test_steps_that_lead_back_to_where_they_began_may_be_nothing(states: Sequence[str | None]) -> None:
    steps, later = chain(*states, instant="7 one"), chain(states[-1], "C", instant="8 two")
    count = len(steps)
    assert unlike([*steps, *later], later, AnySteps()) == [(StepKind.VANISHED, count, 0)]
    assert unlike(later, [*steps, *later], AnySteps()) == [(StepKind.VANISHED, 0, count)]
    assert unlike([*steps, *later], later) == [(StepKind.GAP, 1, 0)] * count
    assert StepKind.VANISHED not in {kind for kind, _, _ in unlike([*steps[:-1], *later], later, AnySteps())}


def test_two_updates_lead_as_far_as_one() -> None:
    assert unlike(chain("a", "c"), chain("a", "b", "c")) == [(StepKind.NET, 1, 2)]


def test_an_update_that_starts_where_the_lost_one_ended_does_not_stand_for_both() -> None:
    assert unlike([change("b", "c")], chain("a", "b", "c")) == [(StepKind.GAP, 0, 1)]


def test_an_image_that_is_not_said_agrees_with_every_other() -> None:
    unsaid = [replace(one, before=UNKNOWN) if one.op == "update" else one for one in LONG]
    assert unlike(unsaid, LONG) == []


@given(st.lists(st.sampled_from("abc"), max_size=12), st.lists(st.sampled_from("abc"), max_size=12), st.booleans())
def test_every_change_of_both_sides_is_in_exactly_one_step_and_in_order(
    left: list[str], right: list[str], is_named: bool
) -> None:
    a, b = chain(None, *left), chain(None, *right, instant="1")
    steps = aligned(a, b, AnySteps() if is_named else Namer())
    assert [one for step in steps for one in step.left] == a
    assert [one for step in steps for one in step.right] == b
    assert all(step.left or step.right for step in steps)


def test_steps_of_one_transaction_are_not_taken_together_with_those_of_another() -> None:
    first, second = chain("a", "b", None, instant="1"), chain(None, "c", None, instant="2")
    found = aligned(chain("a", None), [*first, *second], AnySteps())
    assert [(step.kind, len(step.right)) for step in found] == [(StepKind.FOLD, 2), (StepKind.VANISHED, 2)]


def test_two_folds_one_behind_the_other_are_two() -> None:
    upstream = [*chain(None, "a", "b", instant="1"), *chain("b", "d", "c", instant="2")]
    found = aligned(upstream, chain(None, "b", "c"), AnySteps())
    assert [(step.kind, len(step.left), len(step.right)) for step in found] == [(StepKind.FOLD, 2, 1)] * 2


def test_sides_that_have_nothing_in_common_leave_nothing_over() -> None:
    others = chain(*(f"other {n}" for n in range(300)))
    found = aligned(LONG, others)
    assert (sum(len(step.left) for step in found), sum(len(step.right) for step in found)) == (len(LONG), len(others))
    assert {step.kind for step in found} <= {StepKind.GAP, StepKind.MATCH}
