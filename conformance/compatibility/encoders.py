"""The records that an encoder answers, case by case, with the events that it was given."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from conformance.cases.model import Case, CaseHead
from conformance.engine import RunConfig, run_suite
from conformance.engine.implementation import Target
from conformance.engine.verdicts import Verdict
from reference_impl.model import RowChange
from reference_impl.registry import RegisteredSchema
from reference_impl.wire import claim_from_json, record_from_json

__all__ = ["Encoded", "Named", "encoded", "named_by"]

Event = dict[str, Any]
_ANSWERED = frozenset({Verdict.PASS, Verdict.WARN, Verdict.FAIL, Verdict.XFAIL, Verdict.XFAIL_CHANGED})


@dataclass(frozen=True, slots=True)
class Named:
    """An implementation as it names itself. `note` says why it has no cell where that is so."""

    name: str
    version: str
    profile: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class Encoded:
    """A case with the records that the encoder answered in place of those that the suite expects."""

    case: Case
    verdict: str


def encoded(config: RunConfig, target: Target) -> tuple[Named, list[Encoded]]:
    """Put every encode case of the selection to a target; those with rows, and an answer, in the order of the plan."""
    answers: dict[str, bytes] = {}
    events: list[Event] = []

    def keep(digest: str, text: bytes) -> None:
        answers.setdefault(digest, text)

    selection = replace(config.selection, roles=("encode",))
    run_suite(replace(config, targets=(target,), selection=selection, keep_answer=keep), [events.append])
    heads = _heads(config, target)
    found = [one for event in events if (one := _encoded(event, answers, heads, target.made)) is not None]
    return named_by(events), found


def _heads(config: RunConfig, target: Target) -> dict[tuple[str, str], CaseHead]:
    protocols = config.selection.protocols or tuple(config.registers(()))
    return {
        (protocol, head.id): head
        for protocol in protocols
        for head in target.cases(protocol, target.profile)
        if head.role == "encode"
    }


def named_by(events: Sequence[Event]) -> Named:
    """What the implementation of a run is called."""
    of = next((event for event in events if event["event"] == "iut"), {})
    name = of.get("name") or of.get("iut", "")
    return Named(name, of.get("version", ""), of.get("profile", ""), of.get("message", ""))


def _encoded(
    event: Event,
    answers: dict[str, bytes],
    heads: dict[tuple[str, str], CaseHead],
    made: Callable[[CaseHead], Case],
) -> Encoded | None:
    if event["event"] != "verdict" or event["verdict"] not in _ANSWERED or not event.get("answer"):
        return None
    ok = json.loads(answers[event["answer"]]).get("ok")
    if ok is None:
        return None
    case = made(heads[event["protocol"], event["case"]])
    if not any(isinstance(one, RowChange) for one in case.events):
        return None
    return Encoded(
        replace(
            case,
            records=tuple(map(record_from_json, ok["records"])),
            claims=tuple(map(claim_from_json, ok.get("claims", ()))),
            schemas=tuple(RegisteredSchema(s["id"], s["subject"], s["schema"]) for s in ok.get("schemas", ()))
            or case.schemas,
        ),
        event["verdict"],
    )
