"""Judges what an encoder or a decoder of an upstream dialect answered to a case.

An encoder must write what was recorded, or else what the reference writes; a decoder must answer the truth
(`expected_events`). It may answer a change of a key as one event or as two.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from conformance.cases.model import Case, ExpectedAnswer, ExpectedRecords, ExpectedRejection
from conformance.cases.upstream.lenient import tree_of
from conformance.errors import SuiteError
from conformance.oracle.findings import Finding, Judgement, fingerprint, is_advisory
from conformance.oracle.harm import harm_of
from conformance.oracle.leniency import harm_of_acceptance
from conformance.oracle.perfect import is_same_json, is_same_records, perfect_answer
from conformance.oracle.tree import MISSING, Kind, Path
from conformance.oracle.upstream.alignment import Identity, align
from conformance.oracle.upstream.comparison import RecordComparison, blame
from conformance.oracle.upstream.dialects import DIALECTS as ORACLES
from conformance.oracle.upstream.dialects import broken_rule, rules_at
from conformance.oracle.upstream.expected_events import answer_for, expected_events
from conformance.oracle.upstream.model import UNCERTAIN, ExpectedEvent, Image
from conformance.oracle.upstream.reading import RecordKind, RecordSummary
from reference_impl.column_types import Family
from reference_impl.errors import Rejected, RejectionClass, Unsupported
from reference_impl.model import Column, DdlEvent, Record, Table
from reference_impl.options import parse
from reference_impl.protocols import UPSTREAM
from reference_impl.values import from_wire, loosely_same_value
from reference_impl.wire import record_from_json

__all__ = ["UpstreamJudge"]

Tree = Mapping[str, Any]

# Kinds of events that a decoder may add: the model of the suite lacks them.
_IGNORED_KINDS = frozenset({"transaction", "heartbeat"})
# Kind of a record → the skeleton by which rules name it; others are a "record".
_NAMES: Mapping[RecordKind, str] = {
    RecordKind.DDL: "ddl",
    RecordKind.STATEMENT: "statement",
    RecordKind.TRANSACTION: "transaction",
    RecordKind.TRUNCATION: "truncation",
}


class UpstreamJudge:
    """Judges answers of one dialect. Profiles are TiCDC's: every requirement of the dialect holds under each.

    With `remembers` it makes the expectation of a case once, for callers that judge many answers to the same object.
    """

    def __init__(self, protocol: str, *, remembers: bool = False) -> None:
        self._protocol = protocol
        self._remembers = remembers
        self._remembered: dict[int, tuple[Case, tuple[Record, ...]]] = {}

    def perfect(self, case: Case) -> frozenset[str] | None:
        """The requirements that the perfect answer to a case evaluates; None if this answer has findings itself.

        See `conformance.oracle.judge.Judge.perfect`.
        """
        try:
            judgement = self.judge(case, self._perfect_answer(case))
        except SuiteError:
            return None
        return None if judgement.findings else frozenset(judgement.evaluated)

    def judge(self, case: Case, answer: Tree, *, perfect: frozenset[str] | None = None) -> Judgement:
        """Judge the answer to a case: `{"ok": …}`, `{"rejected": …}`, or `{"error": …}` of a broken implementation.

        With `perfect` (the result of `perfect(case)`) an answer equal to the expectation is not compared in detail.
        Raises `SuiteError` if the reference refuses the input.
        """
        if perfect is not None and self._is_perfect(case, answer):
            return Judgement(set(perfect))
        judgement = Judgement()
        if "error" in answer or isinstance(case.expected, ExpectedAnswer | ExpectedRejection):
            self._judge_kind_of_answer(judgement, case, answer)
        elif "rejected" in answer:
            self._add_findings(judgement, case, Kind.REFUSED, "an answer", answer["rejected"])
        elif case.role == "encode":
            self._compare_records(judgement, case, [record_from_json(record) for record in answer["ok"]["records"]])
        else:
            events = [e for e in answer["ok"]["events"] if e.get("kind") not in _IGNORED_KINDS]
            _EventComparison(self._protocol, judgement).compare(expected_events(case, _options(case)), events)
        return judgement

    def expected_records(self, case: Case) -> ExpectedRecords:
        """The records that an encoder must answer to a case; empty if it must refuse, or if the role is `decode`."""
        is_encoded = case.role == "encode" and not isinstance(case.expected, ExpectedAnswer | ExpectedRejection)
        return ExpectedRecords(tuple(self._expected(case)) if is_encoded else ())

    # -- the perfect answer ----------------------------------------------------------------------------------------

    def _perfect_answer(self, case: Case) -> Tree:
        if isinstance(case.expected, ExpectedAnswer | ExpectedRejection):
            return perfect_answer(case.expected)
        if case.role == "encode":
            return perfect_answer(ExpectedRecords(self._expected(case)))
        return {"ok": {"events": [answer_for(event) for event in expected_events(case, _options(case))]}}

    def _is_perfect(self, case: Case, answer: Tree) -> bool:
        if answer.keys() != {"ok"} or isinstance(case.expected, ExpectedAnswer | ExpectedRejection):
            return False
        if case.role == "encode":
            return is_same_records(self._expected(case), answer["ok"].get("records"))
        return is_same_json(self._perfect_answer(case), answer)

    # -- answers as a whole ----------------------------------------------------------------------------------------

    def _judge_kind_of_answer(self, judgement: Judgement, case: Case, answer: Tree) -> None:
        """Judge an answer that must be a rejection, or that may be anything but an error."""
        judgement.evaluated |= set(case.requirements)
        refused, expected = answer.get("rejected"), case.expected
        if "error" in answer:
            self._add_findings(judgement, case, Kind.BROKEN, "an answer", answer["error"])
        elif isinstance(expected, ExpectedRejection):
            allowed = " or ".join(sorted(str(c) for c in expected.classes))
            if refused is None:
                self._add_findings(judgement, case, Kind.ACCEPTED, f"rejected as {allowed}", answer.get("ok"))
            elif refused["class"] not in expected.classes:
                self._add_findings(judgement, case, Kind.CLASS, allowed, refused)
        elif refused is not None and refused["class"] not in tuple(RejectionClass):
            self._add_findings(judgement, case, Kind.BROKEN, "a known class", refused)

    def _add_findings(self, judgement: Judgement, case: Case, kind: Kind, expected: Any, got: Any) -> None:
        """Add findings about the whole answer: for the case's requirements, else the one about records or events."""
        what = "record" if case.role == "encode" else "event"
        harm = harm_of("answer", kind, expected, got)
        if kind is Kind.ACCEPTED and isinstance(case.expected, ExpectedRejection):
            harm = harm_of_acceptance(case, case.expected, got, self.judge)
        advisory = is_advisory(case.role, kind, harm)
        for requirement in case.requirements or [self._broken_requirement(what, kind)]:
            judgement.evaluated.add(requirement)
            cause = fingerprint(requirement, "answer", kind)
            judgement.findings.append(Finding(requirement, "answer", kind, expected, got, cause, harm, advisory))

    # -- encoders --------------------------------------------------------------------------------------------------

    def _expected(self, case: Case) -> tuple[Record, ...]:
        if isinstance(case.expected, ExpectedRecords):
            return case.expected.records
        if id(case) in self._remembered:
            return self._remembered[id(case)][1]
        encoder = UPSTREAM[self._protocol].encoder(_options(case), settings=case.settings)
        try:
            records = encoder.encode(case.events, case.tables).records
        except (Rejected, Unsupported) as e:
            raise SuiteError(f"case {case.id}: the reference refuses it ({e})") from None
        if self._remembers:
            self._remembered[id(case)] = case, records
        return records

    def _compare_records(self, judgement: Judgement, case: Case, got: Sequence[Record]) -> None:
        expected = self._expected(case)
        read = ORACLES[self._protocol].summary
        summaries = [read(record) for record in expected]
        tables = _table_versions(case)
        for i, j in _paired(expected, got, read):
            expected_record = expected[i] if i is not None else None
            got_record = got[j] if j is not None else None
            present = got_record if expected_record is None else expected_record
            assert present is not None
            summary = summaries[i] if i is not None else read(present)
            is_null = partial(_is_null_in_last_row, present)
            comparison = RecordComparison(self._protocol, judgement, _table_of(summary, tables), is_null)
            comparison.compare(_name_of(summary, present), expected_record, got_record)
        if not expected:  # where no record is expected, an extra one is looked for
            judgement.evaluated.add(self._broken_requirement("ddl", Kind.EXTRA))

    def _broken_requirement(self, what: str, kind: Kind) -> str:
        """The requirement that a difference about a record or an event as a whole breaks."""
        return broken_rule(rules_at(self._protocol, what, None, null=False), kind).requirement


