"""The document's messages and what real producers wrote against the reference; the register leaves nothing out."""

from __future__ import annotations

import json

import pytest

from conformance.cases.golden import golden_cases, golden_examples
from conformance.cases.model import Case
from conformance.catalogue.register import Level, load_register
from conformance.catalogue.vectors import load_producers, recorded_vectors
from reference_impl import options as option_strings
from reference_impl.debezium_json import Decoder, Encoder, Options
from reference_impl.model import Table
from reference_impl.options import parse
from reference_impl.profiles import PROFILES, Profile
from reference_impl.wire import event_to_json

REQUIREMENTS = load_register("debezium").requirements
CASES = [(profile, case) for profile in PROFILES.values() for case in golden_cases("debezium", profile)]
CARRIED = ("kind", "op", "schema", "table", "query", "commit_ts", "before", "after")


every_profile = pytest.mark.parametrize("profile", PROFILES.values(), ids=PROFILES)


def of_role(role: str, profile: Profile) -> list[Case]:
    return [case for one, case in CASES if (one, case.role) == (profile, role)]


@pytest.mark.parametrize("blind", [False, True], ids=["with tables", "without tables"])
@every_profile
def test_the_reference_reads_every_message_that_the_document_shows(profile: Profile, blind: bool) -> None:
    for case in of_role("decode", profile):
        tables: tuple[Table, ...] = () if blind else case.tables
        events = Decoder(parse(Options, case.options), settings=case.settings).decode(case.records, tables)
        told = [{name: value for name, value in event_to_json(e).items() if name in CARRIED} for e in events]
        truth = [{name: value for name, value in event_to_json(e).items() if name in CARRIED} for e in case.events]
        assert told == truth, case.id


def test_a_golden_case_was_written_for_a_requirement_of_its_role() -> None:
    assert [case.id for _, case in CASES if not case.requirements] == []


def test_every_must_that_can_be_tested_has_a_golden_example() -> None:
    shown = {name for example in golden_examples("debezium") for name in example.members.get("requirements", ())}
    musts = {r.id for r in REQUIREMENTS.values() if r.level is Level.MUST and r.testable}
    # That every event and record is answered is no matter of the document: mutants and changed records show it.
    assert musts - shown == {"DBZ-452", "DBZ-453"}


_RECORDED = [(p.profile, v) for p in load_producers().values() for v in recorded_vectors(p, "debezium")]


@pytest.mark.parametrize("profile", ["newarch", "classic"])
def test_whatever_a_producer_wrote_is_read_with_and_without_its_tables(profile: str) -> None:
    for name, vector in _RECORDED:
        if name == profile and vector.records:
            options = option_strings.parse(Options, vector.options)
            for tables in (vector.tables, ()):
                assert len(Decoder(options).decode(vector.records, tables)) == len(vector.records), vector.case


def test_where_a_producer_crashed_a_null_is_the_default() -> None:
    [vector, *_] = [v for name, v in _RECORDED if name == "newarch" and v.crash is not None and not v.options]
    records = Encoder(Options(), settings=vector.settings).encode(vector.events, vector.tables).records
    after = json.loads(records[1].value or b"")["payload"]["after"]
    # 2024-02-29, the default of the column that was given NULL.
    assert after["n"] == 19782
