"""Documents, recordings, reference and oracle of Avro against each other: nothing but what is named."""

from __future__ import annotations

import json
import tomllib
from typing import Any

import jsonschema
import pytest

from conformance.catalogue.fixtures import fixtures_root
from reference_impl.profiles import Profile
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

FILES = sorted((fixtures_root() / "golden" / "avro").glob("*.toml"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_golden_fixture_has_the_published_form(path: Any):
    schema = json.loads((fixtures_root() / "schemas" / "golden.schema.json").read_text(encoding="utf-8"))
    jsonschema.validate(tomllib.loads(path.read_text(encoding="utf-8")), schema)


@pytest.mark.parametrize("profile", PROFILES, ids=name_of)
def test_the_reference_agrees_with_every_golden_example(profile: Profile):
    assert golden_findings("avro", profile) == set()


@pytest.mark.parametrize("profile", PROFILES, ids=name_of)
def test_a_golden_case_evaluates_what_it_was_written_for(profile: Profile):
    assert golden_missed("avro", profile) == set()


@pytest.mark.parametrize("profile", RECORDED, ids=name_of)
def test_the_judge_finds_in_what_real_ticdc_wrote_the_named_defects_and_nothing_else(profile: Profile):
    assert recorded_findings("avro", profile) <= known_defects("avro", profile)
    assert len(recorded_answers("avro", profile)) > 190


@pytest.mark.parametrize("profile", RECORDED, ids=name_of)
def test_what_the_reference_reads_in_the_recordings_is_what_they_carry(profile: Profile):
    cases = recorded_decodings("avro", profile)
    assert misread(cases) == set()
    assert len(cases) > 190
