"""Mutants of a protocol: each MUST has one that dies for it, and the register names every one."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache

import pytest

from conformance.cases.catalogue import all_cases
from conformance.catalogue.register import Requirement, load_register
from conformance.mutants import all_mutants
from conformance.mutants.matrix import Death, Outcome, run_matrix
from conformance.mutants.model import Mutant
from reference_impl.protocols import CODECS

# Those of Open Protocol, whose register is held to the order of the mutants, stand in `test_open_protocol_mutants`.
PROTOCOLS = ("canal-json", "debezium", "avro")

WORD = {"debezium": "[a-z0-9_]+"}
"""What a word of a mutant's name is made of: in Debezium it may be a member's, `ts_ms`."""

ROLES = {"encode": ("encode",), "decode": ("decode",), "both": ("encode", "decode")}

every_protocol = pytest.mark.parametrize("protocol", CODECS)
each = pytest.mark.parametrize("protocol", PROTOCOLS)


def mutants(protocol: str) -> Sequence[Mutant]:
    return [mutant for mutant in all_mutants() if mutant.protocol == protocol]


def requirements(protocol: str) -> Sequence[Requirement]:
    return list(load_register(protocol).requirements.values())


def that_can_be_tested(protocol: str) -> Sequence[Requirement]:
    return [r for r in requirements(protocol) if r.testable]


def of_level(protocol: str, level: str) -> Sequence[tuple[Requirement, str]]:
    """The testable requirements of a level, with each role that is judged by it."""
    return [(r, role) for r in that_can_be_tested(protocol) if r.level == level for role in ROLES[r.role]]


@cache
def by_name(protocol: str) -> Mapping[str, Mutant]:
    return {mutant.name: mutant for mutant in mutants(protocol)}


def first(protocol: str, requirement: Requirement, role: str) -> Mutant | None:
    named = by_name(protocol)
    return next((named[name] for name in requirement.mutants if named[name].role == role), None)


@cache
def deaths(protocol: str) -> Mapping[str, Death]:
    """The fate of the first mutant of each MUST and role, by name; a few cases each."""
    chosen = [mutant for r, role in of_level(protocol, "must") if (mutant := first(protocol, r, role))]
    return {death.mutant.name: death for death in run_matrix(chosen, all_cases, limit=4)}


MUSTS = [(protocol, r, role) for protocol in PROTOCOLS for r, role in of_level(protocol, "must")]


@pytest.mark.parametrize(("protocol", "requirement", "role"), MUSTS, ids=[f"{r.id}-{role}" for _, r, role in MUSTS])
def test_a_must_has_a_mutant_that_dies_for_it(protocol: str, requirement: Requirement, role: str) -> None:
    mutant = first(protocol, requirement, role)
    assert mutant is not None
    death = deaths(protocol)[mutant.name]
    assert (death.outcome, death.undeclared, death.unseen) == (Outcome.KILLED, (), ())


@every_protocol
def test_no_two_mutants_are_called_alike(protocol: str) -> None:
    assert [name for name, count in Counter(m.name for m in mutants(protocol)).items() if count > 1] == []


@every_protocol
def test_a_mutant_is_called_by_its_protocol_and_a_name_in_kebab_case(protocol: str) -> None:
    word = WORD.get(protocol, "[a-z0-9]+")
    assert [m.name for m in mutants(protocol) if not re.fullmatch(f"{protocol}/{word}(-{word})*", m.name)] == []


@every_protocol
def test_every_mutant_is_described_in_one_clause(protocol: str) -> None:
    wrong = [
        m.name for m in mutants(protocol) if not m.description or m.description[-1] == "." or "\n" in m.description
    ]
    assert wrong == []


@every_protocol
def test_the_register_names_the_mutants_that_die_for_a_requirement_and_no_other(protocol: str) -> None:
    named = {r.id: set(r.mutants) for r in requirements(protocol) if r.mutants}
    made: dict[str, set[str]] = {}
    for mutant in mutants(protocol):
        made.setdefault(mutant.requirement, set()).add(mutant.name)
    assert named == made


@every_protocol
def test_a_mutant_belongs_to_a_requirement_that_can_be_tested_in_its_role(protocol: str) -> None:
    roles = {r.id: ROLES[r.role] for r in that_can_be_tested(protocol)}
    assert [m.name for m in mutants(protocol) if m.role not in roles.get(m.requirement, ())] == []


@each
def test_what_a_mutant_may_also_break_is_in_the_register(protocol: str) -> None:
    assert {id_ for m in mutants(protocol) for id_ in m.may_also} <= {r.id for r in that_can_be_tested(protocol)}


@each
def test_every_should_has_a_mutant_in_each_role_that_is_judged_by_it(protocol: str) -> None:
    shoulds = of_level(protocol, "should")
    assert [f"{r.id} {role}" for r, role in shoulds if first(protocol, r, role) is None] == []
