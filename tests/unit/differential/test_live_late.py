"""In rounds a change that comes late is told as it is told at once, whichever of the two was due before."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from differential.checks.records import Check, CheckRecords, Columns
from differential.live.rounds import EVERYTHING, SettledDifference, Settling, Timed, Waiting
from differential.model import Class
from tests.unit.differential.building import pairs_for
from tests.unit.differential.streams import side

SIDES = side("left", "canal-json", enable_tidb_extension="true"), side("right", "open-protocol")
At = tuple[int, int]  # milliseconds, offset


def rows(changes: Sequence[At]) -> list[Timed]:
    """Inserts of different rows in one partition of the left side."""
    count = len(changes)
    columns = Columns(
        [("shop", "orders")] * count,
        [b'["%d"]' % offset for _, offset in changes],
        ["t"] * count,
        [0] * count,
        [offset for _, offset in changes],
        [0] * count,
        ["insert"] * count,
        [ms << 18 for ms, _ in changes],
        [-1] * count,
        [7] * count,
    )
    newest = max((ms for ms, _ in changes), default=0)
    return [Timed(row, newest) for row in CheckRecords(0, SIDES[0]).of_columns(columns) if row.op != Check.CLOCK]


def told(rounds: Sequence[tuple[Sequence[At], int]]) -> list[Class]:
    """The kinds of what is told in rounds, each of changes that come and of the time up to which changes are due."""
    waiting: list[Timed] = []
    found: list[Class] = []
    for come, due in rounds:
        new = rows(come) if come else []
        pieces = list(
            Settling(pairs_for(SIDES), 2, due).pieces(sorted([*waiting, *new], key=lambda one: one.row.order))
        )
        waiting = [piece.timed for piece in pieces if isinstance(piece, Waiting)]
        found += [piece.difference.kind for piece in pieces if isinstance(piece, SettledDifference)]
    return found


EARLY, LATE = (10_000, 0), (5_000, 1)


@pytest.mark.parametrize(
    "rounds",
    [
        [([EARLY, LATE], EVERYTHING)],
        [([EARLY], 1_000), ([LATE], 30_000), ([], EVERYTHING)],
        [([EARLY], 20_000), ([LATE], 30_000), ([], EVERYTHING)],
        [([EARLY], 20_000), ([LATE], 30_000), ([(40_000, 2)], 50_000), ([], EVERYTHING)],
    ],
)
def test_a_change_older_than_a_judged_one_is_reported_once(rounds: list[tuple[list[At], int]]) -> None:
    assert told(rounds) == [Class.REORDERED]


def test_changes_in_order_are_reported_in_no_round() -> None:
    assert told([([(1_000, 0)], 2_000), ([(3_000, 1), (4_000, 2)], 5_000), ([(9_000, 3)], EVERYTHING)]) == []
