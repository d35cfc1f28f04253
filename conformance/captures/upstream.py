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
from typing import Any

from conformance.captures.dialects.model import ids
from conformance.captures.inference import with_first_records
from conformance.captures.judge import NO_TABLES, NOT_WRITTEN
from conformance.captures.model import CaptureContext, Captured, Place
from conformance.captures.refusals import refusal
from conformance.captures.results import CaptureResult, CaptureVerdict, between_records, excluded, result_of, unread
from conformance.captures.shown import SHOWN
from conformance.captures.tombstones import TOMBSTONES_OPTION, TombstoneJudge
from conformance.captures.versions import JudgedRecord, Versions
from conformance.cases.upstream.lenient import tree_of
from conformance.catalogue.register import load_register
from conformance.errors import our_fault
from conformance.oracle.findings import Judgement
from conformance.oracle.tree import Kind
from conformance.oracle.upstream.comparison import RecordComparison
from conformance.oracle.upstream.dialects import DIALECTS as ORACLES
from conformance.oracle.upstream.dialects import broken_rule, rules_at
from conformance.oracle.upstream.reading import RecordKind
from reference_impl import options as option_strings
from reference_impl.column_types import Family
from reference_impl.errors import Rejected, RejectionClass, Undescribed, Unsupported
from reference_impl.model import Record, RowChange, Table
from reference_impl.protocols import UPSTREAM
from reference_impl.settings import Settings
from reference_impl.upstream.canal.types import read_mysql_type

__all__ = ["judge_upstream_capture"]

# The connector writes an update of a key as a delete and an insert; these headers mark the two.
_HALVES = frozenset({"__debezium.newkey", "__debezium.oldkey"})

# Paths that are not compared: they depend on the position in the stream.
_LEFT_OUT = re.compile(r"^value\.(payload\.)?(source\.(row|snapshot)|transaction)\b")
# Requirements that a single record cannot show: what it is compared with is made from the record itself.
_BY_SOURCE = ids("CJ", 454) | ids("DBZ", 216, 223)  # how the server stores a JSON document, or fills BINARY(n)
_BY_CLOCK = ids("CJ", 668) | ids("DBZ", 253, 700)  # when the event happened, and when the record was written
_BY_POSITION = ids("CJ", 902) | ids("DBZ", 525, 539, 544)  # batch, position, place in a snapshot or in a transaction
_BY_OPTION = ids("CJ", 904)  # whether GTIDs are kept
_NOT_SHOWN = _BY_SOURCE | _BY_CLOCK | _BY_POSITION | _BY_OPTION
# The path at the beginning of an error message of the reader: `data.c_time: …`, `sqlType.id is 5, …`.
_COLUMN_IN_ERROR = re.compile(r"(?P<member>data|old|sqlType|mysqlType|before|after)\.(?P<name>.+?)(?=: | is )")
_ROWS = ("data", "old")  # members with a list of rows
_ORDER_ERROR = "not in alphabetical order"
_ANY_MEMBER = "value.~"  # no rule names this path: the general rule of a value holds there

NO_MESSAGE = "neither a row nor a statement: it was only read"
ONLY_READ = "a statement: its form depends on the state of the tables, and was left out"
NO_HALF = "half of an update of a key: its form was left out"
NO_TOMBSTONES = (
    "a delete before any tombstone: whether its own is missing is judged only if one comes later; "
    f"{TOMBSTONES_OPTION}=true requires it"
)


def judge_upstream_capture(context: CaptureContext, captured: Iterable[Captured]) -> Iterator[CaptureResult]:
    """The results of a capture in order.

    A missing table is made from the message if that names its types. Raises `Rejected` or `Unsupported` for options
    that the dialect refuses or does not know.
    """
    records, lines = with_first_records(captured)
    judge = _Judge(context, records)
    for line in lines:
        if line.record is None:
            yield unread(line)
        else:
            yield judge.judge(line.place, line.record, line.problem)
            yield from judge.between(line.place, line.record)


