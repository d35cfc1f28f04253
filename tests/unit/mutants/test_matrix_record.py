"""The record of a kill matrix: its rows for every outcome of the mutants, and that it validates against its schema."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from conformance.catalogue.faults import load_faults
from conformance.catalogue.fixtures import fixtures_root
from conformance.catalogue.register import load_register
from conformance.mutants import all_mutants, mutant_named
from conformance.mutants.matrix import MutantResult, Outcome
from conformance.mutants.record import address_of, matrix_record, run_arguments
from reports.matrix import MATRIX_REPORTS
from reports.matrix.wording import unproven
from tests.unit.mutants.few_cases import BREAKS_MORE, DIES, fault_of, killed, not_shown, shown, survived
from tools import reference_pages

SCHEMA = json.loads((fixtures_root() / "schemas" / "mutants-report.schema.json").read_text(encoding="utf-8"))
VALIDATOR = Draft202012Validator(SCHEMA)

Record = dict[str, Any]


def record(results: Sequence[MutantResult], selection: str | None = "x", names: Sequence[str] = ()) -> Record:
    mutants = [mutant_named(name) for name in names] or [result.mutant for result in results]
    return matrix_record(mutants, results, suite="1.0.0", selection=selection, cases_each=3)


def row(found: Record, table: str, identity: str) -> Record:
    """The one row of a table."""
    [only] = [r for r in found[table] if identity in (r.get("id"), r.get("mutant"))]
    return dict(only)


@pytest.mark.parametrize("outcome", Outcome)
def test_every_outcome_is_told_in_a_record_that_keeps_to_its_schema(outcome: Outcome) -> None:
    witness = "" if outcome in (Outcome.EQUIVALENT, Outcome.NO_CASE, Outcome.NOT_RUN) else "canal-json/golden/1"
    is_killed = outcome is Outcome.KILLED
    given = killed(DIES) if is_killed else MutantResult(mutant_named(DIES), outcome, witness=witness)
    found = record([given])
    assert [e.message for e in VALIDATOR.iter_errors(json.loads(json.dumps(found)))] == []
    assert row(found, "mutants", DIES)["outcome"] == str(outcome)
    assert found["totals"] == {str(o): int(o is outcome) for o in Outcome}


def test_the_record_of_everything_keeps_to_its_schema_and_adds_up() -> None:
    put = all_mutants(), [killed(m.name) for m in all_mutants()], load_faults(), [shown(f) for f in load_faults()]
    found = matrix_record(*put, suite="1.0.0", cases_each=40)
    assert [e.message for e in VALIDATOR.iter_errors(json.loads(json.dumps(found)))] == []
    assert sum(found["totals"].values()) == found["planned"] == len(all_mutants())
    assert sum(g["planned"] for g in found["groups"]) == found["planned"]
    assert sum(found["fault_totals"].values()) == len(found["faults"]) == len(load_faults())
    assert sum(found["history_totals"].values()) == len(found["history"])
    binding = [r for r in found["requirements"] if r["level"] != "may"]
    assert [(r["id"], r["role"]) for r in binding if r["standing"] != "proved"] == []


def test_mutants_keep_their_order_whatever_the_order_of_their_results() -> None:
    results = [killed(DIES), survived(BREAKS_MORE)]
    names = [BREAKS_MORE, DIES]
    assert record(results, names=names) == record(results[::-1], names=names)


def test_a_mutant_without_a_result_was_not_run_and_neither_was_its_requirement() -> None:
    found = record([killed(DIES)], names=[DIES, BREAKS_MORE])
    assert row(found, "mutants", BREAKS_MORE)["outcome"] == "not run"
    assert row(found, "requirements", mutant_named(BREAKS_MORE).requirement)["standing"] == "not run"


@pytest.mark.parametrize(
    ("make", "standing"), [((killed, killed), "proved"), ((killed, survived), "in doubt"), ((survived,), "in doubt")]
)
def test_a_requirement_is_proved_by_all_its_mutants(make, standing) -> None:
    names = [m.name for m in all_mutants() if m.requirement == "CJ-010"]
    found = record([result_of(name) for result_of, name in zip(make, names, strict=False)])
    assert row(found, "requirements", "CJ-010")["standing"] == standing


@pytest.mark.parametrize(
    ("proofs", "standing", "outcome"),
    [(shown, "proved", "shown first"), (not_shown, "in doubt", "not shown first"), (None, "not run", "not run")],
)
def test_a_requirement_without_mutants_is_proved_by_its_generated_fault(proofs, standing, outcome) -> None:
    fault = fault_of("CJ-010")
    found = matrix_record(
        [], [], [fault], [proofs(fault)] if proofs else [], suite="1.0.0", selection="x", cases_each=1
    )
    assert [e.message for e in VALIDATOR.iter_errors(json.loads(json.dumps(found)))] == []
    [only] = found["requirements"]
    assert (only["standing"], only["mutants"], only["faults"]) == (standing, [], [fault.role])
    assert found["faults"][0]["outcome"] == outcome


def test_a_fault_that_is_not_shown_first_makes_doubtful_what_mutants_prove() -> None:
    mutant = next(m for m in all_mutants() if m.protocol == "canal-json" and m.requirement == "CJ-501")
    fault = replace(fault_of("CJ-010"), requirement="CJ-501")
    found = matrix_record([mutant], [killed(mutant.name)], [fault], [not_shown(fault)], suite="1.0.0", selection="x")
    assert row(found, "requirements", "CJ-501")["standing"] == "in doubt"


def test_the_other_requirements_that_are_shown_first_stand_beside_the_mutant() -> None:
    found = record([killed(DIES), replace(killed(BREAKS_MORE), also=("CJ-501", "CJ-504"))])
    assert (row(found, "mutants", DIES)["also"], row(found, "mutants", BREAKS_MORE)["also"]) == (
        [],
        ["CJ-501", "CJ-504"],
    )


def test_a_record_of_an_older_suite_keeps_to_the_schema_and_has_reports() -> None:
    found = json.loads(json.dumps(record([killed(DIES)])))
    for requirement in found["requirements"]:
        del requirement["faults"]
    del found["faults"], found["fault_totals"]
    assert VALIDATOR.is_valid(found)
    assert all(render(found) for render in MATRIX_REPORTS.values())


@pytest.mark.parametrize(("leads", "standing"), [(True, "proved"), (False, "never shown first")])
def test_a_requirement_that_is_always_found_under_others_is_never_shown_first(leads: bool, standing: str) -> None:
    found = json.loads(json.dumps(record([replace(killed(DIES), is_shown_first=leads)])))
    assert row(found, "requirements", "CJ-501")["standing"] == standing
    assert VALIDATOR.is_valid(found)
    assert [r["id"] for r in unproven(found)] == ([] if leads else ["CJ-501"])
    for requirement in found["requirements"]:
        requirement["level"] = "should"
    assert unproven(found) == []


def test_without_a_selection_requirements_without_mutants_are_told_too() -> None:
    found = record([killed(DIES)], selection=None)
    testable = [r.id for r in load_register("canal-json").requirements.values() if r.testable]
    assert [r["id"] for r in found["requirements"]] == testable
    assert row(found, "requirements", "CJ-010")["standing"] == "no proof"
    assert {d["fate"] for d in found["history"]} == {"killed", "not expressible", "out of scope"}


def test_with_a_selection_only_what_concerns_its_mutants_is_told() -> None:
    found = record([killed(DIES)])
    assert [r["id"] for r in found["requirements"]] == ["CJ-501"]
    assert [d["id"] for d in found["history"]] == ["CJ-06"] == row(found, "mutants", DIES)["history"]


def test_a_mutant_is_shown_again_as_it_is_judged() -> None:
    arguments = {(m.release or m.profile, m.requirement): run_arguments(m) for m in all_mutants()}
    assert arguments["newarch", "CJ-501"] == []
    assert arguments["newarch", "CJ-666"] == ["--strict"]
    assert {tuple(words[:2]) for (style, _), words in arguments.items() if style == "classic"} == {
        ("--profile", "classic")
    }
    assert [words[:2] for (style, _), words in arguments.items() if style == "v6.5.3"] == [["--ticdc-version", "6.5.3"]]
    again = row(record([killed(DIES)]), "mutants", DIES)["again"]
    assert again == f"ticdc-conformance replay 01234567-encode --iut '{address_of(mutant_named(DIES))}'"


def test_the_published_page_and_the_killing_cases_are_made_from_a_record(tmp_path: Path) -> None:
    file = tmp_path / "matrix.json"
    file.write_text(json.dumps(record([killed(DIES), survived(BREAKS_MORE)])), encoding="utf-8")
    rows = reference_pages.matrix(file)
    assert {row["mutant"]: row["outcome"] for row in rows} == {DIES: "killed", BREAKS_MORE: "survived"}
    assert json.loads(reference_pages.killing_cases(rows)) == {DIES: killed(DIES).killed_by}


Damage = Callable[[Record], object]

DAMAGES: dict[str, Damage] = {
    "another version": lambda r: r.update(report=1),
    "an outcome that is none": lambda r: r["mutants"][0].update(outcome="dead"),
    "a kill without a finding": lambda r: r["mutants"][0].update(finding=None),
    "a kill without a witness": lambda r: r["mutants"][0].update(witness=""),
    "an outcome that is not counted": lambda r: r["totals"].pop("survived"),
    "a requirement that is proved without mutants": lambda r: r["requirements"][0].update(mutants=[]),
    "a killed defect without mutants": lambda r: r["history"][0].update(mutants=[]),
    "an exit status of another command": lambda r: r.update(exit=7),
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_a_damaged_record_does_not_validate(damage: Damage) -> None:
    found = json.loads(json.dumps(record([killed(DIES)])))
    assert VALIDATOR.is_valid(found)
    damage(found)
    assert not VALIDATOR.is_valid(found)
