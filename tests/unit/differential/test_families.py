"""Sides of two families: what either makes of a value has its name, composed through what both mean."""

from __future__ import annotations

from functools import cache

import pytest

from differential.classify.predicates.debezium_meaning import stands_for
from differential.model import Cell, Difference
from differential.result.streams import every_difference
from differential.sides import Side, with_common_keys
from reference_impl.column_types import parse_column_type
from reference_impl.model import Column, Expression, Table
from tests.comparing import compare_locally
from tests.unit.differential.building import pairs_for
from tests.unit.differential.recordings import TOPICS, records_of, tables_of

CLOCK = {("d_all", "d"), ("f_def", "dc"), ("f_def", "tc")}
"""Columns with the time of the statement: the recordings are of two runs."""


@cache
def tables() -> tuple[Table, ...]:
    return tuple(dict.fromkeys((*tables_of("canal/mysql97"), *tables_of("debezium24/mysql97_noschema"))))


@cache
def unnamed(folder: str, version: str) -> tuple[list[Difference], set[str]]:
    canal = Side("left", "canal", tables=tables())
    options = {"schemas.enable": "false", "version": version}
    connector = Side("right", "debezium-connector", options, settings=TOPICS, tables=tables())
    sides = with_common_keys([canal, connector])
    streams = [records_of("canal/mysql97"), records_of(f"{folder}/mysql97_noschema")]
    pairs = pairs_for(sides)
    outcome = compare_locally(sides, streams, pairs)
    every = [*every_difference(outcome.differences, outcome.counts, sides, pairs)]
    return [d for d in every if d.divergence is None], {d.divergence for d in every if d.divergence}


@pytest.mark.parametrize(("folder", "version"), [("debezium24", "2.4.0"), ("debezium36", "3.6.1")])
def test_of_recordings_of_one_database_every_true_class_has_its_name(folder: str, version: str) -> None:
    found, names = unnamed(folder, version)
    assert {(d.table, d.column) for d in found} - CLOCK <= {("d_all", "h2")}  # whose default is of no version given
    assert names >= {"UN-3.2-11", "DV-55", "DBZ-565", "DBZ-564", "DV-108", "DV-110", "DV-118", "DBZ-539"}
    assert version != "2.4.0" or "DV-87" in names  # later ones have no views in their statements


def column(text: str, default: str | None = None, *, nullable: bool = True) -> Column:
    given = {} if default is None else {"default": Expression(default)}
    return Column("c", parse_column_type(text), nullable=nullable, **given)  # type: ignore[arg-type]


DAY = "2020-01-01 00:00:00"
CASES: dict[str, tuple[Column, Cell, Cell, str | None]] = {
    "a default": (column("int", "- 7"), None, "-7", "UN-3.2-11"),
    "another value than the default": (column("int", "- 7"), None, "7", None),
    "a value beside a default": (column("int", "- 7"), "8", "-7", None),
    "NULL without a default": (column("int"), None, "-7", None),
    "a default of bits": (column("bit(3)", "b'101'"), None, "5", "UN-3.2-11"),
    "a default of more digits": (column("decimal(6,2)", "1.005"), None, "1.01", "UN-3.2-11"),
    "a default that is the time": (column("datetime", "now()"), None, "1970-01-01 00:00:00", "UN-3.2-11"),
    "a default with quotes as it is meant": (column("varchar(9)", "'a''b'"), None, "a'b", "UN-3.2-11"),
    "a default with quotes as it is written": (column("varchar(9)", "'a''b'"), None, "a''b", "DBZ-240a"),
    "a default without its sign": (column("time", "'-00:30:00'"), None, "00:30:00", "DBZ-584"),
    "a default beyond 63 bits": (column("bigint unsigned", str(2**64 - 1)), None, str(2**63 - 1), "DBZ-240"),
    "a zero date": (column("date"), "0000-00-00", None, "DBZ-565"),
    "a zero date that may not be NULL": (column("date", nullable=False), "0000-00-00", "1970-01-01", "DBZ-565"),
    "a zero date that may be NULL": (column("date"), "0000-00-00", "1970-01-01", None),
    "a date of the year 0": (column("date"), "0000-05-05", None, "DBZ-564"),
    "a day that is NULL": (column("date"), "2024-05-05", None, None),
    "a year of two digits": (column("date"), "0001-01-01", "2001-01-01", "UN-3.2-20"),
    "a year of two digits, late": (column("date"), "0070-01-01", "1970-01-01", "UN-3.2-20"),
    "a year of two digits and another day": (column("date"), "0001-01-01", "2001-01-02", None),
    "a zero TIMESTAMP": (column("timestamp", f"'{DAY}'"), "0000-00-00 00:00:00", DAY, "DBZ-706"),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_a_cell_of_the_family_stands_for_a_value(name: str) -> None:
    of, value, cell, expected = CASES[name]
    assert stands_for(of, value, cell) == expected
