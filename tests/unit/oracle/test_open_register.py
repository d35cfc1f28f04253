"""The register of Open Protocol: nothing is dropped, and every requirement that can be tested is tested somewhere."""

from __future__ import annotations

import tomllib

import pytest

from conformance.catalogue.documents import load_documents
from conformance.catalogue.fixtures import fixtures_root
from conformance.catalogue.register import DocumentSource, Level, Requirement, load_register
from conformance.oracle.open_protocol import BY_CASE, ORACLE

REQUIREMENTS = tuple(load_register("open-protocol").requirements.values())
TESTABLE = tuple(r for r in REQUIREMENTS if r.testable)
PLACES: dict[str, set[str]] = {}
for _rule in ORACLE.rules:
    PLACES.setdefault(_rule.requirement, set()).add(_rule.at)


def _ids(requirements: tuple[Requirement, ...]) -> list[str]:
    return [r.id for r in requirements]


def test_every_rule_ever_named_stands_in_the_register():
    named = tomllib.loads((fixtures_root() / "register" / "sheet-ids.toml").read_text(encoding="utf-8"))
    assert set(named["open-protocol"]["ids"]) <= set(_ids(REQUIREMENTS))


@pytest.mark.parametrize("requirement", TESTABLE, ids=_ids(TESTABLE))
def test_a_testable_requirement_has_a_rule_or_a_mechanism(requirement: Requirement):
    assert (requirement.id in PLACES) != (requirement.id in BY_CASE)


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


def test_a_must_points_into_the_document_and_a_document_place_that_is_less_says_why():
    musts = {r.id for r in REQUIREMENTS if r.level is Level.MUST}
    stated = {r.id: r for r in REQUIREMENTS if isinstance(r.source, DocumentSource)}
    assert musts <= set(stated)
    assert all(r.note for id_, r in stated.items() if id_ not in musts)


def test_requirements_point_to_headings_of_their_document():
    headings = load_documents()["ticdc-open-protocol"].headings
    sources = [r.source for r in REQUIREMENTS if isinstance(r.source, DocumentSource)]
    assert {s.document for s in sources} == {"ticdc-open-protocol", "harness-protocol"}
    assert all(s.heading in headings for s in sources if s.document == "ticdc-open-protocol")


@pytest.mark.parametrize(
    ("inconsistency", "requirement"),
    [
        ("base64 under code 15 in the logs", "OP-106"),
        ("logs without f", "OP-044"),
        ("a delete of the handle column alone in the logs", "OP-048"),
        ("the type of a DDL type is called a string", "OP-065"),
        ("a binary sample that is no JSON", "OP-106"),
        ("the binary flag said to be meaningless", "OP-122a"),
        ("misspelt type names", "OP-115"),
        ("a handle column said to be unique", "OP-052"),
        ("the multiple key flag of one column", "OP-127a"),
        ("earlier than a resolved time stamp", "OP-202"),
        ("an example of flags that one generation cannot write", "OP-255"),
        ("members of the key that are left out of the tables", "OP-021"),
        ("a version in the key only", "OP-003"),
        ("a type NULL", "OP-119"),
    ],
)
def test_what_contradicts_itself_in_the_document_is_noted_with_the_decision(inconsistency: str, requirement: str):
    assert load_register("open-protocol").requirements[requirement].note, inconsistency
