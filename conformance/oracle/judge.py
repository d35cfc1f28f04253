"""The judge: an answer against a case's expectation, place by place, each place under the rules that speak there.

It yields a `Judgement`: the requirements whose assertions ran, and the findings. It knows no protocol; what it needs to
know about one is a `ProtocolOracle`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from conformance.cases.model import Case, ExpectedEvents, ExpectedRecords, ExpectedRejection, Role
from conformance.catalogue.register import Register
from conformance.errors import SuiteError
from conformance.oracle.events import comparable_event, compare_event_leaf
from conformance.oracle.order import is_disordered, matched, stream_findings
from conformance.oracle.rules import NOTHING, Delivery, Message, Place, ProtocolOracle, Reading, Rule
from conformance.oracle.texts import text_differences
from conformance.oracle.tree import MISSING, Kind, Maybe, Node, Path, doubled_members, json_kind, path_text, walk
from reference_impl.errors import Rejected
from reference_impl.model import Claim, Record
from reference_impl.options import parse
from reference_impl.profiles import Profile
from reference_impl.protocols import CODECS
from reference_impl.wire import claim_from_json, record_from_json

__all__ = ["Finding", "Judge", "Judgement"]

R = TypeVar("R", bound=Reading | None)


# What is looked at wherever an answer is given: that it was, and how much is in it.
_OF_ANSWERS = frozenset({Kind.COUNT, Kind.REFUSED})


@dataclass(frozen=True, slots=True)
class Finding:
    """A requirement that an answer broke, and where. `fingerprint` is the same for the same cause."""

    requirement: str
    path: str
    kind: Kind
    expected: Any
    got: Any
    fingerprint: str
    advisory: bool = False  # a rejection of the wrong class: a warning whatever the level


@dataclass(slots=True)
class Judgement:
    """What came of judging one answer: ids of the requirements whose assertions ran, and the findings."""

    evaluated: set[str] = field(default_factory=set)
    findings: list[Finding] = field(default_factory=list)


def fingerprint(requirement: str, skeleton: str, kind: Kind) -> str:
    """`kind@skeleton` with a short hash of both and the requirement: equal for one cause in many cases."""
    digest = hashlib.sha256(f"{requirement}|{skeleton}|{kind}".encode()).hexdigest()[:8]
    return f"{kind.replace(' ', '-')}@{skeleton}#{digest}"


class Judge:
    """Judges answers of one protocol under one profile."""

    def __init__(self, oracle: ProtocolOracle, register: Register, profile: Profile) -> None:
        self._oracle = oracle
        self._profile = profile
        self._applying = applying = {r.id for r in register.requirements.values() if r.testable and r.applies(profile)}
        self._rules: dict[str, list[Rule]] = {}
        self._absences: list[Rule] = []
        for rule in oracle.rules:
            if rule.requirement not in register.requirements:
                raise SuiteError(f"{oracle.protocol}: a rule names {rule.requirement}, which is not in the register")
            if rule.requirement in applying:
                self._rules.setdefault(rule.at, []).append(rule)
                if rule.when_absent:
                    self._absences.append(rule)
        self._column_parents = {at: f"{at}.{{column}}" for at in oracle.columns_at}
        self._nearest: dict[str, Sequence[Rule]] = {}

    def _rules_at(self, skeleton: str) -> Sequence[Rule]:
        """The rules of a place: those at it, else those at `ANCESTOR.*` of the nearest ancestor that has any."""
        if skeleton not in self._nearest:
            found: Sequence[Rule] = self._rules.get(skeleton, ())
            ancestor = skeleton
            while not found and ancestor:
                ancestor = ancestor.rpartition(".")[0]
                found = self._rules.get(f"{ancestor}.*", ())
            self._nearest[skeleton] = found
        return self._nearest[skeleton]

    # -- expectation ---------------------------------------------------------------------------------------------

    def expectation(self, case: Case) -> ExpectedRecords | ExpectedEvents | ExpectedRejection:
        """The case's own expectation, or the one that the reference and the truth give.

        Raises `SuiteError` where the reference refuses what the case did not say it must refuse.
        """
        if case.expected is not None:
            return case.expected
        options = self._options(case)
        if case.role == "decode":
            deliveries = self._oracle.deliveries(case, options, self._profile)
            return ExpectedEvents(tuple(self._oracle.carried(d, case, options, self._profile) for d in deliveries))
        encoder = CODECS[case.protocol].encoder(options, self._profile, settings=case.settings)
        try:
            encoded = encoder.encode(case.events, case.tables)
        except Rejected as e:
            raise SuiteError(f"case {case.id}: the reference refuses it ({e.reason}: {e.message})") from None
        return ExpectedRecords(encoded.records, encoded.claims)

    def _options(self, case: Case) -> Any:
        kind = CODECS[case.protocol].options
        try:
            return parse(kind, case.options)
        except Rejected:
            if isinstance(case.expected, ExpectedRejection):
                return kind()  # the options themselves are what must be refused
            raise

    # -- judging -------------------------------------------------------------------------------------------------

    def judge(self, case: Case, answer: Mapping[str, Any]) -> Judgement:
        """Judge the answer (`{"ok": …}` or `{"rejected": …}`) to a case.

        Raises `SuiteError` where the suite's own expectation cannot be read.
        """
        judgement = Judgement()
        expected = self.expectation(case)
        if isinstance(expected, ExpectedRejection):
            self._judge_rejection(case, expected, answer, judgement)
            return judgement
        if "rejected" in answer:
            self._answer(case, judgement, Kind.REFUSED, "an answer", answer["rejected"])
            return judgement
        if isinstance(expected, ExpectedEvents):
            self._judge_events(case, expected, answer["ok"]["events"], judgement)
        else:
            self._judge_records(case, expected, answer["ok"], judgement)
        return judgement

    def _answer(self, case: Case, judgement: Judgement, kind: Kind, expected: Any, got: Any) -> None:
        """A finding about the answer as a whole: it is charged to the requirements the case was written for."""
        place = self._place(case, ("answer",), expected, got, {}, None, None, None)
        rules = [r for r in self._rules.get("answer", ()) if kind in r.kinds and r.when(place)]
        ids = list(case.requirements) or [r.requirement for r in rules] or [self._oracle.fallback]
        for requirement in ids:
            judgement.evaluated.add(requirement)
            mark = fingerprint(requirement, "answer", kind)
            judgement.findings.append(
                Finding(requirement, "answer", kind, expected, got, mark, advisory=kind is Kind.CLASS)
            )

    def _judge_rejection(
        self, case: Case, expected: ExpectedRejection, answer: Mapping[str, Any], judgement: Judgement
    ) -> None:
        judgement.evaluated.update(case.requirements)
        allowed = sorted(str(c) for c in expected.classes)
        if "rejected" not in answer:
            self._answer(case, judgement, Kind.ACCEPTED, f"rejected as {' or '.join(allowed)}", answer.get("ok"))
        elif answer["rejected"]["class"] not in expected.classes:
            self._answer(case, judgement, Kind.CLASS, " or ".join(allowed), answer["rejected"])

    # -- decoders ------------------------------------------------------------------------------------------------

    def _judge_events(self, case: Case, expected: ExpectedEvents, got: Sequence[Any], judgement: Judgement) -> None:
        options = self._options(case)
        if case.expected is None:
            deliveries: Sequence[Delivery | None] = self._oracle.deliveries(case, options, self._profile)
        else:
            tables = {t.id: t for t in case.tables}
            deliveries = [
                _delivery_of(e, tables.get((str(e.get("schema")), str(e.get("table"))))) for e in expected.events
            ]
        if not self._count(case, judgement, len(expected.events), len(got)):
            return
        for event, answer, delivery in zip(expected.events, got, deliveries, strict=False):
            table = delivery.table if delivery else None
            given: Mapping[str, Any] = comparable_event(event, answer)
            if event["kind"] != answer.get("kind"):  # of another kind, the rest is another, too
                event, given = ({"kind": e.get("kind")} for e in (event, answer))
            trees = {"event": dict(event)}, {"event": given}
            self._compare(case, "decode", *trees, options, delivery, judgement, table_columns=table is not None)

    # -- encoders ------------------------------------------------------------------------------------------------

    def _judge_records(
        self, case: Case, expected: ExpectedRecords, ok: Mapping[str, Any], judgement: Judgement
    ) -> None:
        options = self._options(case)
        got = [record_from_json(r) for r in ok["records"]]
        want: Sequence[Reading] = self._readings(case, expected.records, options)
        deliveries = self._oracle.deliveries(case, options, self._profile)
        messages = [m for reading in want for m in reading.messages]
        if len(messages) != len(deliveries):
            raise SuiteError(f"case {case.id}: {len(messages)} messages expected for {len(deliveries)} deliveries")
        have: list[Reading | None] = []
        for record in got:
            try:
                have.append(self._oracle.read(record, options))
            except Rejected as e:
                have.append(None)
                self._unreadable(case, judgement, e, record)
        # A record that cannot be read stands for as many messages as the one in its place.
        places = [len(r.messages) for r in want] + [1] * len(have)
        seen = sum(n if r is None else len(r.messages) for r, n in zip(have, places, strict=False))
        if not self._count(case, judgement, len(messages), seen):
            return
        want, have = _in_partition_order(want, expected.records), _in_partition_order(have, got)
        wanted_messages = [message for reading in want for message in reading.messages]
        frames = [reading.frame for reading in want for _ in reading.messages]
        deliveries = _by_partition(deliveries)
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
                self._compare(case, "encode", *trees, options, deliveries[positions[at]], judgement)
        for position, given_message in zip(positions, given_messages, strict=False):
            if given_message is None:
                continue
            wanted_message, delivery = wanted_messages[position], deliveries[position]
            self._compare(case, "encode", wanted_message.tree, given_message.tree, options, delivery, judgement)
            self._texts(case, wanted_message, given_message, options, delivery, judgement)
        self._order(case, options, deliveries, list(zip(positions, partitions, strict=False)), judgement)
        claims = [claim_from_json(c) for c in ok.get("claims", ())]
        for location in _references(have):
            if all(claim.location != location for claim in claims):
                place = self._place(case, ("claim",), location, "no such file", {}, options, None, None)
                self._blame(place, "claim", Kind.MISSING, judgement)
        wanted_claims = _in_message_order(expected.claims, want)
        self._claims(case, wanted_claims, _in_message_order(claims, have), options, judgement)

    def _order(
        self,
        case: Case,
        options: Any,
        deliveries: Sequence[Delivery],
        given: Sequence[tuple[int, int]],
        judgement: Judgement,
    ) -> None:
        """What is wrong between messages, given as positions among the deliveries and partitions."""
        sent = [(deliveries[position], partition) for position, partition in given]
        found = stream_findings(self._oracle.protocol, deliveries, sent, case.settings.partitions)
        judgement.evaluated.update(found.evaluated & self._applying)
        faults = [fault for fault in found.faults if fault.requirement in self._applying]
        for fault in faults:
            mark = fingerprint(fault.requirement, fault.fault, Kind.ORDER)
            judgement.findings.append(
                Finding(fault.requirement, fault.fault, Kind.ORDER, fault.expected, fault.got, mark)
            )
        place = self._place(case, ("answer",), "the order of the events", "another", {}, options, None, None)
        rules = [r for r in self._rules.get("answer", ()) if Kind.ORDER in r.kinds and r.when(place)]
        if len(given) > 1:
            judgement.evaluated.update(r.requirement for r in rules)
        if not faults and is_disordered((partition, position) for position, partition in given):
            self._blame(place, "answer", Kind.ORDER, judgement, rules)

    def _readings(self, case: Case, records: Sequence[Record], options: Any) -> list[Reading]:
        try:
            return [self._oracle.read(record, options) for record in records]
        except Rejected as e:
            raise SuiteError(f"case {case.id}: the expected records cannot be read: {e.message}") from None

    def _unreadable(self, case: Case, judgement: Judgement, error: Rejected, record: Record) -> None:
        path = ("frame",) if error.reason == "framing" else ("value",)
        place = self._place(case, path, "a readable record", error.message, {}, None, None, None)
        self._blame(place, str(path[0]), Kind.VALUE, judgement)

    def _claims(
        self, case: Case, expected: Sequence[Claim], got: Sequence[Claim], options: Any, judgement: Judgement
    ) -> None:
        if len(expected) != len(got):
            place = self._place(case, ("claim",), len(expected), len(got), {}, options, None, None)
            self._blame(place, "claim", Kind.COUNT, judgement)
        for wanted, given in zip(expected, got, strict=False):
            want = self._oracle.read_claim(wanted, options)
            try:
                have = self._oracle.read_claim(given, options)
            except Rejected as e:
                place = self._place(case, ("claim",), "a readable file", e.message, {}, options, None, None)
                self._blame(place, "claim", Kind.VALUE, judgement)
                continue
            trees = [{"claim": {**r.frame, "messages": [dict(m.tree) for m in r.messages]}} for r in (want, have)]
            self._compare(case, "encode", trees[0], trees[1], options, None, judgement)

    # -- places --------------------------------------------------------------------------------------------------

    def _count(self, case: Case, judgement: Judgement, expected: int, got: int) -> bool:
        """Whether the numbers agree; where not, nobody knows which belongs to which, and no more is compared."""
        place = self._place(case, ("answer",), expected, got, {}, None, None, None)
        rules = [r for r in self._rules.get("answer", ()) if r.kinds & _OF_ANSWERS and r.when(place)]
        judgement.evaluated.update(r.requirement for r in rules)
        if expected != got:
            self._blame(place, "answer", Kind.COUNT, judgement)
        return expected == got

    def _place(
        self,
        case: Case,
        path: Path,
        expected: Any,
        got: Any,
        tree: Mapping[str, Any],
        options: Any,
        delivery: Delivery | None,
        column: Any,
        given: Mapping[str, Any] = NOTHING,
    ) -> Place:
        options = self._options(case) if options is None else options
        return Place(case.role, path, expected, got, tree, case, options, self._profile, delivery, column, given)

    def _compare(
        self,
        case: Case,
        role: Role,
        expected: Mapping[str, Any],
        got: Mapping[str, Any],
        options: Any,
        delivery: Delivery | None,
        judgement: Judgement,
        *,
        table_columns: bool = True,
    ) -> None:
        table = delivery.table if delivery and table_columns else None
        visited: dict[str, set[Path]] = {"": {()}}
        for part in {**expected, **got}:
            for node in walk(expected.get(part, MISSING), got.get(part, MISSING), (part,)):
                if isinstance(node.expected, Maybe):
                    if node.got is MISSING:
                        continue
                    node = Node(node.path, node.expected.value, node.got)
                skeleton, column_name = self._skeleton(node.path)
                if role == "decode" and column_name is not None and not skeleton.endswith("{column}"):
                    continue  # inside a value that is written as an object: it was compared as a value
                visited.setdefault(skeleton, set()).add(node.path)
                column = table.column(column_name) if table and column_name is not None else None
                place = self._place(case, node.path, node.expected, node.got, expected, options, delivery, column, got)
                rules = [r for r in self._rules_at(skeleton) if r.when(place)]
                judgement.evaluated.update(r.requirement for r in rules)
                for kind in self._kinds(node, place, skeleton, role):
                    self._blame(place, skeleton, kind, judgement, rules)
        for rule, path, column in self._absent(visited, table):
            place = self._place(case, path, MISSING, MISSING, expected, options, delivery, column)
            if rule.when(place):
                judgement.evaluated.add(rule.requirement)

    def _kinds(self, node: Node, place: Place, skeleton: str, role: Role) -> Iterator[Kind]:
        if node.expected is MISSING:
            yield Kind.EXTRA
            return
        if node.got is MISSING:
            yield Kind.MISSING
            return
        if isinstance(node.expected, frozenset):
            if node.got not in node.expected:
                yield Kind.VALUE
            return
        if role == "decode" and place.column is not None:
            kind = compare_event_leaf(place)
            if kind:
                yield kind
            return
        if json_kind(node.expected) != json_kind(node.got):
            yield Kind.JSON_KIND
            return
        if isinstance(node.got, dict):
            if set(doubled_members(node.got)) - set(doubled_members(node.expected)):
                yield Kind.DOUBLED
            if skeleton in self._oracle.ordered_at:
                common = [name for name in node.expected if name in node.got]
                if common != [name for name in node.got if name in node.expected]:
                    yield Kind.ORDER
            return
        if isinstance(node.got, list):
            return
        kind = self._oracle.compare(place)
        if kind:
            yield kind

    def _texts(
        self,
        case: Case,
        expected: Message,
        got: Message,
        options: Any,
        delivery: Delivery,
        judgement: Judgement,
    ) -> None:
        for part, text in expected.texts.items():
            if part not in got.texts:
                continue
            for what, want, have in text_differences(text, got.texts[part]):
                skeleton = f"text.{part}.{what}"
                place = self._place(case, ("text", part, what), want, have, expected.tree, options, delivery, None)
                rules = [r for r in self._rules_at(skeleton) if r.when(place)]
                judgement.evaluated.update(r.requirement for r in rules)
                if want != have:
                    self._blame(place, skeleton, Kind.TEXT, judgement, rules)

    def _blame(
        self, place: Place, skeleton: str, kind: Kind, judgement: Judgement, rules: Sequence[Rule] | None = None
    ) -> None:
        if rules is None:
            rules = [r for r in self._rules_at(skeleton) if r.when(place)]
        ids = [r.requirement for r in rules if kind in r.kinds] or [self._oracle.fallback]
        for requirement in dict.fromkeys(ids):
            judgement.evaluated.add(requirement)
            mark = fingerprint(requirement, skeleton, kind)
            judgement.findings.append(
                Finding(requirement, path_text(place.path), kind, place.expected, place.got, mark)
            )

    def _skeleton(self, path: Path) -> tuple[str, str | None]:
        """The path as a skeleton, and the column it names at its end or on the way."""
        text, column = "", None
        for step in path:
            if isinstance(step, int):
                text += "[]"
            elif text in self._column_parents:
                text, column = self._column_parents[text], step
            else:
                text = f"{text}.{step}" if text else step
        return text, column

    def _absent(self, visited: Mapping[str, set[Path]], table: Any) -> Iterator[tuple[Rule, Path, Any]]:
        for rule in self._absences:
            parent, _, name = rule.at.rpartition(".")
            for path in sorted(visited.get(parent, ()), key=repr):
                if name != "{column}":
                    if (*path, name) not in visited.get(rule.at, ()):
                        _, column_name = self._skeleton(path)
                        yield rule, (*path, name), table.column(column_name) if table and column_name else None
                elif table is not None:
                    for column in table.columns:
                        if (*path, column.name) not in visited.get(rule.at, ()):
                            yield rule, (*path, column.name), column


def _delivery_of(event: Mapping[str, Any], table: Any) -> Delivery | None:
    """A delivery for an event that is only known as JSON: rules may still look at its table."""
    return Delivery(event, table) if table is not None else None  # type: ignore[arg-type]


def _references(readings: Sequence[Reading | None]) -> list[str]:
    """The locations of claim-check files that messages refer to, in order."""
    return [m.claim for reading in readings if reading for m in reading.messages if m.claim]


def _in_message_order(claims: Sequence[Claim], readings: Sequence[Reading | None]) -> list[Claim]:
    """Claim-check files in the order in which messages refer to them, by file name; others after them."""
    locations = _references(readings)
    places = {location.rpartition("/")[2]: i for i, location in reversed(list(enumerate(locations)))}
    return sorted(claims, key=lambda claim: places.get(claim.location.rpartition("/")[2], len(places)))


def _by_partition(deliveries: Sequence[Delivery]) -> list[Delivery]:
    return sorted(deliveries, key=lambda d: -1 if d.partition is None else d.partition)


def _in_partition_order(readings: Sequence[R], records: Sequence[Record]) -> list[R]:
    """Readings by partition, in order of production inside each: between partitions there is no order."""
    pairs = sorted(zip(readings, records, strict=True), key=lambda p: -1 if p[1].partition is None else p[1].partition)
    return [reading for reading, _ in pairs]
