"""A recorded fault is tried again as the sweep made it, and the requirement that it shows first is reported."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from conformance.cases.golden import golden_cases
from conformance.cases.model import Case
from conformance.catalogue.faults import GeneratedFault, load_faults, read_faults
from conformance.errors import SuiteError
from conformance.mutants.parallel import fault_proofs
from conformance.sweep.judging import PROTOCOL_ROLES
from conformance.sweep.proofs import Showing, proofs_of
from reference_impl.profiles import Profile
from tools.faults_page import changed_proofs, faults_text, joined


def golden(protocol: str, profile: Profile) -> Sequence[Case]:
    """The examples of the documents."""
    return golden_cases(protocol, profile)


IN_GOLDEN = [fault for fault in load_faults() if "/golden/" in fault.case]


@pytest.mark.parametrize("fault", [IN_GOLDEN[0], IN_GOLDEN[-1]], ids=lambda fault: f"{fault.name} {fault.role}")
def test_a_recorded_fault_is_shown_first_by_its_requirement(fault: GeneratedFault) -> None:
    [proof] = proofs_of([fault], golden)
    assert (proof.showing, proof.shown) == (Showing.SHOWN, fault.requirement)
    assert "#" in proof.fingerprint


def test_a_fault_that_another_requirement_is_shown_by_names_it() -> None:
    [proof] = proofs_of([replace(IN_GOLDEN[0], requirement="CJ-000")], golden)
    assert (proof.showing, proof.shown) == (Showing.NOT_SHOWN, IN_GOLDEN[0].requirement)


def test_a_recorded_fault_that_breaks_other_requirements_now_is_named_before_the_file_is_written_anew() -> None:
    right = next(fault for fault in IN_GOLDEN if fault.others)
    wrong = [replace(right, requirement="CJ-000"), replace(right, others=()), replace(right, case="none")]
    first, fewer, gone = changed_proofs(proofs_of([right, *wrong], golden))
    names = " ".join((right.requirement, *right.others))
    assert first.endswith(f"it breaks {names}; recorded: CJ-000 {' '.join(right.others)}")
    assert fewer.endswith(f"it breaks {names}; recorded: {right.requirement}")
    assert gone.endswith(f": cannot be made; recorded: {names}")


@pytest.mark.parametrize(
    "gone", [{"case": "canal-json/golden/none"}, {"path": "records[].value.none"}, {"operator": "none"}], ids=str
)
def test_a_fault_whose_case_or_place_is_no_more_cannot_be_made(gone: dict[str, Any]) -> None:
    [proof] = proofs_of([replace(IN_GOLDEN[0], **gone)], golden)
    assert (proof.showing, proof.shown) == (Showing.GONE, "")


def test_two_processes_prove_what_one_proves() -> None:
    some = [IN_GOLDEN[0], IN_GOLDEN[-1]]
    one, two = ({proof.fault: proof for proof in fault_proofs(some, n, golden)} for n in (1, 2))
    assert one == two
    assert list(one) == some


def test_a_file_that_holds_no_faults_is_named(tmp_path: Path) -> None:
    file = tmp_path / "faults.json"
    file.write_text('[{"role": "encode"}]', encoding="utf-8")
    with pytest.raises(SuiteError, match=r"faults\.json: not a list of generated faults"):
        read_faults(file)


ANY = {"canal-json": "CJ-015", "open-protocol": "OP-001", "debezium": "DBZ-453", "avro": "AV-015"}


def _sweep(protocol: str, role: str) -> dict[str, object]:
    fault = {"case": "a case", "event": "", "path": "records[].key", "family": "", "operator": "null"}
    return {"protocol": protocol, "role": role, "first": {ANY[protocol]: fault}}


def test_the_file_of_faults_is_made_of_all_protocols_and_roles(tmp_path: Path) -> None:
    records = [{"sweeps": [_sweep(*pair)]} for pair in reversed(PROTOCOL_ROLES)]
    file = tmp_path / "faults.json"
    file.write_text(faults_text(joined(records)), encoding="utf-8")
    assert [(fault.protocol, fault.role) for fault in read_faults(file)] == list(PROTOCOL_ROLES)
    with pytest.raises(SystemExit, match="missing: avro decode"):
        joined(records[1:])


def test_a_fault_with_a_value_changes_the_place_it_names_and_says_so() -> None:
    given: dict[str, Any] = {
        "path": "records[].value.mysqlType.{column}",
        "family": "int",
        "event": "insert",
        "operator": "value",
    }
    fault = replace(IN_GOLDEN[0], case="canal-json/golden/05-mysql-type/ticdc", **given, value='"integer"', nth=0)
    [proof] = proofs_of([fault], golden)
    assert (proof.shown, proof.path) == ("CJ-351", "value.mysqlType.id")
    assert fault.change == '"integer" at insert records[].value.mysqlType.{column} int'
    [gone] = proofs_of([replace(fault, nth=99)], golden)
    assert gone.showing is Showing.GONE


def test_pinned_faults_are_put_beside_those_of_the_sweep(tmp_path: Path) -> None:
    file = tmp_path / "pinned_faults.json"
    row = {"protocol": "avro", "role": "decode", "requirement": "AV-015", "case": "a case", "event": "", "family": ""}
    file.write_text(json.dumps([{**row, "path": "events[].op", "value": {"a": 1}, "nth": 2}]), encoding="utf-8")
    [fault] = read_faults(file)
    assert (fault.operator, fault.value, fault.nth) == ("value", '{"a": 1}', 2)
    assert {f.operator for f in load_faults()} > {"value"}