def _options(case: Case) -> Any:
    return parse(UPSTREAM[case.protocol].options, case.options)


def _paired(
    expected: Sequence[Record], got: Sequence[Record], read: Callable[[Record], RecordSummary]
) -> Sequence[tuple[int | None, int | None]]:
    """(index of expected, index of got) of records that belong together; None for a missing or extra record.

    They are paired in order if tables and operations come in the same order, else aligned.
    """
    in_order = [(n, n) for n in range(len(expected))]
    if list(expected) == list(got):
        return in_order
    identities = [[_identity(read(record), record) for record in records] for records in (expected, got)]
    kinds = [[(identity.schema, identity.table, identity.op) for identity in side] for side in identities]
    return in_order if kinds[0] == kinds[1] else align(*identities)


def _identity(summary: RecordSummary, record: Record) -> Identity:
    """The identity of a record: its kind, the key of its first row, and its bytes."""
    if summary.kind is RecordKind.ROWS:
        identity = summary.identities[0]
        return identity if identity.is_damaged else replace(identity, body=repr(record.value))
    return Identity(summary.kind, "", summary.kind, "", repr(record.value))


def _name_of(summary: RecordSummary, record: Record) -> str:
    """The skeleton by which rules name a missing or extra record."""
    if record.value is None:  # whether it has a key or, as in a table without one, has none
        return "tombstone"
    return _NAMES.get(summary.kind, "record")


