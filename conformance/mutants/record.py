"""The record of a kill matrix: plain data from which every report of it is made.

Its form is `fixtures/schemas/mutants-report.schema.json`. It holds no time and no machine: one matrix gives one record.
"""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from typing import Any, TypeAlias

from conformance.catalogue.faults import GeneratedFault
from conformance.catalogue.history import HistoricalDefect, Scope, defects_of_mutant, load_history
from conformance.catalogue.register import Requirement, load_register
from conformance.mutants.matrix import MutantResult, Outcome
from conformance.mutants.model import Mutant
from conformance.sweep.proofs import Proof, Showing

__all__ = [
    "RECORD_VERSION",
    "DefectOutcome",
    "ProofStatus",
    "Record",
    "address_of",
    "defect_outcomes",
    "matrix_record",
    "run_arguments",
]

Record: TypeAlias = dict[str, Any]

RECORD_VERSION = 2


class ProofStatus(StrEnum):
    """Whether mutants and generated faults prove that the suite catches a break of a requirement.

    It is never shown first if every break is found, but reports always show a finding of another requirement first.
    """

    PROVED = "proved"
    DOUBTFUL = "in doubt"
    NEVER_FIRST = "never shown first"
    NO_PROOF = "no proof"
    NOT_RUN = "not run"


class DefectOutcome(StrEnum):
    """Whether the suite catches a historical defect."""

    KILLED = "killed"
    SURVIVED = "survived"
    NOT_EXPRESSIBLE = "not expressible"
    OUT = "out of scope"


_WITHOUT_MUTANTS: Mapping[Scope, DefectOutcome] = {
    Scope.NOT_EXPRESSIBLE: DefectOutcome.NOT_EXPRESSIBLE,
    Scope.OUT: DefectOutcome.OUT,
}


def address_of(mutant: Mutant) -> str:
    """The mutant as an address for `--iut`."""
    return f"cmd:ticdc-conformance serve-reference --mutant {mutant.name}"


def run_arguments(mutant: Mutant) -> list[str]:
    """The options with which `run` judges as the matrix does: the profile or release, and `--strict` for a SHOULD."""
    strict = ["--strict"] if load_register(mutant.protocol).requirements[mutant.requirement].level == "should" else []
    if mutant.release:
        return ["--ticdc-version", mutant.release.removeprefix("v"), *strict]
    return [*([] if mutant.profile == "newarch" else ["--profile", mutant.profile]), *strict]


def matrix_record(
    mutants: Sequence[Mutant],
    results: Iterable[MutantResult],
    faults: Sequence[GeneratedFault] = (),
    proofs: Iterable[Proof] = (),
    *,
    suite: str,
    selection: str | None = None,
    cases_each: int = 0,
) -> Record:
    """The record of the results of `mutants` and `faults`, in order; those without a result or proof were not run.

    Without a `selection` it has every testable requirement, and the historical defects without mutants; with one, only
    the requirements and defects of the mutants and faults. The caller fills in `exit` and `message`.
    """
    by_name = {result.mutant.name: result for result in results}
    every = [by_name.get(mutant.name) or MutantResult(mutant, Outcome.NOT_RUN) for mutant in mutants]
    by_fault = {proof.fault: proof for proof in proofs}
    fault_proofs = [by_fault.get(fault) or Proof(fault, Showing.NOT_RUN) for fault in faults]
    history = [_history_row(d, outcome) for d, outcome in defect_outcomes(every) if selection is None or d.mutants]
    return {
        "report": RECORD_VERSION,
        "suite": suite,
        "selection": selection,
        "cases_each": cases_each,
        "exit": 0,
        "message": "",
        "planned": len(every),
        "totals": _totals(every),
        "groups": [
            {"protocol": protocol, "role": role, "planned": len(group), "totals": _totals(group)}
            for (protocol, role), group in _grouped(every).items()
        ],
        "requirements": _requirements(every, fault_proofs, everything=selection is None),
        "history": history,
        "history_totals": {str(outcome): sum(row["fate"] == outcome for row in history) for outcome in DefectOutcome},
        "mutants": [_mutant(result) for result in every],
        "fault_totals": {str(showing): sum(proof.showing is showing for proof in fault_proofs) for showing in Showing},
        "faults": [_fault(proof) for proof in fault_proofs],
    }


def _totals(results: Sequence[MutantResult]) -> Mapping[str, int]:
    counts = Counter(result.outcome for result in results)
    return {str(outcome): counts[outcome] for outcome in Outcome}


def _grouped(results: Sequence[MutantResult]) -> dict[tuple[str, str], list[MutantResult]]:
    groups: dict[tuple[str, str], list[MutantResult]] = {}
    for result in results:
        groups.setdefault((result.mutant.protocol, result.mutant.role), []).append(result)
    return groups


