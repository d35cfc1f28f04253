"""The register of Canal-JSON: nothing dropped, every requirement that can be tested has a rule or a mechanism."""

from __future__ import annotations

import tomllib

import pytest

from conformance.catalogue.documents import load_documents
from conformance.catalogue.fixtures import fixtures_root
from conformance.catalogue.register import DocumentSource, Level, RecordedSource, Requirement, load_register
from conformance.oracle.canal_json import BY_CASE, ORACLE

REQUIREMENTS = tuple(load_register("canal-json").requirements.values())
TESTABLE = tuple(r for r in REQUIREMENTS if r.testable)
PLACES: dict[str, set[str]] = {}
for _rule in ORACLE.rules:
    PLACES.setdefault(_rule.requirement, set()).add(_rule.at)


def _ids(requirements: tuple[Requirement, ...]) -> list[str]:
    return [r.id for r in requirements]


def test_every_rule_ever_named_stands_in_the_register() -> None:
    named = tomllib.loads((fixtures_root() / "register" / "sheet-ids.toml").read_text(encoding="utf-8"))
    assert set(named["canal-json"]["ids"]) <= set(_ids(REQUIREMENTS))


@pytest.mark.parametrize("requirement", TESTABLE, ids=_ids(TESTABLE))
def test_a_testable_requirement_has_a_rule_or_a_mechanism(requirement: Requirement) -> None:
    assert (requirement.id in PLACES) != (requirement.id in BY_CASE)


@pytest.mark.parametrize("requirement", TESTABLE, ids=_ids(TESTABLE))
def test_a_requirement_has_rules_where_its_role_answers(requirement: Requirement) -> None:
    places = PLACES.get(requirement.id, set()) - {"answer"}
    decoding = {at for at in places if at.startswith("event")}
    roles = {role for role, there in (("decode", decoding), ("encode", places - decoding)) if there}
    assert roles <= ({"encode", "decode"} if requirement.role == "both" else {requirement.role})


def test_an_untestable_requirement_says_why_and_has_no_rule() -> None:
    untestable = [r for r in REQUIREMENTS if not r.testable]
    assert all(r.reason for r in untestable)
    assert not {r.id for r in untestable} & (PLACES.keys() | BY_CASE.keys())


PERMITTED = {"CJ-890"}
"""Rules about what a document lets a reader leave out: a permission is no MUST."""


@pytest.mark.parametrize("requirement", TESTABLE, ids=_ids(TESTABLE))
def test_what_a_document_states_is_a_must_and_what_producers_agree_on_is_a_should(requirement: Requirement) -> None:
    is_documented = requirement.level is Level.MUST or requirement.id in PERMITTED
    assert isinstance(requirement.source, DocumentSource if is_documented else RecordedSource)


def test_requirements_point_to_headings_of_their_document() -> None:
    headings = {d.id: d.headings for d in load_documents().values()}
    sources = [r.source for r in REQUIREMENTS if isinstance(r.source, DocumentSource)]
    assert {s.document for s in sources} == {"ticdc-canal-json", "harness-protocol"}
    assert all(s.heading in headings[s.document] for s in sources if s.document == "ticdc-canal-json")


def test_what_became_of_the_old_row_of_a_delete_changes_with_v5_4_0_and_leaves_no_gap() -> None:
    register = load_register("canal-json").requirements
    assert register["CJ-502"].since == register["CJ-502b"].until == (5, 4, 0)
