"""Mutants of a protocol, and generated faults: each MUST and SHOULD has one of the two in each role.

`tox run -e mutants` shows that each mutant is killed for its own reason, and that each fault is shown first.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import cache

import pytest

from conformance.cases.index import read_index
from conformance.catalogue.faults import FAULTS, faults_of, read_faults
from conformance.catalogue.fixtures import fixtures_root
from conformance.catalogue.register import Requirement, load_register
from conformance.mutants import mutants_of
from reference_impl.profiles import NEWARCH
from reference_impl.protocols import CODECS

WORD = {"debezium": "[a-z0-9_]+"}
"""The characters of a word in a mutant's name: in Debezium it may be the name of a member, `ts_ms`."""

ROLES = {"encode": ("encode",), "decode": ("decode",), "both": ("encode", "decode")}

NO_DECODER_BREAKS = {"OP-001 decode", "OP-011 decode", "OP-160 decode"}
"""Rules of both roles that only mutants of encoders break."""

every_protocol = pytest.mark.parametrize("protocol", CODECS)
each_level = pytest.mark.parametrize("level", ["must", "should"])


def requirements(protocol: str) -> Sequence[Requirement]:
    return list(load_register(protocol).requirements.values())


def that_can_be_tested(protocol: str) -> Sequence[Requirement]:
    return [r for r in requirements(protocol) if r.testable]


def of_level(protocol: str, level: str) -> Sequence[tuple[Requirement, str]]:
    """The testable requirements of a level, with each role that is judged by it."""
    return [(r, role) for r in that_can_be_tested(protocol) if r.level == level for role in ROLES[r.role]]


@cache
def proven(protocol: str) -> frozenset[tuple[str, str]]:
    """Requirements with the roles in which a mutant or a generated fault names them."""
    return frozenset((one.requirement, one.role) for one in (*mutants_of(protocol), *faults_of(protocol)))


@every_protocol
def test_no_two_mutants_are_called_alike(protocol: str) -> None:
    assert [name for name, count in Counter(m.name for m in mutants_of(protocol)).items() if count > 1] == []


@every_protocol
def test_a_mutant_is_called_by_its_protocol_and_a_name_in_kebab_case(protocol: str) -> None:
    word = WORD.get(protocol, "[a-z0-9]+")
    assert [m.name for m in mutants_of(protocol) if not re.fullmatch(f"{protocol}/{word}(-{word})*", m.name)] == []


@every_protocol
def test_every_mutant_is_described_in_one_clause(protocol: str) -> None:
    wrong = [
        m.name for m in mutants_of(protocol) if not m.description or m.description[-1] == "." or "\n" in m.description
    ]
    assert wrong == []


@every_protocol
def test_a_mutant_and_a_generated_fault_belong_to_a_requirement_that_can_be_tested_in_its_role(protocol: str) -> None:
    roles = {r.id: ROLES[r.role] for r in that_can_be_tested(protocol)}
    every = [*mutants_of(protocol), *faults_of(protocol)]
    assert [one.name for one in every if one.role not in roles.get(one.requirement, ())] == []


@every_protocol
def test_a_requirement_has_one_recorded_fault_of_the_sweep_in_a_role_at_most(protocol: str) -> None:
    recorded = [fault for fault in read_faults(fixtures_root() / FAULTS) if fault.protocol == protocol]
    assert [key for key, n in Counter((f.requirement, f.role) for f in recorded).items() if n > 1] == []


@every_protocol
def test_no_fault_is_recorded_twice(protocol: str) -> None:
    assert [fault for fault, n in Counter(faults_of(protocol)).items() if n > 1] == []


@every_protocol
def test_a_generated_fault_changes_an_answer_to_a_case_that_the_suite_has(protocol: str) -> None:
    known = {(case.id, case.role) for case in read_index(protocol, NEWARCH.name)}
    assert [f.name for f in faults_of(protocol) if (f.case, f.role) not in known] == []


@every_protocol
def test_a_pinned_fault_never_breaks_the_implementation_down(protocol: str) -> None:
    assert [f.name for f in faults_of(protocol) if f.operator == "broken"] == []


@every_protocol
@each_level
def test_every_rule_is_proven_in_each_role_that_is_judged_by_it(protocol: str, level: str) -> None:
    without = {f"{r.id} {role}" for r, role in of_level(protocol, level) if (r.id, role) not in proven(protocol)}
    assert without - NO_DECODER_BREAKS == set()
