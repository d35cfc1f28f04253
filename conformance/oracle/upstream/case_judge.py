"""The judge of cases: what an encoder or a decoder of an upstream dialect answered, against what it should have.

What encoders must write is what was recorded, or else what the reference writes; what decoders must answer is the truth
(`carry`). Rows of one message may be answered in one way only, but a change of a key as one event or as two.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from typing import Any

from conformance.cases.model import Case, ExpectedAnswer, ExpectedRecords, ExpectedRejection
from conformance.cases.upstream.lenient import tree_of
from conformance.errors import SuiteError
from conformance.oracle.findings import Finding, Judgement, fingerprint, is_advisory
from conformance.oracle.harm import harm_of
from conformance.oracle.leniency import harm_of_acceptance
from conformance.oracle.perfect import is_same_json, is_same_records, perfect_answer
from conformance.oracle.tree import MISSING, Kind, Path
from conformance.oracle.upstream.alignment import Mark, align
from conformance.oracle.upstream.carried import UNCERTAIN, Carried
from conformance.oracle.upstream.comparison import RecordComparison, blame
from conformance.oracle.upstream.dialects import DIALECTS as ORACLES
from conformance.oracle.upstream.dialects import broken_rule, rules_at
from conformance.oracle.upstream.expected_events import carried, event_of
from conformance.oracle.upstream.reading import RecordKind, RecordSummary
from conformance.oracle.upstream.rules import Rule
from reference_impl.column_types import Family
from reference_impl.errors import Rejected, RejectionClass, Unsupported
from reference_impl.model import Column, DdlEvent, Record, Table
from reference_impl.options import parse
from reference_impl.protocols import UPSTREAM
from reference_impl.values import from_wire, loosely_same_value
from reference_impl.wire import record_from_json

__all__ = ["UpstreamJudge"]

Tree = Mapping[str, Any]

# Members that a decoder may add: the model has no place for them.
_INFORMATION = frozenset({"transaction", "heartbeat"})
_WHAT: Mapping[RecordKind, str] = {
    RecordKind.DDL: "ddl",
    RecordKind.STATEMENT: "statement",
    RecordKind.TRANSACTION: "transaction",
    RecordKind.TRUNCATION: "truncation",
}


class UpstreamJudge:
    """Judges answers of one dialect: every requirement of its register holds under every profile, which are TiCDC's.

    With `remembers` the expectation of a case is made once: for those who judge many answers to the same objects.
    """

    def __init__(self, protocol: str, *, remembers: bool = False) -> None:
        self._protocol = protocol
        self._remembers = remembers
        self._remembered: dict[int, tuple[Case, tuple[Record, ...]]] = {}

    def perfect(self, case: Case) -> frozenset[str] | None:
        """The requirements that the perfect answer to a case evaluates; None if it has findings itself.

        See `conformance.oracle.judge.Judge.perfect`.
        """
        try:
            judgement = self.judge(case, self._perfect_answer(case))
        except SuiteError:
            return None
        return None if judgement.findings else frozenset(judgement.evaluated)

    def judge(self, case: Case, answer: Tree, *, perfect: frozenset[str] | None = None) -> Judgement:
        """Judge the answer (`{"ok": …}`, `{"rejected": …}`, or `{"error": …}` of one that broke) to a case.

        With `perfect`, which is what `perfect(case)` says, an answer that equals the expectation is settled at once.
        Raises `SuiteError` where the reference does not answer what is asked.
        """
        if perfect is not None and self._is_perfect(case, answer):
            return Judgement(set(perfect))
        found = Judgement()
        if "error" in answer or isinstance(case.expected, ExpectedAnswer | ExpectedRejection):
            self._settled(found, case, answer)
        elif "rejected" in answer:
            self._answered(found, case, Kind.REFUSED, "an answer", answer["rejected"])
        elif case.role == "encode":
            self._records(found, case, [record_from_json(record) for record in answer["ok"]["records"]])
        else:
            events = [e for e in answer["ok"]["events"] if e.get("kind") not in _INFORMATION]
            _Events(self._protocol, found).compare(carried(case, _options(case)), events)
        return found

    def expected_records(self, case: Case) -> ExpectedRecords:
        """The records that an encoder is to answer a case with; none if it is to refuse it, or to decode."""
        is_encoded = case.role == "encode" and not isinstance(case.expected, ExpectedAnswer | ExpectedRejection)
        return ExpectedRecords(tuple(self._expected(case)) if is_encoded else ())

    # -- the perfect answer ----------------------------------------------------------------------------------------

    def _perfect_answer(self, case: Case) -> Tree:
        if isinstance(case.expected, ExpectedAnswer | ExpectedRejection):
            return perfect_answer(case.expected)
        if case.role == "encode":
            return perfect_answer(ExpectedRecords(self._expected(case)))
        return {"ok": {"events": [event_of(event) for event in carried(case, _options(case))]}}

    def _is_perfect(self, case: Case, answer: Tree) -> bool:
        if answer.keys() != {"ok"} or isinstance(case.expected, ExpectedAnswer | ExpectedRejection):
            return False
        if case.role == "encode":
            return is_same_records(self._expected(case), answer["ok"].get("records"))
        return is_same_json(self._perfect_answer(case), answer)

    # -- answers as a whole ----------------------------------------------------------------------------------------

    def _settled(self, found: Judgement, case: Case, answer: Tree) -> None:
        """An answer that must be a rejection, or may be any but a breakdown."""
        found.evaluated |= set(case.requirements)
        refused, expected = answer.get("rejected"), case.expected
        if "error" in answer:
            self._answered(found, case, Kind.BROKEN, "an answer", answer["error"])
        elif isinstance(expected, ExpectedRejection):
            allowed = sorted(str(c) for c in expected.classes)
            if refused is None:
                self._answered(found, case, Kind.ACCEPTED, f"rejected as {' or '.join(allowed)}", answer.get("ok"))
            elif refused["class"] not in expected.classes:
                self._answered(found, case, Kind.CLASS, " or ".join(allowed), refused)
        elif refused is not None and refused["class"] not in tuple(RejectionClass):
            self._answered(found, case, Kind.BROKEN, "a known class", refused)

    def _answered(self, found: Judgement, case: Case, kind: Kind, expected: Any, got: Any) -> None:
        """Add findings about the whole answer: for the case's requirements, else the one about records or events."""
        first = "record" if case.role == "encode" else "event"
        harm = harm_of("answer", kind, expected, got)
        if kind is Kind.ACCEPTED and isinstance(case.expected, ExpectedRejection):
            harm = harm_of_acceptance(case, case.expected, got, self.judge)
        advisory = is_advisory(case.role, kind, harm)
        for requirement in case.requirements or [self._broken(first, kind)]:
            mark = fingerprint(requirement, "answer", kind)
            found.evaluated.add(requirement)
            found.findings.append(Finding(requirement, "answer", kind, expected, got, mark, harm, advisory))

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

    def _records(self, found: Judgement, case: Case, got: Sequence[Record]) -> None:
        expected = self._expected(case)
        read = ORACLES[self._protocol].summary
        summaries = [read(record) for record in expected]
        tables = _versions(case)
        for n, m in _pairs(expected, got, read):
            one, other = expected[n] if n is not None else None, got[m] if m is not None else None
            there = other if one is None else one
            assert there is not None
            summary = summaries[n] if n is not None else read(there)
            comparison = RecordComparison(self._protocol, found, _table_of(summary, tables), partial(_is_null, there))
            comparison.compare(_what(summary, there), one, other)
        if not expected:  # no record was expected, and none came
            found.evaluated.add(self._broken("ddl", Kind.EXTRA))

    def _broken(self, what: str, kind: Kind) -> str:
        """The requirement that a difference about a record or an event as a whole breaks."""
        return broken_rule(_known_rules(self._protocol, what, None, False), kind).requirement