class _Judge:
    """Judges records one by one, and the tombstones between them. Options are inferred from the first `records`."""

    def __init__(self, context: CaptureContext, records: Sequence[Record]) -> None:
        self._protocol = context.protocol
        self._register = load_register(context.protocol)
        self._versions = Versions(context.tables)
        codec = UPSTREAM[context.protocol]
        hints, topic_prefix = SHOWN[context.protocol].options(records)
        # A damaged record may show a value that the option does not have, such as an unknown version.
        known_values = option_strings.values_by_option(codec.options)
        hints = {option: value for option, value in hints.items() if value in known_values[option]}
        options = hints | dict(context.options)
        parsed = option_strings.parse(codec.options, options)
        topic = f"{topic_prefix}.{{schema}}.{{table}}" if topic_prefix else Settings().topic
        settings = Settings(timezone=context.timezone, topic=topic)
        self._decoder = codec.decoder(parsed, settings=settings)
        self._encoder = partial(codec.encoder, parsed, settings=settings)
        self._tombstones: TombstoneJudge | None = None
        if TOMBSTONES_OPTION in known_values and options.get(TOMBSTONES_OPTION) != "false":
            # Only the option, or a tombstone among the first records, shows that the connector writes tombstones.
            self._tombstones = TombstoneJudge(writes_tombstones=options.get(TOMBSTONES_OPTION) == "true")

    def judge(self, place: Place, record: Record, problem: str | None) -> CaptureResult:
        """The result of a record."""
        try:
            result = self._versions.judge(
                record.topic, record.partition, lambda: JudgedRecord(self._judge_record(place, record))
            ).result
        except Exception as e:  # noqa: BLE001 - a fault of the suite costs one record, and its result names the suite
            return CaptureResult(place, CaptureVerdict.SUITE_ERROR, problem=our_fault(e), record=record)
        has_delete = any(isinstance(event, RowChange) and event.op == "delete" for event in result.events)
        if has_delete and self._tombstones is not None and not self._tombstones.writes_tombstones:
            result = replace(result, not_judged=(*result.not_judged, NO_TOMBSTONES))
        return result if problem is None else replace(result, problem=problem)

    def between(self, place: Place, record: Record) -> Iterator[CaptureResult]:
        """The results of earlier records that this one decides: of tables judged again, and of missing tombstones."""
        yield from self._versions.withdrawn()
        if self._tombstones is not None:
            yield from between_records(place, partial(self._tombstones.see, place, record), self._register)

    def _judge_record(self, place: Place, record: Record) -> CaptureResult:
        """The result of a record by the versions of the tables in force."""
        if SHOWN[self._protocol].is_heartbeat(record):
            return excluded(place, record, NO_MESSAGE)
        # Reading a record evaluates the requirement that it can be read.
        judgement = Judgement({self._requirement_at("value", None, Kind.BROKEN)})
        try:
            events = self._decoder.decode([record], self._versions.now.values())
        except Unsupported as e:
            return excluded(place, record, str(e))
        except Undescribed:
            return excluded(place, record, NO_TABLES)
        except Rejected as e:
            requirement = self._broken_by(e, record)
            judgement.evaluated.add(requirement)
            judgement.findings.append(refusal(requirement, e))
            return result_of(place, judgement, self._register, record)
        rows = [event for event in events if isinstance(event, RowChange)]
        if not events:
            return excluded(place, record, NO_MESSAGE)
        if not rows:
            return result_of(place, judgement, self._register, record, events, [ONLY_READ])
        if _HALVES & {name for name, _ in record.headers}:
            return excluded(place, record, NO_HALF, events=events)
        table = self._table(rows[0], record)
        if table is None:
            return excluded(place, record, NO_TABLES, events=events)
        expected = self._written_again(rows, table)
        if expected is None:
            return excluded(place, record, NOT_WRITTEN, events=events)
        # The last row of a record decides the types that the record shows.
        last_row = rows[-1].after or rows[-1].before or {}
        comparison = RecordComparison(self._protocol, judgement, table, is_null=lambda name: last_row.get(name) is None)
        comparison.compare("record", expected, record)
        judgement.evaluated -= _NOT_SHOWN
        judgement.findings[:] = [
            f for f in judgement.findings if f.requirement not in _NOT_SHOWN and not _LEFT_OUT.search(f.path)
        ]
        return result_of(place, judgement, self._register, record, events)

    def _table(self, row: RowChange, record: Record) -> Table | None:
        """The table of a row: the given one, else the one that its message shows."""
        known = self._versions.now.get((row.schema, row.table))
        return known if known is not None else SHOWN[self._protocol].table(row, record)

    def _written_again(self, rows: Sequence[RowChange], table: Table) -> Record | None:
        """The record that the reference writes for these rows; None if it does not write them."""
        try:
            written = self._encoder().encode(list(map(_completed, rows)), [table]).records
        except (Rejected, Unsupported):
            return None
        # Beside the record of rows, the reference may write others, such as a tombstone or those of a transaction.
        summary = ORACLES[self._protocol].summary
        expected = next((r for r in written if summary(r).kind is RecordKind.ROWS and r.value is not None), None)
        # The producer's configuration decides topic and partition: any are right.
        return None if expected is None else replace(expected, topic=None, partition=None)

    def _family(self, name: str, record: Record) -> Family | None:
        """The family of a column, if its table is known or the message shows it."""
        tree = tree_of(record.value)
        if not isinstance(tree, dict):
            return None
        payload = _object(tree.get("payload", tree))
        source = _object(payload.get("source"))
        id_ = (source.get("db"), source.get("table")) if source else (tree.get("database"), tree.get("table"))
        table = next((one for one in self._versions.now.values() if one.id == id_), None)
        column = table.column(name) if table is not None else None
        if column is not None:
            return column.type.family
        shown = _object(tree.get("mysqlType")).get(name)
        try:
            return read_mysql_type(shown).family if isinstance(shown, str) else _family_of_schema(tree, name)
        except Rejected:
            return None

    def _requirement_at(self, skeleton: str, family: Family | None, kind: Kind) -> str:
        """The requirement that a difference of a kind at a skeleton breaks."""
        rules = rules_at(self._protocol, skeleton, family, null=False)
        return broken_rule(rules, kind).requirement

    def _broken_by(self, error: Rejected, record: Record) -> str:
        """The requirement that an unreadable message breaks: that of the path in the reader's error message."""
        if error.reason in (RejectionClass.FRAMING, RejectionClass.SYNTAX):
            return self._requirement_at("value", None, Kind.BROKEN)
        if _ORDER_ERROR in error.message:
            return self._requirement_at("value", None, Kind.ORDER)
        column = _COLUMN_IN_ERROR.match(error.message)
        if column is None:
            return self._requirement_at(_ANY_MEMBER, None, Kind.VALUE)
        skeleton = f"value.{column['member']}{'[]' if column['member'] in _ROWS else ''}.{{column}}"
        return self._requirement_at(skeleton, self._family(column["name"], record), Kind.VALUE)


