"""Two passes find what one finds: the same differences, and the same counts."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from differential.align.pairs import Pair, pairs_of
from differential.classify.explaining import namer_of
from differential.faults import Fault, Kind
from differential.local import compare_locally
from differential.prints.moving import GROUPS
from differential.sides import Side
from differential.spark.runner import compare_on_spark
from differential.spark.session import session
from differential.spark.stages import Stage
from reference_impl.model import Record
from tests.spark.staged import QUICK, frames, outcome_of, stages
from tests.unit.differential.generated import broken, sent, side, tables, transactions

TICDC = side("left", "canal-json", enable_tidb_extension="true")
OPEN = side("right", "open-protocol", max_batch_size="1")
UPSTREAM = side("third", "canal")
NO_KEY = "items"


@pytest.fixture(scope="module")
def spark() -> Iterator[Any]:
    with session("local[2]", QUICK) as made:
        yield made


def keyless(of: Side) -> Side:
    """With a table that has no key."""
    known = (replace(t, primary_key=(), unique_keys=()) if t.name == NO_KEY else t for t in tables("shop"))
    return replace(of, tables=tuple(known))


def pairs(sides: Sequence[Side]) -> tuple[Pair, ...]:
    types = {(t.schema, t.name, c.name): c.type for t in sides[0].tables for c in t.columns}
    return pairs_of(sides, types, {f"{a.name}-{b.name}": namer_of(a, b) for a, b in combinations(sides, 2)})


def streams(sides: Sequence[Side], seed: int, faults: int) -> list[list[Record]]:
    """The messages of a few hundred changes, with faults of every kind on each side, and tombstones."""
    drawn = random.Random(seed)
    made = []
    for of in sides:
        records, _ = broken(of, sent(of, transactions("shop", 300, seed)), [Fault(k, faults) for k in Kind], set())
        end = replace(records[-1], key=None, value=None, offset=(records[-1].offset or 0) + 1)
        made.append([*records, end])
        drawn.shuffle(made[-1])
    return made


CASES = {
    "nothing differs": ((TICDC, OPEN), 0),
    "some changes differ": (((keyless(TICDC)), keyless(OPEN)), 2),
    "three sides, of two clocks": (tuple(map(keyless, (TICDC, OPEN, UPSTREAM))), 1),
}


@pytest.mark.parametrize("case", CASES)
def test_two_passes_find_what_one_finds(spark: Any, tmp_path: Path, case: str) -> None:
    sides, faults = CASES[case]
    given = streams(sides, len(case), faults)
    expected = compare_locally(sides, given, pairs(sides))
    assert bool(expected.differences) == bool(faults)
    put = stages(tmp_path, plan="two-pass")
    compare_on_spark(sides, frames(spark, tmp_path, given), pairs(sides), put, partitions=3, plan="two-pass")
    assert outcome_of(put.merged) == expected
    assert put.merged.notes["plan"] == "two-pass"
    if not faults:
        [moved] = put.settled.read(spark).selectExpr("coalesce(sum(length(groups)), 0)").first()
        assert moved <= GROUPS.itemsize * sum(map(len, expected.counts.shown.values()))  # only examples need values


@pytest.mark.parametrize("name", ["out [1]", "{a,b}", "a*?", "a\\b^"])
def test_a_stage_is_read_where_its_place_has_letters_that_stand_for_others(
    spark: Any, tmp_path: Path, name: str
) -> None:
    stage = Stage(tmp_path / name / "stage", {})
    stage.write(spark.range(3))
    assert stage.read(spark).count() == 3


def test_two_passes_find_the_same_where_the_place_of_their_stages_has_brackets(spark: Any, tmp_path: Path) -> None:
    sides, faults = CASES["some changes differ"]
    given = streams(sides, 5, faults)
    put = stages(tmp_path / "out [1]", plan="two-pass")
    compare_on_spark(sides, frames(spark, tmp_path, given), pairs(sides), put, partitions=2, plan="two-pass")
    assert outcome_of(put.merged) == compare_locally(sides, given, pairs(sides))


@pytest.mark.parametrize(
    ("asked", "shared", "why"),
    [
        ("merge", False, "asked for"),
        ("merge", True, "asked for"),
        ("auto", True, "the workers share a folder"),
        ("auto", False, "the workers share no folder"),
    ],
)
def test_with_and_without_a_common_folder_workers_find_what_one_machine_finds(
    spark: Any, tmp_path: Path, asked: str, shared: bool, why: str
) -> None:
    sides, faults = CASES["some changes differ"]
    given = streams(sides, 6, faults)
    put, read = stages(tmp_path, plan=asked), frames(spark, tmp_path, given)
    compare_on_spark(sides, read, pairs(sides), put, partitions=2, plan=asked, one_machine=False, shared=shared)
    assert outcome_of(put.merged) == compare_locally(sides, given, pairs(sides))
    ran = "merge" if shared or asked == "merge" else "two-pass"
    assert (put.merged.notes["plan"], put.merged.notes["why"]) == (ran, why)
    assert not put.blocks.exists()
