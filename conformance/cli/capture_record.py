"""The run record of a judged capture, which every report reads.

Each record of the capture is a case, which its place names, and so is each rule broken between records.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from conformance.captures.results import CaptureResult
from conformance.captures.topics import is_topics
from conformance.cases.model import Anchor, Case
from conformance.catalogue.register import Level, Register, load_register
from conformance.cli.parser import typed_command
from conformance.engine import Gate, events
from conformance.engine.answers import KeepAnswer, answer_digest, answer_text
from conformance.engine.case_events import CaseEvents
from conformance.engine.choosing import digest_of
from conformance.engine.implementation import already_made
from conformance.engine.outcomes import Found, Outcome
from conformance.engine.plan import Item, Plan
from conformance.engine.requirement_results import RequirementResults
from conformance.engine.verdicts import Tally, Verdict
from conformance.oracle.weights import weight_of
from conformance.transport.origin import Origin
from reference_impl.profiles import Profile
from reference_impl.wire import record_to_json

__all__ = ["JudgedCapture", "capture_record"]


@dataclass(frozen=True, slots=True)
class JudgedCapture:
    """A capture that was read and judged."""

    name: str
    """The argument of `--records`."""
    protocol: str
    profile: Profile
    oracle: str
    """The source of the expectations, in words."""
    results: Sequence[CaptureResult]
    lost: str
    """Why it could not be read to its end; "" if it was."""
    is_interrupted: bool
    notes: Sequence[str]
    """Hints about the capture as a whole."""


def capture_record(
    capture: JudgedCapture, policy: Gate, origin: Origin | None, keep: KeepAnswer | None
) -> Iterator[dict[str, Any]]:
    """The run record, event by event; `keep` saves the records themselves."""
    protocol, profile, results = capture.protocol, capture.profile, capture.results
    rules = load_register(protocol)
    judged = [(_item(protocol, result, capture.oracle), _outcome(result, rules)) for result in results]
    source = capture.name.partition("?")[0] if is_topics(capture.name) else capture.name
    label = Path(source).name
    command, started = typed_command(), datetime.now(tz=UTC).isoformat(timespec="seconds")
    yield events.run_event(command, {protocol: rules}, policy, level="may", started=started, host="", origin=origin)
    hello = {"name": label, "version": "captured", "language": "", "protocols": {protocol: {"roles": ["encode"]}}}
    problems = [f"{item.case.id}: {outcome.message}" for item, outcome in judged if outcome.verdict is Verdict.NOT_RUN]
    yield events.iut_event(
        label, capture.name, "capture", profile.name, hello, message="", stderr="", problems=problems
    )
    items = tuple(item for item, _ in judged)
    digest = digest_of(f"{i.case.role} {i.case.id}" for i in items)
    yield events.plan_event(label, Plan(items, digest=digest, notes=tuple(capture.notes)))
    tally = Tally(planned=len(judged), interrupted=capture.is_interrupted, incomplete=bool(capture.lost))
    by_requirement = RequirementResults(rules, profile, frozenset({"encode"}))
    cases = CaseEvents()
    for item, outcome in judged:
        if keep is not None and outcome.answer_text is not None:
            keep(outcome.answer, outcome.answer_text)
        tally.add(outcome.verdict)
        by_requirement.add(item, outcome)
        fingerprints = outcome.fingerprints(item.case.role)
        verdict = events.verdict_event(
            label, item, profile.name, outcome, known=(), register=rules, fingerprints=fingerprints, new=True
        )
        case = partial(already_made, item.case)
        yield from (_with_records(event, case()) for event in cases.before(label, item, verdict, case))
        # There is no case to run again: the user looks at the place.
        yield verdict | {"replay": item.case.id}
    for requirement, of in by_requirement:
        yield events.requirement_event(label, requirement, of)
    iut = events.IutResult(label, profile.name, tally, {(protocol, "encode"): tally})
    baseline = {"known": 0, "unmatched": [], "expired": [], "passing": [], "stale": False, "whole": False}
    yield events.end_event([iut], policy, baseline, message=capture.lost, seconds=0.0)


def _with_records(event: dict[str, Any], case: Case) -> dict[str, Any]:
    """A `case` event with the record in its input. With `--redact` there is no input."""
    if "input" not in event or not case.records:
        return event
    return event | {"input": {**event["input"], "records": [record_to_json(record) for record in case.records]}}


def _item(protocol: str, result: CaptureResult, oracle: str) -> Item:
    """A result as a case; its id is the place in the capture."""
    place = str(result.place) + (", between records" if result.is_stream else "")
    case = Case(
        place,
        protocol,
        "encode",
        records=(result.record,) if result.record else (),
        anchor=Anchor.REFERENCE,
        source=oracle,
    )
    return Item(case, Level.MUST, configuration=(protocol, (), case.settings, ""), requirements=frozenset())


def _outcome(result: CaptureResult, rules: Register) -> Outcome:
    """The verdict of a result, and its findings: equal ones once, with their number."""
    found: dict[tuple[str, str], Found] = {}
    for finding in result.findings:
        key = finding.requirement, finding.fingerprint
        times = found[key].times + 1 if key in found else 1
        found[key] = Found(finding, *weight_of(finding, rules.requirements[finding.requirement]), times)
    verdict = Verdict(result.verdict)
    if result.problem is not None and verdict is Verdict.EXCLUDED:
        # An unreadable line was not judged: the run proves nothing about it, and is not green.
        verdict = Verdict.NOT_RUN
    message = result.problem or (f"not judged: {'; '.join(result.not_judged)}" if result.not_judged else "")
    outcome = Outcome(verdict, tuple(found.values()), result.evaluated, message)
    if result.record is None or result.is_stream:
        return outcome
    # A record is what an encoder answered once.
    text = answer_text("ok", {"records": [record_to_json(result.record)]})
    return replace(outcome, answer=answer_digest(text), answer_text=text)