_FAMILIES: Mapping[str, Family] = {
    "io.debezium.data.Bits": Family.BIT,
    "io.debezium.data.Enum": Family.ENUM,
    "io.debezium.data.EnumSet": Family.SET,
    "io.debezium.data.Json": Family.JSON,
    "io.debezium.time.Date": Family.DATE,
    "io.debezium.time.MicroTime": Family.TIME,
    "io.debezium.time.MicroTimestamp": Family.DATETIME,
    "io.debezium.time.Timestamp": Family.DATETIME,
    "io.debezium.time.Year": Family.YEAR,
    "io.debezium.time.ZonedTimestamp": Family.TIMESTAMP,
}
"""By name of a connector's schema, the family of a column that only one family has."""


def _family_of_schema(tree: Mapping[str, Any], name: str) -> Family | None:
    """The family of a column that the schema in the message describes as one of `_FAMILIES`."""
    for image in map(_object, _object(tree.get("schema")).get("fields") or ()):
        if image.get("field") in ("before", "after"):
            for field in map(_object, image.get("fields") or ()):
                if field.get("field") == name:
                    return _FAMILIES.get(str(field.get("name")))
    return None


def _object(node: Any) -> Mapping[str, Any]:
    return node if isinstance(node, Mapping) else {}


def _completed(row: RowChange) -> RowChange:
    """The update with the columns that its before image leaves out: they did not change."""
    if row.op != "update" or row.before is None or row.after is None:
        return row
    return replace(row, before={name: row.before.get(name, value) for name, value in row.after.items()})
