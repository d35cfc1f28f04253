"""Compares the records of an encoder's answer with the expected ones.

It compares counts, frames, messages, their order, schemas and claim-check files.

There is no order between partitions, so both sides are arranged by partition first. Within a partition, expected and
answered messages are paired by what they are about; another order is a finding of its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from conformance.cases.model import ExpectedRecords
from conformance.errors import SuiteError
from conformance.oracle.arranged import (
    by_id,
    by_partition,
    content,
    in_message_order,
    in_partition_order,
    placed_as,
    references,
)
from conformance.oracle.case_expectation import CaseExpectation
from conformance.oracle.comparison import Comparison
from conformance.oracle.conditions import operation_of
from conformance.oracle.findings import where_of
from conformance.oracle.order import is_disordered, matched, order_facts, stream_finding, stream_findings
from conformance.oracle.rules import Delivery, Message, Reading
from conformance.oracle.tree import Kind
from conformance.oracle.unmatched import Tally, event_summary
from reference_impl.errors import Rejected
from reference_impl.model import Claim, Record
from reference_impl.registry import RegisteredSchema
from reference_impl.wire import claim_from_json, record_from_json

__all__ = ["judge_records"]

_IN_ORDER = "the order of the events"


@dataclass(frozen=True, slots=True)
class _Answer:
    """The answered records, taken apart."""

    records: Sequence[Record]
    readings: Sequence[Reading | None]  # for each record; None if it could not be read
    contents: Sequence[Sequence[Message | str]]  # for each record its messages, or the reason why it could not be read
    registered: Sequence[RegisteredSchema]


@dataclass(frozen=True, slots=True)
class _AnsweredMessage:
    """One answered message."""

    message: Message | None  # None if its record could not be read
    partition: int
    record: int  # the number of its record in the answer
    where: str  # as in `Finding.where`


@dataclass(frozen=True, slots=True)
class _AnsweredRecord:
    """One answered record."""

    reading: Reading | None  # None if it could not be read
    where: str  # as in `Finding.where`
    messages: Sequence[_AnsweredMessage]


def judge_records(
    comparison: Comparison, expected: ExpectedRecords, expectation: CaseExpectation, ok: Mapping[str, Any]
) -> None:
    """Compare an encoder's answer with the expectation. Raises `SuiteError` if the expectation itself is broken."""
    readings, deliveries = expectation.readings, expectation.deliveries
    count = sum(len(reading.messages) for reading in readings)
    if count != len(deliveries):
        raise SuiteError(f"case {comparison.case.id}: {count} messages expected for {len(deliveries)} deliveries")
    answer = _read(comparison, expected, readings, ok)
    order = by_partition(deliveries)
    placed = placed_as(answer.records, expected.records)
    want = in_partition_order(readings, expected.records)
    have = in_partition_order(answer.readings, placed)
    records = _answered_records(answer, want, placed)
    answered = [one for record in records for one in record.messages]
    if not _judge_count(comparison, expected, expectation, answer, order, len(answered)):
        return
    messages = [message for reading in want for message in reading.messages]
    in_order = [deliveries[i] for i in order]
    positions = matched(messages, [one.message for one in answered])
    pairs = list(zip(positions, answered, strict=False))  # (position in `messages`, answered message)
    _compare_frames(comparison, want, records, pairs, in_order)
    for position, one in pairs:
        if one.message is not None:
            comparison.where = one.where
            comparison.operation = _operation(in_order, position)
            comparison.compare("encode", messages[position].tree, one.message.tree, in_order[position])
            comparison.compare_texts(messages[position], one.message, in_order[position])
    comparison.where = comparison.operation = ""
    if placed is not answer.records:  # in the order of production, as the rules on order need it
        pairs.sort(key=lambda pair: pair[1].record)
    _judge_order(comparison, in_order, order, [(position, one.partition) for position, one in pairs])
    registered = [{"registry": comparison.oracle.registry_tree(some)} for some in (expected.schemas, answer.registered)]
    comparison.compare("encode", registered[0], registered[1])
    claims = [claim_from_json(c) for c in ok.get("claims", ())]
    for location in references(have):
        if all(claim.location != location for claim in claims):
            comparison.blame_at("claim", Kind.MISSING, location, "no such file")
    if len(expected.claims) != len(claims):
        comparison.blame_at("claim", Kind.COUNT, len(expected.claims), len(claims))
    _judge_claims(comparison, in_message_order(expected.claims, want), in_message_order(claims, have))


def _read(comparison: Comparison, expected: ExpectedRecords, want: Sequence[Reading], ok: Mapping[str, Any]) -> _Answer:
    """Take the answer apart; a record that cannot be read is a finding."""
    records = [record_from_json(r) for r in ok["records"]]
    registered = [RegisteredSchema(s["id"], s["subject"], s["schema"]) for s in ok.get("schemas", ())]
    schemas = by_id(comparison.case.schemas, registered)
    known = {content(r): reading for r, reading in zip(expected.records, want, strict=True)}
    if schemas != by_id(comparison.case.schemas, expected.schemas):
        known = {}  # the same bytes may mean something else
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
            comparison.blame_at(
                "frame" if e.reason == "framing" else "value", Kind.VALUE, "a readable record", e.message
            )
            comparison.where = ""
    return _Answer(records, readings, contents, registered)


