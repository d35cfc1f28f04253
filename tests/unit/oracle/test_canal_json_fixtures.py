"""The reference and the recordings of real TiCDC against the documents and the oracle: nothing is found."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import jsonschema
import pytest

from conformance.cases.golden import golden_cases, golden_examples
from conformance.cases.model import Case
from conformance.cases.recorded import recorded_cases
from conformance.catalogue.fixtures import fixtures_root
from conformance.catalogue.register import Level, load_register
from conformance.oracle.judge import Judgement
from reference_impl.canal_json.types import CODES
from reference_impl.profiles import CLASSIC, DOC, NEWARCH, Profile, profile_of_release
from reference_impl.wire import claim_to_json, record_to_json
from tests.unit.oracle.fixture_findings import golden_findings, misread, recorded_decodings
from tests.unit.oracle.judging import answer_of, judged

REGISTER = load_register("canal-json")
PROFILES = {
    "newarch": NEWARCH,
    "classic": CLASSIC,
    "doc": DOC,
    "v6.4.0": profile_of_release("v6.4.0"),
    "v5.3.0": profile_of_release("v5.3.0"),
}
FILES = sorted((fixtures_root() / "golden" / "canal-json").glob("*.toml"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_golden_fixture_has_the_published_form(path: Path) -> None:
    schema = json.loads((fixtures_root() / "schemas" / "golden.schema.json").read_text(encoding="utf-8"))
    jsonschema.validate(tomllib.loads(path.read_text(encoding="utf-8")), schema)


@pytest.mark.parametrize("profile", PROFILES.values(), ids=PROFILES)
def test_the_reference_agrees_with_every_golden_example(profile: Profile) -> None:
    assert golden_findings("canal-json", profile) == set()


@pytest.mark.parametrize("case", golden_cases("canal-json"), ids=lambda case: f"{case.role} {case.id}")
def test_a_golden_case_evaluates_what_it_was_written_for(case: Case) -> None:
    assert set(case.requirements) <= judged(case, answer_of(case)).evaluated
    assert case.requirements


def test_the_golden_cases_alone_evaluate_nearly_every_must() -> None:
    cases = [(case, p) for p in PROFILES.values() for case in golden_cases("canal-json", p)]
    evaluated = set().union(*(judged(case, answer_of(case, p), p).evaluated for case, p in cases))
    musts = {r.id for r in REGISTER.requirements.values() if r.testable and r.level is Level.MUST}
    # A text that reads null, a whole TEXT column in `old` and damaged records do not occur in the document's samples.
    assert musts - evaluated == {"CJ-035", "CJ-507", "CJ-887"}


def test_the_codes_of_columns_are_those_of_the_table_of_java_types() -> None:
    rows = [e for e in golden_examples("canal-json") if "/09-java-types/" in e.id]
    assert {int(e.members["with"]["code"]) for e in rows} == {*CODES.values()}


def _recorded(case: Case) -> Mapping[str, object]:
    expected = case.expected
    return {
        "ok": {
            "records": [record_to_json(r) for r in getattr(expected, "records", ())],
            "claims": [claim_to_json(c) for c in getattr(expected, "claims", ())],
        }
    }


def _judged_by_reference_alone(case: Case, profile: Profile) -> Judgement:
    """The recorded answer, judged with the reference's as the expectation."""
    return judged(replace(case, expected=None), _recorded(case), profile)


@pytest.mark.parametrize("profile", [NEWARCH, CLASSIC], ids=lambda p: p.name)
def test_the_judge_finds_nothing_in_what_real_ticdc_wrote(profile: Profile) -> None:
    cases = [c for c in recorded_cases("canal-json", profile.name) if c.role == "encode"]
    written = [c for c in cases if hasattr(c.expected, "records")]
    found = {(c.id, f.requirement, f.path) for c in written for f in _judged_by_reference_alone(c, profile).findings}
    assert found == set()
    assert len(written) > 200


@pytest.mark.parametrize("profile", [NEWARCH, CLASSIC], ids=lambda p: p.name)
def test_what_the_reference_reads_in_the_recordings_is_what_they_carry(profile: Profile) -> None:
    cases = recorded_decodings("canal-json", profile)
    assert misread(cases) == set()
    assert len(cases) > 200
