"""The results of judging a capture: one for each record and for each broken rule between records, and their tally.

A result becomes a `verdict` event of a run record with `place` for the case; the findings are those of the judge.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from conformance.captures.model import Captured, Place
from conformance.catalogue.register import Register
from conformance.oracle.judge import Finding
from conformance.oracle.weights import grade, weight_of
from reference_impl.model import Event, Record

__all__ = ["CaptureResult", "CaptureTally", "CaptureVerdict", "joined", "unread", "verdict_of"]


class CaptureVerdict(StrEnum):
    """The verdict on a record, in the words of a run."""

    PASS = "pass"
    WARN = "warn"
    FAIL = "fail"
    EXCLUDED = "excluded"  # the record could not be read or judged
    SUITE_ERROR = "suite_error"


def verdict_of(findings: tuple[Finding, ...], register: Register) -> CaptureVerdict:
    """The verdict on findings, by their level and harm. Raises KeyError for an unknown requirement."""
    return CaptureVerdict(grade(weight_of(f, register.requirements[f.requirement]) for f in findings))


@dataclass(frozen=True, slots=True)
class CaptureResult:
    """The result of one record; with `is_stream`, that of one rule between records, at the record that broke it."""

    place: Place
    verdict: CaptureVerdict
    findings: tuple[Finding, ...] = ()
    evaluated: frozenset[str] = frozenset()
    """The ids of the requirements whose assertions ran."""
    not_judged: tuple[str, ...] = ()
    """Sentences on what was left out, and why."""
    problem: str | None = None
    """The error in the line; of the suite, if the verdict is `suite_error`."""
    record: Record | None = None
    events: tuple[Event, ...] = ()
    """Those decoded from the record."""
    is_stream: bool = False


_WORST_FIRST = (
    CaptureVerdict.SUITE_ERROR,
    CaptureVerdict.FAIL,
    CaptureVerdict.WARN,
    CaptureVerdict.PASS,
    CaptureVerdict.EXCLUDED,
)


def joined(results: Sequence[CaptureResult], record: Record, note: str) -> CaptureResult:
    """One result of a record from the results of its messages; there is at least one."""
    first = results[0]
    verdicts = {result.verdict for result in results}
    worst = next(verdict for verdict in _WORST_FIRST if verdict in verdicts)
    return CaptureResult(
        first.place,
        worst,
        tuple(finding for result in results for finding in result.findings),
        frozenset().union(*(result.evaluated for result in results)),
        (*dict.fromkeys(reason for result in results for reason in result.not_judged), note),
        next((result.problem for result in results if result.problem), None),
        record,
        tuple(event for result in results for event in result.events),
    )


def unread(captured: Captured) -> CaptureResult:
    """The result of a line that holds no record."""
    verdict = CaptureVerdict.SUITE_ERROR if captured.is_ours else CaptureVerdict.EXCLUDED
    return CaptureResult(captured.place, verdict, problem=captured.problem)


@dataclass(slots=True)
class CaptureTally:
    """Counts over the results of a capture."""

    records: int = 0
    verdicts: Counter[CaptureVerdict] = field(default_factory=Counter)
    stream_faults: int = 0
    """Broken rules between records."""
    problems: int = 0
    """Records with a problem."""
    not_judged: Counter[str] = field(default_factory=Counter)
    """By reason."""
    broken: Counter[str] = field(default_factory=Counter)
    """By requirement."""
    evaluated: set[str] = field(default_factory=set)

    def add(self, result: CaptureResult) -> None:
        """Count a result."""
        self.evaluated |= result.evaluated
        self.broken.update({finding.requirement for finding in result.findings})
        if result.is_stream:
            self.stream_faults += 1
            return
        self.records += 1
        self.verdicts[result.verdict] += 1
        self.problems += result.problem is not None
        self.not_judged.update(result.not_judged)
