"""Makes the events of the run record; `fixtures/schemas/run-event.schema.json` is their schema.

An event is a dict of JSON values. Members that differ between two runs of the same cases (times, the host) are marked
as volatile in the schema.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import orjson

from conformance import __version__
from conformance.cases.model import Case, CaseHead
from conformance.cases.requests import case_request, input_digest
from conformance.catalogue.register import Register, Requirement
from conformance.engine.baseline import Known, write_baseline
from conformance.engine.finding_members import finding_member, later_member, place_of
from conformance.engine.outcomes import Outcome
from conformance.engine.plan import Item, Plan, Sharded, Unjudged
from conformance.engine.requirement_results import RequirementResult
from conformance.engine.selection import Selection
from conformance.engine.verdicts import ExitStatus, Gate, Tally, Verdict, gate
from conformance.transport.origin import Origin
from reference_impl.protocols import CODECS, UPSTREAM

__all__ = [
    "SCHEMA_VERSION",
    "Event",
    "IutResult",
    "case_event",
    "end_event",
    "input_of",
    "iut_event",
    "note_event",
    "plan_event",
    "requirement_event",
    "restart_event",
    "run_event",
    "scope_of",
    "verdict_event",
    "verdicts_event",
]

Event: TypeAlias = dict[str, Any]

SCHEMA_VERSION = 3
"""Since 2: `case` events only for failures, with `sql` and `input` once per cause (`case_events` says for which case);
no verdict of excluded cases; `axes`.

