"""The kill matrix itself: what it keeps of a mutant, and that any number of processes find the same."""

from __future__ import annotations

from dataclasses import replace

import pytest

from conformance.errors import SuiteError
from conformance.mutants import mutant_named
from conformance.mutants.canal_json.edits import encoder, rows
from conformance.mutants.matrix import Baseline, Outcome, judge_mutant, profile_of
from conformance.mutants.model import Mutant
from conformance.mutants.parallel import Cases, matrix_fates
from reference_impl.profiles import NEWARCH
from tests.unit.mutants.few_cases import BREAKS_MORE, DECODER, DIES, DIES_ALONE, broken, deadly, faulty, golden


@pytest.fixture(scope="module")
def baseline() -> Baseline:
    return Baseline("canal-json", "encode", NEWARCH, golden("canal-json", NEWARCH))


def test_a_mutant_that_dies_keeps_its_witness_and_the_finding_that_killed_it(baseline: Baseline) -> None:
    death = judge_mutant(mutant_named(DIES), baseline)
    assert (death.outcome, death.witness) == (Outcome.KILLED, death.killed_by)
    assert death.kills > 0
    assert "#" in death.fingerprint
    assert death.replay in {case.replay_id for case in golden("canal-json", NEWARCH) if case.id == death.killed_by}


def test_other_requirements_that_are_shown_first_are_named(baseline: Baseline) -> None:
    mutant = mutant_named(BREAKS_MORE)
    death = judge_mutant(mutant, baseline)
    assert death.outcome is Outcome.KILLED
    assert death.also
    assert mutant.requirement not in death.also


def test_a_mutant_that_only_other_requirements_find_is_not_killed(baseline: Baseline) -> None:
    mutant = mutant_named(BREAKS_MORE)
    death = judge_mutant(replace(mutant, requirement="CJ-046"), baseline)
    assert (death.outcome, death.killed_by, death.kills) == (Outcome.ANOTHER_REASON, "", 0)
    assert mutant.requirement in death.also


def test_a_mutant_that_never_differs_has_no_witness_and_does_not_survive(baseline: Baseline) -> None:
    death = judge_mutant(replace(mutant_named(DIES), wrap=lambda inner: inner), baseline)
    assert (death.outcome, death.witness, death.killed_by) == (Outcome.EQUIVALENT, "", "")


def test_a_mutant_survives_with_the_case_on_which_it_differs(baseline: Baseline) -> None:
    later = encoder(
        "later",
        "CJ-010",
        "ts is that of the day after",
        rows(lambda tree, context: tree.update(ts=tree["ts"] + 86_400_000)),
    )
    death = judge_mutant(later, baseline)
    assert death.outcome is Outcome.SURVIVED
    assert death.witness


def test_one_case_is_a_sample(baseline: Baseline) -> None:
    assert judge_mutant(mutant_named(DIES_ALONE), baseline, limit=1).cases == 1


def _fates(processes: int, cases: Cases = golden) -> dict[str, object]:
    mutants = [mutant_named(name) for name in (DIES, BREAKS_MORE, DECODER)]
    return {d.mutant.name: replace(d, mutant=_nobody()) for d in matrix_fates(mutants, processes, 40, cases)}


def _nobody() -> Mutant:
    return mutant_named(DIES)


def test_two_processes_find_what_one_finds() -> None:
    assert _fates(1) == _fates(2) != {}


@pytest.mark.parametrize(
    ("cases", "words"),
    [(faulty, "the fixture is wrong"), (broken, "KeyError: 'no such thing'"), (deadly, "ended before its time")],
)
def test_what_goes_wrong_in_a_process_is_a_fault_of_the_suite(cases: Cases, words: str) -> None:
    with pytest.raises(SuiteError, match=words):
        _fates(2, cases)


def test_the_profile_of_a_mutant_is_that_of_its_release() -> None:
    old = replace(mutant_named(DIES), release="v6.5.3")
    assert profile_of(old).release == (6, 5, 3)
