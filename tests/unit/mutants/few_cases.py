"""A few cases for a cheap matrix, suites that fail, and results of mutants and faults that were never run."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from conformance.cases.golden import golden_cases
from conformance.cases.model import Case
from conformance.catalogue.faults import GeneratedFault, faults_of
from conformance.errors import SuiteError
from conformance.mutants import mutant_named
from conformance.mutants.matrix import MutantResult, Outcome
from conformance.sweep.proofs import Proof, Showing
from reference_impl.profiles import Profile

DIES = "canal-json/old-null"
DIES_ALONE = "canal-json/without-ts"
BREAKS_MORE = "canal-json/column-lost"
DECODER = "canal-json/read-images-exchanged"


def golden(protocol: str, profile: Profile) -> Sequence[Case]:
    """The examples of the documents."""
    return golden_cases(protocol, profile)


def faulty(protocol: str, profile: Profile) -> Sequence[Case]:
    """A suite with a faulty fixture."""
    raise SuiteError("the fixture is wrong")


def broken(protocol: str, profile: Profile) -> Sequence[Case]:
    """A suite that raises an unexpected error."""
    raise KeyError("no such thing")


def deadly(protocol: str, profile: Profile) -> Sequence[Case]:
    """A suite that ends the process that runs it."""
    os._exit(7)


def killed(name: str) -> MutantResult:
    """The result of a mutant that was killed."""
    mutant = mutant_named(name)
    case = f"{mutant.protocol}/golden/1"
    shown: dict[str, Any] = {"kills": 2, "is_shown_first": True, "cases": 3, "path": "value.data"}
    shown |= {"fingerprint": "missing@value.data#0123abcd", "replay": f"01234567-{mutant.role}"}
    return MutantResult(mutant, Outcome.KILLED, killed_by=case, witness=case, **shown)


def survived(name: str) -> MutantResult:
    """The result of a mutant in which no requirement found a fault."""
    mutant = mutant_named(name)
    witness = f"{mutant.protocol}/golden/2"
    return MutantResult(mutant, Outcome.SURVIVED, cases=3, witness=witness, replay=f"89abcdef-{mutant.role}")


def fault_of(requirement: str) -> GeneratedFault:
    """The first generated fault that proves a requirement of Canal-JSON."""
    return next(fault for fault in faults_of("canal-json") if fault.requirement == requirement)


def shown(fault: GeneratedFault) -> Proof:
    """The proof of a generated fault whose own requirement is shown first."""
    return Proof(fault, Showing.SHOWN, fault.requirement, "missing@value.id#0123abcd", "value.id")


def not_shown(fault: GeneratedFault) -> Proof:
    """The proof of a generated fault for which another requirement is shown first."""
    return Proof(fault, Showing.NOT_SHOWN, "CJ-888", "missing@value.id#0123abcd", "value.id")
