"""Judges recorded faults again: the first finding of each must still name the requirement that it proves.

A recorded fault names its case. The fault is made as in the sweep and judged only in that case; the requirement of the
first finding is compared with the recorded one.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from functools import cached_property
from typing import Any

from conformance.cases.index import case_of, indexed_cases
from conformance.cases.model import Case, CaseHead, Role
from conformance.catalogue.faults import GeneratedFault
from conformance.catalogue.register import Level, Register, load_register
from conformance.embedded import Embedded
from conformance.oracle.findings import Finding
from conformance.oracle.judges import judge_of
from conformance.oracle.weights import grade, weight_of
from conformance.sweep.judging import Fault, Inside, beside, faulty_answer, possible_faults, shown_first
from conformance.sweep.nodes import replaced
from conformance.sweep.opening import closed
from conformance.sweep.places import Place
from reference_impl.profiles import NEWARCH, Profile

__all__ = ["Proof", "Showing", "proofs_of"]


class Showing(StrEnum):
    """Whether a recorded fault still proves its requirement: the judge must show that requirement first."""

    SHOWN = "shown first"
    NOT_SHOWN = "not shown first"
    GONE = "cannot be made"
    NOT_RUN = "not run"


@dataclass(frozen=True, slots=True)
class Proof:
    """The result of a recorded fault, with parts of the finding that is shown first ("" if there is none)."""

    fault: GeneratedFault
    showing: Showing
    shown: str = ""
    """The requirement."""
    fingerprint: str = ""
    path: str = ""
    others: tuple[str, ...] = ()
    """The further requirements that any finding names."""

    @property
    def is_as_recorded(self) -> bool:
        """Whether the findings name the requirements of the recorded fault, in that order, and no other."""
        return (self.shown, *self.others) == (self.fault.requirement, *self.fault.others)


def proofs_of(
    faults: Iterable[GeneratedFault], cases_of: Callable[[str, Profile], Sequence[CaseHead]] = indexed_cases
) -> Iterator[Proof]:
    """Judge each fault again, protocol by protocol. Raises `SuiteError` for a fault of the suite."""
    by_protocol: dict[str, list[GeneratedFault]] = {}
    for fault in faults:
        by_protocol.setdefault(fault.protocol, []).append(fault)
    for protocol, group in by_protocol.items():
        recorded = {(fault.role, fault.case) for fault in group}
        heads = {(c.role, c.id): c for c in cases_of(protocol, NEWARCH) if (c.role, c.id) in recorded}
        register = load_register(protocol)
        judge = judge_of(protocol, register, NEWARCH, remembers=True)
        reference = Embedded(NEWARCH)
        proofs: dict[int, Proof] = {}
        for key, positions in _by_case(group).items():
            case = case_of(heads[key], NEWARCH) if key in heads else None
            answered = _AnsweredCase(case, reference.ask(case)) if case else None
            for at in positions:
                answer = answered.faulty(group[at]) if answered else None
                if answered is None or answer is None:
                    proofs[at] = Proof(group[at], Showing.GONE)
                else:
                    proofs[at] = _proof(group[at], judge.judge(answered.case, answer).findings, register)
        yield from (proofs[at] for at in range(len(group)))


def _by_case(faults: Sequence[GeneratedFault]) -> Mapping[tuple[Role, str], Sequence[int]]:
    """The positions of the faults by role and case: each case is made and answered once."""
    positions: dict[tuple[Role, str], list[int]] = {}
    for at, fault in enumerate(faults):
        positions.setdefault((fault.role, fault.case), []).append(at)
    return positions


@dataclass(frozen=True)
class _AnsweredCase:
    """A case with the reference's answer, which is opened once for all its faults."""

    case: Case
    right_answer: Mapping[str, Any]

    @cached_property
    def inside(self) -> Inside | None:
        """The inside of the right answer; None for one without records and events."""
        return Inside.of(self.case, self.right_answer) if "ok" in self.right_answer else None

    def faulty(self, fault: GeneratedFault) -> Mapping[str, Any] | None:
        """The right answer with the fault; None if the fault can no longer be made."""
        place = Place(fault.event, fault.path, fault.family)
        if fault.value:
            return self._with_value(fault, place)
        possible = possible_faults(
            self.case, self.right_answer, is_in_scope=lambda other: other == place, inside=self.inside
        )
        answers = (faulty_answer(self.case, make) for other, make in possible if other == Fault(place, fault.operator))
        return next((answer for answer in answers if answer is not None), None)

    def _with_value(self, fault: GeneratedFault, place: Place) -> Mapping[str, Any] | None:
        """The right answer with the value of the fault at its place; None if that place no longer exists."""
        if self.inside is None:
            return None
        tree, all_nodes = self.inside
        paths = [node.path for node in all_nodes if node.place == place]
        if fault.nth >= len(paths):
            return None
        value = json.loads(fault.value, parse_float=Decimal)
        return faulty_answer(self.case, lambda: closed(replaced(tree, paths[fault.nth], value)))


def _proof(fault: GeneratedFault, findings: Sequence[Finding], register: Register) -> Proof:
    """The proof by the first finding; one that leaves the verdict at `pass` proves only a MAY."""
    shown = shown_first(findings, register)
    if shown is None:
        return Proof(fault, Showing.NOT_SHOWN)
    requirement = register.requirements[shown.requirement]
    is_weak = requirement.level is not Level.MAY and grade([weight_of(shown, requirement)]) == "pass"
    is_shown = shown.requirement == fault.requirement and not is_weak
    showing = Showing.SHOWN if is_shown else Showing.NOT_SHOWN
    others = beside(shown.requirement, findings)
    return Proof(fault, showing, shown.requirement, shown.fingerprint, shown.path, others)
