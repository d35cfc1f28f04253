"""The kill matrix with one case a mutant, as tests: each mutant still dies of that case, for its own reason.

Which case that is comes from a run of the matrix without any change of our own code; `killers` makes it, once.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from conformance.cases.model import Case
from conformance.cases.parts import all_cases
from conformance.catalogue.register import load_register
from conformance.embedded import Embedded
from conformance.mutants import all_mutants
from conformance.mutants.matrix import Outcome, profile_of, run_matrix
from conformance.mutants.model import Mutant
from conformance.oracle import ORACLES
from conformance.oracle.judge import Judge
from conformance.oracle.showing import headlines
from reference_impl.profiles import NEWARCH

KILLERS = Path(__file__).resolve().parents[2] / "out" / "mutation" / "killers.json"
FEW = 2  # cases that a mutant gets to find the one that kills it


def killers() -> dict[str, dict[str, Any]]:
    """Mutant → the case that killed it, and the requirements shown first, for mutants of the newest profile."""
    mutants = [mutant for mutant in all_mutants() if mutant.protocol in ORACLES and profile_of(mutant) == NEWARCH]
    deaths = run_matrix(mutants, all_cases, FEW)
    found = [(death.mutant, death.killed_by) for death in deaths if death.outcome is Outcome.KILLED]
    return {mutant.name: {"case": case, "first": _first(mutant, case)} for mutant, case in found}


@cache
def _cases(protocol: str) -> dict[tuple[str, str], Case]:
    return {(case.role, case.id): case for case in all_cases(protocol, NEWARCH)}


@cache
def _judge(protocol: str) -> Judge:
    return Judge(ORACLES[protocol], load_register(protocol), NEWARCH)


def _first(mutant: Mutant, case_id: str) -> list[str]:
    """The requirements that are shown first where a mutant answers a case."""
    case = _cases(mutant.protocol)[mutant.role, case_id]
    answer = Embedded(NEWARCH, mutant.wrap, mutant.registry).ask(case)
    return sorted({f.requirement for f in headlines(_judge(mutant.protocol).judge(case, answer).findings)})


def _check(protocol: str) -> None:
    known: dict[str, dict[str, Any]] = json.loads(KILLERS.read_text(encoding="utf-8"))
    tolerated = {r.id for r in load_register(protocol).requirements.values() if r.level == "may"}
    for mutant in all_mutants():
        if mutant.protocol != protocol or mutant.name not in known:
            continue
        case = _cases(protocol)[mutant.role, known[mutant.name]["case"]]
        right = {f.requirement for f in _judge(protocol).judge(case, Embedded().ask(case)).findings}
        assert right <= tolerated, f"{case.id}: the reference breaks {right - tolerated}"
        assert _first(mutant, case.id) == known[mutant.name]["first"], f"{mutant.name} in {case.id}"


def test_mutants_of_avro() -> None:
    _check("avro")


def test_mutants_of_canal_json() -> None:
    _check("canal-json")


def test_mutants_of_debezium() -> None:
    _check("debezium")


def test_mutants_of_open_protocol() -> None:
    _check("open-protocol")
