"""Makes an outcome of a judgement: the verdict on one case, before the baseline applies.

The weights of the findings (`oracle.weights`) decide the verdict.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from conformance.cases.model import Case, CaseHead
from conformance.catalogue.harm import Harm
from conformance.catalogue.register import Level, Register
from conformance.engine.fingerprints import Marks
from conformance.engine.plan import Item
from conformance.engine.verdicts import Gate, Verdict
from conformance.errors import SuiteError
from conformance.oracle.findings import Finding, Judgement
from conformance.oracle.showing import in_order_of_showing
from conformance.oracle.weights import Weight, grade, heaviest_first, is_as_heavy, weight_of
from conformance.transport.origin import Origin

if TYPE_CHECKING:
    from conformance.consumers.affected import AffectedConsumer

__all__ = ["Found", "Outcome", "outcome_of"]

_OF_FINDINGS = frozenset({Verdict.PASS, Verdict.WARN, Verdict.FAIL})


@dataclass(frozen=True, slots=True)
class Found:
    """A finding, for all its occurrences in the case: those with the same requirement and fingerprint."""

    finding: Finding
    """The heaviest occurrence."""
    level: Level
    harm: Harm
    times: int = 1
    """The number of occurrences."""
    operations: tuple[str, ...] = ()
    """The operations of the events in which it occurred; empty if an occurrence belongs to no single event."""
    shown_before: frozenset[frozenset[str]] = frozenset()
    """For each occurrence, the fingerprints of the findings of the same difference that stand before it."""

    @property
    def weight(self) -> Weight:
        """The level and the harm of the finding."""
        return Weight(self.level, self.harm)

    def is_secondary(self, weights: Mapping[str, Sequence[Weight]]) -> bool:
        """Whether a finding of at least its weight stands before each occurrence; `weights` are by fingerprint."""
        return bool(self.shown_before) and all(
            any(is_as_heavy(weight, self.weight) for mark in before for weight in weights.get(mark, ()))
            for before in self.shown_before
        )


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a case: its verdict, and its findings, or a message if there is no finding."""

    verdict: Verdict
    found: tuple[Found, ...] = ()
    evaluated: frozenset[str] = frozenset()
    """The ids of the requirements that were evaluated."""
    message: str = ""
    stderr: str = ""
    restart: tuple[CaseHead, str] | None = None
    """If the implementation was restarted before this case: after which case, and why."""
    seconds: float = field(default=0.0, compare=False)
    attempts: int = 1
    answered: bool | None = field(default=None, compare=False)
    """Whether the implementation answered; None if the case was not sent to it."""
    origin: Origin | None = field(default=None, compare=False)
    """The place in the implementation's source that the answer names."""
    origin_problem: str = field(default="", compare=False)
    """Why the named place is ignored."""
    case: Case | None = field(default=None, compare=False, repr=False)
    """The case as it was made; None if it passed, is unsupported or was not sent, or if its fault came later."""
    affected: tuple[AffectedConsumer, ...] = field(default=(), compare=False)
    """The consumers whose models read the answer differently from the right one."""
    answer: str = field(default="", compare=False)
    """The digest of the answer; empty without one."""
    answer_text: bytes | None = field(default=None, compare=False, repr=False)
    """The answer itself, if the run keeps answers."""

    def under(self, policy: Gate) -> Outcome:
        """The outcome under the policy of a run; `outcome_of` uses the default gate."""
        if self.verdict not in _OF_FINDINGS or not self.found:
            return self
        weights = (f.weight for f in self.found)
        return replace(self, verdict=Verdict(grade(weights, data=policy is not Gate.MUST)))

    def fingerprints(self, role: str) -> tuple[str, ...]:
        """The fingerprints that identify the failure: of its findings above `may`, or `crash@encode` without any.

        Secondary findings are left out, so that a further rule for the same difference does not change the failure. A
        finding that is heavier than those before it counts: an entry of the baseline for those does not cover it.
        """
        counted = [f for f in self.found if f.level is not Level.MAY]
        weights: dict[str, list[Weight]] = {}
        for f in counted:
            weights.setdefault(f.finding.fingerprint, []).append(f.weight)
        leading = (f.finding.fingerprint for f in counted if not f.is_secondary(weights))
        return tuple(dict.fromkeys(leading)) or (f"{self.verdict}@{role}",)

    def marks(self, role: str, register: Register) -> Marks:
        """The fingerprints of the failure, to be compared with known failures."""
        data = {f.finding.fingerprint for f in self.found if f.harm.is_data}
        later = (
            f.finding.fingerprint for f in self.found if (r := register.find(f.finding.requirement)) and r.later_than
        )
        above_may = (f.finding.fingerprint for f in self.found if f.level is not Level.MAY)
        return Marks.of(data, self.fingerprints(role), later, above_may)


def outcome_of(item: Item, judgement: Judgement, register: Register) -> Outcome:
    """The outcome of a judgement: the worst of its findings.

    Raises `SuiteError` for a finding of an unknown requirement, for a judgement in which no assertion ran, and for a
    pass in which an assertion did not run that the case was written for.
    """
    found: dict[tuple[str, str], Found] = {}
    operations: dict[tuple[str, str], dict[str, None]] = {}
    shown_before = _shown_before(judgement.findings)
    for occurred in judgement.findings:
        finding = occurred
        requirement = register.find(finding.requirement)
        if requirement is None:
            raise SuiteError(f"a finding names {finding.requirement}, which is not in the register")
        key = (finding.requirement, finding.fingerprint)
        earlier, weight = found.get(key), weight_of(finding, requirement)
        times = earlier.times + 1 if earlier else 1
        # The harm of a finding may depend on the value: its heaviest occurrence counts.
        if earlier and is_as_heavy(earlier.weight, weight):
            finding, weight = earlier.finding, earlier.weight
        seen = operations.setdefault(key, {})
        seen[occurred.operation] = None
        found[key] = Found(
            finding, *weight, times, () if "" in seen else tuple(seen), frozenset(shown_before[finding.fingerprint])
        )
    ordered = tuple(in_order_of_showing(found.values(), lambda f: f.finding, lambda f: heaviest_first(f.weight)))
    verdict = Verdict(grade(f.weight for f in ordered))
    if not judgement.evaluated:
        raise SuiteError("no assertion ran")
    missing = item.requirements - judgement.evaluated
    if verdict is Verdict.PASS and missing:
        raise SuiteError(f"no assertion ran for {', '.join(sorted(missing))}, which the case was written for")
    return Outcome(verdict, ordered, frozenset(judgement.evaluated))


def _shown_before(findings: Iterable[Finding]) -> Mapping[str, set[frozenset[str]]]:
    """By fingerprint: for its occurrences, the fingerprints of the same difference before it, in the judge's order.

    A difference is a place, a path and a kind.
    """
    marks_at: dict[tuple[str, str, str], set[str]] = {}
    shown_before: dict[str, set[frozenset[str]]] = {}
    for finding in findings:
        marks = marks_at.setdefault((finding.where, finding.path, finding.kind), set())
        shown_before.setdefault(finding.fingerprint, set()).add(frozenset(marks - {finding.fingerprint}))
        marks.add(finding.fingerprint)
    return shown_before