def _table_versions(case: Case) -> Mapping[tuple[str, str], Sequence[Table]]:
    """The versions of each table in a case, in order."""
    versions: dict[tuple[str, str], list[Table]] = {}
    altered = [t for e in case.events if isinstance(e, DdlEvent) for t in e.tables_after]
    for table in (*case.tables, *altered):
        versions.setdefault(table.id, []).append(table)
    return versions


def _table_of(summary: RecordSummary, versions: Mapping[tuple[str, str], Sequence[Table]]) -> Table | None:
    """The version of its table that a record of rows is about: the first that has all of its columns."""
    if summary.kind is not RecordKind.ROWS:
        return None
    identity = summary.identities[0]
    known = versions.get((str(identity.schema), str(identity.table)), ())
    names = summary.columns
    return next((t for t in known if all(t.column(name) for name in names)), known[-1] if known else None)


def _is_null_in_last_row(record: Record, column: str) -> bool:
    tree = tree_of(record.value)
    rows = tree.get("data") if isinstance(tree, dict) else None
    return isinstance(rows, list) and bool(rows) and isinstance(rows[-1], dict) and rows[-1].get(column) is None


# -- decoders ----------------------------------------------------------------------------------------------------------


class _EventComparison:
    """Compares the events that a decoder answered with the expected ones. Findings are added to `judgement`."""

    def __init__(self, protocol: str, judgement: Judgement) -> None:
        self._protocol = protocol
        self._judgement = judgement

    def compare(self, expected: Sequence[ExpectedEvent], got: Sequence[Tree]) -> None:
        """Compare all events of an answer, in order."""
        if len(got) > len(expected):
            expected = [part for event in expected for part in _delete_and_insert(event)]
        self._compare_members("event", ("event",), len(expected), len(got), Kind.COUNT)
        if len(got) == len(expected):
            for n, (one, other) in enumerate(zip(expected, got, strict=True)):
                self._event(one, other, ("event", n))

    def _compare_members(self, skeleton: str, path: Path, expected: Any, got: Any, kind: Kind = Kind.VALUE) -> bool:
        """Compare two members, and add a finding if they differ; whether they are equal."""
        rules = rules_at(self._protocol, skeleton, None, null=False)
        self._judgement.evaluated |= {rule.requirement for rule in rules}
        if expected != got:
            blame(self._judgement, rules, skeleton, path, kind, expected, got)
        return bool(expected == got)

    def _event(self, expected: ExpectedEvent, got: Tree, path: Path) -> None:
        if not self._compare_members("event.kind", (*path, "kind"), expected.kind, got.get("kind")):
            return
        is_row = expected.kind == "row"
        root = "event" if is_row else "ddl event"
        for name in ("op", "schema", "table") if is_row else ("schema", "table", "query"):
            self._compare_members(f"{root}.{name}", (*path, name), getattr(expected, name), got.get(name))
        # The messages have no commit time stamp that a decoder could answer.
        self._compare_members(f"{root}.commit_ts", (*path, "commit_ts"), None, got.get("commit_ts"))
        if is_row:
            before = "old" if expected.op == "update" else "before"
            self._image(before, (*path, "before"), expected, expected.before, got.get("before"))
            self._image("after", (*path, "after"), expected, expected.after, got.get("after"))

    def _image(self, name: str, path: Path, event: ExpectedEvent, expected: Any, got: Any) -> None:
        """Compare an image column by column, unless it is the other image of an update."""
        if not self._compare_members(f"event.{name}", path, expected is not None, got is not None):
            return
        if not isinstance(got, dict):
            return
        if _is_exchanged(expected, event.before if name == "after" else event.after, got):
            rules = rules_at(self._protocol, f"event.{name}", None, null=False)
            blame(self._judgement, rules, f"event.{name}", path, Kind.VALUE, _certain(expected), got)
            return
        for column in dict.fromkeys((*expected, *got)):
            values = expected.get(column, MISSING), got.get(column, MISSING)
            self._value(f"event.{name}.{{column}}", (*path, column), event, *values)

    def _value(self, skeleton: str, path: Path, event: ExpectedEvent, expected: Any, got: Any) -> None:
        """Compare the values of a column, which is the last step of `path`."""
        name = str(path[-1])
        column = event.definition.column(name) if event.definition is not None else None
        if expected is UNCERTAIN or (not event.is_whole and (expected is MISSING or got is MISSING)):
            return
        if expected is MISSING and event.whole_before is not None:
            expected = event.whole_before.get(name, MISSING)
        rules = rules_at(self._protocol, skeleton, column.type.family if column else None, null=expected is None)
        self._judgement.evaluated |= {rule.requirement for rule in rules}
        if expected is MISSING:
            kind: Kind | None = Kind.EXTRA
        elif got is MISSING:
            kind = Kind.MISSING
        else:
            kind = _difference(column, expected, got)
        if kind is not None:
            blame(self._judgement, rules, skeleton, path, kind, expected, got)


