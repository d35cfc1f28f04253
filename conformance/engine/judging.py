"""From an answer to an outcome: the verdict of one case, before the baseline has its say.

The findings come from the judge; here the register's levels turn them into a verdict, and what happened instead of an
answer turns into another.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from conformance.cases.model import Case
from conformance.cases.requests import configure_request, question_of
from conformance.catalogue.register import Level, Register
from conformance.engine.implementation import Implementation, Umpire
from conformance.engine.plan import Configuration, Item
from conformance.engine.verdicts import Verdict
from conformance.errors import ImplementationError, SuiteError
from conformance.oracle.findings import Finding, Judgement
from conformance.registry import CaseRegistry, Inapplicable, with_ids
from conformance.transport.answers import Answer
from conformance.transport.errors import Crashed, HarnessLost, ProtocolError, TimedOut
from reference_impl.protocols import CODECS
from reference_impl.wire import record_from_json, record_to_json

__all__ = ["Contact", "Found", "Outcome", "Umpire", "settle"]


_ELSEWHERE = 1 << 24


@dataclass(frozen=True, slots=True)
class Found:
    """A finding, with the level at which it counts and how often its fingerprint occurred in the case."""

    finding: Finding
    level: Level
    times: int = 1


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a case. `message` says what happened where no finding does; `evaluated` are requirement ids.

    `restart` is set where the implementation was started again before this case: after which, and why.
    """

    verdict: Verdict
    found: tuple[Found, ...] = ()
    evaluated: frozenset[str] = frozenset()
    message: str = ""
    stderr: str = ""
    restart: tuple[Case, str] | None = None
    seconds: float = field(default=0.0, compare=False)
    attempts: int = 1

    def fingerprints(self, role: str) -> tuple[str, ...]:
        """What identifies the failure: those of its findings above `may`, or `crash@encode` where there are none."""
        marks = [f.finding.fingerprint for f in self.found if f.level is not Level.MAY]
        return tuple(dict.fromkeys(marks)) or (f"{self.verdict}@{role}",)


_VERDICT_OF: Mapping[Level, Verdict] = {
    Level.MUST: Verdict.FAIL,
    Level.SHOULD: Verdict.WARN,
    Level.MAY: Verdict.PASS,
}
_STRENGTH = tuple(Level)

_FAULTS: Mapping[type[ImplementationError], Verdict] = {
    Crashed: Verdict.CRASH,
    TimedOut: Verdict.TIMEOUT,
    ProtocolError: Verdict.PROTOCOL_ERROR,
}


def settle(item: Item, judgement: Judgement, register: Register) -> Outcome:
    """The outcome that a judgement makes: the worst of its findings.

    Raises `SuiteError` for a finding of an unknown requirement, for a judgement in which no assertion ran, and for a
    pass in which an assertion did not run that the case was written for.
    """
    found: dict[tuple[str, str], Found] = {}
    for finding in judgement.findings:
        requirement = register.find(finding.requirement)
        if requirement is None:
            raise SuiteError(f"a finding names {finding.requirement}, which is not in the register")
        advisory = finding.advisory and requirement.level is Level.MUST
        level = Level.SHOULD if advisory else requirement.level
        key = (finding.requirement, finding.fingerprint)
        times = found[key].times + 1 if key in found else 1
        first = found[key].finding if key in found else finding
        found[key] = Found(first, level, times)
    ordered = tuple(sorted(found.values(), key=lambda f: _STRENGTH.index(f.level)))
    verdict = _VERDICT_OF[ordered[0].level] if ordered else Verdict.PASS
    if not judgement.evaluated:
        raise SuiteError("no assertion ran")
    missing = item.requirements - judgement.evaluated
    if verdict is Verdict.PASS and missing:
        raise SuiteError(f"no assertion ran for {', '.join(sorted(missing))}, which the case was written for")
    return Outcome(verdict, ordered, frozenset(judgement.evaluated))


