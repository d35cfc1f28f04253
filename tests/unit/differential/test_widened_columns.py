"""A column that a statement widens: every row is judged if `--tables` has both versions, and is counted if not."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import pytest

from conformance.ddl import tables_of_sql
from differential.model import Class
from differential.sides import Side
from reference_impl.model import DdlEvent, Record, Table, Value
from reference_impl.tso import compose
from tests.unit.differential.building import NOON, numbered, outcome_of, row_change, side_of

OPTIONS = {"canal-json": {"enable_tidb_extension": "true"}}
DIALECTS = ("canal-json", "canal", "open-protocol", "debezium", "debezium-connector")
WIDENED = {
    "varbinary": ("VARBINARY(4)", "VARBINARY(8)", b"abcd", b"abcdefg\xff"),
    "varbinary to blob": ("VARBINARY(4)", "BLOB", b"abcd", b"abcdefg\xff"),
    "bits": ("BIT(4)", "BIT(12)", "7", "3000"),
    "one bit": ("BIT(1)", "BIT(8)", "1", "200"),
    "all bits": ("BIT(8)", "BIT(64)", "7", str(2**63)),
    "varchar": ("VARCHAR(4)", "VARCHAR(8)", "abcd", "abcdefgh"),
}


def table_of(declared: str) -> Table:
    (table,) = tables_of_sql(f"CREATE TABLE shop.t (id INT PRIMARY KEY, v {declared})", "t")
    return table


def stream(of: Side, name: str, last: Value = None) -> list[Record]:
    """A short value, the statement, and the longer value in an update and in an insert; `last` replaces the latter."""
    old, new, short, long = WIDENED[name]
    before, after = table_of(old), table_of(new)
    encoder = replace(of, tables=(before,)).encoder()
    query = f"ALTER TABLE `shop`.`t` MODIFY COLUMN `v` {new}"
    statement = DdlEvent("shop", "t", query, "modify column", 12, compose(NOON + 1), table_before=before)

    def row(number: str, value: Value) -> dict[str, Value]:
        return {"id": number, "v": value}

    return numbered(
        record
        for event, table in (
            (row_change(None, row("1", short)), before),
            (replace(statement, table_after=after), before),
            (row_change(row("1", short), row("1", long), NOON + 2), after),
            (row_change(None, row("2", last or long), NOON + 3), after),
        )
        for record in encoder.encode([event], [table]).records
    )


@pytest.mark.parametrize("name", WIDENED)
@pytest.mark.parametrize("pair", list(combinations(DIALECTS, 2)), ids="-".join)
def test_rows_on_both_sides_of_the_statement_are_judged_by_their_versions(pair: tuple[str, str], name: str) -> None:
    versions = [table_of(declared) for declared in WIDENED[name][:2]]
    sides = [side_of(n, d, versions, **OPTIONS.get(d, {})) for n, d in zip(("left", "right"), pair, strict=True)]
    streams = [stream(of, name) for of in sides]
    found = outcome_of(sides, streams).differences
    assert [d for d in found if d.divergence is None] == []
    wrong = outcome_of(sides, [streams[0], stream(sides[1], name, last=WIDENED[name][2])]).differences
    assert {d.kind for d in wrong if d.divergence is None} >= {Class.VALUE}


@pytest.mark.parametrize("name", ["varbinary", "bits", "varchar"])
def test_every_row_that_no_version_fits_is_a_difference_with_the_reason(name: str) -> None:
    sides = [side_of(n, d, [table_of(WIDENED[name][0])]) for n, d in (("left", "canal-json"), ("right", "canal"))]
    found = outcome_of(sides, [stream(of, name) for of in sides]).differences
    unread = [d for d in found if d.kind is Class.UNDECODABLE]
    assert [sum("range: data.v: " in (value or "") for d in unread for value in (d.left_value, d.right_value))] == [4]
