"""Mutants and pinned faults of the upstream dialects: every requirement has one in each role."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache

import pytest

from conformance.cases.model import Case, CaseHead
from conformance.catalogue.faults import faults_of
from conformance.catalogue.register import Level, load_register
from conformance.mutants import all_mutants
from conformance.mutants.matrix import MutantResult, Outcome, run_matrix
from conformance.mutants.model import Mutant
from conformance.oracle.upstream.rules import rules_of
from reference_impl.profiles import Profile
from reference_impl.protocols import UPSTREAM
from tests.every_case import heads, made

ROLES = {"encode": ("encode",), "decode": ("decode",), "both": ("encode", "decode")}
MUTANTS = [mutant for mutant in all_mutants() if mutant.protocol in UPSTREAM]

# Of the cases one in so many is put here, all of these, and in each role the first about each table.
EVERY = 60
ALWAYS = (
    *("/stops/", "/partitions/rows", "/rows event/", "/snapshot/", "/negative/0"),
    *("debezium36/mysql97_noschema/stream", "debezium36/mysql97_schema", "/mysql97_vector"),
)

every_dialect = pytest.mark.parametrize("protocol", UPSTREAM)


def some_cases(protocol: str, profile: Profile) -> Sequence[Case]:
    """A part of the cases in which every assertion runs."""
    cases = heads(protocol)
    first = {_about(case): case for case in reversed(cases)}
    chosen = [
        case
        for n, case in enumerate(cases)
        if n % EVERY == 0 or first[_about(case)] is case or any(part in case.id for part in ALWAYS)
    ]
    return sorted(map(made, chosen), key=lambda case: len(case.events))


def _about(case: CaseHead) -> tuple[str, str]:
    return case.role, case.axes.get("table", "")


@cache
def results() -> Mapping[str, MutantResult]:
    return {result.mutant.name: result for result in run_matrix(MUTANTS, some_cases, limit=1)}


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_a_mutant_dies_for_the_requirement_that_it_names(mutant: Mutant) -> None:
    result = results()[mutant.name]
    assert result.outcome is Outcome.KILLED


@every_dialect
def test_every_requirement_has_a_mutant_or_a_pinned_fault_in_each_role_that_is_judged_by_it(protocol: str) -> None:
    made = {(one.requirement, one.role) for one in (*MUTANTS, *faults_of(protocol)) if one.protocol == protocol}
    asked = {(r.id, role) for r in load_register(protocol).requirements.values() for role in ROLES[r.role]}
    assert asked == made


def test_no_two_mutants_are_called_alike_and_each_is_described_in_a_clause() -> None:
    assert [name for name, count in Counter(m.name for m in MUTANTS).items() if count > 1] == []
    assert [m.name for m in MUTANTS if not m.description or m.description.endswith(".")] == []


@every_dialect
def test_no_document_speaks_of_the_dialect_so_that_nothing_is_a_must(protocol: str) -> None:
    assert {r.level for r in load_register(protocol).requirements.values()} == {Level.SHOULD}


@every_dialect
def test_every_rule_is_of_a_requirement_and_every_requirement_has_a_rule_or_cases(protocol: str) -> None:
    known = set(load_register(protocol).requirements)
    spoken = {rule.requirement for rule in rules_of(protocol)}
    by_cases = {requirement for case in heads(protocol) for requirement in case.requirements}
    assert spoken | by_cases == known
