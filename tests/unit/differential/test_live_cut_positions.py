"""`compare --live` cuts a key group only where a single alignment is possible, so it finds what one run finds."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from differential.align.alignment import WINDOW
from differential.align.cut_positions import common_positions
from differential.decode.slim import Kind
from differential.live import rounds
from differential.model import Change, Status
from differential.sides import Side
from reference_impl.model import Record, RowChange
from tests.amounts import examples, ordinarily
from tests.unit.differential.building import NOON, image, key_change, lost, numbered, pairs_for
from tests.unit.differential.test_live import FOREVER, Run, at_once, live
from tests.unit.differential.test_rows_that_change_back import (
    PAIRS,
    SEEDS,
    TABLES,
    change,
    life,
    sent,
    sides_of,
    together,
)

PATIENCE = 3_000  # milliseconds; a binary log tells seconds


def streams_of(name: str, seed: int, values: str) -> tuple[list[Side], list[list[Record]]]:
    sides, transactions = sides_of(name), life(seed, values)
    return sides, [sent(of, transactions) for of in sides]


@pytest.mark.parametrize("values", ["AB", "ABCDEF"])
@pytest.mark.parametrize("name", PAIRS)
@given(seed=st.integers(0, 1000), batches=st.integers(2, 16), cut=st.integers(0, 1000))
@settings(max_examples=examples(12), deadline=None)
def test_however_rounds_are_cut_a_row_that_goes_to_and_fro_is_explained(
    name: str, values: str, seed: int, batches: int, cut: int
) -> None:
    sides, streams = streams_of(name, seed, values)
    for patience in (PATIENCE, FOREVER):
        found = live(sides, streams, patience, batches, cut)
        assert [d for d in found.differences if d.status is Status.UNEXPLAINED] == []
    assert found == at_once(sides, streams)


@pytest.mark.parametrize("name", ["canal", "canal with GTIDs", "debezium"])
def test_a_lost_change_is_reported_in_rounds_as_well(name: str) -> None:
    sides, transactions = sides_of(name), together([life(seed, "ABCDEF") for seed in range(ordinarily(6, SEEDS))])
    streams = [sent(of, transactions) for of in sides]
    by_row: dict[str, list[tuple[int, RowChange]]] = {}
    for at, one in enumerate(one for _, kept in transactions for one in kept):
        by_row.setdefault((one.after or one.before or {})["id"], []).append((at, one))  # type: ignore[arg-type]
    for n in range(0, max(map(len, by_row.values())), 3):
        of_rows = {row: changes[n] for row, changes in by_row.items() if n < len(changes)}
        # An update that changes nothing may be there or not.
        gone = {row: at for row, (at, one) in of_rows.items() if one.before != one.after}
        broken = numbered(message for at, message in enumerate(streams[0]) if at not in gone.values())
        found = live(sides, [broken, streams[1]], PATIENCE, 8, n).differences
        assert {d.key for d in found if d.status is Status.UNEXPLAINED} >= {f'["{row}"]' for row in gone}, n


def test_a_transaction_whose_counterpart_was_lost_is_settled_as_a_whole() -> None:
    """Cut between two steps of a second, these would be two differences more."""
    sides, streams = streams_of("canal", 2, "AB")
    streams[0] = lost(streams[0], 2)
    found = live(sides, streams, PATIENCE, 8, 2)
    assert [d.status for d in found.differences].count(Status.UNEXPLAINED) == 2
    assert found == at_once(sides, streams)


def test_a_row_that_is_in_doubt_all_the_time_waits_until_a_window_of_its_changes_is_due() -> None:
    """Ten changes a second: any three of upstream's steps may be one change, and TiCDC two behind."""
    sides, states = sides_of("canal"), [None, *("A", "B") * 65]  # more than may wait
    made = [change(a, b, NOON + 100 * n) for n, (a, b) in enumerate(pairwise(states))]
    streams = [sent(of, [(made, made)]) for of in sides]
    run = Run(sides, pairs_for(sides), PATIENCE)
    waiting = []
    for n in range(0, len(made), 10):
        run.take([stream[n : n + 10] for stream in streams])
        waiting.append(len(run.waiting) // 2)
    assert WINDOW < max(waiting) <= WINDOW + 10 * (1 + PATIENCE // 1000) + 10
    assert run.end().differences == []


def steps(side_of: str, *given: tuple[str, str, int]) -> list[Change]:
    """Updates with the second of each."""
    ends = [(image(before), image(after), str(second)) for before, after, second in given]
    return [key_change(before, after, n, side_of, instant=at) for n, (before, after, at) in enumerate(ends)]


def alike(a: Change, b: Change) -> bool:
    return (a.before, a.after) == (b.before, b.after)


ONCE = [("A", "B", 1), ("B", "A", 2), ("A", "B", 3)]
ALIGNMENTS = {
    "one by one": (ONCE, ONCE, (3, 3), {(0, 0), (1, 1), (2, 2), (3, 3)}),
    # More changes of the last second may come, and be one change with the last.
    "one by one, the last not due": (ONCE, ONCE, (1, 1), {(0, 0), (1, 1), (2, 2)}),
    # Three steps of one second are one change, or the first of three: what comes next tells.
    "in two ways": ([("A", "B", 1), ("B", "A", 1), ("A", "B", 1)], ONCE, (1, 1), {(0, 0)}),
    "in one way": ([("A", "B", 1), ("B", "A", 1), ("A", "C", 1)], [("A", "C", 1)], (3, 1), {(0, 0), (3, 1)}),
    # If the first two steps of the right side are no change, the last one belongs to changes that come later.
    "in two ways, the second with later changes": (
        [("A", "B", 1), ("B", "A", 2)],
        [("A", "B", 1), ("B", "A", 1), ("A", "B", 2), ("B", "C", 3)],
        (0, 0),
        {(0, 0)},
    ),
}


@pytest.mark.parametrize("name", ALIGNMENTS)
def test_a_position_is_common_if_every_faultless_alignment_passes_it(name: str) -> None:
    left, right, due, places = ALIGNMENTS[name]
    found = common_positions(steps("left", *left), steps("right", *right), alike, lambda a, b: True, due)
    assert found == places


def test_there_is_no_common_position_if_no_faultless_alignment_covers_what_is_due() -> None:
    left, right = steps("left", *ONCE), steps("right", ONCE[0], ("B", "C", 2), ("C", "A", 3))
    assert common_positions(left, right, alike, lambda a, b: True, (1, 1)) == {(0, 0), (1, 1)}
    assert common_positions(left, right, alike, lambda a, b: True, (2, 2)) is None
    assert common_positions(left[::2], right, alike, lambda a, b: True, (1, 1)) is None


def test_three_sides_are_cut_only_where_the_alignments_of_every_two_of_them_pass(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sides = [Side(name, "canal", tables=TABLES) for name in ("left", "right", "third")]
    steps = [
        change(None, "A", NOON),
        *(change(*pair, NOON + 1000) for pair in ("AB", "BC")),
        change("C", "D", NOON + 2000),
    ]
    records = sent(sides[0], [(steps, [])])
    passed = {"left-right": (0, 3), "left-third": (0, 1), "right-third": (0, 1, 3)}
    places = {name: frozenset((n, n) for n in some) for name, some in passed.items()}
    monkeypatch.setattr(rounds, "_common_positions", lambda pair, left, right, due: places[pair.context.pair])
    run = Run(sides, pairs_for(sides), FOREVER)
    run.take([records] * 3)
    assert len([one for one in run.waiting if one.row.kind == Kind.CHANGE]) == 3 * len(records)
