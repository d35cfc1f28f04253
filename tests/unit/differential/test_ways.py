"""What a summary tells of its plan: how messages were read, and how changes were compared."""

from __future__ import annotations

import random

from differential.counts import Counts
from differential.decode.quick import FEW
from differential.decode.quick.structs import OPS
from differential.prints.ways import ComparedBy, ReadAs, ways_summary
from reports.comparison.verdict import method
from tests.comparing import compare_locally
from tests.unit.differential.building import pairs_for
from tests.unit.differential.generated import sent, sides_of, transactions
from tests.unit.differential.test_prints import with_faults

CHANGES = 400


def ways_of(name: str, share: float) -> tuple[dict[str, dict[str, int]], dict[str, int], Counts]:
    sides = sides_of(name, 2)
    streams = [with_faults(sent(of, transactions("shop", CHANGES, 4)), random.Random(5), share) for of in sides]
    counts = compare_locally(sides, streams, pairs_for(sides)).counts
    found = ways_summary(sides, counts)
    return found["read"], found["compared"], counts


def test_every_message_and_every_change_went_one_way() -> None:
    read, compared, counts = ways_of("canal", 0.05)
    for number, name in enumerate(("left", "right")):
        assert sum(read[name].values()) == counts.control[number, "messages"]
    assert sum(compared.values()) == sum(counts.changes.values())


def test_sound_streams_are_read_as_columns_behind_the_first_messages_and_compared_by_fingerprints() -> None:
    read, compared, _ = ways_of("canal", 0)
    early = (FEW - 1) * len(OPS) * len(sides_of("canal", 2)[0].tables)
    assert [sum(ways.values()) - ways[ReadAs.COLUMNS] for ways in read.values()] == [early, early]
    assert compared[ComparedBy.PRINTS] > 0
    assert compared[ComparedBy.STEPS] > 0, "steps of a transaction that are one change need no alignment"
    assert not any(name.startswith("values") for name in compared)


def test_the_ways_are_no_part_of_what_makes_counts_equal_and_add_up() -> None:
    one, other = Counts(), Counts()
    one.ways["compared", ComparedBy.PRINTS] = 2
    assert one == other
    other.add(one)
    other.add(Counts.from_json(one.to_json()))
    assert other.ways["compared", ComparedBy.PRINTS] == 4


def test_a_page_shows_the_shares() -> None:
    plan = {"plan": "merge", "why": "w", "read": {"left": {"a": 3, "b": 1}, "right": {}}, "compared": {"c": 2}}
    text = method({"runner": "local", "plan": plan})
    assert text == (
        "made by the runner local with the plan merge: w; messages of left read as a (75.0%), b (25.0%); "
        "changes compared by c (100.0%)"
    )
