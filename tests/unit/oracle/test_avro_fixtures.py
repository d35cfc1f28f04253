"""Documents, recordings, reference and oracle of Avro against each other: nothing but what is named."""

from __future__ import annotations

import json
import tomllib
from dataclasses import replace
from functools import cache
from typing import Any

import jsonschema
import pytest
from avro_answers import answer_of, answered, judged

from conformance.cases.golden import golden_cases
from conformance.cases.model import Case
from conformance.cases.recorded import recorded_cases, vector_cases
from conformance.catalogue.defects import load_defects
from conformance.catalogue.fixtures import fixtures_root
from conformance.catalogue.register import Level, load_register
from conformance.catalogue.vectors import load_producers, recorded_vectors
from conformance.embedded import Embedded
from reference_impl.profiles import CLASSIC, DOC, NEWARCH, Profile

REGISTER = load_register("avro").requirements
PROFILES = [NEWARCH, CLASSIC, DOC]
PRODUCERS = {"newarch": "ticdc-newarch", "classic": "ticdc-classic"}
FILES = sorted((fixtures_root() / "golden" / "avro").glob("*.toml"))


def _name(thing: Any) -> str:
    return str(getattr(thing, "name", thing))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_golden_fixture_has_the_published_form(path: Any):
    schema = json.loads((fixtures_root() / "schemas" / "golden.schema.json").read_text(encoding="utf-8"))
    jsonschema.validate(tomllib.loads(path.read_text(encoding="utf-8")), schema)


@pytest.mark.parametrize("profile", PROFILES, ids=_name)
def test_the_reference_agrees_with_every_golden_example(profile: Profile):
    found = {
        (case.id, case.role, finding.requirement)
        for case in golden_cases("avro", profile)
        for finding in judged(case, Embedded(profile).ask(case), profile).findings
    }
    assert found == set()


@pytest.mark.parametrize("profile", PROFILES, ids=_name)
def test_a_golden_case_evaluates_what_it_was_written_for(profile: Profile):
    missed = {
        (case.id, case.role, requirement)
        for case in golden_cases("avro", profile)
        for requirement in set(case.requirements) - judged(case, Embedded(profile).ask(case), profile).evaluated
        if REGISTER[requirement].applies(profile)
    }
    assert missed == set()


@cache
def _written(profile: str) -> list[tuple[Case, Any, str]]:
    """The encode cases of the recordings without an expectation of their own, and what was recorded."""
    found = []
    for vector in recorded_vectors(load_producers()[PRODUCERS[profile]], "avro"):
        if vector.records is not None:
            [case, *_] = vector_cases(vector, "recorded")
            answer = answered(list(vector.records), list(vector.schemas))
            found.append((replace(case, expected=None), answer, vector.case))
    return found


@pytest.mark.parametrize("profile", [NEWARCH, CLASSIC], ids=_name)
def test_the_judge_finds_in_what_real_ticdc_wrote_the_named_defects_and_nothing_else(profile: Profile):
    named = {
        (vector, defect.requirement)
        for defect in load_defects()
        if defect.protocol == "avro" and profile.name in defect.profiles
        for vector in defect.recorded
    }
    found = {
        (vector, finding.requirement)
        for case, answer, vector in _written(profile.name)
        for finding in judged(case, answer, profile).findings
        if REGISTER[finding.requirement].level is not Level.MAY
    }
    assert found <= named
    assert len(_written(profile.name)) > 190


@pytest.mark.parametrize("profile", [NEWARCH, CLASSIC], ids=_name)
def test_what_the_reference_reads_in_the_recordings_is_what_they_carry(profile: Profile):
    cases = [case for case in recorded_cases("avro", profile.name) if case.role == "decode"]
    found = {
        (case.id, finding.requirement, finding.path)
        for case in cases
        for finding in judged(case, answer_of(case), profile).findings
    }
    assert found == set()
    assert len(cases) > 190
