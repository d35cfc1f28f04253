"""Sides that leave the row before an update out: nothing is held against them for it, and faults are found."""

from __future__ import annotations

import pytest

from differential.align.merging import pairs_of
from differential.classify.explaining import namer_of
from differential.faults import Fault, Kind
from tests.comparing import compare_locally
from tests.unit.differential.generated import broken, reached, sent, side, transactions, unexplained

CHANGES, SEED, EACH = 300, 4, 3
LEFT = side("left", "canal-json", enable_tidb_extension="true")
RIGHT = side("right", "open-protocol", open_output_old_value="false")


@pytest.mark.parametrize("preset", ["shop", "types"])
def test_inserts_and_updates_that_look_alike_make_no_difference(preset: str) -> None:
    left = side("left", "canal-json", preset, enable_tidb_extension="true")
    right = side("right", "open-protocol", preset, open_output_old_value="false")
    stream = transactions(preset, CHANGES, SEED)
    pairs = pairs_of([left, right], {}, {"left-right": namer_of(left, right)})
    outcome = compare_locally([left, right], [sent(left, stream), sent(right, stream)], pairs)
    assert outcome.differences == []
    assert not outcome.counts.control[1, "unchecked"]


def test_every_fault_of_such_a_side_is_found_and_nothing_else() -> None:
    stream = transactions("shop", CHANGES, SEED)
    sound = sent(RIGHT, stream)
    kinds = (Kind.LOST, Kind.REPEATED, Kind.CUT, Kind.CHANGED_BYTE)
    made, injected = broken(RIGHT, sound, [Fault(kind, EACH) for kind in kinds], set())
    faults = reached(1, RIGHT, sound, injected)
    assert len(faults) == EACH * len(kinds)
    found = unexplained([LEFT, RIGHT], [sent(LEFT, stream), made])
    assert [one.fault for one in faults if not any(map(one.by, found))] == [], "not found"
    assert [d for d in found if not any(one.by(d) for one in faults)] == [], "found, but not put in"
