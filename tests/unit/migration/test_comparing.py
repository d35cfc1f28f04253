"""The comparison of the samples in memory."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from conformance.migration.comparing import ColumnDifference, _column_differences, compared
from conformance.migration.move import Move
from conformance.migration.trial import Trial
from conformance.migration.writing import WrittenProbe
from reference_impl.model import Record
from tests.unit.migration.tables import table

Records = tuple[Record, ...]


def _edited(probe: WrittenProbe, edit: Callable[[Records], Records]) -> WrittenProbe:
    """The probe with an edit of what the target has of its first step."""
    first, *steps = probe.steps
    assert first.target
    return replace(probe, steps=(replace(first, target=edit(first.target)), *steps))


def _with_another_value(records: Records) -> Records:
    [record] = records
    before, name, after = (record.value or b"").rpartition(b'"a":"')
    return (replace(record, value=before + name + b"1" + after),)


def test_each_unexplained_difference_has_the_harm_of_its_own_class() -> None:
    trial = Trial(Move("canal", "canal-json"), [table("id int primary key, a int, b varchar(9)")])
    of_a, of_b = (next(one for one in trial.written if one.probe.column == name) for name in ("a", "b"))
    probes = [_edited(of_a, _with_another_value), _edited(of_b, lambda records: ())]
    differences = compared(trial.sides, probes).differences
    assert {(one.kind, one.harm) for one in differences if not one.name} == {("value", "changed"), ("missing", "lost")}


def test_the_trial_compares_a_statement_of_each_kind() -> None:
    trial = Trial(Move("debezium-connector", "debezium"), [table("id int primary key, a int")])
    altering = ["add column", "modify column", "drop column", "add index", "drop index"]
    expected = ["create table", *altering, "truncate table", "rename table", "drop table", "watermark"]
    assert [written.step.what for written in trial.written[-1].steps] == expected
    of_statements = {d.written.step.what for d in trial.compared.differences if d.written and d.name == "DBZ-593"}
    assert "drop index" in of_statements


def _of_types(column: str, left: str, right: str, divergence: str, about: str = "") -> list[ColumnDifference]:
    """What is found where the type of a column differs, in a probe about a column."""
    table = {"schema": "s", "table": "t"}
    differ = {**table, "column": column, "left": left, "right": right, "divergences": [divergence]}
    spelled = [{**table, "column": "", "divergence": divergence, "examples": []}] if divergence == "DV-12" else []
    pair = {"written_otherwise": spelled, "not_compared": [], "type_names": {"differ": [differ]}}
    return list(_column_differences(pair, [], {}, {("s", "t"): about}))


def test_a_named_difference_of_type_names_has_the_harm_of_its_divergence() -> None:
    [found] = _of_types("a", "longtext", "json", "DV-107")
    assert (found.name, found.kind, found.harm) == ("DV-107", "", "changed")


@pytest.mark.parametrize(("about", "columns"), [("a", ["id"]), ("id", ["", "id"]), ("", ["", "id"])])
def test_a_type_of_the_key_that_a_probe_adds_says_nothing_about_the_table(about: str, columns: list[str]) -> None:
    assert [one.column for one in _of_types("id", "int", "int(11)", "DV-12", about)] == columns