def _is_exchanged(expected: Image, other: Image | None, got: Image) -> bool:
    """Whether an answered image is the other image of the update, and differs from its own.

    It is not if the other image lacks columns, as `old` of Canal may: the answer has lost them, which is worse.
    """
    own = _certain(expected)
    if other is None or got.keys() != other.keys() or not own.keys() <= got.keys():
        return False
    others = _certain(other)
    return all(got[name] == others[name] for name in others) and any(own[n] != others[n] for n in own.keys() & others)


def _certain(image: Image) -> dict[str, Any]:
    return {name: value for name, value in image.items() if value is not UNCERTAIN}


def _difference(column: Column | None, expected: Any, got: Any) -> Kind | None:
    """The kind of difference of two wire values; None if they are equal, uncertain or of an unknown column."""
    if expected is UNCERTAIN or column is None or expected == got:
        return None
    if expected is None or got is None:
        return Kind.VALUE
    try:
        value = from_wire(column.type, got)
    except Rejected as e:
        return Kind.JSON_KIND if e.reason == "schema" else Kind.VALUE
    if column.type.family is Family.JSON and _is_same_json_text(expected, got):
        return None
    return None if loosely_same_value(column.type, from_wire(column.type, expected), value) else Kind.VALUE


def _is_same_json_text(expected: str, got: str) -> bool:
    """Whether two JSON texts have the same value: a number with a fraction is a double, whatever its digits are."""
    try:
        return bool(json.loads(expected) == json.loads(got))
    except ValueError:
        return False


def _delete_and_insert(event: ExpectedEvent) -> Sequence[ExpectedEvent]:
    """A change of a key as the delete and the insert that a decoder may answer instead; else the event itself."""
    table, before, after = event.definition, event.before, event.after
    if event.op != "update" or table is None or before is None or after is None or event.whole_before is not None:
        return [event]
    keys = table.primary_key or (table.unique_keys[0].columns if table.unique_keys else ())
    if all(before.get(name) == after.get(name) for name in keys):
        return [event]
    return [replace(event, op="delete", after=None), replace(event, op="insert", before=None)]
