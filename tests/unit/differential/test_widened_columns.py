"""A column that a statement widens: every row is judged if `--tables` has both versions, and is counted if not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations

import pytest

from conformance.ddl import tables_of_sql
from differential.model import Class
from differential.sides import Side
from reference_impl.model import DdlEvent, Record, Table
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


def table_of(name: str, declared: str) -> Table:
    (table,) = tables_of_sql(f"CREATE TABLE shop.`{name}` (id INT PRIMARY KEY, v {declared})", name)
    return table


def versions_of(name: str) -> list[Table]:
    """The table of a widened column before and after the statement."""
    return [table_of(name, declared) for declared in WIDENED[name][:2]]


def stream(of: Side, names: Sequence[str], *, wrong: bool = False) -> list[Record]:
    """Of each table a short value, the statement, and the longer value in an update and in an insert.

    If it is `wrong`, the insert has the short one.
    """
    encoder, made = replace(of, tables=tuple(versions_of(name)[0] for name in names)).encoder(), list[Record]()
    for number, name in enumerate(names):
        before, after = versions_of(name)
        ms, (_, new, short, long) = NOON + 10 * number, WIDENED[name]
        query = f"ALTER TABLE `shop`.`{name}` MODIFY COLUMN `v` {new}"
        statement = DdlEvent("shop", name, query, "modify column", 12, compose(ms + 1), table_before=before)
        first, then, last = ({"id": n, "v": v} for n, v in (("1", short), ("1", long), ("2", short if wrong else long)))
        for event, table in (
            (row_change(None, first, ms, name), before),
            (replace(statement, table_after=after), before),
            (row_change(first, then, ms + 2, name), after),
            (row_change(None, last, ms + 3, name), after),
        ):
            made += encoder.encode([event], [table]).records
    return numbered(made)


@pytest.mark.parametrize("pair", list(combinations(DIALECTS, 2)), ids="-".join)
def test_rows_on_both_sides_of_the_statement_are_judged_by_their_versions(pair: tuple[str, str]) -> None:
    versions, names = [table for name in WIDENED for table in versions_of(name)], list(WIDENED)
    sides = [side_of(n, d, versions, **OPTIONS.get(d, {})) for n, d in zip(("left", "right"), pair, strict=True)]
    streams = [stream(of, names) for of in sides]
    found = outcome_of(sides, streams).differences
    assert [d for d in found if d.divergence is None] == []
    found = outcome_of(sides, [streams[0], stream(sides[1], names, wrong=True)]).differences
    assert {d.table for d in found if d.divergence is None and d.kind is Class.VALUE} == {*WIDENED}


@pytest.mark.parametrize("name", ["varbinary", "bits", "varchar"])
def test_every_row_that_no_version_fits_is_a_difference_with_the_reason(name: str) -> None:
    sides = [side_of(n, d, versions_of(name)[:1]) for n, d in (("left", "canal-json"), ("right", "canal"))]
    found = outcome_of(sides, [stream(of, [name]) for of in sides]).differences
    unread = [d for d in found if d.kind is Class.UNDECODABLE]
    assert [sum("range: data.v: " in (value or "") for d in unread for value in (d.left_value, d.right_value))] == [4]
