"""Judging by an older requirement set: later requirements take nothing away from older ones, and add nothing."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from conformance.cases.index import case_of, indexed_cases
from conformance.cases.model import Case
from conformance.catalogue.faults import load_faults
from conformance.catalogue.register import Level, load_register
from conformance.embedded import Embedded
from conformance.engine.implementation import ExpectsRecords
from conformance.engine.judging_as_of import judge_as_of
from conformance.engine.sets import RequirementSet, as_of, current_set
from conformance.oracle.findings import Finding
from conformance.sweep.judging import Fault, faulty_answer, possible_faults
from conformance.sweep.places import Place
from reference_impl.profiles import NEWARCH

FAULTS = [
    one
    for one in load_faults()
    if (one.protocol, one.role, one.value) == ("canal-json", "encode", "") and not one.path.startswith("answer")
][::9]


def without(protocol: str, *ids: str) -> RequirementSet:
    """The set of today without some requirements."""
    now = current_set()
    kept = {name: one for name, one in now.registers[protocol].items() if name not in ids}
    return replace(now, version="0.0.1", registers={**now.registers, protocol: kept})


def found(case: Case, answer: Any, *later: str) -> list[Finding]:
    """What is found by the set without `later`."""
    register = as_of(load_register(case.protocol), without(case.protocol, *later))
    return judge_as_of(case.protocol, register, NEWARCH).judge(case, answer).findings


def case_named(protocol: str, role: str, name: str) -> Case:
    return next(case_of(one, NEWARCH) for one in indexed_cases(protocol, NEWARCH) if (one.id, one.role) == (name, role))


@pytest.mark.parametrize("fault", FAULTS, ids=[one.requirement for one in FAULTS])
def test_what_only_a_later_requirement_names_breaks_an_older_one(fault: Any) -> None:
    case = case_named(fault.protocol, fault.role, fault.case)
    wanted = Fault(Place(fault.event, fault.path, fault.family), fault.operator)
    makes = possible_faults(case, Embedded(NEWARCH).ask(case), lambda one: one == wanted)
    answer = next(filter(None, (faulty_answer(case, make) for one, make in makes if one == wanted)))
    alone = {f.requirement for f in found(case, answer)} == {fault.requirement}
    levels = {f.requirement: load_register("canal-json").requirements[f.requirement].level for f in found(case, answer)}
    scored = [f for f in found(case, answer, fault.requirement) if f.requirement != fault.requirement]
    assert scored or not alone or levels[fault.requirement] is Level.MAY


@pytest.mark.parametrize("answer", [{"error": "it broke"}, {"ok": {"records": [], "schemas": []}}])
def test_a_case_that_is_about_later_requirements_alone_breaks_no_older_one(answer: Any) -> None:
    case = case_named("avro", "encode", "avro/invalid/encode-004-claim-check")
    assert case.requirements == ("AV-168",)
    assert {f.requirement for f in found(case, answer, "AV-168")} == {"AV-168"}


def test_the_records_that_a_case_expects_are_known_as_without_an_older_set() -> None:
    case = next(case_of(one, NEWARCH) for one in indexed_cases("canal-json", NEWARCH) if one.role == "encode")
    now = load_register(case.protocol)
    expected = []
    for register in (now, as_of(now, without(case.protocol, "CJ-034"))):
        judge = judge_as_of(case.protocol, register, NEWARCH)
        assert isinstance(judge, ExpectsRecords), "else no finding tells its affected consumers"
        expected.append(judge.expected_records(case))
    assert expected[0].records
    assert expected[0] == expected[1]
