"""Compares the records of an encoder's answer with the expected ones.

It compares the number of messages, frames, messages, their order, registered schemas and claim-check files.

Partitions have no order among each other, so both sides are arranged by partition first: this is the *order of
comparison*. Then answered messages are paired with the expected messages that they equal, the rest in order; another
order is a finding of its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from conformance.cases.model import ExpectedRecords
from conformance.errors import SuiteError
from conformance.oracle.arranged import (
    CaseExpectation,
    by_id,
    by_partition,
    claim_locations,
    content,
    in_message_order,
    in_partition_order,
    placed_as,
)
from conformance.oracle.comparison import Comparison
from conformance.oracle.conditions import operation_of
from conformance.oracle.findings import where_of
from conformance.oracle.order import (
    Placement,
    is_disordered,
    order_facts,
    paired_positions,
    stream_finding,
    stream_findings,
)
from conformance.oracle.rules import Delivery, Message, Reading
from conformance.oracle.tree import Kind
from conformance.oracle.unmatched import Tally, event_summary
from reference_impl.errors import Rejected
from reference_impl.model import Claim, Record
from reference_impl.registry import RegisteredSchema
from reference_impl.wire import claim_from_json, record_from_json

__all__ = ["judge_records"]

_EVENT_ORDER = "the order of the events"


@dataclass(frozen=True, slots=True)
class _Expected:
    """The expected records and messages, in the order of comparison."""

    records: ExpectedRecords  # as the case states them, in order of production
    readings: Sequence[Reading]
    messages: Sequence[Message]
    deliveries: Sequence[Delivery]  # of each message
    event_positions: Sequence[int]  # of each message: the position of its delivery in the order of the events
    in_event_order: Sequence[Delivery]  # the deliveries in the order of the events

    def operation(self, position: int) -> str:
        """The operation of the message at a position; empty if there is only one message."""
        return operation_of(self.deliveries[position].event) if len(self.deliveries) > 1 else ""


@dataclass(frozen=True, slots=True)
class _Answer:
    """The answered records, taken apart, in order of production."""

    records: Sequence[Record]
    readings: Sequence[Reading | None]  # of each record; None if it cannot be read
    contents: Sequence[Sequence[Message | str]]  # of each record: its messages, or the reason why it cannot be read
    registered: Sequence[RegisteredSchema]


@dataclass(frozen=True, slots=True)
class _AnsweredMessage:
    """One answered message."""

    message: Message | None  # None if its record cannot be read
    partition: int
    record: int  # the number of its record in the answer
    where: str  # as in `Finding.where`


@dataclass(frozen=True, slots=True)
class _AnsweredRecord:
    """One answered record."""

    reading: Reading | None  # None if it cannot be read
    where: str  # as in `Finding.where`
    messages: Sequence[_AnsweredMessage]


class _Pair(NamedTuple):
    """An answered message and the expected message that it is compared with."""

    position: int  # of the expected message, in the order of comparison
    answered: _AnsweredMessage


def judge_records(
    comparison: Comparison, expected_records: ExpectedRecords, expectation: CaseExpectation, ok: Mapping[str, Any]
) -> None:
    """Compare an encoder's answer with the expectation. Raises `SuiteError` if the expectation itself is broken."""
    expected = _arranged(comparison.case.id, expected_records, expectation)
    answer = _read(comparison, expected_records, expectation.readings, ok)
    placing = placed_as(answer.records, expected_records.records)
    records = _answered_records(answer, expected, placing)
    answered = [message for record in records for message in record.messages]
    if not _judge_count(comparison, expected, expectation.readings, answer, len(answered)):
        return
    positions = paired_positions(expected.messages, [one.message for one in answered])
    pairs = [_Pair(*pair) for pair in zip(positions, answered, strict=True)]
    _compare_frames(comparison, expected, records, pairs)
    _compare_messages(comparison, expected, pairs)
    if placing is not answer.records:  # the rules on order need the order of production
        pairs.sort(key=lambda pair: pair.answered.record)
    _judge_order(comparison, expected, pairs)
    expected_registry, answered_registry = (
        {"registry": comparison.oracle.registry_tree(schemas)}
        for schemas in (expected_records.schemas, answer.registered)
    )
    comparison.compare(expected_registry, answered_registry)
    claims = [claim_from_json(c) for c in ok.get("claims", ())]
    _judge_claims(comparison, expected, claims, in_partition_order(answer.readings, placing))