class Contact:
    """One implementation in conversation: it puts cases, and remembers how it is configured.

    `umpires` and `registers` are by protocol. `registry` opens the schema registry of this conversation, which is done
    once a case needs it; None where there is nobody to connect to it.
    """

    def __init__(
        self,
        implementation: Implementation,
        umpires: Mapping[str, Umpire],
        registers: Mapping[str, Register],
        registry: Callable[[], CaseRegistry] | None = None,
    ) -> None:
        self._open_registry = registry
        self._registry: CaseRegistry | None = None
        self._implementation = implementation
        self._umpires = umpires
        self._registers = registers
        self._configuration: Configuration | None = None
        self._configured = Answer("ok", {})
        self._fault: tuple[Case, str] | None = None

    def start(self) -> Mapping[str, Any]:
        """Start it; the result of `hello`. Raises `HarnessLost`."""
        return self._implementation.start()

    def close(self) -> str | None:
        """End it; a complaint where that did not go as it should."""
        complaint = self._implementation.close()
        if self._registry is not None:
            self._registry.close()
        return complaint

    def put(self, item: Item) -> Outcome:
        """Put a case and judge the answer. Raises `HarnessLost`, and nothing else that the other side does."""
        restarts, fault = self._implementation.restarts, self._fault
        outcome = self._put(item)
        if fault is not None and self._implementation.restarts > restarts:
            return replace(outcome, restart=fault)
        return outcome

    def _put(self, item: Item) -> Outcome:
        try:
            return self._judged(item, self._answer(item, self._registry_of(item.case)))
        except HarnessLost:
            raise
        except ImplementationError as e:
            self._fault = item.case, str(e)
            verdict = next((v for kind, v in _FAULTS.items() if isinstance(e, kind)), Verdict.PROTOCOL_ERROR)
            return Outcome(verdict, message=str(e), stderr=getattr(e, "stderr", ""))
        except Inapplicable as e:
            return Outcome(Verdict.EXCLUDED, message=str(e))
        except SuiteError as e:
            return Outcome(Verdict.SUITE_ERROR, message=str(e))
        except Exception as e:  # noqa: BLE001 - what is wrong with us costs one case, and is said to be ours
            return Outcome(Verdict.SUITE_ERROR, message=_our_fault(e))

    def _registry_of(self, case: Case) -> CaseRegistry | None:
        codec = CODECS.get(case.protocol)
        if self._open_registry is None or codec is None or not codec.uses_registry:
            return None
        if self._registry is None:
            self._registry = self._open_registry()
        return self._registry

    def _answer(self, item: Item, registry: CaseRegistry | None) -> Answer:
        case = item.case
        ids: Mapping[int, int] = {}
        if registry is not None:
            ids = registry.begin(case.schemas, case.registry_fault)
            case = replace(case, records=tuple(with_ids(record, ids) for record in case.records))
        if self._configuration != item.configuration:
            self._configuration = None
            request = configure_request(case)
            if registry is not None:
                request |= {"registry_url": registry.url, "topic": registry.topic(case.settings.topic)}
            self._configured = self._implementation.configure(request)
            self._configuration = item.configuration
        if self._configured.kind != "ok":
            return self._configured
        reset = self._implementation.ask("reset")
        if reset.kind != "ok":
            return Answer("error", f"reset was answered with {reset.kind}: {reset.payload}")
        answer = self._implementation.ask(case.role, **question_of(case))
        if registry is None or case.role != "encode" or answer.kind != "ok":
            return answer
        return Answer("ok", {**answer.payload, **_as_the_case_has_them(answer.payload["records"], registry, ids)})

    def _judged(self, item: Item, answer: Answer) -> Outcome:
        if answer.kind == "unsupported" and item.may_decline:
            return Outcome(Verdict.UNSUPPORTED, message=f"declined when it saw the records: {answer.payload}")
        if answer.kind == "unsupported":
            message = f"declared, or not excluded by its hello, but answered with unsupported: {answer.payload}"
            return Outcome(Verdict.FALSE_CLAIM, message=message, stderr=self._implementation.stderr())
        if answer.kind == "error":
            message = f"the harness itself broke: {answer.payload}"
            return Outcome(Verdict.CRASH, message=message, stderr=self._implementation.stderr())
        protocol = item.case.protocol
        judgement = self._umpires[protocol].judge(item.case, {answer.kind: answer.payload})
        outcome = settle(item, judgement, self._registers[protocol])
        if outcome.verdict is Verdict.PASS:
            return outcome
        return replace(outcome, stderr=self._implementation.stderr())


def _as_the_case_has_them(
    given: Sequence[Mapping[str, Any]], registry: CaseRegistry, ids: Mapping[int, int]
) -> dict[str, Any]:
    """The records and what was registered, with the topics and the ids that the case knows; `ids` are case → registry.

    An id that the case does not know stays, unless the case means another schema by it.
    """
    seen = registry.seen()["schemas"]
    known = {there: here for here, there in ids.items()}
    for schema in seen:
        known.setdefault(schema["id"], schema["id"] + (_ELSEWHERE if schema["id"] in ids else 0))
    if all(here == there for there, here in known.items()) and not any(record.get("topic") for record in given):
        return {"records": given, "schemas": seen}
    records = []
    for record in given:
        plain = record_to_json(with_ids(record_from_json(record), known))
        records.append(plain if record.get("topic") is None else {**plain, "topic": registry.plain(record["topic"])})
    return {"records": records, "schemas": [{**schema, "id": known[schema["id"]]} for schema in seen]}


def _our_fault(error: Exception) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    last = frames[-1] if frames else None
    place = f" in {last.name}, line {last.lineno}" if last else ""
    return f"{type(error).__name__}: {error}{place}"
