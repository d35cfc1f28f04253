"""Inputs about partitions: the partition of rows, statements and watermarks; and rows of a partitioned table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from conformance.cases.inputs import BASE, NOW, Input, commit_times, delete, insert, table, timed, update, with_sql
from conformance.cases.statements import add_column
from reference_impl.model import Event, Row, Table, Value, Watermark

__all__ = ["partition_inputs"]

_PARTITIONS = (2, 3, 7)


def _interleaved(tables: list[Table]) -> Iterator[Event]:
    """Rows of every table, one step of each row at a time; the rows of the first table also change their key."""
    rows = [(table_, id_) for id_ in (10, 20, 30, 40) for table_ in tables]

    def row(id_: int, a: Value) -> Row:
        return {"id": str(id_), "a": a}

    def last_id(table_: Table, id_: int) -> int:
        return id_ + 1 if table_ is tables[0] else id_

    yield from (insert(table_, row(id_, "one")) for table_, id_ in rows)
    yield from (update(table_, row(id_, "one"), row(id_, None)) for table_, id_ in rows)
    yield from (update(table_, row(id_, None), row(id_ + 1, None)) for table_, id_ in rows if table_ is tables[0])
    yield from (delete(table_, row(last_id(table_, id_), None)) for table_, id_ in reversed(rows))


def _spread_inputs(options: Mapping[str, str]) -> Iterator[Input]:
    """Many rows of tables with equal names in two schemas, over each number of partitions."""
    tables = [table(name, BASE.columns, schema=schema) for schema in ("test", "other") for name in ("t1", "t2", "t3")]
    for count in _PARTITIONS:
        yield Input(
            f"partitions/many rows over {count}",
            tuple(tables),
            timed(_interleaved(tables)),
            options,
            replace(NOW, partitions=count),
            axes={"partitions": str(count)},
        )


def partition_inputs(options: Mapping[str, str]) -> Iterator[Input]:
    """Rows, statements and watermarks over several partitions; and rows of a partitioned table."""
    tables = [table(name, BASE.columns) for name in ("t1", "t2", "t3", "t4")]
    rows = timed(insert(table_, {"id": str(i), "a": f"row {i}"}) for i in range(1, 4) for table_ in tables)
    last = commit_times(1, len(rows))[0]
    three = replace(NOW, partitions=3)
    yield Input("partitions/rows", tuple(tables), rows, options, three, axes={"partitions": "3"})
    yield Input("partitions/watermark", (), (Watermark(last),), options, three, axes={"partitions": "3"})
    yield Input("partitions/statement", (BASE,), (add_column(last),), options, three, axes={"partitions": "3"})
    yield Input(
        "partitions/rows and watermark",
        tuple(tables),
        (*rows, Watermark(last)),
        options,
        three,
        axes={"partitions": "3"},
    )
    mixed = [table(name, BASE.columns, schema="MyDb") for name in ("MyTable", "T1", "t2", "ÄÖ")]
    cased = timed(insert(table_, {"id": "1", "a": "x"}) for table_ in mixed)
    yield Input("partitions/names in mixed case", tuple(mixed), cased, options, three, axes={"partitions": "3"})
    one: Row = {"id": "1", "a": "x"}
    two: Row = {"id": "1", "a": None}
    short = timed(e for table_ in tables for e in (insert(table_, one), update(table_, one, two), delete(table_, two)))
    yield Input("partitions/lives", tuple(tables), short, options, three, axes={"partitions": "3"})
    physical = [
        replace(insert(BASE, {"id": str(i), "a": "x"}), partition_id=100 + i % 2, row_id=str(i)) for i in range(1, 4)
    ]
    partitioned = with_sql(replace(BASE, table_id=90, partition_id=101))
    yield Input("partitions/of a table", (partitioned,), timed(physical), options, axes={"table": "partitioned"})
    integers = [replace(insert(BASE, {"id": str(i), "a": None}), row_id=str(i)) for i in (1, 0, -1, 2**31 - 1)]
    yield Input("row id", (BASE,), timed(integers), options, axes={"table": "row id"})
    yield from _spread_inputs(options)
