"""Documents, recordings, reference and oracle of Open Protocol against each other: nothing but what is named."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import jsonschema
import pytest

from conformance.cases.golden import golden_examples
from conformance.catalogue.fixtures import fixtures_root
from reference_impl.actions import ACTIONS
from reference_impl.open_protocol.types import CODES
from reference_impl.profiles import CLASSIC, Profile
from tests.unit.oracle.fixture_findings import (
    PROFILES,
    RECORDED,
    golden_findings,
    golden_missed,
    known_defects,
    misread,
    name_of,
    recorded_answers,
    recorded_decodings,
    recorded_findings,
)

FILES = sorted((fixtures_root() / "golden" / "open-protocol").glob("*.toml"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_golden_fixture_has_the_published_form(path: Path):
    schema = json.loads((fixtures_root() / "schemas" / "golden.schema.json").read_text(encoding="utf-8"))
    jsonschema.validate(tomllib.loads(path.read_text(encoding="utf-8")), schema)


@pytest.mark.parametrize("profile", PROFILES, ids=name_of)
def test_the_reference_agrees_with_every_golden_example(profile: Profile):
    found = {requirement for _, _, requirement, _ in golden_findings("open-protocol", profile)}
    # classic leaves an empty name out, and the document writes it: both are allowed
    assert found == ({"OP-024"} if profile is CLASSIC else set())


@pytest.mark.parametrize("profile", PROFILES, ids=name_of)
def test_a_golden_case_evaluates_what_it_was_written_for(profile: Profile):
    assert golden_missed("open-protocol", profile) == set()


def test_every_row_of_the_tables_of_the_document_is_an_example():
    shown = {example.shown for example in golden_examples("open-protocol")}
    codes = {int(number) for text in shown for number in re.findall(r'^\{"t":(\d+),"v"', text)}
    actions = {int(found[1]) for text in shown if (found := re.fullmatch(r"[A-Z][A-Za-z ]+?(\d+)", text))}
    bits = {int(found[1], 16) for text in shown if (found := re.match(r"\d0x([0-9A-F]{2})[A-Z]", text))}
    logs = {int(found[1]) for text in shown for found in re.finditer(r"(?m)^(\d+)\. \[partition", text)}
    assert codes == {*CODES.values()} - {225} | {6}
    assert actions == {code for code in ACTIONS if code <= 36}
    assert bits == {1 << i for i in range(8)}
    assert logs == set(range(1, 15)) - {14}


@pytest.mark.parametrize("profile", RECORDED, ids=name_of)
def test_the_judge_finds_in_what_real_ticdc_wrote_the_named_defects_and_nothing_else(profile: Profile):
    assert recorded_findings("open-protocol", profile) == known_defects("open-protocol", profile)
    assert len(recorded_answers("open-protocol", profile)) > 190


@pytest.mark.parametrize("profile", RECORDED, ids=name_of)
def test_what_the_reference_reads_in_the_recordings_is_what_they_carry(profile: Profile):
    cases = recorded_decodings("open-protocol", profile)
    assert misread(cases) == set()
    assert len(cases) > 190
