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
from conformance.catalogue.history import HistoricalDefect
from conformance.catalogue.register import Requirement, load_register
from conformance.mutants.matrix import Death, Outcome
from conformance.mutants.model import Mutant
from conformance.mutants.past import Fate, defects_of, fates
from conformance.sweep.proofs import Proof, Showing

__all__ = ["RECORD_VERSION", "Record", "Standing", "address_of", "matrix_record", "run_arguments"]

Record: TypeAlias = dict[str, Any]

RECORD_VERSION = 2


class Standing(StrEnum):
    """Whether the matrix proves that the suite catches a break of a requirement: by mutants and generated faults.

    One that is found wherever it is broken, but always under others, is never shown first.
    """

    PROVED = "proved"
    DOUBTFUL = "in doubt"
    NEVER_FIRST = "never shown first"
    NO_PROOF = "no proof"
    NOT_RUN = "not run"


def address_of(mutant: Mutant) -> str:
    """The mutant as an address for `--iut`."""
    return f"cmd:ticdc-conformance serve-reference --mutant {mutant.name}"


def run_arguments(mutant: Mutant) -> list[str]:
    """The options with which a run judges as the matrix does: a profile or release, and that a SHOULD counts."""
    strict = ["--strict"] if load_register(mutant.protocol).requirements[mutant.requirement].level == "should" else []
    if mutant.release:
        return ["--ticdc-version", mutant.release.removeprefix("v"), *strict]
    return [*([] if mutant.profile == "newarch" else ["--profile", mutant.profile]), *strict]


def matrix_record(
    mutants: Sequence[Mutant],
    deaths: Iterable[Death],
    faults: Sequence[GeneratedFault] = (),
    proofs: Iterable[Proof] = (),
    *,
    suite: str,
    selection: str | None = None,
    cases_each: int = 0,
) -> Record:
    """The record of the results of `mutants` and `faults`, in order; one without a result was not run.

    Without a `selection` it has every testable requirement, and the historical defects without mutants; with one, those
    of the mutants and faults. The caller fills in `exit` and `message`.
    """
    known = {death.mutant.name: death for death in deaths}
    every = [known.get(mutant.name) or Death(mutant, Outcome.NOT_RUN) for mutant in mutants]
    put = {proof.fault: proof for proof in proofs}
    shown = [put.get(fault) or Proof(fault, Showing.NOT_RUN) for fault in faults]
    history = [_past(d, fate) for d, fate in fates(every) if selection is None or d.mutants]
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
        "requirements": _requirements(every, shown, everything=selection is None),
        "history": history,
        "history_totals": {str(fate): sum(row["fate"] == fate for row in history) for fate in Fate},
        "mutants": [_mutant(death) for death in every],
        "fault_totals": {str(showing): sum(proof.showing is showing for proof in shown) for showing in Showing},
        "faults": [_fault(proof) for proof in shown],
    }


def _totals(deaths: Sequence[Death]) -> Mapping[str, int]:
    counts = Counter(death.outcome for death in deaths)
    return {str(outcome): counts[outcome] for outcome in Outcome}


def _grouped(deaths: Sequence[Death]) -> dict[tuple[str, str], list[Death]]:
    groups: dict[tuple[str, str], list[Death]] = {}
    for death in deaths:
        groups.setdefault((death.mutant.protocol, death.mutant.role), []).append(death)
    return groups


def _requirements(deaths: Sequence[Death], proofs: Sequence[Proof], *, everything: bool) -> list[Record]:
    of: dict[tuple[str, str], tuple[list[Death], list[Proof]]] = {}
    for death in deaths:
        of.setdefault((death.mutant.protocol, death.mutant.requirement), ([], []))[0].append(death)
    for proof in proofs:
        of.setdefault((proof.fault.protocol, proof.fault.requirement), ([], []))[1].append(proof)
    return [
        _requirement(r, *of.get((protocol, r.id), ([], [])))
        for protocol in dict.fromkeys(protocol for protocol, _ in of)
        for r in load_register(protocol).requirements.values()
        if (r.testable and everything) or (protocol, r.id) in of
    ]


def _requirement(r: Requirement, deaths: Sequence[Death], proofs: Sequence[Proof]) -> Record:
    return {
        "id": r.id,
        "protocol": r.protocol,
        "level": str(r.level),
        "role": r.role,
        "rule": r.rule,
        "place": str(r.source or ""),
        "standing": str(_standing(deaths, proofs)),
        "killed": sum(death.outcome is Outcome.KILLED for death in deaths),
        "mutants": [death.mutant.name for death in deaths],
        "faults": list(dict.fromkeys(proof.fault.role for proof in proofs)),
    }


def _standing(deaths: Sequence[Death], proofs: Sequence[Proof]) -> Standing:
    found = {*(death.outcome for death in deaths), *(proof.showing for proof in proofs)}
    if not found:
        return Standing.NO_PROOF
    rest = found - {Outcome.KILLED, Showing.SHOWN}
    if not rest:
        return Standing.PROVED if proofs or any(death.leads for death in deaths) else Standing.NEVER_FIRST
    return Standing.NOT_RUN if rest <= {Outcome.NOT_RUN, Showing.NOT_RUN} else Standing.DOUBTFUL


def _past(defect: HistoricalDefect, fate: Fate) -> Record:
    return {
        "id": defect.id,
        "symptom": defect.symptom,
        "fixed": defect.fixed,
        "references": list(defect.references),
        "fate": str(fate),
        "mutants": list(defect.mutants),
        "reason": defect.reason,
    }


def _mutant(death: Death) -> Record:
    mutant = death.mutant
    again = ["ticdc-conformance", "replay", death.replay, "--iut", address_of(mutant), *run_arguments(mutant)]
    return {
        "mutant": mutant.name,
        "protocol": mutant.protocol,
        "role": mutant.role,
        "profile": mutant.profile,
        "release": mutant.release,
        "requirement": mutant.requirement,
        "fault": mutant.description,
        "outcome": str(death.outcome),
        "leads": death.leads,
        "killed_by": death.killed_by,
        "finding": {"fingerprint": death.fingerprint, "path": death.path} if death.killed_by else None,
        "kills": death.kills,
        "cases": death.cases,
        "witness": death.witness,
        "also": list(death.also),
        "history": [defect.id for defect in defects_of(mutant.name)],
        "again": shlex.join(again) if death.replay else "",
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
