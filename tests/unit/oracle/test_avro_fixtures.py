"""Documents, recordings, reference and oracle of Avro against each other: nothing but what is named."""

from __future__ import annotations

import json
import tomllib
from typing import Any

import jsonschema
import pytest

from conformance.cases.golden import golden_cases
from conformance.cases.recorded import recorded_cases
from conformance.catalogue.fixtures import fixtures_root
from conformance.catalogue.register import Level, load_register
from conformance.embedded import Embedded
from reference_impl.profiles import Profile
from tests.unit.oracle.judging import answer_of, judged
from tests.unit.oracle.recorded_answers import PROFILES, RECORDED, known_defects, name_of, recorded_answers

REGISTER = load_register("avro").requirements
FILES = sorted((fixtures_root() / "golden" / "avro").glob("*.toml"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_golden_fixture_has_the_published_form(path: Any):
    schema = json.loads((fixtures_root() / "schemas" / "golden.schema.json").read_text(encoding="utf-8"))
    jsonschema.validate(tomllib.loads(path.read_text(encoding="utf-8")), schema)


@pytest.mark.parametrize("profile", PROFILES, ids=name_of)
def test_the_reference_agrees_with_every_golden_example(profile: Profile):
    found = {
        (case.id, case.role, finding.requirement)
        for case in golden_cases("avro", profile)
        for finding in judged(case, Embedded(profile).ask(case), profile).findings
    }
    assert found == set()


@pytest.mark.parametrize("profile", PROFILES, ids=name_of)
def test_a_golden_case_evaluates_what_it_was_written_for(profile: Profile):
    missed = {
        (case.id, case.role, requirement)
        for case in golden_cases("avro", profile)
        for requirement in set(case.requirements) - judged(case, Embedded(profile).ask(case), profile).evaluated
        if REGISTER[requirement].applies(profile)
    }
    assert missed == set()


@pytest.mark.parametrize("profile", RECORDED, ids=name_of)
def test_the_judge_finds_in_what_real_ticdc_wrote_the_named_defects_and_nothing_else(profile: Profile):
    recorded = recorded_answers("avro", profile.name)
    found = {
        (vector, finding.requirement)
        for case, answer, vector in recorded
        for finding in judged(case, answer, profile).findings
        if REGISTER[finding.requirement].level is not Level.MAY
    }
    assert found <= known_defects("avro", profile.name)
    assert len(recorded) > 190


@pytest.mark.parametrize("profile", RECORDED, ids=name_of)
def test_what_the_reference_reads_in_the_recordings_is_what_they_carry(profile: Profile):
    cases = [case for case in recorded_cases("avro", profile.name) if case.role == "decode"]
    found = {
        (case.id, finding.requirement, finding.path)
        for case in cases
        for finding in judged(case, answer_of(case), profile).findings
    }
    assert found == set()
    assert len(cases) > 190
