"""A statement stands in every partition of its topic from which there are messages, be they rows or statements."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pyarrow
import pytest

from differential.align.merging import pairs_of
from differential.batches import RECORD_SCHEMA, decode, differences_of, merge
from differential.counts import Counts
from differential.model import Class
from differential.sides import Side
from reference_impl.model import Record, RowChange
from tests.comparing import compare_locally
from tests.unit.differential.ddl_streams import NOBODY, TABLE, TSO, compared, ddl, placed, sent, side
from tests.unit.differential.reproducing import SCHEMA

EVENTS = [ddl(f"ALTER TABLE `t` ADD COLUMN `n{n}` INT", "add column", second=n, code=5) for n in range(2)]
CANAL_JSON = side("left", "canal-json", enable_tidb_extension="true")
ROW = RowChange("insert", SCHEMA, "t", TSO + 9, after={"id": "1", "c": None}, start_ts=TSO)
BROADCASTING = ("open-protocol", "debezium")


def rows(of: Side, partition: int, topic: str = "ddl") -> list[Record]:
    """A row of a partition, behind its statements."""
    records = of.encoder().encode([ROW], [TABLE]).records
    return [replace(one, topic=topic, partition=partition, offset=9 + n) for n, one in enumerate(records)]


def counted_in_batches(sides: Sequence[Side], streams: Sequence[Sequence[Record]]) -> Counts:
    """The counts as Spark and live comparisons come to them."""
    pairs, slim = pairs_of(sides, {}, NOBODY), []
    for number, (of, records) in enumerate(zip(sides, streams, strict=True)):
        for one in records:  # batches of one, each decoded by another worker
            frame = [[one.key], [one.value], [one.topic], [one.partition], [one.offset]]
            columns = [pyarrow.array(column, field.type) for column, field in zip(frame, RECORD_SCHEMA, strict=True)]
            slim += decode(number, of, [pyarrow.RecordBatch.from_arrays(columns, schema=RECORD_SCHEMA)])
    return differences_of(pyarrow.Table.from_batches(merge(pairs, len(sides), slim)))[1]


@pytest.mark.parametrize("dialect", BROADCASTING)
def test_a_partition_that_has_rows_alone_lacks_the_copies_of_all_statements(dialect: str) -> None:
    right = side("right", dialect)
    copies = placed(sent(right, EVENTS))
    left = [*sent(CANAL_JSON, EVENTS), *rows(CANAL_JSON, 1)]
    found = compared([CANAL_JSON, right], [left, [*copies, *rows(right, 1)]]).differences
    assert [(d.kind, d.right_value) for d in found] == [(Class.MISSING, "not in partition 1")] * len(EVENTS)


@pytest.mark.parametrize("dialect", BROADCASTING)
def test_a_partition_of_a_topic_of_other_tables_lacks_nothing(dialect: str) -> None:
    right = side("right", dialect)
    left = [*sent(CANAL_JSON, EVENTS), *rows(CANAL_JSON, 1)]
    assert compared([CANAL_JSON, right], [left, [*placed(sent(right, EVENTS)), *rows(right, 1, "u")]]).differences == []


def test_a_dialect_with_statements_in_one_partition_lacks_no_copies() -> None:
    right = side("right", "canal-json", enable_tidb_extension="true")
    streams = [[*sent(of, EVENTS), *rows(of, 1), *rows(of, 2)] for of in (CANAL_JSON, right)]
    assert compared([CANAL_JSON, right], streams).differences == []


def test_the_partitions_that_were_read_are_the_same_for_every_runner() -> None:
    sides = [CANAL_JSON, side("right", "debezium")]
    streams = [[*sent(of, EVENTS), *(row for partition in (0, 2) for row in rows(of, partition))] for of in sides]
    unplaced = replace(rows(sides[1], 0)[0], topic=None, partition=None, offset=None)
    streams[1].append(unplaced)
    local = compare_locally(sides, streams, pairs_of(sides, {}, NOBODY)).counts
    assert local.partitions == {(1, "ddl", 0): len(EVENTS) + 1, (1, "ddl", 2): 1, (1, "", 0): 1}
    assert counted_in_batches(sides, streams) == local == Counts.from_json(local.to_json())
