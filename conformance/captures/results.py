"""What came of judging a capture: a result for each record and for each broken rule between records, and their tally.

A result becomes a `verdict` event of a run record with `place` for the case; the findings are those of the judge.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from conformance.captures.model import Place
from conformance.catalogue.register import Level, Register
from conformance.oracle.judge import Finding
from reference_impl.model import Event, Record

__all__ = ["CaptureResult", "CaptureTally", "CaptureVerdict", "verdict_of"]


class CaptureVerdict(StrEnum):
    """What became of a record, in the words of a run. `excluded`: it could not be read, or not be judged."""

    PASS = "pass"
    WARN = "warn"
    FAIL = "fail"
    EXCLUDED = "excluded"
    SUITE_ERROR = "suite_error"


_OF_LEVEL: Mapping[Level, CaptureVerdict] = {
    Level.MUST: CaptureVerdict.FAIL,
    Level.SHOULD: CaptureVerdict.WARN,
    Level.MAY: CaptureVerdict.PASS,
}
_WORST_FIRST = (CaptureVerdict.FAIL, CaptureVerdict.WARN, CaptureVerdict.PASS)


def verdict_of(findings: tuple[Finding, ...], register: Register) -> CaptureVerdict:
    """The verdict that findings make by the level of their requirements. Raises KeyError for an unknown one."""
    verdicts = {_OF_LEVEL[register.requirements[f.requirement].level] for f in findings}
    return next((verdict for verdict in _WORST_FIRST if verdict in verdicts), CaptureVerdict.PASS)


@dataclass(frozen=True, slots=True)
class CaptureResult:
    """One record, or with `is_stream` one rule between records, shown at the record that broke it.

    `evaluated` are the requirements whose assertions ran; `not_judged` says in words what could not be looked at and
    why; `problem` what was wrong with the line, or with the suite where the verdict is `suite_error`. `events` is what
    the record was read as.
    """

    place: Place
    verdict: CaptureVerdict
    findings: tuple[Finding, ...] = ()
    evaluated: frozenset[str] = frozenset()
    not_judged: tuple[str, ...] = ()
    problem: str | None = None
    record: Record | None = None
    events: tuple[Event, ...] = ()
    is_stream: bool = False


@dataclass(slots=True)
class CaptureTally:
    """Counts over the results of a capture: records by verdict, records not judged by reason, broken stream rules."""

    records: int = 0
    verdicts: Counter[CaptureVerdict] = field(default_factory=Counter)
    stream_faults: int = 0
    problems: int = 0
    not_judged: Counter[str] = field(default_factory=Counter)
    broken: Counter[str] = field(default_factory=Counter)
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
