"""The registers: ids, places and rules."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import pytest

from conformance.catalogue.documents import load_documents
from conformance.catalogue.register import DocumentSource, Level, RecordedSource, Requirement, load_register
from conformance.catalogue.vectors import load_producers
from conformance.oracle import ORACLES, avro, canal_json, debezium, open_protocol
from reference_impl.protocols import CODECS

EVERY = tuple(r for protocol in CODECS for r in load_register(protocol).requirements.values())
BY_CASE: Mapping[str, Mapping[str, str]] = {
    "canal-json": canal_json.BY_CASE,
    "open-protocol": open_protocol.BY_CASE,
    "debezium": debezium.BY_CASE,
    "avro": avro.BY_CASE,
}

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
