"""Truth and records are paired in order, whatever was lost, repeated or damaged between them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from conformance.oracle.upstream.alignment import Identity, align

Pairs = list[tuple[int | None, int | None]]


def identities(*keys: str) -> list[Identity]:
    return [Identity("s", "t", "c", key, f"row {key}") for key in keys]


ROWS = identities(*(str(n) for n in range(8)))
UNREAD = Identity(None, None, None, None, None)


def together(*, lost: int | None = None, extra: int | None = None) -> Pairs:
    """The pairs of eight rows of which one was lost, or stands twice."""
    pairs: Pairs = []
    got = 0
    for n in range(8):
        pairs.append((n, None if n == lost else got))
        got += n != lost
        if n == extra:
            pairs.append((None, got))
            got += 1
    return pairs


def test_equal_sides_are_paired_one_by_one() -> None:
    assert align(ROWS, ROWS) == together()


@pytest.mark.parametrize("n", range(8))
def test_a_lost_record_costs_itself_alone(n: int) -> None:
    assert align(ROWS, [*ROWS[:n], *ROWS[n + 1 :]]) == together(lost=n)


@pytest.mark.parametrize("n", range(8))
def test_a_repeated_record_costs_itself_alone(n: int) -> None:
    paired = align(ROWS, [*ROWS[: n + 1], *ROWS[n:]])
    assert sum(got is None for _, got in paired) == 0
    assert [expected for expected, _ in paired if expected is not None] == list(range(8))


DAMAGES = {
    "another value": lambda identity: replace(identity, body="other"),
    "another key": lambda identity: replace(identity, key="9", body="other"),
    "another table": lambda identity: replace(identity, table="u"),
    "another operation": lambda identity: replace(identity, op="d"),
    "nothing to be read": lambda identity: UNREAD,
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
@pytest.mark.parametrize("n", [0, 3, 7])
def test_a_damaged_record_is_paired_with_what_it_was(damage: object, n: int) -> None:
    assert callable(damage)
    assert align(ROWS, [*ROWS[:n], damage(ROWS[n]), *ROWS[n + 1 :]]) == together()


def test_a_record_of_another_table_is_paired_with_nothing() -> None:
    other = Identity("s", "u", "c", "1", "row of u")
    assert align(identities("1"), [other]) in ([(None, 0), (0, None)], [(0, None), (None, 0)])


def test_of_repeated_changes_of_one_row_the_contents_tell_which_was_lost() -> None:
    rows = [Identity("s", "t", "u", "1", f"version {n}") for n in range(6)]
    assert align(rows, [*rows[:3], *rows[4:]]) == [(0, 0), (1, 1), (2, 2), (3, None), (4, 3), (5, 4)]


def test_long_streams_are_cut_where_both_sides_are_equal() -> None:
    rows = identities(*(str(n) for n in range(1200)))
    got = [row for n, row in enumerate(rows) if n % 200 != 100]
    lost = [expected for expected, other in align(rows, got) if other is None]
    assert lost == [100, 300, 500, 700, 900, 1100]