def _arranged(case_id: str, records: ExpectedRecords, expectation: CaseExpectation) -> _Expected:
    """The expectation in the order of comparison. Raises `SuiteError` unless every message has a delivery."""
    deliveries = expectation.deliveries
    readings = in_partition_order(expectation.readings, records.records)
    messages = [message for reading in readings for message in reading.messages]
    if len(messages) != len(deliveries):
        raise SuiteError(f"case {case_id}: {len(messages)} messages expected for {len(deliveries)} deliveries")
    positions = by_partition(deliveries)
    return _Expected(records, readings, messages, [deliveries[i] for i in positions], positions, deliveries)


def _read(
    comparison: Comparison, expected: ExpectedRecords, expected_readings: Sequence[Reading], ok: Mapping[str, Any]
) -> _Answer:
    """Take the answer apart; a record that cannot be read is a finding."""
    records = [record_from_json(r) for r in ok["records"]]
    registered = [RegisteredSchema(s["id"], s["subject"], s["schema"]) for s in ok.get("schemas", ())]
    schemas = by_id(comparison.case.schemas, registered)
    known: dict[object, Reading] = {}  # readings of the expected records, by content
    if schemas == by_id(comparison.case.schemas, expected.schemas):  # otherwise the same bytes may mean something else
        known = {content(r): reading for r, reading in zip(expected.records, expected_readings, strict=True)}
    readings: list[Reading | None] = []
    contents: list[Sequence[Message | str]] = []
    for i, record in enumerate(records):
        try:
            reading = known.get(content(record)) or comparison.oracle.read(record, comparison.options, schemas)
            readings.append(reading)
            contents.append(reading.messages)
        except Rejected as e:
            readings.append(None)
            contents.append([e.message])
            (comparison.where,) = where_of(i, len(records), 1)
            part = "frame" if e.reason == "framing" else "value"
            comparison.blame_at(part, Kind.VALUE, "a readable record", e.message)
            comparison.where = ""
    return _Answer(records, readings, contents, registered)


def _answered_records(answer: _Answer, expected: _Expected, placing: Sequence[Record]) -> list[_AnsweredRecord]:
    """The answered records in the order of comparison; the partitions of `placing` decide it.

    A record that cannot be read counts for as many messages as the expected record at its position in that order.
    """
    records = []
    for i, number in enumerate(in_partition_order(range(len(answer.records)), placing)):
        reading = answer.readings[number]
        messages: Sequence[Message | None] = [None]
        if reading:
            messages = reading.messages
        elif i < len(expected.readings):
            messages = [None] * len(expected.readings[i].messages)
        partition = answer.records[number].partition or 0
        wheres = where_of(number, len(answer.records), len(messages))
        answered = [
            _AnsweredMessage(message, partition, number, where) for message, where in zip(messages, wheres, strict=True)
        ]
        records.append(_AnsweredRecord(reading, where_of(number, len(answer.records), 1)[0], answered))
    return records


def _judge_count(
    comparison: Comparison, expected: _Expected, expected_readings: Sequence[Reading], answer: _Answer, count: int
) -> bool:
    """Whether as many messages as expected were answered (`count`), so that they can be compared one by one.

    If not, that is a finding; so is a record without a value in place of a message.
    """
    expected_tally = _tally([reading.messages for reading in expected_readings], expected.records.records)
    # A finding about a lost message has the position of its event.
    expected_tally = replace(expected_tally, positions=expected.event_positions)
    answered_tally = _tally(answer.contents, answer.records)
    sides = expected_tally, answered_tally
    if not comparison.compare_counts(
        len(expected.messages), count, *sides, lambda i: event_summary(expected.deliveries[i])
    ):
        return False
    if all(record.value is not None for record in expected.records.records):  # no tombstone is expected
        unread = [r for r, reading in zip(answer.records, answer.readings, strict=True) if reading is None]
        if any(record.value is None for record in unread):
            comparison.blame_at("frame", Kind.MISSING, "a message", "no value")
    return True


def _tally(contents: Sequence[Sequence[Message | str]], records: Sequence[Record]) -> Tally:
    """The messages of records by partition; for a record that cannot be read, the reason."""
    trees: list[Any] = []
    partitions = []
    for messages, record in zip(contents, records, strict=True):
        trees += [message if isinstance(message, str) else message.tree for message in messages]
        partitions += [record.partition or 0] * len(messages)
    order = sorted(range(len(trees)), key=partitions.__getitem__)
    return Tally([trees[i] for i in order], [partitions[i] for i in order], order)


