"""What is blamed on an Avro encoder that keeps the schema of a table after a statement has changed the table."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from conformance.cases.model import Case
from conformance.oracle.showing import headlines
from reference_impl.avro.encoder import Encoder
from reference_impl.wire import events_from_json
from tests.unit.oracle.avro_answers import case_of, row
from tests.unit.oracle.judging import answer_of, ddl_event, judged, row_event

OLD = {"id": "1", "c": "2"}


def table_of(**column: Any) -> dict[str, Any]:
    """A table `t`, whose second column has these members."""
    columns = [{"name": "id", "type": "int", "nullable": False}, {"name": "c", "type": "int", **column}]
    return {"schema": "test", "name": "t", "primary_key": ["id"], "columns": columns}


def altered(before: dict[str, Any], after: dict[str, Any]) -> Case:
    """An insert, a statement that changes the table, and another insert."""
    case = case_of("encode", row("insert", base=OLD), table=before)
    trees = [row_event("insert", base=OLD), ddl_event(after=after), row_event("insert", base=OLD)]
    return replace(case, events=tuple(events_from_json(trees, case.tables)))


def stale_answer(case: Case, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The answer of an encoder that keeps the first state of a table."""
    state_of = Encoder._state
    monkeypatch.setattr(Encoder, "_state", lambda self, table: self._states.get(table.id) or state_of(self, table))
    answer = answer_of(case)
    monkeypatch.undo()
    return answer


PLAIN, WITH_DEFAULT = table_of(nullable=True), table_of(nullable=True, default="7")
CHANGES = {
    "wider": (PLAIN, table_of(type="bigint", nullable=True), "type.type"),
    "unsigned": (PLAIN, table_of(type="tinyint unsigned", nullable=True), "type.connect.parameters.tidb_type"),
    "NOT NULL": (PLAIN, table_of(nullable=False), "nullable"),
    "another default": (WITH_DEFAULT, table_of(nullable=True, default="8"), "default"),
    "no default": (WITH_DEFAULT, PLAIN, "default"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_the_type_of_an_older_version_of_the_table_is_blamed_on_the_stale_schema(
    change: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, after, member = CHANGES[change]
    case = altered(before, after)
    assert judged(case, answer_of(case)).findings == []
    shown = headlines(judged(case, stale_answer(case, monkeypatch)).findings)
    assert ("AV-007", f"value.schema.fields.c.{member}") in {(f.requirement, str(f.path)) for f in shown}


def test_an_encoder_that_writes_no_defaults_is_not_blamed_for_a_stale_schema(monkeypatch: pytest.MonkeyPatch) -> None:
    case = altered(PLAIN, WITH_DEFAULT)
    blamed = {f.requirement for f in judged(case, stale_answer(case, monkeypatch)).findings}
    assert "AV-048" in blamed
    assert "AV-007" not in blamed


def test_the_order_of_columns_of_an_older_version_of_the_table_breaks_the_rule_on_order_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The document asks for the new schema, and does not say in which order its fields are."""
    case = altered(PLAIN, {**PLAIN, "columns": PLAIN["columns"][::-1]})
    findings = judged(case, stale_answer(case, monkeypatch)).findings
    assert {f.requirement for f in findings if f.path == "value.schema.fields"} == {"AV-110"}


def test_a_wrong_type_that_no_version_of_the_table_has_is_not_blamed_on_a_stale_schema() -> None:
    case = altered(PLAIN, table_of(type="bigint", nullable=True))
    other = altered(PLAIN, table_of(type="tinyint unsigned", nullable=True))
    assert "AV-007" not in {f.requirement for f in judged(case, answer_of(other)).findings}
