"""Judges captured records of the upstream dialects, whose true changes are unknown: reads them, writes rows again.

The dialect's reader must accept a record. The reference then writes a row again from the content and position of the
record, and the two are compared member by member; this needs the table. A row for which that is impossible is not
judged, such as one half of an update of a key, which depends on the other half. A statement, whose form depends on the
state of the tables, is only read. There is one rule between records: the tombstones of a connector.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain, islice

from conformance.captures.dialects.model import ids
from conformance.captures.judge import NO_TABLES, NOT_WRITTEN
from conformance.captures.model import Captured, Place
from conformance.captures.results import CaptureResult, CaptureVerdict, unread, verdict_of
from conformance.captures.shown import SHOWN
from conformance.captures.tombstones import OPTION, TombstoneJudge
from conformance.captures.versions import Versions
from conformance.cases.upstream.lenient import tree_of
from conformance.catalogue.register import Register, load_register
from conformance.errors import our_fault
from conformance.oracle.findings import Finding, Judgement, fingerprint
from conformance.oracle.harm import harm_of
from conformance.oracle.tree import Kind
from conformance.oracle.upstream.comparison import RecordComparison
from conformance.oracle.upstream.dialects import DIALECTS as ORACLES
from conformance.oracle.upstream.dialects import broken_rule, rules_at
from conformance.oracle.upstream.reading import RecordKind
from reference_impl import options as option_strings
from reference_impl.column_types import Family
from reference_impl.errors import Rejected, RejectionClass, Undescribed, Unsupported
from reference_impl.model import Event, Record, RowChange, Table
from reference_impl.protocols import UPSTREAM
from reference_impl.settings import Settings
from reference_impl.upstream.canal.types import read_mysql_type

__all__ = ["judge_upstream_capture"]

_HEAD = 1000
"""The number of records from which options are inferred."""
_HALVES = frozenset({"__debezium.newkey", "__debezium.oldkey"})

# Members that depend on the place in the stream.
_LEFT_OUT = re.compile(r"^value\.(payload\.)?(source\.(row|snapshot)|transaction)\b")
# Requirements that a single record cannot show: what it is compared with is made from the record itself.
_BY_SOURCE = ids("CJ", 454) | ids("DBZ", 216, 223)  # how the server stores a JSON document, or fills BINARY(n)
_BY_CLOCK = ids("CJ", 668) | ids("DBZ", 253, 700)  # when the event happened, and when the record was written
_BY_PLACE = ids("CJ", 902) | ids("DBZ", 525, 539, 544)  # batch, position, place in a snapshot or in a transaction
_BY_OPTION = ids("CJ", 904)  # whether GTIDs are kept
_UNKNOWN = _BY_SOURCE | _BY_CLOCK | _BY_PLACE | _BY_OPTION
# A path in a message of the reader: `data.c_time: …`, `sqlType.id is 5, …`.
_COLUMN = re.compile(r"(?P<part>data|old|sqlType|mysqlType|before|after)\.(?P<name>.+?)(?=: | is )")
_PLACES = {"data": "value.data[]", "old": "value.old[]"}
_ORDER = "not in alphabetical order"
_ANY_MEMBER = "value.~"
"""A place that no rule names: the general rule of a value holds there."""

NO_MESSAGE = "neither a row nor a statement: it was only read"
ONLY_READ = "a statement: its form depends on the state of the tables, and was left out"
NO_HALF = "half of an update of a key: its form was left out"
NO_TOMBSTONES = (
    f"a delete before any tombstone: whether its own is missing is judged only if one comes later; {OPTION}=true "
    "requires it"
)


def judge_upstream_capture(
    protocol: str,
    captured: Iterable[Captured],
    tables: Iterable[Table] = (),
    options: Mapping[str, str] | None = None,
    timezone: str = "UTC",
) -> Iterator[CaptureResult]:
    """The results of a capture in order.

    Missing options, and the connector's name, are inferred from the first thousand records; a missing table is made
    from the message if that names its types. Raises `Rejected` or `Unsupported` for options that the dialect refuses
    or does not know.
    """
    stream = iter(captured)
    head = list(islice(stream, _HEAD))
    judge = _Judge(protocol, tables, [c.record for c in head if c.record is not None], options or {}, timezone)
    for line in chain(head, stream):
        if line.record is None:
            yield unread(line)
        else:
            yield judge.judge(line.place, line.record, line.problem)
            yield from judge.between(line.place, line.record)


class _Judge:
    """Judges records one by one, and the tombstones between them."""

    def __init__(
        self,
        protocol: str,
        tables: Iterable[Table],
        records: Sequence[Record],
        given: Mapping[str, str],
        timezone: str,
    ) -> None:
        codec = UPSTREAM[protocol]
        self._protocol = protocol
        self._register: Register = load_register(protocol)
        self._versions = Versions(tables)
        values_of = {f.metadata["name"]: f.metadata["values"] for f in codec.options.__dataclass_fields__.values()}
        hints, name = SHOWN[protocol].options(records)
        # A damaged record may show a value that the option does not have, such as an unknown version.
        hints = {option: value for option, value in hints.items() if value in values_of[option]}
        # If no record is a tombstone, the connector may be configured to write none.
        tombstones = (hints | dict(given)).get(OPTION)
        self._tombstones: TombstoneJudge | None = None
        if OPTION in values_of and tombstones != "false":
            self._tombstones = TombstoneJudge(self._register, writes_tombstones=tombstones == "true")
        options = option_strings.parse(codec.options, hints | dict(given))
        settings = Settings(timezone=timezone, topic=f"{name}.{{schema}}.{{table}}" if name else Settings().topic)
        self._decoder = codec.decoder(options, settings=settings)
        self._encoder = partial(codec.encoder, options, settings=settings)

    def judge(self, place: Place, record: Record, problem: str | None) -> CaptureResult:
        """The result of a record."""
        try:
            # `judged` passes on what else a judge found; this one finds nothing else.
            result, _ = self._versions.judged(
                record.topic, record.partition, lambda: (self._record(place, record), None)
            )
        except Exception as e:  # noqa: BLE001 - a fault of the suite costs one record, and its result names the suite
            return CaptureResult(place, CaptureVerdict.SUITE_ERROR, problem=our_fault(e), record=record)
        has_delete = any(isinstance(event, RowChange) and event.op == "delete" for event in result.events)
        if has_delete and self._tombstones is not None and not self._tombstones.writes_tombstones:
            result = replace(result, not_judged=(*result.not_judged, NO_TOMBSTONES))
        return result if problem is None else replace(result, problem=problem)

    def between(self, place: Place, record: Record) -> Iterator[CaptureResult]:
        """The results that this record decides for earlier records."""
        yield from self._versions.withdrawn()
        if self._tombstones is None:
            return
        try:
            results = list(self._tombstones.see(place, record))
        except Exception as e:  # noqa: BLE001 - a fault of the suite costs one record, and its result names the suite
            results = [CaptureResult(place, CaptureVerdict.SUITE_ERROR, problem=our_fault(e), is_stream=True)]
        yield from results

    def _record(self, place: Place, record: Record) -> CaptureResult:
        if SHOWN[self._protocol].is_heartbeat(record):
            return _not_judged(place, record, NO_MESSAGE)
        found = Judgement()
        # Reading a record evaluates the requirement that it can be read.
        found.evaluated |= {self._rule_at("value", None, Kind.BROKEN)}
        try:
            events = self._decoder.decode([record], self._versions.now.values())
        except Unsupported as e:
            return _not_judged(place, record, str(e))
        except Undescribed:
            return _not_judged(place, record, NO_TABLES)
        except Rejected as e:
            self._refused(found, e, record)
            return self._result(place, record, found)
        rows = [event for event in events if isinstance(event, RowChange)]
        if not events:
            return _not_judged(place, record, NO_MESSAGE)
        if not rows:
            return self._result(place, record, found, events, ONLY_READ)
        if _HALVES & {name for name, _ in record.headers}:
            return _not_judged(place, record, NO_HALF, events)
        table = self._table(rows[0], record)
        if table is None:
            return _not_judged(place, record, NO_TABLES, events)
        try:
            written = self._encoder().encode(list(map(_completed, rows)), [table]).records
        except (Rejected, Unsupported):
            return _not_judged(place, record, NOT_WRITTEN, events)
        # Beside the record of rows, the reference may write others, such as a tombstone or those of a transaction.
        summary = ORACLES[self._protocol].summary
        expected = next((r for r in written if summary(r).kind is RecordKind.ROWS and r.value is not None), None)
        if expected is None:
            return _not_judged(place, record, NOT_WRITTEN, events)
        # The producer's configuration decides topic and partition: any are right.
        expected = replace(expected, topic=None, partition=None)
        # The last row of a record decides the types that the record shows.
        last = rows[-1].after or rows[-1].before or {}
        comparison = RecordComparison(self._protocol, found, table, lambda name: last.get(name) is None)
        comparison.compare("record", expected, record)
        found.evaluated -= _UNKNOWN
        found.findings[:] = [
            f for f in found.findings if f.requirement not in _UNKNOWN and not _LEFT_OUT.search(f.path)
        ]
        return self._result(place, record, found, events)

    def _table(self, row: RowChange, record: Record) -> Table | None:
        """The table of a row: the given one, else the one that its message shows."""
        known = self._versions.now.get((row.schema, row.table))
        return known if known is not None else SHOWN[self._protocol].table(row, record)

    def _family(self, name: str, record: Record) -> Family | None:
        """The family of a column, if the message shows it."""
        tree = tree_of(record.value)
        types = tree.get("mysqlType") if isinstance(tree, dict) else None
        shown = types.get(name) if isinstance(types, dict) else None
        try:
            return read_mysql_type(shown).family if isinstance(shown, str) else None
        except Rejected:
            return None

    def _rule_at(self, skeleton: str, family: Family | None, kind: Kind) -> str:
        rules = rules_at(self._protocol, skeleton, family, null=False)
        return broken_rule(rules, kind).requirement

    def _refused(self, found: Judgement, error: Rejected, record: Record) -> None:
        """Add a finding for an unreadable message, blamed on the rule for the path that the reader names."""
        column = _COLUMN.match(error.message)
        if error.reason in (RejectionClass.FRAMING, RejectionClass.SYNTAX):
            requirement = self._rule_at("value", None, Kind.BROKEN)
        elif _ORDER in error.message:
            requirement = self._rule_at("value", None, Kind.ORDER)
        elif column is not None:
            skeleton = _PLACES.get(column["part"], f"value.{column['part']}") + ".{column}"
            requirement = self._rule_at(skeleton, self._family(column["name"], record), Kind.VALUE)
        else:
            requirement = self._rule_at(_ANY_MEMBER, None, Kind.VALUE)
        mark = fingerprint(requirement, f"record.{error.reason}", Kind.REFUSED)
        got = {"class": str(error.reason), "message": error.message}
        found.evaluated.add(requirement)
        harm = harm_of("record", Kind.REFUSED, None, got)
        found.findings.append(
            Finding(requirement, "record", Kind.REFUSED, "a record that can be decoded", got, mark, harm)
        )

    def _result(
        self, place: Place, record: Record, found: Judgement, events: Sequence[Event] = (), note: str = ""
    ) -> CaptureResult:
        findings = tuple(found.findings)
        verdict = verdict_of(findings, self._register)
        notes = (note,) if note else ()
        return CaptureResult(place, verdict, findings, frozenset(found.evaluated), notes, None, record, tuple(events))


def _not_judged(place: Place, record: Record, note: str, events: Sequence[Event] = ()) -> CaptureResult:
    """The result of a record that is not judged, for the reason in `note`."""
    return CaptureResult(place, CaptureVerdict.EXCLUDED, not_judged=(note,), record=record, events=tuple(events))


def _completed(row: RowChange) -> RowChange:
    """The update with the columns that its before image leaves out: they did not change."""
    if row.op != "update" or row.before is None or row.after is None:
        return row
    return replace(row, before={name: row.before.get(name, value) for name, value in row.after.items()})