def _compare_frames(
    comparison: Comparison, expected: _Expected, records: Sequence[_AnsweredRecord], pairs: Sequence[_Pair]
) -> None:
    """Compare the frame of each answered record with the expected frame of its first message.

    A record without messages is compared as if the next message, or the last of all, were its own.
    """
    frames = [reading.frame for reading in expected.readings for _ in reading.messages]
    first = 0  # the position in `pairs` of the record's first message
    for record in records:
        if record.reading and pairs:
            position = pairs[min(first, len(pairs) - 1)].position
            comparison.where = record.where
            comparison.operation = expected.operation(position) if len(record.messages) == 1 else ""
            frame, answered_frame = {"frame": frames[position]}, {"frame": record.reading.frame}
            comparison.compare(frame, answered_frame, expected.deliveries[position])
        first += len(record.messages)


def _compare_messages(comparison: Comparison, expected: _Expected, pairs: Sequence[_Pair]) -> None:
    for position, answered in pairs:
        if answered.message is not None:
            comparison.where = answered.where
            comparison.operation = expected.operation(position)
            message, delivery = expected.messages[position], expected.deliveries[position]
            comparison.compare(message.tree, answered.message.tree, delivery)
            comparison.compare_texts(message, answered.message, delivery)
    comparison.where = comparison.operation = ""


def _judge_order(comparison: Comparison, expected: _Expected, pairs: Sequence[_Pair]) -> None:
    """Judge the order of the answered messages.

    A message in another partition than expected may stand anywhere there that keeps the order of the events.
    """
    sent = [(expected.deliveries[pair.position], pair.answered.partition) for pair in pairs]
    partitions = comparison.case.settings.partitions
    stream = stream_findings(comparison.oracle.protocol, expected.deliveries, sent, partitions)
    judgement, applying = comparison.judgement, comparison.rules.applying
    judgement.evaluated.update(stream.evaluated & applying)
    faults = [fault for fault in stream.faults if fault.requirement in applying]
    judgement.findings.extend(map(stream_finding, faults))
    rules = [r for r in comparison.rules.at("answer") if Kind.ORDER in r.kinds]
    if len(pairs) > 1:
        place = comparison.place(("answer",), _EVENT_ORDER, _EVENT_ORDER)
        judgement.evaluated.update(r.requirement for r in rules if r.when(place))
    placements = [Placement(pair.answered.partition, expected.event_positions[pair.position]) for pair in pairs]
    if not faults and is_disordered(placements):
        facts = order_facts(placements, expected.in_event_order, comparison.case.events)
        place = comparison.place(("answer",), _EVENT_ORDER, "another", got_tree=facts)
        comparison.blame(place, "answer", Kind.ORDER, [r for r in rules if r.when(place)])


def _judge_claims(
    comparison: Comparison, expected: _Expected, claims: Sequence[Claim], answered_readings: Sequence[Reading | None]
) -> None:
    """Compare the claim-check files `claims` with the expected ones, and find those that messages name in vain."""
    locations = {claim.location for claim in claims}
    for location in claim_locations(answered_readings):
        if location not in locations:
            comparison.blame_at("claim", Kind.MISSING, location, "no such file")
    expected_claims = expected.records.claims
    if len(expected_claims) != len(claims):
        comparison.blame_at("claim", Kind.COUNT, len(expected_claims), len(claims))
    expected_files = in_message_order(expected_claims, expected.readings)
    answered_files = in_message_order(claims, answered_readings)
    for expected_file, answered_file in zip(expected_files, answered_files, strict=False):
        try:
            expected_reading = comparison.oracle.read_claim(expected_file, comparison.options)
        except Rejected as e:
            problem = f"case {comparison.case.id}: an expected claim-check file cannot be read"
            raise SuiteError(f"{problem}: {e.message}") from None
        try:
            reading = comparison.oracle.read_claim(answered_file, comparison.options)
        except Rejected as e:
            comparison.blame_at("claim", Kind.VALUE, "a readable file", e.message)
            continue
        comparison.compare(_claim_tree(expected_reading), _claim_tree(reading))


def _claim_tree(file: Reading) -> Mapping[str, Any]:
    return {"claim": {**file.frame, "messages": [dict(message.tree) for message in file.messages]}}
