"""Mutants of a protocol: each MUST and SHOULD has one in each role, and the register names every one.

That each of them dies for its own reason is what `tox run -e mutants` shows, of all of them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache

import pytest

from conformance.catalogue.register import Requirement, load_register
from conformance.mutants import all_mutants
from conformance.mutants.model import Mutant
from reference_impl.protocols import CODECS

WORD = {"debezium": "[a-z0-9_]+"}
"""What a word of a mutant's name is made of: in Debezium it may be a member's, `ts_ms`."""

ROLES = {"encode": ("encode",), "decode": ("decode",), "both": ("encode", "decode")}

NO_DECODER_BREAKS = {"OP-001 decode", "OP-011 decode", "OP-160 decode"}
"""Rules of both roles that only mutants of encoders break."""

every_protocol = pytest.mark.parametrize("protocol", CODECS)
each_level = pytest.mark.parametrize("level", ["must", "should"])


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


@every_protocol
def test_what_a_mutant_may_also_break_is_in_the_register(protocol: str) -> None:
    assert {id_ for m in mutants(protocol) for id_ in m.may_also} <= {r.id for r in that_can_be_tested(protocol)}


@every_protocol
@each_level
def test_every_rule_has_a_mutant_in_each_role_that_is_judged_by_it(protocol: str, level: str) -> None:
    without = {f"{r.id} {role}" for r, role in of_level(protocol, level) if first(protocol, r, role) is None}
    assert without - NO_DECODER_BREAKS == set()
