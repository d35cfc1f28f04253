"""`list cases`: the cases of protocols under a profile, by an expression of `-k` if there is one."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from typing import Any

from conformance.cases.model import IndexedCase
from conformance.catalogue.register import Level, load_register
from conformance.cli.known_cases import known_cases
from conformance.engine.plan import Standards, unknown_terms
from conformance.engine.selection import Expression, Subject, subject_of
from reference_impl.profiles import Profile

__all__ = ["case_rows"]


def case_rows(protocols: Sequence[str], profile: Profile, text: str | None) -> tuple[list[dict[str, Any]], list[str]]:
    """A row for every case that matches, and a line for every term of the expression that matches none or is not

    wholly known.
    """
    expression = Expression(text) if text else None
    rows: list[dict[str, Any]] = []
    subjects: list[Subject] = []
    standards_of = {protocol: Standards(load_register(protocol), profile) for protocol in protocols}
    for protocol in protocols:
        standards = standards_of[protocol]
        for case in known_cases(protocol, profile):
            level, _ = standards.of(case.requirements)
            if expression is None:
                rows.append(_row(case, level))
                continue
            subject = subject_of(case.id, protocol, case.role, level, case.requirements, case.axes, case.found_by)
            subjects.append(subject)
            if expression.matches(subject):
                rows.append(_row(case, level))
    if expression is None:
        return rows, []
    cases = (case for protocol in protocols for case in known_cases(protocol, profile))
    unknown = unknown_terms(expression, cases, standards_of)
    return rows, [*_unmatched(expression, subjects, unknown), *unknown.values()]


def _row(case: IndexedCase, level: Level) -> dict[str, Any]:
    return {
        "id": case.id,
        "role": case.role,
        "replay": case.replay_id,
        "anchor": str(case.anchor),
        "options": dict(case.options),
        "requirements": list(case.requirements),
        "level": str(level),
        "axes": dict(case.axes),
    }


def _unmatched(expression: Expression, subjects: Sequence[Subject], unknown: Container[str]) -> Iterator[str]:
    for term in expression.unmatched(subjects):
        if term in unknown:
            continue
        near = " or ".join(expression.near(term, subjects))
        yield f"no case matches {term!r}" + (f"; did you mean {near}?" if near else "")
