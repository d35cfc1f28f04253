"""The documents, the recordings, the reference and the oracle against each other: only what is named is found."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import jsonschema
import pytest

from conformance.cases.golden import golden_cases, golden_examples
from conformance.cases.model import ExpectedRejection
from conformance.catalogue.fixtures import fixtures_root
from conformance.catalogue.register import Level, load_register
from reference_impl.actions import ACTIONS
from reference_impl.canal_json.types import CODES as CANAL_CODES
from reference_impl.open_protocol.types import CODES
from reference_impl.profiles import CLASSIC, DOC, NEWARCH, Profile, profile_of_release
from tests.unit.oracle.fixture_findings import (
    golden_judged,
    golden_missed,
    misread,
    recorded_decodings,
)

PROTOCOLS = ["canal-json", "open-protocol", "debezium", "avro"]
PROFILES = [NEWARCH, CLASSIC, DOC, *map(profile_of_release, ("v6.4.0", "v5.3.0"))]
LEAST_RECORDED = {"canal-json": 240, "open-protocol": 190, "debezium": 280, "avro": 260}
"""Protocol → the number of recordings of a producer that a decoder is put, at the least."""
FILES = sorted((fixtures_root() / "golden").glob("*/*.toml"))

of_each_protocol = pytest.mark.parametrize("protocol", PROTOCOLS)
under_each_profile = pytest.mark.parametrize("profile", PROFILES, ids=lambda profile: profile.title)
of_each_recorded_producer = pytest.mark.parametrize("profile", [NEWARCH, CLASSIC], ids=lambda profile: profile.name)

# -- golden examples ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_a_golden_fixture_has_the_published_form(path: Path) -> None:
    schema = json.loads((fixtures_root() / "schemas" / "golden.schema.json").read_text(encoding="utf-8"))
    jsonschema.validate(tomllib.loads(path.read_text(encoding="utf-8")), schema)


@of_each_protocol
@under_each_profile
def test_the_reference_agrees_with_every_golden_example(protocol: str, profile: Profile) -> None:
    found = {finding.requirement for _, judgement in golden_judged(protocol, profile) for finding in judgement.findings}
    # classic leaves an empty name out, and the document writes it: both are allowed
    assert found == ({"OP-024"} if (protocol, profile.name) == ("open-protocol", "classic") else set())


@of_each_protocol
@under_each_profile
def test_a_golden_case_evaluates_what_it_was_written_for(protocol: str, profile: Profile) -> None:
    assert golden_missed(protocol, profile) == set()


@pytest.mark.parametrize("protocol", ["canal-json", "debezium"])
def test_a_golden_case_names_what_it_was_written_for(protocol: str) -> None:
    assert all(case.requirements for case in golden_cases(protocol))


def test_the_golden_cases_of_canal_json_alone_evaluate_nearly_every_must() -> None:
    evaluated = set().union(*(one.evaluated for p in PROFILES for _, one in golden_judged("canal-json", p)))
    requirements = load_register("canal-json").requirements.values()
    musts = {r.id for r in requirements if r.testable and r.level is Level.MUST}
    # A text that reads null, a whole TEXT column in `old` and damaged records do not occur in the document's samples.
    assert musts - evaluated == {"CJ-035", "CJ-507", "CJ-887"}


def test_the_canal_json_codes_of_columns_are_those_of_the_table_of_java_types() -> None:
    rows = [e for e in golden_examples("canal-json") if "/09-java-types/" in e.id]
    assert {int(e.members["with"]["code"]) for e in rows} == {*CANAL_CODES.values()}


def test_every_row_of_the_tables_of_open_protocol_is_an_example() -> None:
    shown = {example.shown for example in golden_examples("open-protocol")}
    codes = {int(number) for text in shown for number in re.findall(r'^\{"t":(\d+),"v"', text)}
    actions = {int(found[1]) for text in shown if (found := re.fullmatch(r"[A-Z][A-Za-z ]+?(\d+)", text))}
    bits = {int(found[1], 16) for text in shown if (found := re.match(r"\d0x([0-9A-F]{2})[A-Z]", text))}
    logs = {int(found[1]) for text in shown for found in re.finditer(r"(?m)^(\d+)\. \[partition", text)}
    assert codes == {*CODES.values()} - {225} | {6}
    assert actions == {code for code in ACTIONS if code <= 36}
    assert bits == {1 << i for i in range(8)}
    assert logs == set(range(1, 15)) - {14}


# -- recordings --------------------------------------------------------------------------------------------------------


@of_each_protocol
@of_each_recorded_producer
def test_what_the_reference_reads_in_the_recordings_is_what_they_carry(protocol: str, profile: Profile) -> None:
    cases = recorded_decodings(protocol, profile)
    assert misread(case for case in cases if not isinstance(case.expected, ExpectedRejection)) == set()
    assert len(cases) >= LEAST_RECORDED[protocol]
