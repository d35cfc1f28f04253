"""Transactions that one side tears apart: by their fingerprints, keys are settled as the exact way settles them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from differential.batches import decode, merged
from differential.local import compare_locally
from differential.model import Class, Difference
from differential.record_batches import record_batch
from differential.sides import Side
from reference_impl.model import Record, Row, RowChange
from tests.unit.differential.building import NOON, numbered, pairs_for, row_change
from tests.unit.differential.streams import messages, side
from tests.unit.differential.test_named_transactions import CANAL, CONNECTOR, ROW, by_canal, by_connector, rows_of

VALUES = {
    "amount": ("1.50", "2.75", "3.25", "4.25"),
    "rate": ("1.5", "2.75", "3.25", "4.5"),
    "name": ("a", "b", "c", "d"),
    "small": ("1", "2", "3", "4"),
}
SIDES = {
    "canal": (side("left", "canal-json", enable_tidb_extension="true"), CANAL, by_canal),
    "connector": (side("left", "canal-json", enable_tidb_extension="true"), CONNECTOR, by_connector),
    "connector beside Debezium": (side("left", "debezium"), CONNECTOR, by_connector),
}


def updates(rows: Sequence[Row], *stamps: int) -> list[RowChange]:
    """The updates from row to row, at these times."""
    return [row_change(old, new, at, "orders") for old, new, at in zip(rows, rows[1:], stamps, strict=False)]


def both_ways(sides: list[Side], streams: list[list[Record]]) -> tuple[list[Difference], list[Difference]]:
    """(the differences by fingerprints, those of the exact way)."""
    placed = [numbered(stream) for stream in streams]
    pairs = pairs_for(sides)
    by_prints = compare_locally(sides, placed, pairs, partitions=2).differences
    batches = [batch for n, of in enumerate(sides) for batch in decode(n, of, [record_batch(placed[n])])]
    exact, _ = merged(pairs, 2, batches)
    return by_prints, exact


def shown(differences: Sequence[Difference]) -> list[tuple[str, str]]:
    """What they are, and their names."""
    return sorted((one.kind.value, str(one.divergence)) for one in differences)


@pytest.mark.parametrize("column", VALUES)
@pytest.mark.parametrize("name", SIDES)
@pytest.mark.parametrize(
    ("times", "ids", "is_fault"),
    [
        ((NOON, NOON + 1), ("u:1", "u:1", "u:1"), True),
        ((NOON, NOON), ("u:1", "u:1", "u:2"), True),
        ((NOON, NOON + 1), ("u:1", "u:1", "u:2"), False),
        ((NOON, NOON + 1), ("", "", ""), False),
    ],
    ids=["torn", "joined", "as it was", "without names"],
)
def test_steps_of_a_transaction_are_one_change_only_where_it_is_whole(
    name: str, column: str, times: tuple[int, int], ids: tuple[str, ...], is_fault: bool
) -> None:
    ticdc, upstream, source = SIDES[name]
    rows = [{**ROW, column: value} for value in VALUES[column]]
    steps = [replace(one, source=source(id_)) for one, id_ in zip(updates(rows, *[NOON] * 3), ids, strict=True)]
    folded = messages(ticdc, updates([rows[0], rows[2], rows[3]], *times))
    streams = [[one for one in folded if b"WATERMARK" not in (one.value or b"")], rows_of(upstream, steps)]
    by_prints, exact = both_ways([ticdc, upstream], streams)
    assert shown(by_prints) == shown(exact)
    assert any(one.kind is Class.EXTRA for one in exact) is is_fault
