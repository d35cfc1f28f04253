"""What happens to a row between two states that are alike on both sides: it is compared too."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest

from differential.classify.naming import Name, Namer
from differential.model import Change, Class, Status
from reference_impl.model import Row, RowChange
from tests.unit.differential.building import NOON, differences, found_of_key, image, key_change, row_change
from tests.unit.differential.streams import messages, side

SIDES = side("left", "canal-json", enable_tidb_extension="true"), side("right", "canal")
A: Row = dict.fromkeys(("amount", "rate", "raw", "doc", "at", "state")) | {"id": "1", "name": "a", "small": "1"}
B, WRONG = A | {"name": "b", "small": "5"}, A | {"name": "b", "small": "7"}


def life(*states: Row | None) -> list[RowChange]:
    """The changes that lead from each state to the next, a second apart."""
    return [row_change(a, b, NOON + 1000 * n, "orders") for n, (a, b) in enumerate(pairwise(states))]


@pytest.mark.parametrize("end", [None, A])
def test_a_value_that_is_wrong_in_all_its_messages_is_found_though_the_row_ends_alike(end: Row | None) -> None:
    streams = [messages(SIDES[0], life(None, A, B, end)), messages(SIDES[1], life(None, A, WRONG, end))]
    found = [(d.kind, d.column, d.left_value, d.right_value) for d in differences(SIDES, streams)]
    assert found == [(Class.VALUE, "small", "5", "7")] * 2


def change(before: str | None, after: str | None, offset: int, instant: str = "1") -> Change:
    return key_change(image(before), image(after), offset, instant=instant)


class Vanishing(Namer):
    """Names steps that only the right side has."""

    def steps(self, left: object, right: object) -> Name | None:
        return None if left else Name("DV-0", Status.DOCUMENTED)


def test_steps_vanished_though_the_other_side_has_one_of_them_at_another_place() -> None:
    gone = [change(None, "b", 3), change("b", None, 4)]
    others = [change(None, "x", 1), change("x", "y", 2)]
    found = found_of_key([replace(gone[1]), *map(replace, others)], [*others, *gone], Vanishing())
    assert {(d.kind, d.divergence) for d in found} == {(Class.MISSING, None), (Class.SHAPE, "DV-0")}
    [named] = found_of_key([*map(replace, others)], [*others, *gone], Vanishing())
    assert (named.kind, named.divergence) == (Class.SHAPE, "DV-0")


def test_of_two_changes_that_do_the_same_the_one_without_a_partner_is_the_one_that_vanished() -> None:
    upstream = [change(None, "a", 1), change("a", None, 2), change(None, "a", 3, "2")]
    [found] = found_of_key([replace(upstream[2])], upstream, Vanishing())
    assert (found.kind, found.divergence, found.right_value) == (Class.SHAPE, "DV-0", "insert delete")
    unnamed = found_of_key([replace(upstream[2])], upstream, Namer())
    assert [d.kind for d in unnamed] == [Class.EXTRA] * 2
