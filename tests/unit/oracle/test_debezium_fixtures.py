"""Documents, recordings, reference and oracle of Debezium JSON against each other: nothing but what is named."""

from __future__ import annotations

import pytest

from conformance.cases.model import ExpectedRejection
from conformance.catalogue.register import load_register
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


@pytest.mark.parametrize("profile", PROFILES, ids=name_of)
def test_the_reference_agrees_with_every_golden_example(profile: Profile):
    assert golden_findings("debezium", profile) == set()


@pytest.mark.parametrize("profile", PROFILES, ids=name_of)
def test_a_golden_case_evaluates_what_it_was_written_for(profile: Profile):
    register = load_register("debezium").requirements
    assert {missed for missed in golden_missed("debezium", profile) if register[missed[2]].testable} == set()


@pytest.mark.parametrize("profile", RECORDED, ids=name_of)
def test_the_judge_finds_in_what_real_ticdc_wrote_the_named_defects_and_nothing_else(profile: Profile):
    vectors = {vector for *_, vector in recorded_answers("debezium", profile)}
    named = {known for known in known_defects("debezium", profile) if known[0] in vectors}
    assert recorded_findings("debezium", profile) == named
    assert len(vectors) > 270


@pytest.mark.parametrize("profile", RECORDED, ids=name_of)
def test_what_the_reference_reads_in_the_recordings_is_what_they_carry(profile: Profile):
    cases = recorded_decodings("debezium", profile)
    assert misread(case for case in cases if not isinstance(case.expected, ExpectedRejection)) == set()
    assert len(cases) > 270
