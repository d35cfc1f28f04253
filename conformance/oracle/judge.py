"""The judge: an answer against a case's expectation.

It yields a `Judgement`: the requirements whose assertions ran, and the findings. It knows no protocol; what it needs to
know about one is a `ProtocolOracle`. How two trees are compared stands in `comparison`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from conformance.cases.model import (
    Case,
    Expectation,
    ExpectedAnswer,
    ExpectedEvents,
    ExpectedRecords,
    ExpectedRejection,
)
from conformance.catalogue.register import Register
from conformance.errors import SuiteError
from conformance.oracle.comparison import Comparison
from conformance.oracle.events import comparable_event
from conformance.oracle.findings import Finding, Judgement, fingerprint
from conformance.oracle.order import is_disordered, matched, of_halves, stream_findings
from conformance.oracle.rulebook import RuleBook
from conformance.oracle.rules import Delivery, Message, ProtocolOracle, Reading, Schemas
from conformance.oracle.tree import Kind
from conformance.oracle.unmatched import Tally, event_told
from reference_impl.errors import Rejected, RejectionClass
from reference_impl.model import Claim, Record
from reference_impl.options import parse
from reference_impl.profiles import PROFILES, Profile
from reference_impl.protocols import CODECS
from reference_impl.registry import MemoryRegistry, RegisteredSchema
from reference_impl.wire import claim_from_json, record_from_json

__all__ = ["Finding", "Judge", "Judgement", "fingerprint"]

R = TypeVar("R")

_IN_ORDER = "the order of the events"


@dataclass(frozen=True, slots=True)
class _Wanted:
    """What a case asks for: its expectation, the expected records taken apart, and what is delivered."""

    expected: Expectation
    readings: tuple[Reading, ...] = ()
    deliveries: tuple[Delivery, ...] = ()


class Judge:
    """Judges answers of one protocol under one profile.

    With `remembers` what a case asks for is made once: for those who judge many answers to the same `Case` objects.
    """

    def __init__(
        self, oracle: ProtocolOracle, register: Register, profile: Profile, *, remembers: bool = False
    ) -> None:
        self._oracle = oracle
        self._profile = profile
        self._rules = RuleBook(oracle, register, profile)
        self._remembers = remembers
        self._remembered: dict[int, tuple[Case, _Wanted]] = {}

    # -- expectation ---------------------------------------------------------------------------------------------

    def expectation(self, case: Case) -> Expectation:
        """The case's own expectation, or the one that the reference and the truth give.

        Raises `SuiteError` where the reference refuses what the case did not say it must refuse.
        """
        if case.expected is not None:
            return case.expected
        options = self._options(case)
        if case.role == "decode":
            style = self._style(case)
            deliveries = self._oracle.deliveries(case, options, style)
            return ExpectedEvents(tuple(self._oracle.carried(d, case, options, style) for d in deliveries))
        registry = MemoryRegistry(case.schemas)
        settings = replace(case.settings, registry=registry)
        encoder = CODECS[case.protocol].encoder(options, self._profile, settings=settings)
        try:
            encoded = encoder.encode(case.events, case.tables)
        except Rejected as e:
            raise SuiteError(f"case {case.id}: the reference refuses it ({e.reason}: {e.message})") from None
        return ExpectedRecords(encoded.records, encoded.claims, tuple(registry.requests))

    def _options(self, case: Case) -> Any:
        kind = CODECS[case.protocol].options
        try:
            return parse(kind, case.options)
        except Rejected:
            if isinstance(case.expected, ExpectedRejection):
                return kind()  # the options themselves are what must be refused
            raise

    def _style(self, case: Case) -> Profile:
        """The profile in whose style the records of a decode case are."""
        return self._profile if case.style in ("", self._profile.name) else PROFILES[case.style]

    # -- judging -------------------------------------------------------------------------------------------------

    def judge(self, case: Case, answer: Mapping[str, Any]) -> Judgement:
        """Judge the answer (`{"ok": …}` or `{"rejected": …}`) to a case; `{"error": …}` is one that broke on it.

        Beside what an implementation answered, `ok` holds what it asked of the registry: `schemas`, a list of `id`,
        `subject` and `schema` in the order of the requests. Raises `SuiteError` where the suite's own expectation
        cannot be read.
        """
        found = Comparison(self._oracle, self._rules, self._profile, case, self._options(case))
        wanted = self._wanted(case, found.options)
        expected = wanted.expected
        if "error" in answer or isinstance(expected, ExpectedAnswer):
            _judge_answered(found, answer)
        elif isinstance(expected, ExpectedRejection):
            _judge_rejection(found, expected, answer)
        elif "rejected" in answer:
            found.answered(Kind.REFUSED, "an answer", answer["rejected"])
        elif isinstance(expected, ExpectedEvents):
            self._judge_events(found, expected, wanted.deliveries, answer["ok"]["events"])
        else:
            self._judge_records(found, expected, wanted, answer["ok"])
        return found.judgement

    def _wanted(self, case: Case, options: Any) -> _Wanted:
        if id(case) in self._remembered:
            return self._remembered[id(case)][1]
        expected = self.expectation(case)
        readings: list[Reading] = []
        deliveries: list[Delivery] = []
        if isinstance(expected, ExpectedRecords):
            readings = self._readings(case, expected, options)
            deliveries = self._oracle.deliveries(case, options, self._profile)
        elif isinstance(expected, ExpectedEvents) and case.expected is None:
            deliveries = self._oracle.deliveries(case, options, self._style(case))
        wanted = _Wanted(expected, tuple(readings), tuple(deliveries))
        if self._remembers:
            self._remembered[id(case)] = case, wanted
        return wanted

    # -- decoders ------------------------------------------------------------------------------------------------

    def _judge_events(
        self, found: Comparison, expected: ExpectedEvents, known: Sequence[Delivery], got: Sequence[Any]
    ) -> None:
        case = found.case
        deliveries: Sequence[Delivery | None] = known
        if case.expected is not None:
            tables = {t.id: t for t in case.tables}
            deliveries = [
                _delivery_of(e, tables.get((str(e.get("schema")), str(e.get("table"))))) for e in expected.events
            ]
        sides = Tally.in_order(expected.events), Tally.in_order(got)
        if not found.counted(
            len(expected.events), len(got), *sides, lambda i: event_told(deliveries[i], expected.events[i])
        ):
            return
        for wanted, answered, delivery in zip(expected.events, got, deliveries, strict=False):
            event, answer = self._oracle.named(wanted), self._oracle.named(answered)
            table = delivery.table if delivery else None
            given: Mapping[str, Any] = comparable_event(event, answer)
            if event["kind"] != answer.get("kind"):  # of another kind, the rest is another, too
                event, given = ({"kind": e.get("kind")} for e in (event, answer))
            found.compare("decode", {"event": dict(event)}, {"event": given}, delivery, table_columns=table is not None)

    # -- encoders ------------------------------------------------------------------------------------------------

    def _judge_records(
        self, found: Comparison, expected: ExpectedRecords, wanted: _Wanted, ok: Mapping[str, Any]
    ) -> None:
        case, options = found.case, found.options
        got = [record_from_json(r) for r in ok["records"]]
        registered = [RegisteredSchema(s["id"], s["subject"], s["schema"]) for s in ok.get("schemas", ())]
        want: Sequence[Reading] = wanted.readings
        deliveries: Sequence[Delivery] = wanted.deliveries
        messages = [m for reading in want for m in reading.messages]
        if len(messages) != len(deliveries):
            raise SuiteError(f"case {case.id}: {len(messages)} messages expected for {len(deliveries)} deliveries")
        schemas = _by_id(case.schemas, registered)
        known = {_content(r): reading for r, reading in zip(expected.records, want, strict=True)}
        if schemas != _by_id(case.schemas, expected.schemas):
            known = {}  # the same bytes may mean something else
        have: list[Reading | None] = []
        answered: list[Sequence[Any]] = []
        for record in got:
            try:
                reading = known.get(_content(record)) or self._oracle.read(record, options, schemas)
                have.append(reading)
                answered.append(reading.messages)
            except Rejected as e:
                have.append(None)
                answered.append([e.message])
                found.blame_at(
                    "frame" if e.reason == "framing" else "value", Kind.VALUE, "a readable record", e.message
                )
        # A record that cannot be read stands for as many messages as the one in its place.
        places = [len(r.messages) for r in want] + [1] * len(have)
        seen = sum(n if r is None else len(r.messages) for r, n in zip(have, places, strict=False))
        order = _by_partition(deliveries)
        sides = replace(_tally([r.messages for r in want], expected.records), places=order), _tally(answered, got)
        if not found.counted(len(messages), seen, *sides, lambda i: event_told(deliveries[order[i]])):
            return
        unread = (r.value is None for r, reading in zip(got, have, strict=True) if reading is None)
        if any(unread) and all(record.value is not None for record in expected.records):
            found.blame_at("frame", Kind.MISSING, "a message", "no value")  # in place of one, not beside it
        want, have = _in_partition_order(want, expected.records), _in_partition_order(have, got)
        wanted_messages = [message for reading in want for message in reading.messages]
        frames = [reading.frame for reading in want for _ in reading.messages]
        deliveries = [deliveries[i] for i in order]
        given_messages: list[Message | None] = []
        partitions: list[int] = []
        first: list[int] = []
        for i, (given, partition) in enumerate(zip(have, sorted(r.partition or 0 for r in got), strict=True)):
            first.append(len(given_messages))
            given_messages += given.messages if given else [None] * (len(want[i].messages) if i < len(want) else 1)
            partitions += [partition] * (len(given_messages) - len(partitions))
        positions = matched(wanted_messages, given_messages)
        for given, at in zip(have, first, strict=True):
            if given and at < len(positions):
                trees = {"frame": frames[positions[at]]}, {"frame": given.frame}
                found.compare("encode", *trees, deliveries[positions[at]])
        for position, given_message in zip(positions, given_messages, strict=False):
            if given_message is None:
                continue
            wanted_message, delivery = wanted_messages[position], deliveries[position]
            found.compare("encode", wanted_message.tree, given_message.tree, delivery)
            found.texts(wanted_message, given_message, delivery)
        self._order(found, deliveries, order, list(zip(positions, partitions, strict=False)))
        trees = (
            {"registry": self._oracle.registered(expected.schemas)},
            {"registry": self._oracle.registered(registered)},
        )
        found.compare("encode", *trees)
        claims = [claim_from_json(c) for c in ok.get("claims", ())]
        for location in _references(have):
            if all(claim.location != location for claim in claims):
                found.blame_at("claim", Kind.MISSING, location, "no such file")
        self._claims(found, _in_message_order(expected.claims, want), _in_message_order(claims, have))

    def _order(
        self,
        found: Comparison,
        deliveries: Sequence[Delivery],
        order: Sequence[int],
        given: Sequence[tuple[int, int]],
    ) -> None:
        """What is wrong between messages, given as positions among the deliveries and partitions.

        `order` has the place of each delivery in the order of the events: one that went to another partition than it
        was expected in is in order there when it stands between those that come before and after it.
        """
        sent = [(deliveries[position], partition) for position, partition in given]
        stream = stream_findings(self._oracle.protocol, deliveries, sent, found.case.settings.partitions)
        judgement, applying = found.judgement, self._rules.applying
        judgement.evaluated.update(stream.evaluated & applying)
        faults = [fault for fault in stream.faults if fault.requirement in applying]
        for fault in faults:
            mark = fingerprint(fault.requirement, fault.fault, Kind.ORDER)
            judgement.findings.append(
                Finding(fault.requirement, fault.fault, Kind.ORDER, fault.expected, fault.got, mark)
            )
        rules = [r for r in self._rules.at("answer") if Kind.ORDER in r.kinds]
        if len(given) > 1:
            place = found.place(("answer",), _IN_ORDER, _IN_ORDER)
            judgement.evaluated.update(r.requirement for r in rules if r.when(place))
        places = [(partition, order[position]) for position, partition in given]
        if not faults and is_disordered(places):
            produced = [delivery for _, delivery in sorted(zip(order, deliveries, strict=True), key=lambda p: p[0])]
            halves = of_halves(places, produced, found.case.events)
            place = found.place(("answer",), _IN_ORDER, "another", given=halves)
            found.blame(place, "answer", Kind.ORDER, [r for r in rules if r.when(place)])

    def _readings(self, case: Case, expected: ExpectedRecords, options: Any) -> list[Reading]:
        schemas = _by_id(case.schemas, expected.schemas)
        try:
            return [self._oracle.read(record, options, schemas) for record in expected.records]
        except Rejected as e:
            raise SuiteError(f"case {case.id}: the expected records cannot be read: {e.message}") from None

    def _claims(self, found: Comparison, expected: Sequence[Claim], got: Sequence[Claim]) -> None:
        if len(expected) != len(got):
            found.blame_at("claim", Kind.COUNT, len(expected), len(got))
        for wanted, given in zip(expected, got, strict=False):
            want = self._oracle.read_claim(wanted, found.options)
            try:
                have = self._oracle.read_claim(given, found.options)
            except Rejected as e:
                found.blame_at("claim", Kind.VALUE, "a readable file", e.message)
                continue
            trees = [{"claim": {**r.frame, "messages": [dict(m.tree) for m in r.messages]}} for r in (want, have)]
            found.compare("encode", trees[0], trees[1])


def _judge_rejection(found: Comparison, expected: ExpectedRejection, answer: Mapping[str, Any]) -> None:
    found.looked_at()
    allowed = sorted(str(c) for c in expected.classes)
    if "rejected" not in answer:
        found.answered(Kind.ACCEPTED, f"rejected as {' or '.join(allowed)}", answer.get("ok"))
    elif answer["rejected"]["class"] not in expected.classes:
        found.answered(Kind.CLASS, " or ".join(allowed), answer["rejected"])


def _judge_answered(found: Comparison, answer: Mapping[str, Any]) -> None:
    """Any events are right, and any rejection of a class that there is."""
    found.looked_at()
    if "error" in answer:
        found.answered(Kind.BROKEN, "an answer", answer["error"])
    elif "rejected" in answer and answer["rejected"]["class"] not in tuple(RejectionClass):
        found.answered(Kind.BROKEN, "a known class", answer["rejected"])


def _tally(answered: Sequence[Sequence[Message | str]], records: Sequence[Record]) -> Tally:
    """The messages of records, or why one could not be read, by partition."""
    each = [(one, record.partition) for some, record in zip(answered, records, strict=True) for one in some]
    partitions = [-1 if partition is None else partition for _, partition in each]
    places = sorted(range(len(each)), key=partitions.__getitem__)
    trees = [one if isinstance(one, str) else one.tree for one, _ in (each[i] for i in places)]
    return Tally(trees, [max(0, partitions[i]) for i in places], places)


def _delivery_of(event: Mapping[str, Any], table: Any) -> Delivery | None:
    """A delivery for an event that is only known as JSON: rules may still look at its table."""
    return Delivery(event, table) if table is not None else None  # type: ignore[arg-type]


def _by_id(*registered: Sequence[RegisteredSchema]) -> Schemas:
    return {schema.id: schema.schema for some in registered for schema in some}


def _content(record: Record) -> tuple[object, ...]:
    """All that a reading of the record depends on."""
    return record.key, record.value, record.headers, record.partition


def _references(readings: Sequence[Reading | None]) -> list[str]:
    """The locations of claim-check files that messages refer to, in order."""
    return [m.claim for reading in readings if reading for m in reading.messages if m.claim]


def _in_message_order(claims: Sequence[Claim], readings: Sequence[Reading | None]) -> list[Claim]:
    """Claim-check files in the order in which messages refer to them, by file name; others after them."""
    locations = _references(readings)
    places = {location.rpartition("/")[2]: i for i, location in reversed(list(enumerate(locations)))}
    return sorted(claims, key=lambda claim: places.get(claim.location.rpartition("/")[2], len(places)))


def _by_partition(deliveries: Sequence[Delivery]) -> list[int]:
    """The positions of deliveries by partition, in the order of the events inside each."""
    partitions = [-1 if d.partition is None else d.partition for d in deliveries]
    return sorted(range(len(deliveries)), key=partitions.__getitem__)


def _in_partition_order(readings: Sequence[R], records: Sequence[Record]) -> list[R]:
    """What was read of records, by partition, in order of production inside each: between them there is no order."""
    pairs = sorted(zip(readings, records, strict=True), key=lambda p: -1 if p[1].partition is None else p[1].partition)
    return [reading for reading, _ in pairs]
