"""Mutants of TiCDC's Avro: each MUST has one that dies for it, and the register names every one."""

from __future__ import annotations

from collections import Counter
from functools import cache

import pytest

from conformance.cases.catalogue import all_cases
from conformance.catalogue.register import Requirement, load_register
from conformance.mutants.avro import MUTANTS
from conformance.mutants.matrix import Death, Outcome, run_matrix
from conformance.mutants.model import Mutant

REGISTER = load_register("avro")
BY_NAME = {mutant.name: mutant for mutant in MUTANTS}
TESTABLE = [r for r in REGISTER.requirements.values() if r.testable]
MUSTS = [(r, role) for r in TESTABLE if r.level == "must" for role in ("encode", "decode") if r.role in (role, "both")]


def _first(requirement: Requirement, role: str) -> Mutant | None:
    return next((BY_NAME[name] for name in requirement.mutants if BY_NAME[name].role == role), None)


@cache
def _deaths() -> dict[str, Death]:
    """The fate of the first mutant of each MUST and role, by name; a few cases each."""
    chosen = [mutant for requirement, role in MUSTS if (mutant := _first(requirement, role))]
    return {death.mutant.name: death for death in run_matrix(chosen, all_cases, limit=4)}


@pytest.mark.parametrize(("requirement", "role"), MUSTS, ids=[f"{r.id}-{role}" for r, role in MUSTS])
def test_a_must_has_a_mutant_that_dies_for_it(requirement: Requirement, role: str) -> None:
    mutant = _first(requirement, role)
    assert mutant is not None
    death = _deaths()[mutant.name]
    assert (death.outcome, death.undeclared) == (Outcome.KILLED, ())


def test_no_two_mutants_are_called_alike() -> None:
    assert [name for name, count in Counter(m.name for m in MUTANTS).items() if count > 1] == []


def test_the_register_names_the_mutants_that_die_for_a_requirement_and_no_other() -> None:
    named = {r.id: set(r.mutants) for r in REGISTER.requirements.values() if r.mutants}
    made: dict[str, set[str]] = {}
    for mutant in MUTANTS:
        made.setdefault(mutant.requirement, set()).add(mutant.name)
    assert named == made


def test_a_mutant_belongs_to_a_requirement_that_can_be_tested() -> None:
    assert {mutant.requirement for mutant in MUTANTS} <= {r.id for r in TESTABLE}


def test_what_a_mutant_may_also_break_is_in_the_register() -> None:
    assert {id_ for mutant in MUTANTS for id_ in mutant.may_also} <= {r.id for r in TESTABLE}


def test_every_should_has_a_mutant_in_each_role_that_is_judged_by_it() -> None:
    shoulds = [r for r in TESTABLE if r.level == "should"]
    roles = [(r, role) for r in shoulds for role in ("encode", "decode") if r.role in (role, "both")]
    assert [f"{r.id} {role}" for r, role in roles if _first(r, role) is None] == []
