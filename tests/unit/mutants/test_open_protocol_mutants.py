"""Mutants of Open Protocol against the register: who dies for what, and whether both say the same."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

import pytest

from conformance.cases.catalogue import all_cases
from conformance.cases.golden import golden_cases
from conformance.cases.model import Case
from conformance.catalogue.register import Level, load_register
from conformance.mutants.matrix import Death, Outcome, run_matrix
from conformance.mutants.model import Mutant
from conformance.mutants.open_protocol import MUTANTS
from reference_impl.profiles import NEWARCH, Profile

REGISTER = load_register("open-protocol").requirements
MUSTS = [r.id for r in REGISTER.values() if r.testable and r.level is Level.MUST]


def cases_of(protocol: str, profile: Profile) -> Sequence[Case]:
    """All of the default profile; of others the examples of the document, where they differ."""
    return all_cases(protocol) if profile == NEWARCH else golden_cases(protocol, profile)


def chosen() -> list[Mutant]:
    """The first mutant of each requirement that must hold, in each role that has one."""
    first: dict[tuple[str, str], Mutant] = {}
    for mutant in MUTANTS:
        if mutant.requirement in MUSTS:
            first.setdefault((mutant.requirement, mutant.role), mutant)
    return list(first.values())


@cache
def deaths() -> Mapping[str, Sequence[Death]]:
    """How the chosen mutants died, by requirement."""
    found: dict[str, list[Death]] = {}
    for death in run_matrix(chosen(), cases_of, limit=2):
        found.setdefault(death.mutant.requirement, []).append(death)
    return found


@pytest.mark.parametrize("requirement", MUSTS)
def test_a_mutant_dies_for_every_requirement_that_must_hold(requirement: str) -> None:
    died = deaths().get(requirement, ())
    assert died
    assert [(d.mutant.name, d.outcome, d.undeclared) for d in died if d.outcome is not Outcome.KILLED] == []


@pytest.mark.parametrize("requirement", REGISTER)
def test_the_register_lists_the_mutants_that_die_for_a_requirement(requirement: str) -> None:
    assert list(REGISTER[requirement].mutants) == [m.name for m in MUTANTS if m.requirement == requirement]


def test_what_a_mutant_may_also_break_stands_in_the_register_and_is_not_what_it_dies_for() -> None:
    assert [m.name for m in MUTANTS if m.requirement in m.may_also or not m.may_also <= REGISTER.keys()] == []
