"""Golden examples put to the judge, and what the reference reads in the recordings of TiCDC."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from conformance.cases.golden import golden_cases
from conformance.cases.model import Case
from conformance.cases.recorded import recorded_cases
from conformance.catalogue.register import load_register
from conformance.oracle.findings import Judgement
from reference_impl.profiles import Profile
from tests.unit.oracle.judging import answer_of, judged

_PRODUCERS = {"newarch": "ticdc-newarch", "classic": "ticdc-classic"}


# -- golden examples ---------------------------------------------------------------------------------------------------


@cache
def golden_judged(protocol: str, profile: Profile) -> list[tuple[Case, Judgement]]:
    """The golden cases, and what the judge makes of the reference's answers to them."""
    return [(case, judged(case, answer_of(case, profile), profile)) for case in golden_cases(protocol, profile)]


def golden_missed(protocol: str, profile: Profile) -> set[tuple[str, str, str]]:
    """The (case, role, requirement) of which an example was written and that its judgement does not evaluate."""
    register = load_register(protocol).requirements
    return {
        (case.id, case.role, requirement)
        for case, judgement in golden_judged(protocol, profile)
        for requirement in set(case.requirements) - judgement.evaluated
        if register[requirement].applies(profile)
    }


# -- recordings --------------------------------------------------------------------------------------------------------


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