def _requirements(results: Sequence[MutantResult], proofs: Sequence[Proof], *, everything: bool) -> list[Record]:
    """The rows of all testable requirements, or without `everything` of those with a mutant or a fault."""
    results_of: dict[tuple[str, str], list[MutantResult]] = {}
    proofs_of: dict[tuple[str, str], list[Proof]] = {}
    for result in results:
        results_of.setdefault((result.mutant.protocol, result.mutant.requirement), []).append(result)
    for proof in proofs:
        proofs_of.setdefault((proof.fault.protocol, proof.fault.requirement), []).append(proof)
    named = dict.fromkeys((*results_of, *proofs_of))
    return [
        _requirement(r, results_of.get((protocol, r.id), ()), proofs_of.get((protocol, r.id), ()))
        for protocol in dict.fromkeys(protocol for protocol, _ in named)
        for r in load_register(protocol).requirements.values()
        if (r.testable and everything) or (protocol, r.id) in named
    ]


def _requirement(r: Requirement, results: Sequence[MutantResult], proofs: Sequence[Proof]) -> Record:
    return {
        "id": r.id,
        "protocol": r.protocol,
        "level": str(r.level),
        "role": r.role,
        "rule": r.rule,
        "place": str(r.source or ""),
        "standing": str(_proof_status(results, proofs)),
        "killed": sum(result.outcome is Outcome.KILLED for result in results),
        "mutants": [result.mutant.name for result in results],
        "faults": list(dict.fromkeys(proof.fault.role for proof in proofs)),
    }


def _proof_status(results: Sequence[MutantResult], proofs: Sequence[Proof]) -> ProofStatus:
    outcomes = {*(result.outcome for result in results), *(proof.showing for proof in proofs)}
    if not outcomes:
        return ProofStatus.NO_PROOF
    failed = outcomes - {Outcome.KILLED, Showing.SHOWN}
    if failed:
        return ProofStatus.NOT_RUN if failed <= {Outcome.NOT_RUN, Showing.NOT_RUN} else ProofStatus.DOUBTFUL
    is_shown_first = bool(proofs) or any(result.is_shown_first for result in results)
    return ProofStatus.PROVED if is_shown_first else ProofStatus.NEVER_FIRST


def defect_outcomes(results: Sequence[MutantResult]) -> list[tuple[HistoricalDefect, DefectOutcome]]:
    """The defects of the mutants, and those without mutants, in the order of the file.

    A defect is killed if all its mutants that ran are killed; a kill for another reason does not count.
    """
    by_name = {result.mutant.name: result.outcome for result in results if result.outcome is not Outcome.NOT_RUN}
    outcomes = []
    for defect in load_history().values():
        of_mutants = {by_name[name] for name in defect.mutants if name in by_name}
        if defect.scope in _WITHOUT_MUTANTS:
            outcomes.append((defect, _WITHOUT_MUTANTS[defect.scope]))
        elif of_mutants:
            is_killed = of_mutants == {Outcome.KILLED}
            outcomes.append((defect, DefectOutcome.KILLED if is_killed else DefectOutcome.SURVIVED))
    return outcomes


def _history_row(defect: HistoricalDefect, outcome: DefectOutcome) -> Record:
    return {
        "id": defect.id,
        "symptom": defect.symptom,
        "fixed": defect.fixed,
        "references": list(defect.references),
        "fate": str(outcome),
        "mutants": list(defect.mutants),
        "reason": defect.reason,
    }


def _mutant(result: MutantResult) -> Record:
    mutant = result.mutant
    again = ["ticdc-conformance", "replay", result.replay, "--iut", address_of(mutant), *run_arguments(mutant)]
    return {
        "mutant": mutant.name,
        "protocol": mutant.protocol,
        "role": mutant.role,
        "profile": mutant.profile,
        "release": mutant.release,
        "requirement": mutant.requirement,
        "fault": mutant.description,
        "outcome": str(result.outcome),
        "leads": result.is_shown_first,
        "killed_by": result.killed_by,
        "finding": {"fingerprint": result.fingerprint, "path": result.path} if result.killed_by else None,
        "kills": result.kills,
        "cases": result.cases,
        "witness": result.witness,
        "also": list(result.also),
        "history": [defect.id for defect in defects_of_mutant(mutant.name)],
        "again": shlex.join(again) if result.replay else "",
    }


def _fault(proof: Proof) -> Record:
    fault = proof.fault
    return {
        "requirement": fault.requirement,
        "protocol": fault.protocol,
        "role": fault.role,
        "fault": fault.change,
        "case": fault.case,
        "outcome": str(proof.showing),
        "shown": proof.shown,
        "finding": {"fingerprint": proof.fingerprint, "path": proof.path} if proof.shown else None,
    }
