"""What happens to the tables in the trial."""

from __future__ import annotations

import pytest

from conformance.migration.samples import Probe, column_probes, every_type, row_probe
from reference_impl.keys import handle_key
from reference_impl.model import Row, RowChange, Table
from tests.unit.migration.tables import table

ORDERS = table("id bigint primary key, a varchar(20), b varchar(20), d decimal(4,1)", "orders")
ITEMS = table("sku varchar(20) primary key, c varchar(20), u int unique", "items")


def _key(of: Table, row: Row) -> tuple[object, ...]:
    return tuple(row[name] for name in handle_key(of) or row)


def _is_possible(probe: Probe) -> None:
    """The changes that a server logs lead from row to row."""
    rows: list[Row] = []
    for step in probe.steps:
        for change in step.logged:
            assert isinstance(change, RowChange)
            if change.before is not None:
                rows.remove(change.before)
            if change.after is not None:
                rows.append(change.after)
        keys = [_key(probe.table, row) for row in rows]
        assert len(keys) == len({*keys}) or not handle_key(probe.table)


def test_columns_that_are_declared_alike_are_tried_once() -> None:
    probes = {probe.places for probe in column_probes([ORDERS, table("id bigint primary key, x varchar(20)", "more")])}
    assert (("shop", "orders", "a"), ("shop", "orders", "b")) in probes
    assert (("shop", "orders", "id"), ("shop", "more", "id")) not in probes  # another table has a DECIMAL


def test_a_table_that_canal_gives_up_is_given_up_in_the_trial() -> None:
    of = table("id int primary key, a varchar(9), b char varying(9)", "odd")
    for probe in (*column_probes([of]), row_probe(of)):
        _is_possible(probe)
        assert any(column.type.text == "char varying(9)" for column in probe.table.columns)


def test_every_column_with_values_is_tried() -> None:
    tried = {place for probe in column_probes(every_type()) for place in probe.places}
    assert tried == {(*of.id, column.name) for of in every_type() for column in of.columns}


def test_a_column_of_a_key_is_tried_as_a_key() -> None:
    [sku] = [probe for probe in column_probes([ITEMS]) if probe.column == "sku"]
    assert sku.table.primary_key == ("sku",)
    [other] = [probe for probe in column_probes([ITEMS]) if probe.column == "c"]
    assert other.table.primary_key == ("id",)


MANY_KEYS = table("id int primary key, " + ", ".join(f"u{n} int unique" for n in range(12)), "many_keys")


@pytest.mark.parametrize(
    "of", [ORDERS, ITEMS, MANY_KEYS, table("a int, b text", "loose"), *every_type()], ids=lambda of: of.name
)
def test_the_changes_are_those_that_a_database_can_have(of: Table) -> None:
    for probe in (*column_probes([of]), row_probe(of)):
        _is_possible(probe)
        times = [change.commit_ts for step in probe.steps for change in step.logged]
        assert times == sorted(times, key=int)


def test_a_row_goes_through_everything_that_its_keys_allow() -> None:
    steps = {step.what for step in row_probe(ITEMS).steps}
    assert "update of the primary key" in steps
    assert "update of the unique key u" in steps
    assert "insert and delete of a row in one transaction" in steps
    assert "two updates of a row in one transaction" in steps
    assert not any("key" in step.what for step in row_probe(table("a int, b text")).steps)


def test_keys_of_bytes_differ_from_row_to_row_and_end_in_no_zero() -> None:
    steps = row_probe(table("id binary(16) primary key, n int")).steps
    keys = {row["id"] for step in steps for change in step.logged if (row := change.after)}
    assert len(keys) > 3
    assert not [key for key in keys if key.endswith(b"\0")]


def test_tidb_keeps_the_last_of_a_transaction() -> None:
    steps = {step.what: step for step in row_probe(ORDERS).steps}
    assert len(steps["two updates of a row in one transaction"].logged) == 2
    assert len(steps["two updates of a row in one transaction"].kept) == 1
    assert steps["insert and delete of a row in one transaction"].kept == ()


def test_a_column_that_is_named_as_the_key_beside_it_keeps_its_name() -> None:
    [probe] = [probe for probe in column_probes([table("k int primary key, id text")]) if probe.column == "id"]
    assert probe.table.primary_key == ("id_",)
    _is_possible(probe)
