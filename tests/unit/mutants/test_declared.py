"""What a mutant is declared to break besides is what it does break: a declaration that nothing shows hides finds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from conformance.cases.catalogue import all_cases
from conformance.cases.model import Case
from conformance.mutants import all_mutants, mutant_named
from conformance.mutants.matrix import Baseline, Outcome, judge_mutant, run_matrix
from reference_impl.profiles import NEWARCH, Profile
from tests.unit.mutants.few_cases import BREAKS_MORE, golden

SAMPLE = (
    "canal-json/column-lost",
    "open-protocol/last-event-of-a-message-unread",
    "avro/timestamp-without-fraction",
)


def third_of_the_cases(protocol: str, profile: Profile) -> Sequence[Case]:
    """Every third case."""
    return all_cases(protocol, profile)[::3]


@pytest.mark.parametrize("protocol", ["canal-json", "open-protocol", "avro"])
def test_every_declared_finding_is_seen_in_some_case(protocol: str) -> None:
    mutants = [mutant_named(name) for name in SAMPLE if name.startswith(f"{protocol}/")]
    deaths = list(run_matrix(mutants, third_of_the_cases, limit=1))
    assert {death.mutant.name: death.unseen for death in deaths if death.unseen} == {}


def test_no_mutant_declares_to_break_besides_what_it_dies_for() -> None:
    assert [m.name for m in all_mutants() if m.requirement in m.may_also] == []


@pytest.fixture(scope="module")
def baseline() -> Baseline:
    return Baseline("canal-json", "encode", NEWARCH, golden("canal-json", NEWARCH))


def test_what_is_declared_and_never_seen_is_told_and_is_nothing_that_was_seen(baseline: Baseline) -> None:
    honest = judge_mutant(mutant_named(BREAKS_MORE), baseline)
    seen = frozenset(honest.also)
    assert judge_mutant(replace(mutant_named(BREAKS_MORE), may_also=seen), baseline).unseen == ()
    boastful = judge_mutant(replace(mutant_named(BREAKS_MORE), may_also=seen | {"CJ-801"}), baseline)
    assert (boastful.outcome, boastful.also, boastful.unseen) == (Outcome.KILLED, honest.also, ("CJ-801",))


def test_what_is_unseen_does_not_depend_on_how_many_cases_are_asked_for(baseline: Baseline) -> None:
    mutant = mutant_named(BREAKS_MORE)
    fates = [judge_mutant(mutant, baseline, limit) for limit in (1, 2, 5, 10_000)]
    assert {(death.also, death.unseen) for death in fates} == {(fates[-1].also, fates[-1].unseen)}
    assert fates[0].cases <= fates[-1].cases


def test_a_finding_that_comes_to_light_while_a_declared_one_is_sought_is_undeclared(baseline: Baseline) -> None:
    mutant = mutant_named(BREAKS_MORE)
    seen = judge_mutant(mutant, baseline).also
    first = judge_mutant(replace(mutant, may_also=frozenset()), baseline, limit=1)
    [late, *_] = [requirement for requirement in seen if requirement not in first.undeclared]
    death = judge_mutant(replace(mutant, may_also=frozenset(seen) - {late} | {"CJ-801"}), baseline, limit=1)
    assert (death.outcome, death.undeclared) == (Outcome.ANOTHER_REASON, (late,))
