"""Inputs with a primary key of each possible type and small changes of its value; and keys and defaults with a zone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from conformance.cases.inputs import NOW, Input, column, history, table
from reference_impl.model import Column, Expression, Row, Table, Value

__all__ = ["keyed_inputs"]

# (type, a value, another that is easily mistaken for it)
_KEYS: tuple[tuple[str, Value, Value], ...] = (
    ("tinyint(1)", "0", "1"),
    ("tinyint unsigned", "127", "255"),
    ("smallint", "-32768", "32767"),
    ("mediumint", "-8388608", "8388607"),
    ("int unsigned", "2147483647", "4294967295"),
    ("bigint", "9007199254740992", "9007199254740993"),
    ("bigint unsigned", "9223372036854775807", "18446744073709551615"),
    ("decimal(20,4)", "-0.0001", "0.0001"),
    ("decimal(65,0)", "9" * 65, "-" + "9" * 65),
    ("float", "0.5", "-0.5"),
    ("double", "0.5", "1024.25"),
    ("bit(1)", "0", "1"),
    ("bit(12)", "15", "4095"),
    ("date", "1969-12-31", "9999-12-31"),
    ("datetime", "2024-02-29 23:59:59", "2024-02-29 00:00:00"),
    ("datetime(6)", "1969-12-31 23:59:59.999999", "1969-12-31 23:59:59.999998"),
    ("timestamp(3)", "2024-02-29 23:59:59.123", "2024-02-29 23:59:59.120"),
    ("time(3)", "-00:00:00.001", "00:00:00.001"),
    ("year", "1901", "2155"),
    ("char(5)", "", "null"),
    ("varchar(100)", '<&>"\\', "中😀"),
    ("binary(3)", b"a\0\0", b"\0\xff\0"),
    ("varbinary(10)", b"", b"\xff\xfe"),
    ("enum('a','b')", "a", "b"),
    ("set('a','b')", "", "a,b"),
)


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
    for column_type, one, two in _KEYS:
        table_, states = _life(column("k", column_type, nullable=False), one, two)
        yield Input(f"keyed/{column_type}", (table_,), history(table_, states), axes={"key": column_type})
    cased = replace(column("k", "varchar(20)", nullable=False), charset="utf8mb4", collation="utf8mb4_bin")
    table_, states = _life(cased, "a", "A")
    yield Input("keyed/another case", (table_,), history(table_, states), axes={"key": "another case"})
    for zone in ("Asia/Shanghai", "America/New_York", "-08:00"):
        table_, states = _zoned()
        settings = replace(NOW, timezone=zone)
        yield Input(f"keyed/{zone}", (table_,), history(table_, states), settings=settings, axes={"zone": zone})
