"""The harm of an implementation that accepts malformed input.

No document obliges a consumer to refuse malformed input. The harm depends on the data that it answers: an answer with
the content of the message without its fault, or with the content that the fault has written, lost nothing, and is only
too lenient.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

from conformance.cases.model import Case, ExpectedEvents, ExpectedRejection
from conformance.catalogue.harm import Harm
from conformance.oracle.faults import Fault, harm_after_faults
from conformance.oracle.findings import Judgement
from reference_impl.errors import RejectionClass
from reference_impl.options import parse
from reference_impl.protocols import DIALECTS
from reference_impl.registry import MemoryRegistry
from reference_impl.settings import Settings
from reference_impl.wire import event_to_json

__all__ = ["harm_of_acceptance"]

JudgeAnswer: TypeAlias = Callable[[Case, Mapping[str, Any]], Judgement]
FaultsOf: TypeAlias = Callable[[Case, Case], Sequence[Fault] | None]

# A fault of form leaves the data as they were. A fault of a type, a range or the meaning changes the content: a reader
# may answer it as written.
_OF_FORM = frozenset({RejectionClass.FRAMING, RejectionClass.SYNTAX, RejectionClass.SCHEMA})


def harm_of_acceptance(
    case: Case,
    expected: ExpectedRejection,
    ok: Mapping[str, Any],
    judge: JudgeAnswer,
    find_faults: FaultsOf | None = None,
) -> Harm:
    """The harm of the answer `ok` to a case that must be refused.

    `judge` judges an answer to another case. `find_faults` finds the differences of a case from its twin, see
    `faults_of`; without it (for upstream dialects) they are unknown.
    """
    if case.role == "encode":
        return Harm.STRICTNESS if ok.get("records") else Harm.LOST
    events = ok.get("events")
    if not events:
        return Harm.LOST
    if expected.twin is None:
        return Harm.STRICTNESS if all(_is_named(case, event) for event in events) else Harm.CHANGED
    findings = judge(_with_events(expected.twin), {"ok": ok}).findings
    if expected.classes & _OF_FORM:
        return harm_after_faults(findings, ())
    return harm_after_faults(findings, find_faults(case, expected.twin) if find_faults else None)


def _is_named(case: Case, event: Mapping[str, Any]) -> bool:
    """Whether the input of a case has the names of an event's schema and table, anywhere."""
    tables = {name for table in case.tables for name in table.id}
    parts = [part for record in case.records for part in (record.key, record.value) if part is not None]
    contents = [claim.content for claim in case.claims]
    written = b"\n".join([*parts, *contents, *(schema.schema.encode() for schema in case.schemas)])
    names = (event.get(member) for member in ("schema", "table"))
    return all(name in tables or any(s in written for s in _spellings(name)) for name in names if name)


def _spellings(name: str) -> Iterator[bytes]:
    """The name in bytes: in plain UTF-8, and in JSON with and without escapes for non-ASCII characters."""
    yield from (text.encode() for text in (name, json.dumps(name)[1:-1], json.dumps(name, ensure_ascii=False)[1:-1]))


def _with_events(twin: Case) -> Case:
    """The twin with an expectation: its own, or the events that the reference decodes."""
    if twin.events or twin.expected is not None:
        return twin
    codec = DIALECTS[twin.protocol]
    decoder = codec.decoder(parse(codec.options, twin.options), settings=_registered(twin))
    events = decoder.decode(twin.records, twin.tables, twin.claims)
    return replace(twin, expected=ExpectedEvents(tuple(event_to_json(event) for event in events)))


def _registered(twin: Case) -> Settings:
    """The settings of a case, with a registry that knows its schemas."""
    return replace(twin.settings, registry=MemoryRegistry(twin.schemas))
