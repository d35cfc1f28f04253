"""Mutants of TiCDC's history: those that are named exist; defects have the fates of their mutants.

That each dies for its own reason is what the matrix shows.
"""

from __future__ import annotations

from conformance.catalogue.history import load_history
from conformance.mutants import all_mutants
from conformance.mutants.avro import historical as avro
from conformance.mutants.canal_json import historical as canal_json
from conformance.mutants.debezium import historical as debezium
from conformance.mutants.matrix import Death, Outcome
from conformance.mutants.open_protocol import historical as open_protocol
from conformance.mutants.past import Fate, defects_of, fates

BY_NAME = {mutant.name: mutant for mutant in all_mutants()}
MADE = [mutant for package in (canal_json, open_protocol, debezium, avro) for mutant in package.MUTANTS]


def _death(name: str, outcome: Outcome) -> Death:
    return Death(BY_NAME[name], outcome)


def test_every_mutant_that_a_defect_names_exists() -> None:
    assert [name for defect in load_history().values() for name in defect.mutants if name not in BY_NAME] == []


def test_every_mutant_made_for_history_stands_for_a_defect() -> None:
    assert [mutant.name for mutant in MADE if not defects_of(mutant.name)] == []


def test_a_defect_is_killed_when_all_its_mutants_that_were_tried_are() -> None:
    names = load_history()["CJ-04"].mutants
    told = {d.id: fate for d, fate in fates([_death(name, Outcome.KILLED) for name in names[:2]])}
    assert told["CJ-04"] is Fate.KILLED


def test_a_defect_survives_with_one_of_its_mutants() -> None:
    first, second, *_ = load_history()["CJ-04"].mutants
    deaths = [_death(first, Outcome.KILLED), _death(second, Outcome.ANOTHER_REASON)]
    assert {d.id: fate for d, fate in fates(deaths)}["CJ-04"] is Fate.SURVIVED


def test_a_defect_without_mutants_keeps_its_reason_and_one_that_was_not_tried_is_not_told() -> None:
    told = {d.id: fate for d, fate in fates([])}
    assert (told["AV-22"], told["CJ-24"]) == (Fate.NOT_EXPRESSIBLE, Fate.OUT)
    assert "CJ-04" not in told
