"""How many changes are alike: what takes part in a difference is not, on either side, whichever is the left one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from differential.align.comparison import Compared, compare_key
from differential.align.pair_context import PairContext
from differential.classify.naming import Name, Namer
from differential.faults import Fault, Kind
from differential.model import UNKNOWN, Change, Class, Place
from differential.sides import Side
from reference_impl.model import Record
from tests.unit.differential import generated
from tests.unit.differential.building import chain, image, outcome_of


class Collapsing(Namer):
    """Several changes of one side that are one of the other have a name."""

    def steps(self, left: Sequence[Change], right: Sequence[Change]) -> Name | None:
        return Name("COLLAPSE", documented=True) if {len(left), len(right)} > {1} else None


def compared(left: Sequence[Change], right: Sequence[Change]) -> Compared:
    return compare_key(PairContext("left-right", "canal", "canal-json", {}), left, right, Collapsing())


LIFE = chain(None, "a", "b", "c", None, instant="1")
LOST = [*LIFE[:1], *LIFE[2:]]
TOLD_TWICE = [*LIFE[:2], *LIFE[1:]]
ALTERED = [*LIFE[:1], replace(LIFE[1], op="insert"), *LIFE[2:]]


@pytest.mark.parametrize(
    ("right", "alike"),
    [
        (LIFE, 4),
        (TOLD_TWICE, 4),
        (ALTERED, 3),
        (chain(None, "a", "c", None, instant="1"), 2),  # two updates are one
        ([], 0),
        ([*LIFE[:3], *LIFE[:3], LIFE[3]], 4),
    ],
)
def test_a_change_is_alike_that_takes_part_in_no_difference(right: Sequence[Change], alike: int) -> None:
    for found in (compared(LIFE, right), compared(right, LIFE)):
        assert found.alike == alike


def test_a_change_at_another_position_is_not_alike() -> None:
    last_first = [LIFE[0], *(replace(one, before=UNKNOWN) for one in LIFE[1:3])]
    last_first.append(replace(last_first[1], after=image("d")))
    first_last = [last_first[0], *last_first[2:], last_first[1]]
    for found in (compared(last_first, first_last), compared(first_last, last_first)):
        assert ([one.kind for one in found.differences], found.alike) == ([Class.REORDERED], 3)


def test_of_several_changes_at_one_place_each_counts() -> None:
    once = [replace(one, place=Place("t", 0, 0)) for one in LIFE]
    assert (compared(once, ALTERED).alike, compared(once, []).alike) == (3, 0)


FAULTS = [kind for kind in Kind if kind is not Kind.REORDERED]  # of two that are changed over either may be late
DIALECTS = [
    (("canal-json", {"enable_tidb_extension": "true"}), ("canal", {})),
    (("debezium", {}), ("debezium-connector", {})),
    (("canal-json", {"enable_tidb_extension": "true"}), ("open-protocol", {"max_batch_size": "1"})),
]


def counted(sides: Sequence[Side], streams: Sequence[Sequence[Record]]) -> dict[tuple[str, str], tuple[int, list[int]]]:
    """By table how many changes are alike, and how many of each dialect there are."""
    names = sorted(range(2), key=lambda n: sides[n].dialect)
    counts = outcome_of(sides, streams).counts
    return {
        (schema, table): (alike, [counts.changes[n, schema, table] for n in names])
        for (_, schema, table), alike in counts.alike.items()
    }


@pytest.mark.parametrize("dialects", DIALECTS, ids=lambda given: given[1][0])
@pytest.mark.parametrize("preset", ["shop", "hot"])
def test_it_does_not_matter_which_side_is_the_left_one(preset: str, dialects: Any) -> None:
    stream, taken = generated.transactions(preset, 150, 3), set[bytes]()
    streams, ways = [], []
    for dialect, options in dialects:
        of = generated.side("left", dialect, preset, **options)
        streams.append(generated.broken(of, generated.sent(of, stream), [Fault(kind, 2) for kind in FAULTS], taken)[0])
    for order in ((0, 1), (1, 0)):
        sides = [
            generated.side(name, dialects[n][0], preset, **dialects[n][1])
            for name, n in zip(("left", "right"), order, strict=True)
        ]
        ways.append(counted(sides, [streams[n] for n in order]))
    assert ways[0] == ways[1]
    assert all(alike <= min(changes) for alike, changes in ways[0].values())
