"""Inputs about partitions: the partition of rows, statements and watermarks; and rows of a partitioned table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from conformance.cases.inputs import BASE, NOW, Input, commit_times, delete, insert, table, timed, update, with_sql
from conformance.cases.statements import add_column
from reference_impl.model import Event, Row, Table, Value, Watermark

__all__ = ["partition_inputs"]


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


def _over(
    partitions: int, name: str, tables: Sequence[Table], events: Sequence[Event], options: Mapping[str, str]
) -> Input:
    """An input over a number of partitions."""
    return Input(
        f"partitions/{name}",
        tuple(tables),
        timed(events),
        options,
        replace(NOW, partitions=partitions),
        axes={"partitions": str(partitions)},
    )


def partition_inputs(options: Mapping[str, str]) -> Iterator[Input]:
    """Rows, statements and watermarks over several partitions; and rows of a partitioned table."""
    tables = [table(name, BASE.columns) for name in ("t1", "t2", "t3", "t4")]
    rows = timed(insert(table_, {"id": str(i), "a": f"row {i}"}) for i in range(1, 4) for table_ in tables)
    last = commit_times(1, len(rows))[0]
    mixed = [table(name, BASE.columns, schema="MyDb") for name in ("MyTable", "T1", "t2", "ÄÖ")]
    one: Row = {"id": "1", "a": "x"}
    two: Row = {"id": "1", "a": None}
    streams: Mapping[str, tuple[Sequence[Table], Sequence[Event]]] = {
        "rows": (tables, rows),
        "watermark": ([], [Watermark(last)]),
        "statement": ([BASE], [add_column(last)]),
        "rows and watermark": (tables, [*rows, Watermark(last)]),
        "names in mixed case": (mixed, [insert(table_, one) for table_ in mixed]),
        "lives": (
            tables,
            [e for table_ in tables for e in (insert(table_, one), update(table_, one, two), delete(table_, two))],
        ),
    }
    for name, (of_stream, events) in streams.items():
        yield _over(3, name, of_stream, events, options)
    physical = [
        replace(insert(BASE, {"id": str(i), "a": "x"}), partition_id=100 + i % 2, row_id=str(i)) for i in range(1, 4)
    ]
    partitioned = with_sql(replace(BASE, table_id=90, partition_id=101))
    yield Input("partitions/of a table", (partitioned,), timed(physical), options, axes={"table": "partitioned"})
    integers = [replace(insert(BASE, {"id": str(i), "a": None}), row_id=str(i)) for i in (1, 0, -1, 2**31 - 1)]
    yield Input("row id", (BASE,), timed(integers), options, axes={"table": "row id"})
    # Equal names in two schemas.
    tables = [table(name, BASE.columns, schema=schema) for schema in ("test", "other") for name in ("t1", "t2", "t3")]
    for count in (2, 3, 7):
        yield _over(count, f"many rows over {count}", tables, [*_interleaved(tables)], options)
