"""The register of Avro: nothing is dropped, and every requirement that can be tested is tested somewhere."""

from __future__ import annotations

import tomllib

import pytest

from conformance.catalogue.fixtures import fixtures_root
from conformance.catalogue.register import DocumentSource, Level, Requirement, load_register
from conformance.oracle.avro import BY_CASE, ORACLE

REQUIREMENTS = tuple(load_register("avro").requirements.values())
TESTABLE = tuple(r for r in REQUIREMENTS if r.testable)
PLACES: dict[str, set[str]] = {}
for _rule in ORACLE.rules:
    PLACES.setdefault(_rule.requirement, set()).add(_rule.at)


def _ids(requirements: tuple[Requirement, ...]) -> list[str]:
    return [r.id for r in requirements]


def test_every_rule_ever_named_stands_in_the_register():
    named = tomllib.loads((fixtures_root() / "register" / "sheet-ids.toml").read_text(encoding="utf-8"))
    assert set(named["avro"]["ids"]) <= set(_ids(REQUIREMENTS))


@pytest.mark.parametrize("requirement", TESTABLE, ids=_ids(TESTABLE))
def test_a_testable_requirement_has_a_rule_or_a_mechanism(requirement: Requirement):
    assert (requirement.id in PLACES) or (requirement.id in BY_CASE)


@pytest.mark.parametrize("requirement", TESTABLE, ids=_ids(TESTABLE))
def test_a_requirement_has_rules_where_its_role_answers(requirement: Requirement):
    places = PLACES.get(requirement.id, set()) - {"answer"}
    decoding = {at for at in places if at.startswith("event")}
    roles = {role for role, there in (("decode", decoding), ("encode", places - decoding)) if there}
    assert roles <= ({"encode", "decode"} if requirement.role == "both" else {requirement.role})


def test_what_cannot_be_tested_says_why_and_has_no_rule():
    untestable = [r for r in REQUIREMENTS if not r.testable]
    assert all(r.reason for r in untestable)
    assert not {r.id for r in untestable} & (PLACES.keys() | BY_CASE.keys())


def test_a_must_that_can_be_tested_points_into_the_document():
    musts = {r.id for r in TESTABLE if r.level is Level.MUST}
    assert musts <= {r.id for r in REQUIREMENTS if isinstance(r.source, DocumentSource)}
