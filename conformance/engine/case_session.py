"""Runs cases against one implementation, and judges its answers.

A fault in place of an answer (a crash, a time-out) has a verdict of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from conformance.cases.model import Case, CaseHead, IndexedCase
from conformance.cases.requests import case_request, configure_request
from conformance.catalogue.register import Register
from conformance.engine.answers import answer_digest, answer_text
from conformance.engine.declared import has_own_clock
from conformance.engine.implementation import AnswerJudge, ExpectsRecords, Target
from conformance.engine.outcomes import Outcome, outcome_of
from conformance.engine.plan import Configuration, Item
from conformance.engine.verdicts import Verdict
from conformance.errors import ImplementationError, Inapplicable, SuiteError, our_fault
from conformance.transport.answers import Answer
from conformance.transport.errors import Crashed, HarnessLost, ProtocolError, TimedOut
from reference_impl.protocols import CODECS
from reference_impl.wire import record_from_json, record_to_json

if TYPE_CHECKING:
    from conformance.consumers.affected import AffectedConsumer
    from conformance.registry import CaseRegistry

__all__ = ["CaseSession"]

_UNKNOWN_IDS = 1 << 24
"""Added to an id of the registry that the case does not know, if the case has the same id for another schema."""

_UNSHOWN = frozenset({Verdict.PASS, Verdict.UNSUPPORTED})

_SEEN: Mapping[str, str] = {"encode": "input", "decode": "records"}
"""The input that an implementation has seen when it declines a case, by its role."""

_FAULTS: Mapping[type[ImplementationError], Verdict] = {
    Crashed: Verdict.CRASH,
    TimedOut: Verdict.TIMEOUT,
    ProtocolError: Verdict.PROTOCOL_ERROR,
}


class CaseSession:
    """A session with one implementation: runs cases, and remembers its configuration.

    `judges` and `registers` are by protocol. `registry` opens the schema registry of this session, at the first case
    that needs it; a recording connects to none. With `keeps_answers` an outcome has the text of the answer too.
    """

    def __init__(
        self,
        target: Target,
        judges: Mapping[str, AnswerJudge],
        registers: Mapping[str, Register],
        registry: Callable[[], CaseRegistry],
        *,
        keeps_answers: bool = False,
    ) -> None:
        self._implementation = target.open()
        self._make_case = target.make_case
        self._keeps_answers = keeps_answers
        self._answer_text: bytes | None = None  # of the current case
        self._open_registry = None if target.contact == "recorded" else registry
        self._registry: CaseRegistry | None = None
        self._has_own_clock = False
        self._judges = judges
        self._registers = registers
        self._configuration: Configuration | None = None
        self._configured = Answer("ok", {})  # to the last `configure`
        self._fault: tuple[CaseHead, str] | None = None  # the last fault: in which case, and its text
        self._belated: Outcome | None = None
        self._is_answered: bool | None = None  # whether the current case was; None if it was not sent

    def start(self) -> Mapping[str, Any]:
        """Start the implementation; returns the result of `hello`. Raises `HarnessLost`."""
        hello = self._implementation.start()
        self._has_own_clock = has_own_clock(hello)
        return hello

    def close(self) -> str | None:
        """End the session; returns a complaint if that failed."""
        complaint = self._implementation.close()
        fault = self._implementation.last_fault
        if fault is not None and fault.belated:
            self._belated = _outcome_of(fault)
        if self._registry is not None:
            self._registry.close()
            self._registry = None
        return complaint

    def execute(self, item: Item, previous: Item | None = None) -> Outcome:
        """Run a case and judge the answer. Raises `HarnessLost`; any other failure of the implementation is an outcome.

        `previous` is the case that ran before it, if its outcome may still change: see `belated`.
        """
        restarts, fault = self._implementation.restarts, self._fault
        try:
            case = self._make_case(item.case)
        except Exception as e:  # noqa: BLE001 - a fault of the suite costs one case, and its outcome names the suite
            return Outcome(Verdict.SUITE_ERROR, message=str(e) if isinstance(e, SuiteError) else our_fault(e))
        try:
            outcome = self._run(item, case, blamed=previous is None)
        except ImplementationError as e:
            if isinstance(e, HarnessLost) or previous is None:
                raise
            self._fault = fault = previous.case, str(e)
            self._belated = _outcome_of(e)
            outcome = self._run(item, case, blamed=True)
        outcome = replace(
            outcome,
            answered=self._is_answered,
            case=None if outcome.verdict in _UNSHOWN else case,
            answer=answer_digest(self._answer_text) if self._answer_text is not None else "",
            answer_text=self._answer_text if self._keeps_answers else None,
        )
        if fault is not None and self._implementation.restarts > restarts:
            return replace(outcome, restart=fault)
        return outcome

    def belated(self) -> Outcome | None:
        """The late outcome of the last case: a second answer, or a crash after the answer; returned once.

        It is known once the next case has run with this one as `previous`, or after the end.
        """
        belated, self._belated = self._belated, None
        return belated

    def _run(self, item: Item, case: Case, *, blamed: bool) -> Outcome:
        """Run one case. A late failure of the case before counts for this one if it is `blamed`; else it is raised."""
        self._is_answered = self._answer_text = None
        try:
            answer = self._answer(item, case, self._registry_of(case))
            self._answer_text = answer_text(answer.kind, answer.payload)
            if self._has_own_clock and case.role == "encode" and answer.kind == "ok":
                from conformance.engine.own_clock import with_positions  # at need: it imports all of upstream's tables

                case = with_positions(case, [record_from_json(record) for record in answer.payload["records"]])
            outcome = self._judged(item, case, answer)
        except HarnessLost:
            raise
        except ImplementationError as e:
            if e.belated and not blamed:
                raise
            self._fault, self._is_answered = (case, str(e)), False
            return _outcome_of(e)
        except Inapplicable as e:
            return Outcome(Verdict.EXCLUDED, message=str(e))
        except SuiteError as e:
            return Outcome(Verdict.SUITE_ERROR, message=str(e))
        except Exception as e:  # noqa: BLE001 - a fault of the suite costs one case, and its outcome names the suite
            return Outcome(Verdict.SUITE_ERROR, message=our_fault(e))
        if answer.origin is None and not answer.origin_problem:
            return outcome
        return replace(outcome, origin=answer.origin, origin_problem=answer.origin_problem)

    def _registry_of(self, case: Case) -> CaseRegistry | None:
        codec = CODECS.get(case.protocol)
        if self._open_registry is None or codec is None or not codec.uses_registry:
            return None
        if self._registry is None:
            self._registry = self._open_registry()
        return self._registry

    def _answer(self, item: Item, case: Case, registry: CaseRegistry | None) -> Answer:
        ids: Mapping[int, int] = {}
        if registry is not None:
            from conformance.registry import with_ids

            ids = registry.begin(case.schemas, case.registry_fault)
            case = replace(case, records=tuple(with_ids(record, ids) for record in case.records))
        if self._configuration != item.configuration:
            self._configuration = None
            request = configure_request(case)
            if registry is not None:
                request |= {"registry_url": registry.url, "topic": registry.topic_to_configure(case.settings.topic)}
            self._configured = self._implementation.configure(request)
            self._configuration = item.configuration
        if self._configured.kind != "ok":
            return self._configured
        reset = self._implementation.ask("reset")
        if reset.kind != "ok":
            return Answer("error", f"reset was answered with {reset.kind}: {reset.payload}")
        answer = self._implementation.ask(case.role, **case_request(case))
        self._is_answered = True
        if registry is None or case.role != "encode" or answer.kind != "ok":
            return answer
        renamed = _with_ids_of_case(answer.payload["records"], registry, ids)
        return replace(answer, payload={**answer.payload, **renamed})

    def _judged(self, item: Item, case: Case, answer: Answer) -> Outcome:
        if answer.kind == "unsupported" and item.may_decline:
            message = f"declined when it saw the {_SEEN[case.role]}: {answer.payload}"
            return Outcome(Verdict.UNSUPPORTED, message=message)
        if answer.kind == "unsupported":
            message = f"declared, or not excluded by its hello, but answered with unsupported: {answer.payload}"
            return Outcome(Verdict.FALSE_CLAIM, message=message, stderr=self._implementation.stderr())
        if answer.kind == "error":
            message = f"the harness itself broke: {answer.payload}"
            return Outcome(Verdict.CRASH, message=message, stderr=self._implementation.stderr())
        protocol, judge = case.protocol, self._judges[case.protocol]
        perfect = item.case.perfect if isinstance(item.case, IndexedCase) else None
        given: Mapping[str, Any] = {answer.kind: answer.payload}
        judgement = judge.judge(case, given, perfect=perfect)
        outcome = outcome_of(item, judgement, self._registers[protocol])
        if outcome.verdict is Verdict.PASS:
            return outcome
        return replace(outcome, stderr=self._implementation.stderr(), affected=_affected(judge, case, answer))


def _affected(judge: AnswerJudge, case: Case, answer: Answer) -> tuple[AffectedConsumer, ...]:
    """The consumers that read the failing answer differently from the right one."""
    if case.role != "encode" or answer.kind != "ok" or not isinstance(judge, ExpectsRecords):
        return ()
    from conformance.consumers.affected import Sent, affected_consumers  # only failures need the models

    known = {schema.id: schema.schema for schema in case.schemas}
    right = judge.expected_records(case)
    expected = Sent(right.records, known | {schema.id: schema.schema for schema in right.schemas})
    registered = {schema["id"]: schema["schema"] for schema in answer.payload.get("schemas", ())}
    got = Sent([record_from_json(record) for record in answer.payload["records"]], known | registered)
    return tuple(affected_consumers(case.protocol, case.tables, expected, got))


def _with_ids_of_case(
    answered: Sequence[Mapping[str, Any]], registry: CaseRegistry, ids: Mapping[int, int]
) -> dict[str, Any]:
    """The members `records` and `schemas` of an answer, with the topics and schema ids that the case has.

    `ids` maps the ids of the case to those of the registry. An id that the case does not know stays, unless the case
    has it for another schema.
    """
    from conformance.registry import with_ids

    registered = registry.registered()
    case_id_of = {registry_id: case_id for case_id, registry_id in ids.items()}
    for schema in registered:
        case_id_of.setdefault(schema["id"], schema["id"] + (_UNKNOWN_IDS if schema["id"] in ids else 0))
    are_ids_equal = all(case_id == registry_id for registry_id, case_id in case_id_of.items())
    if are_ids_equal and not any(record.get("topic") for record in answered):
        return {"records": answered, "schemas": registered}
    records = []
    for record in answered:
        plain = record_to_json(with_ids(record_from_json(record), case_id_of))
        records.append(
            plain if record.get("topic") is None else {**plain, "topic": registry.topic_of_case(record["topic"])}
        )
    return {"records": records, "schemas": [{**schema, "id": case_id_of[schema["id"]]} for schema in registered]}


def _outcome_of(fault: ImplementationError) -> Outcome:
    verdict = next((v for kind, v in _FAULTS.items() if isinstance(fault, kind)), Verdict.PROTOCOL_ERROR)
    return Outcome(verdict, message=str(fault), stderr=fault.stderr)
