"""The records that an encoder answers, case by case, with the events that it was given."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from conformance.cases.model import Case, CaseHead
from conformance.engine import RunConfig, run_suite
from conformance.engine.implementation import Target
from conformance.engine.verdicts import ExitStatus, Verdict
from conformance.oracle.upstream.pairing import RecordPair
from reference_impl.model import RowChange
from reference_impl.registry import RegisteredSchema
from reference_impl.wire import claim_from_json, record_from_json

__all__ = ["EncodedCase", "Encoder", "ExecutedEncoder", "NamedIut", "implementation_of", "run_to_end"]

Event = dict[str, Any]
_ANSWERED = frozenset({Verdict.PASS, Verdict.WARN, Verdict.FAIL, Verdict.XFAIL, Verdict.XFAIL_CHANGED})
_NO_ANSWER = frozenset({Verdict.CRASH, Verdict.TIMEOUT, Verdict.PROTOCOL_ERROR, Verdict.FALSE_CLAIM})
_UNTRIED = {Verdict.NOT_RUN: "the encoder was lost", Verdict.SUITE_ERROR: "the suite itself failed"}


@dataclass(frozen=True, slots=True)
class NamedIut:
    """The name of an implementation, as it declares it."""

    name: str
    version: str
    profile: str
    note: str = ""
    """Why results of it are missing; empty if none are."""
    suite_failed: bool = False
    """The suite itself failed in one of its cases, which `note` names."""
    is_started: bool = True
    """False if it never answered `hello`; its name is its address then."""

    @property
    def label(self) -> str:
        """Name and version."""
        return f"{self.name} {self.version}".strip()


@dataclass(frozen=True, slots=True)
class EncodedCase:
    """A case with the records of an encoder."""

    case: Case
    """Its records are the encoder's, not those that the suite expects."""
    unknown_columns: frozenset[str] = frozenset()
    """Columns that a clock of the server filled, so that their original values are unknown."""
    reason: str = ""
    """Why there are no records to read, or ""."""
    pairs: tuple[RecordPair, ...] = ()
    """The pairs of the records in a recorded stream, recorded and expected; empty for an implementation that is run."""


class Encoder(Protocol):
    """An encoder: an implementation that is run, or a recorded stream. `address` is its name for users."""

    @property
    def address(self) -> str: ...

    def encoded(self, config: RunConfig) -> tuple[NamedIut, list[EncodedCase]]:
        """The name of the encoder, and every case of the selection that has rows."""
        ...


@dataclass(frozen=True, slots=True)
class ExecutedEncoder:
    """An implementation that gets the cases of the suite."""

    address: str
    target: Target

    def encoded(self, config: RunConfig) -> tuple[NamedIut, list[EncodedCase]]:
        """Run every encode case of the selection against it, in the order of the plan."""
        answers: dict[str, bytes] = {}
        events: list[Event] = []

        def keep(digest: str, text: bytes) -> None:
            answers.setdefault(digest, text)

        selection = replace(config.selection, roles=("encode",))
        run_to_end(replace(config, targets=(self.target,), selection=selection, keep_answer=keep), events)
        heads = self._heads(config)
        verdicts = (event for event in events if event["event"] == "verdict")
        found = (_encoded(event, answers, heads, self.target.make_case) for event in verdicts)
        return implementation_of(events), [one for one in found if one is not None]

    def _heads(self, config: RunConfig) -> dict[tuple[str, str], CaseHead]:
        protocols = config.selection.protocols or tuple(config.registers(()))
        return {
            (protocol, head.id): head
            for protocol in protocols
            for head in self.target.cases(protocol, self.target.profile)
            if head.role == "encode"
        }


def run_to_end(config: RunConfig, events: list[Event]) -> None:
    """Run, and append the events. Raises `KeyboardInterrupt` if it was interrupted: part of a run makes no cell."""
    if run_suite(config, [events.append]) is ExitStatus.INTERRUPTED:
        raise KeyboardInterrupt


def implementation_of(events: Sequence[Event]) -> NamedIut:
    """The implementation that a run judged."""
    iut = next((event for event in events if event["event"] == "iut"), {})
    name = iut.get("name") or iut.get("iut", "")
    first = {event.get("verdict"): event for event in reversed(events)}
    failed = first.get(Verdict.SUITE_ERROR) if iut.get("started") else None
    if not iut.get("started"):
        note = iut.get("message", "")
    elif failed is not None:
        note = f"the suite itself failed in {failed['case']}: {failed['message']}"
    else:
        note = first.get(Verdict.NOT_RUN, {}).get("message", "")
    return NamedIut(
        name,
        iut.get("version", ""),
        iut.get("profile", ""),
        note,
        suite_failed=failed is not None,
        is_started=bool(iut.get("started")),
    )


def _encoded(
    event: Event,
    answers: dict[str, bytes],
    heads: dict[tuple[str, str], CaseHead],
    make_case: Callable[[CaseHead], Case],
) -> EncodedCase | None:
    """The case of a verdict with its records; None if it was not to run, or has no row."""
    if event["verdict"] not in _ANSWERED | _NO_ANSWER | _UNTRIED.keys():
        return None
    case = make_case(heads[event["protocol"], event["case"]])
    if not any(isinstance(one, RowChange) for one in case.events):
        return None
    if event["verdict"] in _UNTRIED:
        return EncodedCase(case, reason=f"{_UNTRIED[event['verdict']]}: {event['message']}")
    answer = json.loads(answers[event["answer"]]) if event.get("answer") else {}
    ok = answer.get("ok")
    if ok is None:
        why = "refuses the case" if answer else f"ends with {event['verdict']}"
        return EncodedCase(case, reason=f"the encoder {why}")
    return EncodedCase(
        replace(
            case,
            records=tuple(map(record_from_json, ok["records"])),
            claims=tuple(map(claim_from_json, ok.get("claims", ()))),
            schemas=tuple(RegisteredSchema(s["id"], s["subject"], s["schema"]) for s in ok.get("schemas", ()))
            or case.schemas,
        )
    )
