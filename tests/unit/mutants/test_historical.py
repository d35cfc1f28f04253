"""Mutants of TiCDC's history: each that a defect names exists, and the outcome of a defect is that of its mutants.

The matrix shows that each is killed for its own reason.
"""

from __future__ import annotations

import pytest

from conformance.cases.index import case_of, indexed_cases
from conformance.cases.inputs import BASE, delete, insert
from conformance.catalogue.history import defects_of_mutant, load_history
from conformance.embedded import Embedded
from conformance.mutants import all_mutants
from conformance.mutants.avro import historical as avro
from conformance.mutants.canal_json import historical as canal_json
from conformance.mutants.debezium import historical as debezium
from conformance.mutants.matrix import MutantResult, Outcome
from conformance.mutants.open_protocol import historical as open_protocol
from conformance.mutants.open_protocol.edits import pairs_of
from conformance.mutants.record import DefectOutcome, defect_outcomes
from conformance.reference_harness import ReferenceHarness
from reference_impl import exact_json
from reference_impl.profiles import NEWARCH
from reference_impl.wire import event_to_json, table_to_json

BY_NAME = {mutant.name: mutant for mutant in all_mutants()}
MADE = [mutant for package in (canal_json, open_protocol, debezium, avro) for mutant in package.MUTANTS]


def _result(name: str, outcome: Outcome) -> MutantResult:
    return MutantResult(BY_NAME[name], outcome)


def test_every_mutant_that_a_defect_names_exists() -> None:
    assert [name for defect in load_history().values() for name in defect.mutants if name not in BY_NAME] == []


def test_every_mutant_made_for_history_stands_for_a_defect() -> None:
    assert [mutant.name for mutant in MADE if not defects_of_mutant(mutant.name)] == []


def test_a_defect_is_killed_when_all_its_mutants_that_were_tried_are() -> None:
    names = load_history()["CJ-04"].mutants
    outcomes = {d.id: outcome for d, outcome in defect_outcomes([_result(name, Outcome.KILLED) for name in names[:2]])}
    assert outcomes["CJ-04"] is DefectOutcome.KILLED


def test_a_defect_survives_with_one_of_its_mutants() -> None:
    first, second, *_ = load_history()["CJ-04"].mutants
    results = [_result(first, Outcome.KILLED), _result(second, Outcome.ANOTHER_REASON)]
    assert {d.id: outcome for d, outcome in defect_outcomes(results)}["CJ-04"] is DefectOutcome.SURVIVED


def test_a_defect_without_mutants_keeps_its_reason_and_one_that_was_not_tried_has_no_outcome() -> None:
    outcomes = {d.id: outcome for d, outcome in defect_outcomes([])}
    assert (outcomes["AV-22"], outcomes["CJ-24"]) == (DefectOutcome.NOT_EXPRESSIBLE, DefectOutcome.OUT)
    assert "CJ-04" not in outcomes


@pytest.mark.parametrize("protocol", ["canal-json", "debezium"])
def test_a_mutant_that_loses_a_statement_sends_the_rows_that_follow_it(protocol: str) -> None:
    cases = (c for c in indexed_cases(protocol, NEWARCH) if c.id == f"{protocol}/smoke/11 two tables renamed at once")
    case = next(case_of(c, NEWARCH) for c in cases if c.role == "encode")
    right = Embedded(NEWARCH).ask(case)
    lost = Embedded(NEWARCH, BY_NAME[f"{protocol}/rename-of-several-lost"].wrap).ask(case)
    values = [record["value"] for record in lost["ok"]["records"]]
    assert values == [r["value"] for r in right["ok"]["records"] if r["value"] in values]
    assert len(values) == len(right["ok"]["records"]) - 2


TABLE = BASE
ONE, TWO = ({"id": name, "a": "x"} for name in ("1", "2"))


@pytest.mark.parametrize(
    ("events", "columns"),
    [
        ([insert(TABLE, ONE, 1 << 40), delete(TABLE, ONE, 2 << 40)], []),
        ([insert(TABLE, TWO, 1 << 40), delete(TABLE, ONE, 2 << 40)], ["id", "a"]),
        ([delete(TABLE, ONE, 1 << 40), insert(TABLE, TWO, 2 << 40)], ["id", "a"]),
        ([delete(TABLE, ONE, 1 << 40), insert(TABLE, ONE, 2 << 40)], ["id", "a"]),
    ],
)
def test_only_the_delete_of_a_row_that_was_inserted_before_loses_its_columns(events, columns) -> None:
    encoder = BY_NAME["open-protocol/event-without-columns"].wrap(ReferenceHarness().answer)
    encoder({"op": "configure", "protocol": "open-protocol"})
    request = {"op": "encode", "tables": [table_to_json(TABLE)], "events": list(map(event_to_json, events))}
    pairs = [pair for record in encoder(request)["ok"]["records"] for pair in pairs_of(record)]
    [deleted] = [body["d"] for body in (exact_json.loads(value) for _, value in pairs) if "d" in body]
    assert list(deleted) == columns
