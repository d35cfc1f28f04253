"""Judges captured records against the events that they were written from, as if they were one answer of an encoder.

Every assertion runs, because the events determine the tables and the expected records.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, replace
from typing import Any

from conformance.captures.claims import ClaimFiles, NotThere
from conformance.captures.dialects import DIALECTS
from conformance.captures.expected import written_case
from conformance.captures.inference import infer
from conformance.captures.model import CaptureContext, Captured, Place
from conformance.captures.results import CaptureResult, CaptureVerdict, unread, verdict_of
from conformance.catalogue.register import load_register
from conformance.errors import UsageError, our_fault
from conformance.oracle import ORACLES
from conformance.oracle.judge import Judge
from reference_impl import options as option_strings
from reference_impl.compression import decompressed_limit
from reference_impl.errors import Rejected, Unsupported
from reference_impl.model import Claim, Event, Record
from reference_impl.protocols import CODECS
from reference_impl.settings import Settings
from reference_impl.wire import claim_to_json, record_to_json

__all__ = ["judge_against"]

NO_FILES = "the claim-check files are not known: they were left out"


def judge_against(
    events: Sequence[Event], context: CaptureContext, captured: Iterable[Captured], place: Place
) -> Iterator[CaptureResult]:
    """The results of a capture that should hold exactly `events`: one for each broken line, one for all records.

    The latter is at `place`. The whole capture is in memory. If no partition is known, the topic has one. Raises
    `UsageError` for events that the protocol cannot express, else as `judge_capture` does.
    """
    protocol, claims = context.protocol, context.claims
    records: list[Record] = []
    for line in captured:
        if line.record is not None:
            records.append(line.record)
        if line.problem is not None:
            yield replace(unread(line), record=line.record)
    producer = infer(protocol, records, context.options, context.schemas)
    defaults = Settings()
    settings = Settings(
        timezone=context.timezone,
        cluster_id=producer.cluster_id or defaults.cluster_id,
        topic=_topic(records) or defaults.topic,
        partitions=context.partitions or 1 + max((record.partition or 0 for record in records), default=0),
    )
    options = option_strings.parse(CODECS[protocol].options, producer.options)
    try:
        case, expected = written_case(protocol, events, context.tables, producer.options, context.profile, settings)
    except (Rejected, Unsupported) as e:
        raise UsageError(f"the events cannot be written as {protocol}: {e}") from None
    answer: dict[str, Any] = {"records": [record_to_json(record) for record in records]}
    if CODECS[protocol].uses_registry:
        shown = context.schemas.shown(_schema_ids(protocol, records), expected.schemas)
        answer["schemas"] = [asdict(schema) for schema in shown]
    if claims is not None:
        try:
            answer["claims"] = [claim_to_json(claim) for claim in _claims(protocol, records, options, claims)]
        except NotThere as e:
            yield CaptureResult(place, CaptureVerdict.EXCLUDED, problem=f"not judged: {e}")
            return
    register = load_register(protocol)
    try:
        judgement = Judge(ORACLES[protocol], register, context.profile).judge(case, {"ok": answer})
    except Exception as e:  # noqa: BLE001 - an error here is one of the suite, and the result names the suite
        yield CaptureResult(place, CaptureVerdict.SUITE_ERROR, problem=our_fault(e))
        return
    of_files = [f for f in judgement.findings if claims is None and f.path.startswith("claim")]
    findings = tuple(f for f in judgement.findings if f not in of_files)
    evaluated = frozenset(judgement.evaluated - {f.requirement for f in of_files} | {f.requirement for f in findings})
    notes = (NO_FILES,) if of_files else ()
    yield CaptureResult(place, verdict_of(findings, register), findings, evaluated, notes, events=tuple(events))


def _claims(protocol: str, records: Iterable[Record], options: Any, files: ClaimFiles) -> Iterator[Claim]:
    """The claim-check files that records refer to. Raises `NotThere`."""
    for record in records:
        try:
            messages = ORACLES[protocol].read(record, options, {}).messages
        except Rejected:
            continue  # the judge reports it
        for message in messages:
            if message.claim is not None:
                yield files.at(message.claim, 2 * decompressed_limit(options))


def _topic(records: Iterable[Record]) -> str | None:
    """The topic of all records; None if they have several, or if it is unknown."""
    topics = {record.topic for record in records}
    return topics.pop() if len(topics) == 1 else None


def _schema_ids(protocol: str, records: Iterable[Record]) -> list[int]:
    """The ids of schemas, in the order in which keys and values first refer to them."""
    references = (
        (position, schema_id)
        for record in records
        for position, schema_id in enumerate(DIALECTS[protocol].schema_ids(record))
    )
    return [schema_id for _, schema_id in dict.fromkeys(references)]
