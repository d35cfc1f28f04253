"""What is counted of keys that are alike, out of one side alone, is what the merge counts of all sides."""

from __future__ import annotations

import random
from functools import cache
from itertools import groupby

import orjson
import pyarrow
import pytest

from conformance.errors import SuiteError
from differential import alike_keys
from differential.alike_keys import SETTLED, alike, settled
from differential.batches import SLIM, decode, differences_of, merge
from differential.counts import Counts
from differential.decode.slim import Kind
from differential.record_batches import record_batch
from tests.amounts import ordinarily
from tests.unit.differential.building import pairs_for
from tests.unit.differential.generated import sent, side, transactions

SIDES = (side("left", "canal"), side("right", "canal-json", enable_tidb_extension="true"))


@cache
def changes() -> pyarrow.Table:
    """The changes of the first side, as slim rows."""
    records = sent(SIDES[0], transactions("shop", ordinarily(150, 400), 11))
    slim = pyarrow.Table.from_batches(decode(0, SIDES[0], [record_batch(records)]))
    return slim.filter(pyarrow.compute.equal(slim["kind"], int(Kind.CHANGE)))


def of_one_side(rows: pyarrow.Table, batch: int) -> Counts:
    """By way of sums: what Spark groups is grouped here."""
    found = pyarrow.Table.from_batches(alike(pairs_for(SIDES), 2, rows.to_batches(max_chunksize=batch))).to_pylist()
    counts = Counts()
    for row in found:
        if row["counts"] is not None:
            counts.add(Counts.from_json(orjson.loads(row["counts"])))
    keys = sorted(
        (row for row in found if row["counts"] is None),
        key=lambda row: [row[name] for name in ("schema", "table", "group", "topic", "partition", "offset", "step")],
    )
    sums = []
    for (schema, table), of_table in groupby(keys, lambda row: (row["schema"], row["table"])):
        of_keys = [list(of_key) for _, of_key in groupby(of_table, lambda row: row["group"])]
        left = [of_key[-1]["row"] for of_key in of_keys if of_key[-1]["row"] is not None]
        count = sum(row["changes"] for of_key in of_keys for row in of_key)
        sums.append([schema, table, count, len(left), str(sum(left))])
    columns = [list(column) for column in zip(*sums, strict=True)]
    [result] = settled(
        pairs_for(SIDES), 2, [pyarrow.RecordBatch.from_arrays(columns, names=[name for name, _ in SETTLED])]
    )
    _, others = differences_of(pyarrow.Table.from_batches([result]))
    counts.add(others)
    return counts


def of_both_sides(rows: pyarrow.Table) -> Counts:
    """By the merge."""
    other = rows.set_column(4, SLIM.field("side"), pyarrow.array([1] * rows.num_rows, type=pyarrow.int8()))
    differences, counts = differences_of(
        pyarrow.Table.from_batches(merge(pairs_for(SIDES), 2, pyarrow.concat_tables([rows, other]).to_batches()))
    )
    assert differences.num_rows == 0
    return counts


@pytest.mark.parametrize("batch", [7, 60, 10_000])
def test_one_side_gives_the_counts_of_both_whatever_the_batches_and_their_order(batch: int) -> None:
    rows = changes()
    order = random.Random(batch).sample(range(rows.num_rows), rows.num_rows)
    expected = of_both_sides(rows)
    assert expected.named
    assert expected.shown
    assert any(expected.checksum.values())
    assert of_one_side(rows.take(order), batch) == expected


def test_a_difference_between_equal_changes_is_an_error_of_the_suite(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(alike_keys, "differences_of", lambda table: (table, Counts()))
    with pytest.raises(SuiteError, match="changes that are the same differ"):
        list(alike(pairs_for(SIDES), 2, changes().to_batches()))