Since 3: one `verdicts` event for all cases of a protocol and role if the implementation does not declare the protocol,
or did not start.
"""


def _digest(tree: Any) -> str:
    return hashlib.sha256(json.dumps(tree, sort_keys=True, ensure_ascii=True).encode()).hexdigest()


def run_event(
    command: Sequence[str],
    registers: Mapping[str, Register],
    policy: str,
    level: str,
    started: str,
    host: str,
    origin: Origin | None = None,
    scope: Mapping[str, Any] | None = None,
    suite_version: str | None = None,
) -> Event:
    """The first event; `started` (ISO 8601) and `host` are volatile.

    `origin` stands for answers without one. `scope` is that of `scope_of`, None if nothing can be selected.
    `suite_version` is the version whose requirements score, None for all.
    """
    return {
        "event": "run",
        "schema": SCHEMA_VERSION,
        "suite": __version__,
        **({} if suite_version is None else {"suite_version": suite_version}),
        "command": list(command),
        "registers": {
            protocol: {
                "requirements": len(register.requirements),
                "digest": register.digest,
                **({"has_profiles": False} if protocol in UPSTREAM else {}),
            }
            for protocol, register in registers.items()
        },
        "gate": policy,
        "level": level,
        **(scope or {}),
        "started": started,
        "host": host,
        **_origin_member(origin),
    }


def scope_of(
    selection: Selection, baseline: Sequence[Known], against: Mapping[tuple[str, str], frozenset[str]]
) -> Event:
    """The selection and the known failures: two runs of one scope can be compared or merged."""
    earlier = sorted([role, case, sorted(marks)] for (role, case), marks in against.items())
    return {
        "selection": {
            "protocols": list(selection.protocols),
            "roles": list(selection.roles),
            "expression": selection.expression.text if selection.expression is not None else None,
            "cases": _digest(sorted(selection.only)) if selection.only is not None else None,
            "shard": f"{selection.shard.index}/{selection.shard.count}" if selection.shard is not None else None,
        },
        "baseline": _digest(write_baseline(baseline)) if baseline else None,
        "against": _digest(earlier) if against else None,
    }


def _origin_member(origin: Origin | None) -> dict[str, Any]:
    return {} if origin is None else {"origin": origin.to_json()}


def note_event(label: str, case: CaseHead, text: str) -> Event:
    """A remark on an implementation that belongs to no verdict, with the case that showed it first."""
    return {"event": "note", "iut": label, "case": case.id, "role": case.role, "text": text}


def iut_event(
    label: str,
    address: str,
    contact: str,
    profile: str,
    hello: Mapping[str, Any] | None,
    message: str,
    stderr: str,
    problems: Sequence[str],
) -> Event:
    """An implementation as it describes itself; later events call it `label`."""
    declared = hello or {}
    return {
        "event": "iut",
        "iut": label,
        "address": address,
        "contact": contact,
        "profile": profile,
        "started": hello is not None,
        "name": declared.get("name", ""),
        "version": declared.get("version", ""),
        "language": declared.get("language", ""),
        "homepage": declared.get("homepage", ""),
        "protocols": declared.get("protocols", {}),
        "message": message,
        "stderr": stderr,
        "problems": list(problems),
    }


def plan_event(label: str, plan: Plan) -> Event:
    """The numbers of planned cases for an implementation, in all and by protocol and role."""
    zero = {"planned": 0, "excluded": 0, "unsupported": 0}
    by: dict[tuple[str, str], dict[str, int]] = {part: dict(zero) for part in plan.parts}
    for part, verdict, cases in plan.counts():
        counts = by.setdefault(part, dict(zero))
        counts["planned"] += cases
        if verdict is not None and verdict in zero:
            counts[verdict] += cases
    return {
        "event": "plan",
        "iut": label,
        "planned": plan.planned,
        "by": [{"protocol": protocol, "role": role, **counts} for (protocol, role), counts in by.items()],
        "digest": plan.digest,
        "unmatched": list(plan.unmatched),
        "near": {term: list(names) for term, names in plan.near.items()},
        "notes": list(plan.notes),
        **_shard_member(plan.sharded),
    }


def _shard_member(sharded: Sharded | None) -> dict[str, Any]:
    if sharded is None:
        return {}
    shard, digest = sharded.shard, sharded.digest
    return {"shard": {"index": shard.index, "count": shard.count, "planned": sharded.planned, "digest": digest}}


def input_of(case: Case) -> dict[str, Any]:
    """The request of a case without its SQL, and the schemas that the registry has at its start."""
    request = {name: value for name, value in case_request(case).items() if name not in ("case", "sql")}
    codec = CODECS.get(case.protocol)
    if case.schemas or (codec is not None and codec.uses_registry):
        request["schemas"] = [{"id": s.id, "subject": s.subject, "schema": s.schema} for s in case.schemas]
    return request


def case_event(label: str, item: Item, case: Case) -> Event:
    """A case and its input. `size` is the length of SQL and input as JSON, in bytes."""
    settings, sql, request = case.settings, list(case.sql), input_of(case)
    return {
        "event": "case",
        "iut": label,
        "case": case.id,
        "protocol": case.protocol,
        "role": case.role,
        "level": item.level,
        "requirements": list(case.requirements),
        "axes": dict(case.axes),
        "options": dict(case.options),
        "settings": {"timezone": settings.timezone, "partitions": settings.partitions, "topic": settings.topic},
        "sql": sql,
        "input": request,
        "size": len(orjson.dumps([sql, request])),
        "digest": input_digest(case),
        "anchor": case.anchor,
        "source": case.source,
        "replay": case.replay_id,
    }


def verdict_event(
    label: str,
    item: Item,
    profile: str,
    outcome: Outcome,
    known: Sequence[Known],
    register: Register,
    fingerprints: Sequence[str],
    *,
    new: bool,
) -> Event:
    """The verdict on a case; `fingerprints` identify its failure, whether or not the baseline knows it.

    `new` is false if the run compared against had the same failure.
    """
    case = item.case
    findings = []
    for found in outcome.found:
        requirement = register.find(found.finding.requirement)
        if requirement is not None:
            findings.append(finding_member(case, found, requirement, outcome.affected))
    is_failure = outcome.verdict not in _NO_FAILURE
    return {
        "event": "verdict",
        "iut": label,
        "case": case.id,
        "protocol": case.protocol,
        "role": case.role,
        "profile": profile,
        "level": item.level,
        "verdict": outcome.verdict,
        "requirements": list(case.requirements),
        "axes": dict(case.axes),
        "evaluated": sorted(outcome.evaluated),
        "findings": findings,
        "fingerprints": list(fingerprints) if is_failure else [],
        "answer": outcome.answer or None,
        "message": outcome.message,
        "stderr": outcome.stderr,
        "attempts": outcome.attempts,
        "known": [_known(entry) for entry in known],
        "new": new,
        "replay": case.replay_id,
        "seconds": round(outcome.seconds, 6),
        **_origin_member(outcome.origin),
        **({} if item.position is None else {"position": item.position}),
    }


def verdicts_event(label: str, profile: str, unjudged: Unjudged) -> Event:
    """The common verdict on cases of one protocol and role that do not run."""
    protocol, role = unjudged.part
    return {
        "event": "verdicts",
        "iut": label,
        "protocol": protocol,
        "role": role,
        "profile": profile,
        "verdict": unjudged.verdict,
        "message": unjudged.reason,
        "cases": unjudged.cases,
    }


_NO_FAILURE = frozenset(
    {Verdict.PASS, Verdict.XPASS, Verdict.EXCLUDED, Verdict.UNSUPPORTED, Verdict.NOT_RUN, Verdict.SUITE_ERROR}
)


def _known(entry: Known) -> dict[str, Any]:
    return {
        "entry": str(entry),
        "reason": entry.reason,
        "issue": entry.issue,
        "owner": entry.owner,
        "expires": entry.expires.isoformat() if entry.expires else None,
    }


def restart_event(label: str, after: CaseHead, why: str) -> Event:
    """The implementation was started again after a case."""
    return {"event": "restart", "iut": label, "after": after.id, "role": after.role, "why": why}


def requirement_event(label: str, requirement: Requirement, result: RequirementResult) -> Event:
    """A requirement that applies, and its result."""
    return {
        "event": "requirement",
        "iut": label,
        "id": requirement.id,
        "protocol": requirement.protocol,
        "level": requirement.level,
        **later_member(requirement),
        "role": requirement.role,
        "group": requirement.group,
        "rule": requirement.rule,
        "place": place_of(requirement),
        "anchor": result.anchor,
        "standing": result.status,
        "cases": result.cases,
        "breaking": result.findings,
        "reason": requirement.reason,
    }


class IutResult(NamedTuple):
    """The result of a run for one implementation."""

    label: str
    profile: str
    tally: Tally
    by: Mapping[tuple[str, str], Tally]
    """The tallies by protocol and role."""


def end_event(
    iuts: Sequence[IutResult],
    policy: Gate,
    baseline: Mapping[str, Any],
    message: str,
    seconds: float,
    also: Iterable[ExitStatus] = (),
) -> Event:
    """The last event: accounting, gate and exit status; a record without it is incomplete.

    `also` are statuses that no tally shows.
    """
    result = gate([iut.tally for iut in iuts], policy, also)
    of_each = [(iut, gate([iut.tally], policy)) for iut in iuts]
    total = Tally()
    for iut in iuts:
        total.planned += iut.tally.planned
        for verdict, n in iut.tally.counts.items():
            total.add(verdict, n)
    return {
        "event": "end",
        "accounting": {
            **_tally(total),
            "iuts": [
                {
                    "iut": iut.label,
                    "profile": iut.profile,
                    **_tally(iut.tally),
                    "by": [{"protocol": p, "role": r, **_tally(part)} for (p, r), part in iut.by.items()],
                    "gate": of_iut.colour,
                    "exit": int(of_iut.status),
                }
                for iut, of_iut in of_each
            ],
        },
        "baseline": dict(baseline),
        "gate": {"policy": policy, "colour": result.colour},
        "exit": int(result.status),
        "interrupted": result.status is ExitStatus.INTERRUPTED,
        "message": message,
        "seconds": round(seconds, 6),
    }


def _tally(tally: Tally) -> dict[str, Any]:
    return {
        "planned": tally.planned,
        "counts": {str(verdict): tally.counts[verdict] for verdict in Verdict if tally.counts.get(verdict)},
        "adds_up": tally.adds_up,
    }
