"""Compares the records of an encoder's answer with the expected ones: count, frames, messages, order, schemas, files.

There is no order between partitions, so both sides are arranged by partition first. Within a partition, expected and
answered messages are paired by their subjects; another order is a finding of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
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
from conformance.oracle.order import is_disordered, matched, of_halves, stream_finding, stream_findings
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
    """The answered records, each with its reading, or None and the reason for a record that cannot be read."""

    records: Sequence[Record]
    readings: Sequence[Reading | None]
    contents: Sequence[Sequence[Message | str]]
    registered: Sequence[RegisteredSchema]


@dataclass(frozen=True, slots=True)
class _Given:
    """One answered message: None if its record could not be read; `record` is the number of its record."""

    message: Message | None
    partition: int
    record: int
    where: str


def judge_records(
    found: Comparison, expected: ExpectedRecords, expectation: CaseExpectation, ok: Mapping[str, Any]
) -> None:
    """Note in `found` the differences of an encoder's answer. Raises `SuiteError` for a broken expectation."""
    readings, deliveries = expectation.readings, expectation.deliveries
    count = sum(len(reading.messages) for reading in readings)
    if count != len(deliveries):
        raise SuiteError(f"case {found.case.id}: {count} messages expected for {len(deliveries)} deliveries")
    answer = _read(found, expected, readings, ok)
    order = by_partition(deliveries)
    if not _is_complete(found, expected, expectation, answer, order):
        return
    placed = placed_as(answer.records, expected.records)
    want = in_partition_order(readings, expected.records)
    have = in_partition_order(answer.readings, placed)
    by_record = _given(answer, want, placed)
    given = [one for group in by_record for one in group]
    messages = [message for reading in want for message in reading.messages]
    in_order = [deliveries[i] for i in order]
    positions = matched(messages, [one.message for one in given])
    pairs = list(zip(positions, given, strict=False))
    _compare_frames(found, want, zip(have, map(len, by_record), strict=True), pairs, in_order)
    for position, one in pairs:
        if one.message is not None:
            found.where = one.where
            found.operation = _operation(in_order, position)
            found.compare("encode", messages[position].tree, one.message.tree, in_order[position])
            found.texts(messages[position], one.message, in_order[position])
    found.where = found.operation = ""
    if placed is not answer.records:  # in the order of production, as the rules on order need it
        pairs.sort(key=lambda pair: pair[1].record)
    _judge_order(found, in_order, order, [(position, one.partition) for position, one in pairs])
    registered = [{"registry": found.oracle.registered(some)} for some in (expected.schemas, answer.registered)]
    found.compare("encode", registered[0], registered[1])
    claims = [claim_from_json(c) for c in ok.get("claims", ())]
    for location in references(have):
        if all(claim.location != location for claim in claims):
            found.blame_at("claim", Kind.MISSING, location, "no such file")
    if len(expected.claims) != len(claims):
        found.blame_at("claim", Kind.COUNT, len(expected.claims), len(claims))
    _judge_claims(found, in_message_order(expected.claims, want), in_message_order(claims, have))


def _read(found: Comparison, expected: ExpectedRecords, want: Sequence[Reading], ok: Mapping[str, Any]) -> _Answer:
    """Take the answer apart; a record that cannot be read is a finding."""
    records = [record_from_json(r) for r in ok["records"]]
    registered = [RegisteredSchema(s["id"], s["subject"], s["schema"]) for s in ok.get("schemas", ())]
    schemas = by_id(found.case.schemas, registered)
    known = {content(r): reading for r, reading in zip(expected.records, want, strict=True)}
    if schemas != by_id(found.case.schemas, expected.schemas):
        known = {}  # the same bytes may mean something else
    readings: list[Reading | None] = []
    contents: list[Sequence[Message | str]] = []
    for record in records:
        try:
            reading = known.get(content(record)) or found.oracle.read(record, found.options, schemas)
            readings.append(reading)
            contents.append(reading.messages)
        except Rejected as e:
            readings.append(None)
            contents.append([e.message])
            found.blame_at("frame" if e.reason == "framing" else "value", Kind.VALUE, "a readable record", e.message)
    return _Answer(records, readings, contents, registered)


def _is_complete(
    found: Comparison, expected: ExpectedRecords, expectation: CaseExpectation, answer: _Answer, order: Sequence[int]
) -> bool:
    """Whether there are as many messages as expected, so that they can be compared one by one."""
    # A record that cannot be read counts for as many messages as the expected one at its position.
    places = [len(r.messages) for r in expectation.readings] + [1] * len(answer.readings)
    seen = sum(n if r is None else len(r.messages) for r, n in zip(answer.readings, places, strict=False))
    of_expected = replace(_tally([r.messages for r in expectation.readings], expected.records), places=order)
    of_answered = _tally(answer.contents, answer.records)
    deliveries = expectation.deliveries
    if not found.counted(
        len(deliveries), seen, of_expected, of_answered, lambda i: event_summary(deliveries[order[i]])
    ):
        return False
    unread = (r.value is None for r, reading in zip(answer.records, answer.readings, strict=True) if reading is None)
    if any(unread) and all(record.value is not None for record in expected.records):
        found.blame_at("frame", Kind.MISSING, "a message", "no value")  # in place of a message, not additional
    return True