def _options(case: Case) -> Any:
    return parse(UPSTREAM[case.protocol].options, case.options)


def _pairs(
    expected: Sequence[Record], got: Sequence[Record], read: Callable[[Record], RecordSummary]
) -> Sequence[tuple[int | None, int | None]]:
    """Which record stands for which: in order where as many of each kind come in the same order, else aligned."""
    in_order = [(n, n) for n in range(len(expected))]
    if list(expected) == list(got):
        return in_order
    marks = [[_mark(read(record), record) for record in records] for records in (expected, got)]
    kinds = [[(mark.schema, mark.table, mark.op) for mark in side] for side in marks]
    return in_order if kinds[0] == kinds[1] else align(*marks)


def _mark(summary: RecordSummary, record: Record) -> Mark:
    """The identity of a record: its kind, the key of its first row, and its bytes."""
    if summary.kind is RecordKind.ROWS:
        mark = summary.marks[0]
        return mark if mark.is_damaged else replace(mark, body=repr(record.value))
    return Mark(summary.kind, "", summary.kind, "", repr(record.value))


def _what(summary: RecordSummary, record: Record) -> str:
    if record.value is None:  # of a table without a key it has no key either
        return "tombstone"
    return _WHAT.get(summary.kind, "record")


def _versions(case: Case) -> Mapping[tuple[str, str], Sequence[Table]]:
    """The versions of each table in a case, in order."""
    found: dict[tuple[str, str], list[Table]] = {}
    altered = [t for e in case.events if isinstance(e, DdlEvent) for t in (e.table_after, *e.other_tables)]
    for table in (*case.tables, *altered):
        if table is not None:
            found.setdefault(table.id, []).append(table)
    return found


def _table_of(summary: RecordSummary, versions: Mapping[tuple[str, str], Sequence[Table]]) -> Table | None:
    """The version of its table that a record of rows is about: the first that has all of its columns."""
    if summary.kind is not RecordKind.ROWS:
        return None
    mark = summary.marks[0]
    known = versions.get((str(mark.schema), str(mark.table)), ())
    names = summary.columns
    return next((t for t in known if all(t.column(name) for name in names)), known[-1] if known else None)


