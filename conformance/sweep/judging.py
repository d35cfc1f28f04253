"""Judges every fault of a protocol and role: which requirement finds it first, if any.

A fault changes an answer of the reference at one path by one operator. Each pair of path and operator is judged in the
case with the smallest answer; some operators are judged again under other options.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

from conformance.cases.index import case_of, indexed_cases
from conformance.cases.model import Case, ExpectedAnswer, ExpectedOneOf, ExpectedRejection, Role
from conformance.catalogue.register import Level, Register, load_register
from conformance.embedded import Embedded
from conformance.errors import SuiteError
from conformance.oracle.findings import Finding
from conformance.oracle.judges import judge_of
from conformance.oracle.showing import in_order_of_showing
from conformance.oracle.weights import heaviest_first, weight_of
from conformance.sweep.case_sample import sample_cases
from conformance.sweep.nodes import replaced
from conformance.sweep.opening import Tree, UnwritableError, closed, opened
from conformance.sweep.operators import IN_VALUE, Change, changes, copies_of, with_changed_copies
from conformance.sweep.places import Node, Place, nodes
from conformance.transport.answers import BadShape, read_answer
from reference_impl.profiles import NEWARCH
from reference_impl.protocols import CODECS

__all__ = [
    "PROTOCOL_ROLES",
    "Fault",
    "FaultResult",
    "FirstShown",
    "Inside",
    "Sweep",
    "beside",
    "faulty_answer",
    "possible_faults",
    "shown_first",
]

PROTOCOL_ROLES: Sequence[tuple[str, Role]] = tuple(
    (protocol, role) for protocol in CODECS for role in ("encode", "decode")
)
"""The protocols and roles of a sweep by default."""

_LARGEST = 4_000
_LARGEST_OF: Mapping[str, int] = {"debezium": 16_000}
"""The longest answer to change, in characters; more where each record has its schema. Longer ones have no new paths."""

_REPEATED = frozenset({"null", "member lost", "last digit", "other last character", "extra member"})
_REPEATED |= {"broken", "refused", "nothing"}
"""Operators that are judged again at the same path under other options."""

_MOST_CASES = 4
"""The most cases for one fault."""

Answer = Mapping[str, Any]
Options = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, order=True)
class Fault:
    """A place, with its path pattern, and the operator that changes the value there."""

    place: Place
    operator: str


class FirstShown(NamedTuple):
    """The id of a case in which a requirement is shown first, and the others that the findings there name."""

    case: str
    others: tuple[str, ...] = ()


@dataclass(slots=True)
class FaultResult:
    """The result of a fault in the cases that judged it."""

    tried: int = 0
    """The number of these cases."""
    missed: dict[str, str] = field(default_factory=dict)
    """Id of each case that no requirement of level SHOULD or MUST found → the MAY that is shown there, or ""."""
    first: dict[str, FirstShown] = field(default_factory=dict)
    """Requirement that was shown first → the first case in which it was."""
    broken: list[str] = field(default_factory=list)
    """The cases in which the judge itself failed. Unlike `missed` ones, no row of `free_forms` explains them."""


@dataclass(slots=True)
class Sweep:
    """The sweep of one protocol and role; it judges one in `share` faults, in one in `share` cases."""

    protocol: str
    role: Role
    share: int = 1
    results: dict[Fault, FaultResult] = field(default_factory=dict)

    def run(self) -> Iterator[tuple[int, int]]:
        """Judge all faults; yields the numbers of cases done and of all cases after each case.

        Raises `SuiteError` for a fault of the suite.
        """
        register = load_register(self.protocol)
        judge = judge_of(self.protocol, register, NEWARCH, remembers=True)
        done: set[tuple[Fault, Options]] = set()
        cases = self._cases()
        for n, (case, right_answer) in enumerate(cases, 1):
            if any(_level(finding, register) is not Level.MAY for finding in judge.judge(case, right_answer).findings):
                raise SuiteError(f"case {case.id}: the judge finds a fault in the reference's answer")
            options = tuple(sorted(case.options.items()))
            for fault, make in possible_faults(case, right_answer, self._is_selected):
                if not self._is_due(fault, is_done_under_options=(fault, options) in done):
                    continue
                done.add((fault, options))
                answer = faulty_answer(case, make)
                if answer is None:
                    continue
                try:
                    self._add_result(fault, case, judge.judge(case, answer).findings, register)
                except Exception as e:  # noqa: BLE001 - a judge that fails on an answer is a hole in the suite too
                    result = self.results.setdefault(fault, FaultResult())
                    result.broken.append(f"{case.id} ({type(e).__name__}: {e})")
            yield n, len(cases)

    def done(self) -> Sweep:
        """Judge all faults, and return the sweep."""
        for _ in self.run():
            pass
        return self

    def _cases(self) -> list[tuple[Case, Answer]]:
        """The cases with the reference's answers, the smallest answer first."""
        reference = Embedded(NEWARCH)
        largest = _LARGEST_OF.get(self.protocol, _LARGEST)
        heads = sample_cases(indexed_cases(self.protocol, NEWARCH), self.role)[:: self.share]
        cases = [case_of(head, NEWARCH) for head in heads]
        answered = [(case, reference.ask(case)) for case in cases]
        small = [(case, answer) for case, answer in answered if _size(answer) <= largest]
        return sorted(small, key=lambda pair: (_size(pair[1]), pair[0].id))

    def _is_selected(self, fault: Fault) -> bool:
        """Whether the fault is in the share of faults to judge."""
        return self.share == 1 or _digest(fault) % self.share == 0

    def _is_due(self, fault: Fault, *, is_done_under_options: bool) -> bool:
        """Whether to judge a fault in one more case: the first, or for some operators one with other options."""
        result = self.results.get(fault)
        if result is None:
            return True
        return fault.operator in _REPEATED and result.tried < _MOST_CASES and not is_done_under_options

    def _add_result(self, fault: Fault, case: Case, findings: Sequence[Finding], register: Register) -> None:
        result = self.results.setdefault(fault, FaultResult())
        result.tried += 1
        shown = shown_first(findings, register)
        if shown:
            result.first.setdefault(shown.requirement, FirstShown(case.id, beside(shown.requirement, findings)))
        if all(_level(finding, register) is Level.MAY for finding in findings):
            result.missed[case.id] = shown.requirement if shown else ""


