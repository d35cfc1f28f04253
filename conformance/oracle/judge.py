"""The judge: an answer against a case's expectation.

It yields a `Judgement`: the requirements whose assertions ran, and the findings. It knows no protocol; what it needs to
know about one is a `ProtocolOracle`. How two trees are compared stands in `comparison`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from conformance.cases.model import (
    Case,
    Expectation,
    ExpectedAnswer,
    ExpectedEvents,
    ExpectedOneOf,
    ExpectedRecords,
    ExpectedRejection,
)
from conformance.catalogue.register import Register
from conformance.errors import SuiteError
from conformance.oracle.any_answer import judge_answered
from conformance.oracle.arranged import (
    by_id,
    by_partition,
    content,
    in_message_order,
    in_partition_order,
    placed_as,
    references,
)
from conformance.oracle.comparison import Comparison
from conformance.oracle.events import comparable_event
from conformance.oracle.faults import faults_of
from conformance.oracle.findings import Finding, Judgement, fingerprint, where_of
from conformance.oracle.order import is_disordered, matched, of_halves, stream_finding, stream_findings
from conformance.oracle.perfect import is_perfect, perfect_answer
from conformance.oracle.rulebook import RuleBook
from conformance.oracle.rules import Delivery, Message, ProtocolOracle, Reading
from conformance.oracle.taking import harm_of_taking
from conformance.oracle.tree import Kind
from conformance.oracle.unmatched import Tally, event_told
from conformance.oracle.weights import grade, lightest, weight_of
from reference_impl.errors import Rejected
from reference_impl.model import Claim, Record
from reference_impl.options import parse
from reference_impl.profiles import PROFILES, Profile
from reference_impl.protocols import CODECS
from reference_impl.registry import MemoryRegistry, RegisteredSchema
from reference_impl.wire import claim_from_json, record_from_json

__all__ = ["Finding", "Judge", "Judgement", "fingerprint"]

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
        self._requirements = register.requirements
        self._rules = RuleBook(oracle, register, profile)
        self._remembers = remembers
        self._remembered: dict[int, tuple[Case, _Wanted]] = {}
        self._whole: dict[int, tuple[Case, Case]] = {}

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

    def expected_records(self, case: Case) -> Sequence[Record]:
        """The records that an encoder is to answer a case with; none where it is to refuse it, or to decode."""
        expected = self._expected(case)
        return expected.records if isinstance(expected, ExpectedRecords) else ()

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

    def perfect(self, case: Case) -> frozenset[str] | None:
        """The requirements that the perfect answer to a case evaluates: all that `judge` needs to settle it at once.

        They follow from the case, the profile and the register, so they can be kept. None where the perfect answer
        itself has findings, or where the expectation cannot be made: such a case has to be judged.
        """
        try:
            judgement = self.judge(case, perfect_answer(self.expectation(case)))
        except SuiteError:
            return None
        return None if judgement.findings else frozenset(judgement.evaluated)

    def judge(self, case: Case, answer: Mapping[str, Any], *, perfect: frozenset[str] | None = None) -> Judgement:
        """Judge the answer (`{"ok": …}` or `{"rejected": …}`) to a case; `{"error": …}` is one that broke on it.

        Beside what an implementation answered, `ok` holds what it asked of the registry: `schemas`, a list of `id`,
        `subject` and `schema` in the order of the requests. `perfect` is what `perfect(case)` says, under this profile
        and register: an answer that equals the expectation is then settled without being read. With it or without, the
        judgement is the same. Raises `SuiteError` where the suite's own expectation cannot be read.
        """
        if isinstance(case.expected, ExpectedOneOf):
            return self._judge_one_of(case, case.expected, answer)
        expected = self._expected(case)
        if perfect is not None and is_perfect(expected, answer):
            return Judgement(set(perfect))
        found = Comparison(self._oracle, self._rules, self._profile, case, self._options(case))
        wanted = self._wanted(case, found.options, expected)
        if "error" in answer or isinstance(expected, ExpectedAnswer):
            judge_answered(found, answer)
        elif isinstance(expected, ExpectedRejection):
            self._judge_rejection(found, expected, answer)
        elif "rejected" in answer:
            found.answered(Kind.REFUSED, "an answer", answer["rejected"])
        elif isinstance(expected, ExpectedEvents):
            self._judge_events(found, expected, wanted.deliveries, answer["ok"]["events"])
        elif isinstance(expected, ExpectedRecords):
            self._judge_records(found, expected, wanted, answer["ok"])
        return found.judgement

    def _judge_one_of(self, case: Case, expected: ExpectedOneOf, answer: Mapping[str, Any]) -> Judgement:
        """The judgement by the expectation that the answer comes nearest to.

        What the case was written for is asserted where the answer fulfils one of them.
        """
        whole = self._whole.get(id(case), (case, replace(case, expected=None)))[1]
        if self._remembers:
            self._whole[id(case)] = case, whole
        if "rejected" in answer and expected.classes:
            judgement = self.judge(replace(case, expected=ExpectedRejection(expected.classes)), answer)
        elif "ok" not in answer:
            judgement = self.judge(whole, answer)
        else:
            events = answer["ok"]["events"]
            judgements = [self._judge_without(whole, positions, events) for positions in expected.without]
            judgement = lightest(judgements, self._requirements)
            if grade(weight_of(f, self._requirements[f.requirement]) for f in judgement.findings) == "pass":
                judgement.evaluated.update(case.requirements)
        return judgement

    def _judge_without(self, case: Case, positions: frozenset[int], got: Sequence[Any]) -> Judgement:
        """The judgement of events where those at some positions are not expected."""
        found = Comparison(self._oracle, self._rules, self._profile, case, self._options(case))
        expected = self._expected(case)
        assert isinstance(expected, ExpectedEvents)
        deliveries = self._wanted(case, found.options, expected).deliveries
        kept = [i for i in range(len(expected.events)) if i not in positions]
        events = ExpectedEvents(tuple(expected.events[i] for i in kept))
        self._judge_events(found, events, [deliveries[i] for i in kept], got)
        return found.judgement

    def _expected(self, case: Case) -> Expectation:
        known = self._remembered.get(id(case))
        return known[1].expected if known else self.expectation(case)

    def _wanted(self, case: Case, options: Any, expected: Expectation) -> _Wanted:
        if id(case) in self._remembered:
            return self._remembered[id(case)][1]
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

    def _judge_rejection(self, found: Comparison, expected: ExpectedRejection, answer: Mapping[str, Any]) -> None:
        found.looked_at()
        allowed = sorted(str(c) for c in expected.classes)
        if "rejected" not in answer:
            ok = answer.get("ok", {})
            find = partial(faults_of, self._oracle, options=found.options)
            harm = harm_of_taking(found.case, expected, ok, self.judge, find)
            found.answered(Kind.ACCEPTED, f"rejected as {' or '.join(allowed)}", ok, harm)
        elif answer["rejected"]["class"] not in expected.classes:
            found.answered(Kind.CLASS, " or ".join(allowed), answer["rejected"])

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
        for i, (wanted, answered, delivery) in enumerate(zip(expected.events, got, deliveries, strict=False)):
            found.where = f"events[{i}]" if len(expected.events) > 1 else ""
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
        schemas = by_id(case.schemas, registered)
        known = {content(r): reading for r, reading in zip(expected.records, want, strict=True)}
        if schemas != by_id(case.schemas, expected.schemas):
            known = {}  # the same bytes may mean something else
        have: list[Reading | None] = []
        answered: list[Sequence[Any]] = []
        for record in got:
            try:
                reading = known.get(content(record)) or self._oracle.read(record, options, schemas)
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
        order = by_partition(deliveries)
        sides = replace(_tally([r.messages for r in want], expected.records), places=order), _tally(answered, got)
        if not found.counted(len(messages), seen, *sides, lambda i: event_told(deliveries[order[i]])):
            return
        unread = (r.value is None for r, reading in zip(got, have, strict=True) if reading is None)
        if any(unread) and all(record.value is not None for record in expected.records):
            found.blame_at("frame", Kind.MISSING, "a message", "no value")  # in place of one, not beside it
        placed = placed_as(got, expected.records)
        numbers = in_partition_order(range(len(got)), placed)
        want, have = in_partition_order(want, expected.records), in_partition_order(have, placed)
        wanted_messages = [message for reading in want for message in reading.messages]
        frames = [reading.frame for reading in want for _ in reading.messages]
        deliveries = [deliveries[i] for i in order]
        given_messages: list[Message | None] = []
        partitions: list[int] = []
        produced: list[int] = []
        first: list[int] = []
        wheres: list[str] = []
        for i, (given, partition) in enumerate(zip(have, sorted(r.partition or 0 for r in got), strict=True)):
            first.append(len(given_messages))
            given_messages += given.messages if given else [None] * (len(want[i].messages) if i < len(want) else 1)
            wheres += where_of(numbers[i], len(got), len(given_messages) - len(partitions))
            produced += [numbers[i]] * (len(given_messages) - len(partitions))
            partitions += [partition] * (len(given_messages) - len(partitions))
        positions = matched(wanted_messages, given_messages)
        for given, at in zip(have, first, strict=True):
            if given and at < len(positions):
                found.where = wheres[at].partition(".")[0]
                trees = {"frame": frames[positions[at]]}, {"frame": given.frame}
                found.compare("encode", *trees, deliveries[positions[at]])
        for position, given_message, found.where in zip(positions, given_messages, wheres, strict=False):
            if given_message is None:
                continue
            wanted_message, delivery = wanted_messages[position], deliveries[position]
            found.compare("encode", wanted_message.tree, given_message.tree, delivery)
            found.texts(wanted_message, given_message, delivery)
        found.where = ""
        sent = list(zip(positions, partitions, strict=False))
        if placed is not got:  # in the order in which they were produced, which is what the rules on order ask
            sent = [one for _, one in sorted(zip(produced, sent, strict=False), key=lambda pair: pair[0])]
        self._order(found, deliveries, order, sent)
        trees = (
            {"registry": self._oracle.registered(expected.schemas)},
            {"registry": self._oracle.registered(registered)},
        )
        found.compare("encode", *trees)
        claims = [claim_from_json(c) for c in ok.get("claims", ())]
        for location in references(have):
            if all(claim.location != location for claim in claims):
                found.blame_at("claim", Kind.MISSING, location, "no such file")
        self._claims(found, in_message_order(expected.claims, want), in_message_order(claims, have))

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
            judgement.findings.append(stream_finding(fault))
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
        schemas = by_id(case.schemas, expected.schemas)
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


def _tally(answered: Sequence[Sequence[Message | str]], records: Sequence[Record]) -> Tally:
    """The messages of records, or why one could not be read, by partition."""
    each = [(one, record.partition or 0) for some, record in zip(answered, records, strict=True) for one in some]
    partitions = [partition for _, partition in each]
    places = sorted(range(len(each)), key=partitions.__getitem__)
    trees = [one if isinstance(one, str) else one.tree for one, _ in (each[i] for i in places)]
    return Tally(trees, [partitions[i] for i in places], places)


def _delivery_of(event: Mapping[str, Any], table: Any) -> Delivery | None:
    """A delivery for an event that is only known as JSON: rules may still look at its table."""
    return Delivery(event, table) if table is not None else None  # type: ignore[arg-type]
