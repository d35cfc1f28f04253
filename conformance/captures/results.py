"""The results of judging a capture: one for each record and for each broken rule between records.

A result becomes a `verdict` event of a run record with `place` for the case; the findings are those of the judge.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from conformance.captures.model import Captured, Place
from conformance.catalogue.register import Register
from conformance.errors import our_fault
from conformance.oracle.findings import Finding, Judgement, fingerprint
from conformance.oracle.harm import harm_of
from conformance.oracle.tree import Kind
from conformance.oracle.weights import grade, weight_of
from reference_impl.model import Event, Record

__all__ = [
    "CaptureResult",
    "CaptureVerdict",
    "between_records",
    "excluded",
    "finding_at",
    "joined",
    "result_of",
    "unread",
    "verdict_of",
]


class CaptureVerdict(StrEnum):
    """The verdict on a record, in the words of a run; the worst first."""

    SUITE_ERROR = "suite_error"
    FAIL = "fail"
    WARN = "warn"
    PASS = "pass"
    EXCLUDED = "excluded"  # the record could not be read or judged


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


def finding_at(requirement: str, path: str, kind: Kind, expected: Any, got: Any) -> Finding:
    """A difference at a path, blamed on a requirement."""
    mark, harm = fingerprint(requirement, path, kind), harm_of(path, kind, expected, got)
    return Finding(requirement, path, kind, expected, got, mark, harm)


def result_of(
    place: Place,
    judgement: Judgement,
    register: Register,
    record: Record,
    events: Sequence[Event] = (),
    notes: Sequence[str] = (),
    problem: str | None = None,
) -> CaptureResult:
    """The result of a record by its judgement; it is excluded if no requirement was evaluated."""
    findings, evaluated = tuple(judgement.findings), frozenset(judgement.evaluated)
    verdict = verdict_of(findings, register) if evaluated else CaptureVerdict.EXCLUDED
    return CaptureResult(place, verdict, findings, evaluated, tuple(notes), problem, record, tuple(events))


def excluded(
    place: Place, record: Record, reason: str = "", *, problem: str | None = None, events: Sequence[Event] = ()
) -> CaptureResult:
    """The result of a record that is not judged, for a `reason` or a `problem`."""
    reasons = (reason,) if reason else ()
    return CaptureResult(
        place, CaptureVerdict.EXCLUDED, not_judged=reasons, problem=problem, record=record, events=tuple(events)
    )


def between_records(
    place: Place, find: Callable[[], Iterable[tuple[Place, Finding]]], register: Register
) -> list[CaptureResult]:
    """The results of the rules between records: one for each finding, at the record that broke the rule.

    An error in `find` is a fault of the suite at `place`.
    """
    try:
        return [
            CaptureResult(
                broken, verdict_of((finding,), register), (finding,), frozenset({finding.requirement}), is_stream=True
            )
            for broken, finding in find()
        ]
    except Exception as e:  # noqa: BLE001 - any error here is one of the suite
        return [CaptureResult(place, CaptureVerdict.SUITE_ERROR, problem=our_fault(e), is_stream=True)]


def joined(results: Sequence[CaptureResult], record: Record, note: str) -> CaptureResult:
    """One result of a record from the results of its messages; there is at least one."""
    return CaptureResult(
        results[0].place,
        min((result.verdict for result in results), key=list(CaptureVerdict).index),
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