def _is_null(record: Record, name: str) -> bool:
    tree = tree_of(record.value)
    rows = tree.get("data") if isinstance(tree, dict) else None
    return isinstance(rows, list) and bool(rows) and isinstance(rows[-1], dict) and rows[-1].get(name) is None


@lru_cache(maxsize=1 << 14)
def _known_rules(protocol: str, skeleton: str, family: Family | None, null: bool) -> tuple[Rule, ...]:
    return tuple(rules_at(protocol, skeleton, family, null=null))


# -- decoders ----------------------------------------------------------------------------------------------------------


class _Events:
    """Events that a decoder answered against those that the records carry."""

    def __init__(self, protocol: str, found: Judgement) -> None:
        self._protocol = protocol
        self._found = found

    def compare(self, expected: Sequence[Carried], got: Sequence[Tree]) -> None:
        """All events of an answer, in order."""
        if len(got) != len(expected):
            expected = [half for event in expected for half in _halves(event)] if len(got) > len(expected) else expected
        self._leaf("event", ("event",), len(expected), len(got), Kind.COUNT)
        if len(got) == len(expected):
            for n, (one, other) in enumerate(zip(expected, got, strict=True)):
                self._event(one, other, ("event", n))

    def _leaf(self, skeleton: str, path: Path, expected: Any, got: Any, kind: Kind = Kind.VALUE) -> bool:
        rules = _known_rules(self._protocol, skeleton, None, False)
        self._found.evaluated |= {rule.requirement for rule in rules}
        if expected != got:
            blame(self._found, rules, skeleton, path, kind, expected, got)
        return bool(expected == got)

    def _event(self, expected: Carried, got: Tree, path: Path) -> None:
        if not self._leaf("event.kind", (*path, "kind"), expected.kind, got.get("kind")):
            return
        root = "event" if expected.kind == "row" else "ddl event"
        names = ("op", "schema", "table") if expected.kind == "row" else ("schema", "table", "query")
        for name in names:
            self._leaf(f"{root}.{name}", (*path, name), getattr(expected, name), got.get(name))
        self._leaf(f"{root}.commit_ts", (*path, "commit_ts"), None, got.get("commit_ts"))
        if expected.kind == "row":
            is_old = expected.op == "update"
            self._image("old" if is_old else "before", (*path, "before"), expected, expected.before, got.get("before"))
            self._image("after", (*path, "after"), expected, expected.after, got.get("after"))

    def _image(self, name: str, path: Path, event: Carried, expected: Any, got: Any) -> None:
        if not self._leaf(f"event.{name}", path, expected is not None, got is not None):
            return
        if not isinstance(got, dict):
            return
        for column in dict.fromkeys((*expected, *got)):
            want, have = expected.get(column, MISSING), got.get(column, MISSING)
            self._cell(f"event.{name}.{{column}}", (*path, column), event, want, have)

    def _cell(self, skeleton: str, path: Path, event: Carried, want: Any, have: Any) -> None:
        name = str(path[-1])
        column = event.of.column(name) if event.of is not None else None
        if want is UNCERTAIN or (not event.whole and (want is MISSING or have is MISSING)):
            return
        if want is MISSING and event.rest is not None and name in event.rest:
            want = event.rest[name]  # it did not change, and is optional
        null = want is None
        rules = _known_rules(self._protocol, skeleton, column.type.family if column else None, null)
        kind = Kind.EXTRA if want is MISSING else Kind.MISSING if have is MISSING else _differs(column, want, have)
        self._found.evaluated |= {rule.requirement for rule in rules}
        if kind is not None:
            blame(self._found, rules, skeleton, path, kind, want, have)


def _differs(column: Column | None, want: Any, have: Any) -> Kind | None:
    if want is UNCERTAIN or column is None or want == have:
        return None
    if want is None or have is None:
        return Kind.VALUE
    try:
        got = from_wire(column.type, have)
    except Rejected as e:
        return Kind.JSON_KIND if e.reason == "schema" else Kind.VALUE
    if column.type.family is Family.JSON and _is_same_json(want, have):
        return None
    return None if loosely_same_value(column.type, from_wire(column.type, want), got) else Kind.VALUE


def _is_same_json(want: str, have: str) -> bool:
    """One value: a number with a fraction is a double, whatever digits it was given."""
    try:
        return bool(json.loads(want) == json.loads(have))
    except ValueError:
        return False


def _halves(event: Carried) -> Sequence[Carried]:
    """A change of a key as its two records: a decoder may answer them as they are."""
    table, before, after = event.of, event.before, event.after
    if event.op != "update" or table is None or before is None or after is None or event.rest is not None:
        return [event]
    keys = table.primary_key or (table.unique_keys[0].columns if table.unique_keys else ())
    if all(before.get(name) == after.get(name) for name in keys):
        return [event]
    return [replace(event, op="delete", after=None), replace(event, op="insert", before=None)]
