"""Golden examples and recordings of TiCDC put to the judge, and the defects that are known of recorded producers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from typing import Any

from conformance.cases.golden import golden_cases
from conformance.cases.model import Case
from conformance.cases.recorded import recorded_cases, vector_cases
from conformance.catalogue.defects import load_defects
from conformance.catalogue.register import load_register
from conformance.catalogue.vectors import load_producers, recorded_vectors
from reference_impl.profiles import Profile
from reference_impl.wire import claim_to_json, record_to_json
from tests.unit.oracle.judging import answer_of, judged

_PRODUCERS = {"newarch": "ticdc-newarch", "classic": "ticdc-classic"}


# -- golden examples ---------------------------------------------------------------------------------------------------


def golden_findings(protocol: str, profile: Profile) -> set[tuple[str, str, str, str]]:
    """The (case, role, requirement, path) of what the judge finds in what the reference makes of the examples."""
    return {
        (case.id, case.role, finding.requirement, finding.path)
        for case in golden_cases(protocol, profile)
        for finding in judged(case, answer_of(case, profile), profile).findings
    }


def golden_missed(protocol: str, profile: Profile) -> set[tuple[str, str, str]]:
    """The (case, role, requirement) of which an example was written and that its judgement does not evaluate."""
    register = load_register(protocol).requirements
    return {
        (case.id, case.role, requirement)
        for case in golden_cases(protocol, profile)
        for requirement in set(case.requirements) - judged(case, answer_of(case, profile), profile).evaluated
        if register[requirement].applies(profile)
    }


# -- recordings --------------------------------------------------------------------------------------------------------


@cache
def recorded_answers(protocol: str, profile: Profile) -> list[tuple[Case, dict[str, Any], str]]:
    """The encode cases of the recordings without an expectation of their own, what was recorded, and its vector."""
    found = []
    for vector in recorded_vectors(load_producers()[_PRODUCERS[profile.name]], protocol):
        if vector.records is not None:
            [case, *_] = vector_cases(vector, "recorded")
            ok = {
                "records": [record_to_json(record) for record in vector.records],
                "claims": [claim_to_json(claim) for claim in vector.claims],
                "schemas": [{"id": s.id, "subject": s.subject, "schema": s.schema} for s in vector.schemas],
            }
            found.append((replace(case, expected=None), {"ok": ok}, vector.case))
    return found


def known_defects(protocol: str, profile: Profile) -> set[tuple[str, str]]:
    """The (vector, requirement) of the defects that a recorded producer is known to have."""
    return {
        (vector, defect.requirement)
        for defect in load_defects()
        if defect.protocol == protocol and profile.name in defect.profiles
        for vector in defect.recorded
    }


def recorded_findings(protocol: str, profile: Profile) -> set[tuple[str, str]]:
    """The (vector, requirement) of what the judge finds in the recordings."""
    return {
        (vector, finding.requirement)
        for case, answer, vector in recorded_answers(protocol, profile)
        for finding in judged(case, answer, profile).findings
    }


def recorded_decodings(protocol: str, profile: Profile) -> list[Case]:
    """The cases in which a decoder is put what was recorded."""
    return [case for case in recorded_cases(protocol, profile.name) if case.role == "decode"]


def misread(cases: Iterable[Case]) -> set[tuple[str, str, str]]:
    """The (case, requirement, path) of what the judge finds in what the reference reads."""
    return {
        (case.id, finding.requirement, finding.path)
        for case in cases
        for finding in judged(case, answer_of(case)).findings
    }
