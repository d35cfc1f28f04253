"""The kill matrix: the evidence that it keeps of a mutant, and that any number of processes find the same."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest

from conformance.cases.golden import golden_cases
from conformance.cases.index import indexed_cases
from conformance.cases.index_rows import IndexedCases
from conformance.errors import SuiteError
from conformance.mutants import all_mutants, matrix, mutant_named
from conformance.mutants.canal_json.edits import encoder, rows
from conformance.mutants.matrix import Outcome, ReferenceAnswers, judge_mutant, load_killing_cases, profile_of
from conformance.mutants.parallel import Cases, matrix_results
from reference_impl.profiles import LATEST, NEWARCH, PROFILES, Profile
from tests.unit.mutants.few_cases import BREAKS_MORE, DECODER, DIES, DIES_ALONE, broken, deadly, faulty, golden


@pytest.fixture(scope="module")
def reference() -> ReferenceAnswers:
    return ReferenceAnswers("canal-json", "encode", NEWARCH, golden("canal-json", NEWARCH))


def test_a_mutant_that_dies_keeps_its_witness_and_the_finding_that_killed_it(reference: ReferenceAnswers) -> None:
    result = judge_mutant(mutant_named(DIES), reference)
    assert (result.outcome, result.witness) == (Outcome.KILLED, result.killed_by)
    assert result.kills > 0
    assert "#" in result.fingerprint
    assert result.replay in {case.replay_id for case in golden("canal-json", NEWARCH) if case.id == result.killed_by}


def test_other_requirements_that_are_shown_first_are_named(reference: ReferenceAnswers) -> None:
    mutant = mutant_named(BREAKS_MORE)
    result = judge_mutant(mutant, reference)
    assert result.outcome is Outcome.KILLED
    assert result.also
    assert mutant.requirement not in result.also


def test_a_mutant_that_only_other_requirements_find_is_not_killed(reference: ReferenceAnswers) -> None:
    mutant = mutant_named(BREAKS_MORE)
    result = judge_mutant(replace(mutant, requirement="CJ-046"), reference)
    assert (result.outcome, result.killed_by, result.kills) == (Outcome.ANOTHER_REASON, "", 0)
    assert mutant.requirement in result.also


def test_a_mutant_that_never_differs_has_no_witness_and_does_not_survive(reference: ReferenceAnswers) -> None:
    result = judge_mutant(replace(mutant_named(DIES), wrap=lambda inner: inner), reference)
    assert (result.outcome, result.witness, result.killed_by) == (Outcome.EQUIVALENT, "", "")


def test_a_mutant_survives_with_the_case_on_which_it_differs(reference: ReferenceAnswers) -> None:
    later = encoder("later", "CJ-010", "ts is that of the day after")(
        rows(lambda tree, context: tree.update(ts=tree["ts"] + 86_400_000))
    )
    result = judge_mutant(later, reference)
    assert result.outcome is Outcome.SURVIVED
    assert result.witness


def test_one_case_is_a_sample(reference: ReferenceAnswers) -> None:
    assert judge_mutant(mutant_named(DIES_ALONE), reference, limit=1).cases == 1


@pytest.mark.parametrize("place", [0, -1])
def test_the_case_that_killed_a_mutant_last_time_is_tried_first(
    reference: ReferenceAnswers, monkeypatch: pytest.MonkeyPatch, place: int
) -> None:
    killing = reference.cases_evaluating(mutant_named(DIES).requirement)[place].id
    monkeypatch.setattr(matrix, "load_killing_cases", lambda: {DIES: killing})
    result = judge_mutant(mutant_named(DIES), reference, limit=1)
    assert (result.killed_by, result.cases) == (killing, 1)


@cache
def known_cases(protocol: str, profile: Profile) -> set[str]:
    """Role and id of each case; those of an older release are its documents' and what the index has beside these."""
    indexed = indexed_cases(protocol, PROFILES[profile.name])
    assert isinstance(indexed, IndexedCases)
    if profile.release == LATEST:
        return set(indexed.keys)
    return {f"{case.role} {case.id}" for case in golden_cases(protocol, profile)} | {
        key for key in indexed.keys if "/golden/" not in key
    }


def test_every_killing_case_is_one_of_its_mutant() -> None:
    mutants = {mutant.name: mutant for mutant in all_mutants()}
    killing = {mutants[name]: case for name, case in load_killing_cases().items()}
    assert killing
    for mutant, case in killing.items():
        assert f"{mutant.role} {case}" in known_cases(mutant.protocol, profile_of(mutant)), mutant.name


def _results(processes: int, cases: Cases = golden) -> dict[str, object]:
    mutants = [mutant_named(name) for name in (DIES, BREAKS_MORE, DECODER)]
    results = matrix_results(mutants, processes, 40, cases)
    # Mutants hold functions, which are equal only in one process: all results get the same mutant.
    return {result.mutant.name: replace(result, mutant=mutants[0]) for result in results}


def test_two_processes_find_what_one_finds() -> None:
    assert _results(1) == _results(2) != {}


@pytest.mark.parametrize(
    ("cases", "words"),
    [(faulty, "the fixture is wrong"), (broken, "KeyError: 'no such thing'"), (deadly, "ended before its time")],
)
def test_what_goes_wrong_in_a_process_is_a_fault_of_the_suite(cases: Cases, words: str) -> None:
    with pytest.raises(SuiteError, match=words):
        _results(2, cases)


def test_the_profile_of_a_mutant_is_that_of_its_release() -> None:
    old = replace(mutant_named(DIES), release="v6.5.3")
    assert profile_of(old).release == (6, 5, 3)
