"""The registers: ids, places and rules."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import pytest

from conformance.catalogue.divergences import find_divergence
from conformance.catalogue.documents import load_documents
from conformance.catalogue.fixtures import fixtures_root
from conformance.catalogue.register import DocumentSource, Level, RecordedSource, Requirement, load_register
from conformance.catalogue.vectors import load_producers
from conformance.catalogue.withdrawn import load_withdrawn
from conformance.cli.disagreements import disagreement_named
from conformance.oracle import ORACLES
from reference_impl.protocols import CODECS, DIALECTS

EVERY = tuple(r for protocol in CODECS for r in load_register(protocol).requirements.values())
REFUSED, TOO_LARGE = "an input that must be refused", "a message that must be refused as too large"
BETWEEN, REGISTRY, ANY = "the rules between messages", "faults of the registry", "cases that any answer settles"
BY_CASE: Mapping[str, Mapping[str, str]] = {
    "canal-json": {
        **dict.fromkeys(("CJ-105", "CJ-881"), REFUSED),
        **dict.fromkeys(("CJ-629", "CJ-664", "CJ-666"), BETWEEN),
        "CJ-130": TOO_LARGE,
        "CJ-887": ANY,
    },
    "open-protocol": {
        **dict.fromkeys(("OP-013", "OP-091", "OP-108", "OP-110", "OP-237"), REFUSED),
        **dict.fromkeys(("OP-049", "OP-151", "OP-174", "CF-004", "CF-005", "CF-025"), REFUSED),
        **dict.fromkeys(("OP-201", "OP-202", "OP-207"), BETWEEN),
        "OP-256": ANY,
    },
    "debezium": {
        **dict.fromkeys(("DBZ-015", "DBZ-451"), REFUSED),
        **dict.fromkeys(("DBZ-039a", "DBZ-404"), BETWEEN),
        "DBZ-452": ANY,
    },
    "avro": {
        **dict.fromkeys(("AV-038", "AV-038a", "AV-108", "AV-150"), REFUSED),
        **dict.fromkeys(("AV-162", "AV-163", "AV-164", "AV-167", "AV-168"), REFUSED),
        **dict.fromkeys(("AV-017", "AV-018a", "AV-032a", "AV-130g", "AV-175a", "AV-204a"), REFUSED),
        **dict.fromkeys(("AV-030b", "AV-087c", "AV-120b", "AV-130h", "AV-203d"), REFUSED),
        **dict.fromkeys(("AV-206a", "AV-206b", "AV-206c", "AV-210"), REFUSED),
        **dict.fromkeys(("AV-169a", "AV-172", "AV-174", "AV-190"), REGISTRY),
        "AV-212": ANY,
    },
}
"""The requirements that no place shows, and the mechanism that proves them instead."""

every_protocol = pytest.mark.parametrize("protocol", CODECS)


def that_can_be_tested(protocol: str) -> list[Requirement]:
    return [r for r in EVERY if r.protocol == protocol and r.testable]


# -- the entries ---------------------------------------------------------------------------------------------------


def test_an_id_or_former_id_names_one_requirement_of_one_protocol() -> None:
    times = Counter(name for r in EVERY for name in (r.id, *r.aliases))
    assert [name for name, count in times.items() if count > 1] == []


def test_every_requirement_says_its_rule_and_the_group_it_belongs_to() -> None:
    assert [r.id for r in EVERY if not r.rule.strip() or not r.group.strip()] == []


def test_every_untestable_requirement_says_why_and_no_other_does() -> None:
    assert [r.id for r in EVERY if bool(r.reason) == r.testable] == []


def test_every_must_that_can_be_tested_points_into_a_document() -> None:
    musts = [r for r in EVERY if r.level is Level.MUST and r.testable]
    assert [r.id for r in musts if not isinstance(r.source, DocumentSource)] == []


def test_a_place_is_in_a_document_that_is_listed_and_under_a_heading_where_those_are_listed() -> None:
    documents = load_documents()
    sources = [(r.id, r.source) for r in EVERY if isinstance(r.source, DocumentSource)]
    assert [i for i, s in sources if s.document not in documents] == []
    listed = {name: document.headings for name, document in documents.items() if document.headings}
    assert [i for i, s in sources if s.heading not in listed.get(s.document, [s.heading])] == []


@pytest.mark.parametrize(
    ("protocol", "document"), [("canal-json", "ticdc-canal-json"), ("open-protocol", "ticdc-open-protocol")]
)
def test_a_register_cites_its_document_and_the_harness_protocol_alone(protocol: str, document: str) -> None:
    cited = {r.source.document for r in EVERY if r.protocol == protocol and isinstance(r.source, DocumentSource)}
    assert cited == {document, "harness-protocol"}


def test_no_withdrawn_id_is_used_again_and_each_points_to_what_is_there() -> None:
    now = {name for dialect in DIALECTS for one in load_register(dialect).requirements.values() for name in _names(one)}
    entries = load_withdrawn()
    assert entries.keys() & now == set()
    assert not [name for name in entries if find_divergence(name) or disagreement_named(name)]
    referred = {name for one in entries.values() for name in one.see}
    assert not [name for name in referred - now if not find_divergence(name)]


def _names(requirement: Requirement) -> tuple[str, ...]:
    return requirement.id, *requirement.aliases


def test_recordings_that_are_cited_are_of_producers_that_are_shipped() -> None:
    cited = {producer for r in EVERY if isinstance(r.source, RecordedSource) for producer in r.source.producers}
    assert cited
    assert cited - load_producers().keys() == set()


def test_a_requirement_that_no_longer_holds_held_for_some_release() -> None:
    assert [r.id for r in EVERY if r.since and r.until and r.since >= r.until] == []


# -- the rules of the oracle ---------------------------------------------------------------------------------------


@every_protocol
def test_every_rule_of_the_oracle_is_of_a_requirement_that_can_be_tested(protocol: str) -> None:
    oracle = ORACLES[protocol]
    spoken = {oracle.fallback, *(rule.requirement for rule in oracle.rules), *BY_CASE[protocol]}
    assert spoken - {r.id for r in that_can_be_tested(protocol)} == set()


@every_protocol
def test_every_requirement_that_can_be_tested_has_a_rule_or_is_proved_by_cases(protocol: str) -> None:
    spoken = {rule.requirement for rule in ORACLES[protocol].rules} | BY_CASE[protocol].keys()
    assert [r.id for r in that_can_be_tested(protocol) if r.id not in spoken] == []


@every_protocol
def test_no_requirement_that_has_a_rule_is_said_to_be_proved_by_cases(protocol: str) -> None:
    assert {rule.requirement for rule in ORACLES[protocol].rules} & BY_CASE[protocol].keys() == set()


@every_protocol
def test_a_requirement_has_rules_where_its_role_answers_and_nowhere_else(protocol: str) -> None:
    role_of = {r.id: r.role for r in that_can_be_tested(protocol)}
    spoken = {
        (r.requirement, "decode" if r.at.startswith("event") else "encode")
        for r in ORACLES[protocol].rules
        if r.at != "answer"
    }
    assert {(i, role) for i, role in spoken if role_of.get(i, role) not in ("both", role)} == set()


# -- what one register alone keeps to ------------------------------------------------------------------------------

PERMITTED = {"CJ-890"}
"""Rules about what a document lets a reader leave out: a permission is no MUST."""


def test_what_the_document_of_canal_json_states_is_a_must_and_what_producers_agree_on_is_a_should() -> None:
    for requirement in that_can_be_tested("canal-json"):
        is_documented = requirement.level is Level.MUST or requirement.id in PERMITTED
        assert isinstance(requirement.source, DocumentSource if is_documented else RecordedSource), requirement.id


def test_what_became_of_the_old_row_of_a_delete_changes_with_v5_4_0_and_leaves_no_gap() -> None:
    register = load_register("canal-json").requirements
    assert register["CJ-502"].since == register["CJ-502b"].until == (5, 4, 0)


def test_a_place_in_the_document_of_open_protocol_that_is_no_must_says_why() -> None:
    stated = [r for r in EVERY if r.protocol == "open-protocol" and isinstance(r.source, DocumentSource)]
    assert [r.id for r in stated if r.level is not Level.MUST and not r.note] == []


CONTRADICTIONS_OF_OPEN_PROTOCOL: Mapping[str, str] = {
    "base64 under code 15 in the logs": "OP-106",
    "logs without f": "OP-044",
    "a delete of the handle column alone in the logs": "OP-048",
    "the type of a DDL type is called a string": "OP-065",
    "a binary sample that is no JSON": "OP-106",
    "the binary flag said to be meaningless": "OP-122a",
    "misspelt type names": "OP-115",
    "a handle column said to be unique": "OP-052",
    "the multiple key flag of one column": "OP-127a",
    "earlier than a resolved time stamp": "OP-202",
    "an example of flags that one generation cannot write": "OP-255",
    "members of the key that are left out of the tables": "OP-021",
    "a version in the key only": "OP-003",
    "a type NULL": "OP-119",
}


def test_what_contradicts_itself_in_the_document_is_noted_with_the_decision() -> None:
    noted = load_register("open-protocol").requirements
    assert [what for what, requirement in CONTRADICTIONS_OF_OPEN_PROTOCOL.items() if not noted[requirement].note] == []


@pytest.mark.parametrize("file", sorted((fixtures_root() / "register").rglob("*.toml")), ids=lambda file: file.stem)
def test_every_name_of_places_is_used(file: Path) -> None:
    given = tomllib.loads(file.read_text(encoding="utf-8"))
    named: dict[str, list[str]] = given.get("places", {})
    at = [check["at"] for one in given.get("requirement", ()) for check in one.get("checks", ())]
    used = {place for one in at for place in ([one] if isinstance(one, str) else one)}
    used |= {place for places in named.values() for place in places}
    assert named.keys() <= {place.partition(".")[0] for place in used}