def _given(answer: _Answer, want: Sequence[Reading], placed: Sequence[Record]) -> list[list[_Given]]:
    """The answered messages of each record, the records by partition, in order of production inside each."""
    numbers = in_partition_order(range(len(answer.records)), placed)
    partitions = sorted(r.partition or 0 for r in answer.records)
    given = []
    for i, (number, partition) in enumerate(zip(numbers, partitions, strict=True)):
        reading = answer.readings[number]
        messages = reading.messages if reading else [None] * (len(want[i].messages) if i < len(want) else 1)
        wheres = where_of(number, len(answer.records), len(messages)) if messages else []
        given.append([_Given(one, partition, number, where) for one, where in zip(messages, wheres, strict=True)])
    return given


def _compare_frames(
    found: Comparison,
    want: Sequence[Reading],
    have: Iterable[tuple[Reading | None, int]],
    pairs: Sequence[tuple[int, _Given]],
    deliveries: Sequence[Delivery],
) -> None:
    """Compare the frame of each answered record with the expected frame of its first message.

    `have` has the reading of each record and the number of its messages.
    """
    frames = [reading.frame for reading in want for _ in reading.messages]
    at = 0
    for reading, messages in have:
        if reading and at < len(pairs):
            position, first = pairs[at]
            found.where = first.where.partition(".")[0]
            found.operation = _operation(deliveries, position) if messages == 1 else ""
            found.compare("encode", {"frame": frames[position]}, {"frame": reading.frame}, deliveries[position])
        at += messages


def _operation(deliveries: Sequence[Delivery], position: int) -> str:
    """The operation of one of several deliveries."""
    return operation_of(deliveries[position].event) if len(deliveries) > 1 else ""


def _judge_order(
    found: Comparison, deliveries: Sequence[Delivery], order: Sequence[int], given: Sequence[tuple[int, int]]
) -> None:
    """Judge the order of messages, given as positions among the deliveries and partitions.

    `order` has the position of each delivery among the events: one in another partition than expected is in order there
    when it stands between its neighbours among the events.
    """
    sent = [(deliveries[position], partition) for position, partition in given]
    stream = stream_findings(found.oracle.protocol, deliveries, sent, found.case.settings.partitions)
    judgement, applying = found.judgement, found.rules.applying
    judgement.evaluated.update(stream.evaluated & applying)
    faults = [fault for fault in stream.faults if fault.requirement in applying]
    for fault in faults:
        judgement.findings.append(stream_finding(fault))
    rules = [r for r in found.rules.at("answer") if Kind.ORDER in r.kinds]
    if len(given) > 1:
        place = found.place(("answer",), _IN_ORDER, _IN_ORDER)
        judgement.evaluated.update(r.requirement for r in rules if r.when(place))
    places = [(partition, order[position]) for position, partition in given]
    if not faults and is_disordered(places):
        produced = [delivery for _, delivery in sorted(zip(order, deliveries, strict=True), key=lambda p: p[0])]
        halves = of_halves(places, produced, found.case.events)
        place = found.place(("answer",), _IN_ORDER, "another", given=halves)
        found.blame(place, "answer", Kind.ORDER, [r for r in rules if r.when(place)])


def _judge_claims(found: Comparison, expected: Sequence[Claim], answered: Sequence[Claim]) -> None:
    for one, given in zip(expected, answered, strict=False):
        want = found.oracle.read_claim(one, found.options)
        try:
            have = found.oracle.read_claim(given, found.options)
        except Rejected as e:
            found.blame_at("claim", Kind.VALUE, "a readable file", e.message)
            continue
        trees = [{"claim": {**r.frame, "messages": [dict(m.tree) for m in r.messages]}} for r in (want, have)]
        found.compare("encode", trees[0], trees[1])


def _tally(answered: Sequence[Sequence[Message | str]], records: Sequence[Record]) -> Tally:
    """The messages of records by partition, or the reason why one could not be read."""
    each = [(one, record.partition or 0) for some, record in zip(answered, records, strict=True) for one in some]
    partitions = [partition for _, partition in each]
    places = sorted(range(len(each)), key=partitions.__getitem__)
    trees = [one if isinstance(one, str) else one.tree for one, _ in (each[i] for i in places)]
    return Tally(trees, [partitions[i] for i in places], places)