def _judge_count(
    comparison: Comparison,
    expected: ExpectedRecords,
    expectation: CaseExpectation,
    answer: _Answer,
    order: Sequence[int],
    seen: int,
) -> bool:
    """Whether there are as many messages as expected, so that they can be compared one by one; if not, a finding.

    So is a record without a value where a message was due.
    """
    expected_tally = replace(_tally([r.messages for r in expectation.readings], expected.records), places=order)
    answered_tally = _tally(answer.contents, answer.records)
    deliveries = expectation.deliveries
    if not comparison.compare_counts(
        len(deliveries), seen, expected_tally, answered_tally, lambda i: event_summary(deliveries[order[i]])
    ):
        return False
    # A record without a value, unlike a tombstone that is expected, stands in place of a message.
    unread = (r.value is None for r, reading in zip(answer.records, answer.readings, strict=True) if reading is None)
    if any(unread) and all(record.value is not None for record in expected.records):
        comparison.blame_at("frame", Kind.MISSING, "a message", "no value")
    return True


def _answered_records(answer: _Answer, want: Sequence[Reading], placed: Sequence[Record]) -> list[_AnsweredRecord]:
    """The answered records by partition, in order of production inside each.

    A record that cannot be read counts for as many messages as the expected one at its place in that order.
    """
    numbers = in_partition_order(range(len(answer.records)), placed)
    partitions = sorted(r.partition or 0 for r in answer.records)
    records = []
    for i, (number, partition) in enumerate(zip(numbers, partitions, strict=True)):
        reading = answer.readings[number]
        messages = reading.messages if reading else [None] * (len(want[i].messages) if i < len(want) else 1)
        wheres = where_of(number, len(answer.records), len(messages))
        pairs = zip(messages, wheres, strict=True)
        answered = [_AnsweredMessage(message, partition, number, where) for message, where in pairs]
        records.append(_AnsweredRecord(reading, where_of(number, len(answer.records), 1)[0], answered))
    return records


def _compare_frames(
    comparison: Comparison,
    want: Sequence[Reading],
    records: Sequence[_AnsweredRecord],
    pairs: Sequence[tuple[int, _AnsweredMessage]],
    deliveries: Sequence[Delivery],
) -> None:
    """Compare the frame of each answered record with the expected frame of its first message.

    A record without messages is compared as if the next one, or the last of all, were its own.
    """
    frames = [reading.frame for reading in want for _ in reading.messages]
    at = 0
    for record in records:
        if record.reading and pairs:
            position, _ = pairs[min(at, len(pairs) - 1)]
            comparison.where = record.where
            comparison.operation = _operation(deliveries, position) if len(record.messages) == 1 else ""
            found = {"frame": record.reading.frame}
            comparison.compare("encode", {"frame": frames[position]}, found, deliveries[position])
        at += len(record.messages)


def _operation(deliveries: Sequence[Delivery], position: int) -> str:
    """The operation of the delivery at a position; empty if there is only one delivery."""
    return operation_of(deliveries[position].event) if len(deliveries) > 1 else ""


def _judge_order(
    comparison: Comparison, deliveries: Sequence[Delivery], order: Sequence[int], answered: Sequence[tuple[int, int]]
) -> None:
    """Judge the order of the messages; `answered` are (position in `deliveries`, partition), in the order produced.

    `order` has the position of each delivery in the order of the events. A message in another partition than expected
    may stand anywhere there that keeps the order of the events.
    """
    sent = [(deliveries[position], partition) for position, partition in answered]
    stream = stream_findings(comparison.oracle.protocol, deliveries, sent, comparison.case.settings.partitions)
    judgement, applying = comparison.judgement, comparison.rules.applying
    judgement.evaluated.update(stream.evaluated & applying)
    faults = [fault for fault in stream.faults if fault.requirement in applying]
    for fault in faults:
        judgement.findings.append(stream_finding(fault))
    rules = [r for r in comparison.rules.at("answer") if Kind.ORDER in r.kinds]
    if len(answered) > 1:
        place = comparison.place(("answer",), _IN_ORDER, _IN_ORDER)
        judgement.evaluated.update(r.requirement for r in rules if r.when(place))
    places = [(partition, order[position]) for position, partition in answered]
    if not faults and is_disordered(places):
        produced = [delivery for _, delivery in sorted(zip(order, deliveries, strict=True), key=lambda p: p[0])]
        halves = order_facts(places, produced, comparison.case.events)
        place = comparison.place(("answer",), _IN_ORDER, "another", got_tree=halves)
        comparison.blame(place, "answer", Kind.ORDER, [r for r in rules if r.when(place)])


def _judge_claims(comparison: Comparison, expected: Sequence[Claim], answered: Sequence[Claim]) -> None:
    for one, given in zip(expected, answered, strict=False):
        try:
            want = comparison.oracle.read_claim(one, comparison.options)
        except Rejected as e:
            what = f"case {comparison.case.id}: an expected claim-check file cannot be read"
            raise SuiteError(f"{what}: {e.message}") from None
        try:
            have = comparison.oracle.read_claim(given, comparison.options)
        except Rejected as e:
            comparison.blame_at("claim", Kind.VALUE, "a readable file", e.message)
            continue
        trees = [{"claim": {**r.frame, "messages": [dict(m.tree) for m in r.messages]}} for r in (want, have)]
        comparison.compare("encode", trees[0], trees[1])


def _tally(answered: Sequence[Sequence[Message | str]], records: Sequence[Record]) -> Tally:
    """The messages of records by partition; for a record that could not be read, the reason."""
    each = [(one, record.partition or 0) for some, record in zip(answered, records, strict=True) for one in some]
    partitions = [partition for _, partition in each]
    places = sorted(range(len(each)), key=partitions.__getitem__)
    trees = [one if isinstance(one, str) else one.tree for one, _ in (each[i] for i in places)]
    return Tally(trees, [partitions[i] for i in places], places)
