"""Inputs with a primary key of each possible type and small changes of its value; and keys and defaults with a zone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from conformance.cases.inputs import NOW, Input, column, history, table
from conformance.catalogue.corpora import load_samples
from reference_impl.model import Column, Expression, Row, Table, Value

__all__ = ["keyed_inputs"]


def _life(key: Column, one: Value, two: Value) -> tuple[Table, list[Row | None]]:
    """A table and the states of a row: another column changes, then the key, then the row is deleted."""
    table_ = table("k", (column("n", "int"), key), (key.name,))
    return table_, [{"n": "1", key.name: one}, {"n": None, key.name: one}, {"n": None, key.name: two}, None]


def _zoned() -> tuple[Table, list[Row | None]]:
    """A TIMESTAMP as the key, and defaults with and without a zone in nullable and NOT NULL columns."""
    when = "2024-07-01 12:30:00"
    defaults = (
        replace(column("d", "timestamp"), default=when),
        replace(column("e", "timestamp(3)", nullable=False), default=f"{when}.500"),
        replace(column("f", "datetime"), default=when),
        replace(column("g", "timestamp(6)", nullable=False), default=Expression("CURRENT_TIMESTAMP(6)")),
    )
    table_ = table("z", (column("ts", "timestamp(6)", nullable=False), *defaults), ("ts",))
    row: Row = {"ts": "2024-01-01 00:00:00.000001", "d": None, "e": f"{when}.500", "f": None, "g": f"{when}.000000"}
    return table_, [row, {**row, "d": when, "f": when}, {**row, "ts": "2024-07-01 00:00:00.000001"}, None]


def keyed_inputs() -> Iterator[Input]:
    """Every type of a primary key; a key that changes only its letter case; keys and defaults in other zones."""
    for sample in load_samples("keys"):
        column_type = sample.column.type.text
        key = replace(sample.column, name="k", nullable=False)
        table_, states = _life(key, sample.value, sample.other)
        yield Input(f"keyed/{column_type}", (table_,), history(table_, states), axes={"key": column_type})
    cased = replace(column("k", "varchar(20)", nullable=False), charset="utf8mb4", collation="utf8mb4_bin")
    table_, states = _life(cased, "a", "A")
    yield Input("keyed/another case", (table_,), history(table_, states), axes={"key": "another case"})
    for zone in ("Asia/Shanghai", "America/New_York", "-08:00"):
        table_, states = _zoned()
        settings = replace(NOW, timezone=zone)
        yield Input(f"keyed/{zone}", (table_,), history(table_, states), settings=settings, axes={"zone": zone})