class Inside(NamedTuple):
    """The inside of a right answer: its opened tree, and the nodes of that."""

    tree: Tree
    nodes: Sequence[Node]

    @classmethod
    def of(cls, case: Case, right_answer: Answer) -> Inside:
        """Open the answer, which holds records or events."""
        tree = opened(case, right_answer)
        return cls(tree, nodes(case, tree))


def possible_faults(
    case: Case,
    right_answer: Answer,
    is_selected: Callable[[Fault], bool] = lambda fault: True,
    is_in_scope: Callable[[Place], bool] = lambda place: True,
    inside: Inside | None = None,
) -> Iterator[tuple[Fault, Callable[[], Answer]]]:
    """Each fault in the reference's answer to a case, with a function that makes the faulty answer.

    A fault is yielded once for each path that has its pattern. Places that are not `is_in_scope`, and faults that are
    not `is_selected`, are left out. Only a right answer with records or events is changed inside, and only if it is the
    one right answer: where several are right, a changed one may be right, too. `inside` is that of the right answer, if
    it is open already.
    """
    whole_answer = Place("", _whole_path(case), "")
    if is_in_scope(whole_answer):
        for operator, answer in _replacements(case, right_answer):
            fault = Fault(whole_answer, operator)
            if is_selected(fault):
                yield fault, partial(_same, answer)
    if "ok" not in right_answer or _allows_several(case):
        return
    tree, all_nodes = inside or Inside.of(case, right_answer)
    copies = copies_of(all_nodes)
    for node in all_nodes:
        if not is_in_scope(node.place):
            continue
        for change in changes(node):
            fault = Fault(node.place, change.operator)
            if is_selected(fault):
                yield fault, partial(_changed, tree, [change])
            fault = Fault(node.place, change.operator + IN_VALUE)
            if node.path in copies and is_selected(fault):
                yield fault, partial(_changed, tree, list(with_changed_copies(change, copies[node.path])))


def faulty_answer(case: Case, make: Callable[[], Answer]) -> Answer | None:
    """The faulty answer; None if it cannot be written, or does not have the shape of the harness protocol."""
    try:
        answer = make()
        read_answer(case.role, answer, case.settings.partitions)
    except (UnwritableError, BadShape):
        return None
    return answer


def shown_first(findings: Sequence[Finding], register: Register) -> Finding | None:
    """The finding that reports show first; None without a finding."""
    shown = in_order_of_showing(
        findings, lambda f: f, lambda f: heaviest_first(weight_of(f, register.requirements[f.requirement]))
    )
    return shown[0] if shown else None


def beside(requirement: str, findings: Iterable[Finding]) -> tuple[str, ...]:
    """The other requirements that findings name, in order of their ids."""
    return tuple(sorted({finding.requirement for finding in findings} - {requirement}))


def _same(answer: Answer) -> Answer:
    return answer


def _changed(tree: Tree, changes_to_make: Sequence[Change]) -> Answer:
    for change in changes_to_make:
        tree = replaced(tree, change.path, change.value)
    return closed(tree)


def _level(finding: Finding, register: Register) -> Level:
    return weight_of(finding, register.requirements[finding.requirement]).level


def _size(answer: Answer) -> int:
    return len(str(answer.get("ok", "")))


def _digest(fault: Fault) -> int:
    text = f"{fault.place} {fault.operator}"
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big")


# -- answers as a whole ------------------------------------------------------------------------------------------------


def _allows_several(case: Case) -> bool:
    return isinstance(case.expected, ExpectedAnswer | ExpectedOneOf)


def _whole_path(case: Case) -> str:
    """The path of a whole answer; of refusals there is one for each set of requirements, which thus all are judged."""
    return f"answer to {', '.join(case.requirements)}" if isinstance(case.expected, ExpectedRejection) else "answer"


def _replacements(case: Case, right_answer: Answer) -> Iterator[tuple[str, Answer]]:
    """(operator, answer) of the other answers in place of the right one; an error is right for no case."""
    nothing: Answer = {"ok": {"records": []} if case.role == "encode" else {"events": []}}
    yield "broken", {"error": "it broke"}
    if _allows_several(case):
        return
    if "ok" in right_answer:
        yield "refused", {"rejected": {"class": "semantics", "message": "no"}}
        if any(right_answer["ok"].get(name) for name in ("records", "events")):
            yield "nothing", nothing
        return
    yield "taken for nothing", nothing
    other_class = "range" if right_answer["rejected"]["class"] == "syntax" else "syntax"
    yield "other class", {"rejected": {"class": other_class, "message": "no"}}
    without_fault = case.expected.twin if isinstance(case.expected, ExpectedRejection) else None
    if without_fault is not None:
        answer = Embedded(NEWARCH).ask(without_fault)
        if "ok" in answer:
            yield "taken as without the fault", answer
