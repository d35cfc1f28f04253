"""Reads messages into changes and checks their other members: the slow path.

The reference decoder of the dialect reads the message; a refused message becomes an `Unreadable`, never an exception.
The reference encoder of the dialect writes the events again. Every member in which the two messages differ becomes an
`Oddity`, except the positional ones.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime, tzinfo
from typing import Any

import orjson

from differential.decode.canonical import image
from differential.decode.contents import Content, Oddity, Statement
from differential.decode.contradicting import contradiction_name, contradictions
from differential.decode.ddl_messages import OF_SNAPSHOT, statement_members
from differential.decode.half_read import unreadable
from differential.decode.lost_letters import with_question_marks, without_stand_ins
from differential.decode.member_differences import MemberDifference, Path, member_differences
from differential.decode.member_order import with_members_in_order
from differential.decode.raw_names import with_escaped_names
from differential.decode.statement_words import statement_differences
from differential.decode.versions import ZERO, Version, versions_of
from differential.model import PARTLY, UNKNOWN, Change, Place, Unreadable
from differential.sides import Side
from differential.unread import problem_of
from reference_impl.column_types import Family
from reference_impl.errors import Rejected, Unsupported
from reference_impl.model import DdlEvent, Event, Record, Row, RowChange, Table, Value
from reference_impl.zones import zone_of

__all__ = ["ChangeReader", "place_of"]

_BEYOND_TSO = 1 << 63


@dataclass(frozen=True, slots=True)
class _Reading:
    """A message read with certain versions of its tables."""

    events: list[Event]
    versions: Mapping[tuple[str, str], Version]  # by schema and table
    rows: list[RowChange]  # the row changes of the given tables
    odd: list[MemberDifference] | None  # the members that the dialect writes differently; None if it refuses the rows

    @property
    def faults(self) -> float:
        """How badly the versions fit: the number of odd members, infinity for refused rows."""
        return math.inf if self.odd is None else len(self.odd)


def _completed(change: RowChange) -> RowChange:
    """The change, with a before image completed by the columns that the update did not change."""
    if change.op == "update" and change.before is not None and change.after is not None:
        return replace(change, before={**change.after, **change.before})
    return change


def _utc(text: str, zone: tzinfo) -> str:
    """A wall clock of a zone in UTC; the zero TIMESTAMP stays as it is."""
    try:
        moment = datetime.fromisoformat(text[: len(ZERO)]).replace(tzinfo=zone).astimezone(UTC)
    except (ValueError, OverflowError):
        return text
    return moment.isoformat(" ")[: len(ZERO)] + text[len(ZERO) :]


class ChangeReader:
    """Reads the messages of one side.

    `counts` counts what gives no change: statements and other control messages, row changes of tables that were not
    given, and messages whose members were not checked since they could not be written again (`unchecked`).
    """

    def __init__(self, side: Side) -> None:
        self.side = side
        self.counts: Counter[str] = Counter()
        self.contradictions: list[str] = []
        """The names (`contradiction_name`) of contradictions read so far.

        `SlimReader` counts those of messages in the window, and clears the list.
        """
        self._decoder, self._encoder = side.decoder(), side.encoder()
        self._has_operations, self._deletes_by_key = side.has_operations, side.deletes_by_key
        self._zone = zone_of(side.settings.timezone)
        self._epoch = datetime.fromtimestamp(0, UTC).astimezone(self._zone).isoformat(" ")[:19]
        self._versions = versions_of(side)
        self._json = frozenset(c.name for table in side.tables for c in table.columns if c.type.family is Family.JSON)

    def read(self, record: Record) -> Iterator[Content]:
        """The contents of a message: its changes and oddities, its statement, or why it cannot be read."""
        place = place_of(record)
        if (problem := problem_of(record)) is not None:
            yield Unreadable(place, "line", problem, None)
            return
        if self.side.traits.heartbeat_prefix and (record.topic or "").startswith(self.side.traits.heartbeat_prefix):
            self.counts["heartbeats"] += 1
            return
        if record.value is None and not self.side.traits.deletes_by_key:
            self.counts["tombstones"] += 1
            if not self.side.traits.has_log_positions and record.key is not None:
                yield Oddity("", "", place, ("tombstone",), None, record.key.decode("utf-8", "backslashreplace"))
            return
        try:
            reading = self._reading(record)
        except (Rejected, Unsupported) as e:
            yield unreadable(self.side, record, place, e)
            return
        events, versions = reading.events, reading.versions
        if not events:
            self.counts["other messages"] += 1
        for event in events:
            if isinstance(event, DdlEvent):
                try:
                    kind, changes, of_snapshot = statement_members(event, record, self.side)
                except Rejected as e:
                    yield unreadable(self.side, record, place, e)
                    continue
                self.counts[OF_SNAPSHOT if of_snapshot else "statements"] += 1
                if not of_snapshot:
                    time = "" if event.commit_ts is not None else self._time_of(event, record)
                    odd = self._odd_statement(event, record) if len(events) == 1 else ""
                    names = event.schema, event.table, event.query
                    yield Statement(*names, place, kind, event.commit_ts, time, changes, odd)
            elif not isinstance(event, RowChange):
                self.counts["watermarks"] += 1
        self.counts["of tables not given"] += sum(isinstance(event, RowChange) for event in events) - len(reading.rows)
        for row in reading.rows:
            version = versions[row.schema, row.table]
            yield from self._changes(self._in_utc(row, version.timestamps), version, place, record)
        if reading.odd is None:
            self.counts["unchecked"] += 1
        for path, expected, got in (*(reading.odd or ()), *contradictions(self.side, record, reading.rows)):
            if name := contradiction_name(place.topic, path, expected, got):
                self.contradictions.append(name)
                continue
            yield Oddity(reading.rows[0].schema, reading.rows[0].table, place, path, expected, got)

    def _reading(self, record: Record) -> _Reading:
        """The reading of a message by the best versions of its tables; raises as the decoder does."""
        try:
            found, refused = self._best_reading(record, record), None
        except Rejected as e:
            found, refused = None, e
        if refused is not None and self.side.traits.has_raw_names and (ordered := with_members_in_order(record)):
            with suppress(Rejected):
                found, refused = self._best_reading(ordered, record), None
        if (found is None or found.faults) and self.side.traits.has_raw_names and self._json:
            escaped = with_escaped_names(record, self._json)
            with suppress(Rejected):
                if escaped and (other := self._best_reading(escaped, record)).rows and not other.faults:
                    return other
        try:
            if refused is not None:
                raise refused
        finally:
            refused = None  # breaks the cycle of the error and this frame, which would keep both alive
        assert found is not None
        return found

    def _best_reading(self, record: Record, original: Record) -> _Reading:
        """The best reading of a record, compared with the `original` one.

        Its versions are tried first for the next.
        """
        versions = {id_: kept[0] for id_, kept in self._versions.items()}
        best: _Reading | None = None
        refused: Rejected | None = None
        try:
            best = self._read_with(record, original, versions)
        except Rejected as e:
            refused = e
        for id_, kept in self._versions.items():
            if best is not None and not best.faults:
                break
            for version in kept[1:]:
                try:
                    found = self._read_with(record, original, {**versions, id_: version})
                except Rejected:
                    continue
                if best is None or found.faults < best.faults:
                    best = found
            if best is not None and best.versions[id_] is not kept[0]:
                versions[id_] = best.versions[id_]
                kept.remove(versions[id_])
                kept.insert(0, versions[id_])
        try:
            if best is None:
                assert refused is not None
                raise refused
        finally:
            refused = None
        return best

    def _read_with(self, record: Record, original: Record, versions: Mapping[tuple[str, str], Version]) -> _Reading:
        events = self._decoded(record, versions)
        given = [event for event in events if isinstance(event, RowChange)]
        rows = [_completed(row) for row in given if (row.schema, row.table) in versions]
        if not self._has_operations:
            rows = [_as_present_row(row) for row in rows]
        if self.side.traits.writes_stand_ins:
            rows = [self._with_zero_dates(row, versions[row.schema, row.table]) for row in rows]
        is_whole = bool(rows) and len(rows) == len(events)
        if is_whole:
            odd = self._odd_members(original, rows, versions)
        else:
            odd = None if rows else []  # the encoder cannot write the rows of tables not given
        return _Reading(events, versions, rows, odd)

    def _decoded(self, record: Record, versions: Mapping[tuple[str, str], Version]) -> list[Event]:
        given = replace(record, key=None) if self.side.traits.has_no_record_key else record  # an added key is an oddity
        events = self._decoder.decode([given], [version.table for version in versions.values()])
        for event in events:
            if event.commit_ts is not None and event.commit_ts >= _BEYOND_TSO:
                raise Rejected("range", f"commit_ts {event.commit_ts} does not fit into 63 bits")
            if isinstance(event, RowChange) and (version := versions.get((event.schema, event.table))):
                unknown = {*(event.before or ()), *(event.after or ())} - version.types.keys()
                if unknown:
                    raise Rejected("schema", f"the table has no column {min(unknown)!r}")
        return events

    def _with_zero_dates(self, row: RowChange, version: Version) -> RowChange:
        """The row with zero dates in place of their stand-ins.

        These are the beginning of 1970 in a TIMESTAMP, and NULL in a column with a default.
        """
        if not version.zero_dates:
            return row

        def zero_of(name: str, value: Value) -> Value:
            zero = version.zero_dates.get(name)
            if zero is None:
                return value
            kind = version.types[name]
            if kind.family is Family.TIMESTAMP:
                return zero + value[len(zero) :] if isinstance(value, str) and value.startswith(self._epoch) else value
            if value is not None or name not in version.defaults:
                return value
            return zero + ("." + "0" * kind.fsp if kind.fsp else "")

        def image_of(given: Row | None) -> Row | None:
            return None if given is None else {name: zero_of(name, value) for name, value in given.items()}

        return replace(row, before=image_of(row.before), after=image_of(row.after))

    def _in_utc(self, row: RowChange, names: tuple[str, ...]) -> RowChange:
        """The row with TIMESTAMPs in UTC.

        An hour that occurs twice in the side's zone is taken as the first one.
        """
        if self._zone is UTC or not names:
            return row

        def image_of(given: Row) -> Row:
            texts = {name: given[name] for name in names if name in given}
            return {**given, **{name: _utc(v, self._zone) for name, v in texts.items() if isinstance(v, str)}}

        before, after = (given and image_of(given) for given in (row.before, row.after))
        return replace(row, before=before, after=after)

    def _time_of(self, event: RowChange | DdlEvent, record: Record) -> str:
        """The time of an event, in milliseconds since 1970 as digits; "" if its message has no time."""
        if self.side.traits.time_member and event.commit_ts is None:
            return _member(record, self.side.traits.time_member)
        return _in_position(event, self.side.traits.time_path)

    def _changes(self, row: RowChange, version: Version, place: Place, record: Record) -> Iterator[Change]:
        before = None if row.before is None else image(row.before, version.types)
        after = None if row.after is None else image(row.after, version.types)
        if row.op == "upsert" or (row.op == "update" and before is None):
            before = UNKNOWN
        if row.op == "delete" and self._deletes_by_key and before and version.types.keys() > (row.before or {}).keys():
            before = PARTLY + before
        keys = [version.key_of(given) for given in (row.before, row.after) if given is not None]
        time, transaction = self._time_of(row, record), _transaction(row, self.side.traits.transaction_paths)
        instant = f"{time} {transaction}" if time and transaction else time

        def change(key: bytes, op: str, old: bytes | None, new: bytes | None, moved: bool = False) -> Change:
            return Change(row.schema, row.table, key, op, old, new, place, row.commit_ts, instant, moved)

        if len({*keys}) == 1:
            yield change(keys[0], row.op, before, after)
        else:
            yield change(keys[0], "delete", before, None, moved=True)
            yield change(keys[1], "insert", None, after, moved=True)

    def _odd_statement(self, event: DdlEvent, record: Record) -> str:
        """The members of a DDL message that its dialect writes differently, as JSON.

        "" if there are none.
        """
        found = statement_differences(self.side, event, record)
        if found is None:
            self.counts["unchecked"] += 1
        names = [name for one in found or () if (name := contradiction_name(record.topic or "", *one))]
        if names and len(names) == len(found or ()):
            self.contradictions += names
            return ""
        # If other members differ as well, the message is of another kind, and its key is not typical of the topic.
        return orjson.dumps([(".".join(path), *values) for path, *values in found]).decode() if found else ""

    def _odd_members(
        self, record: Record, rows: list[RowChange], versions: Mapping[tuple[str, str], Version]
    ) -> list[MemberDifference] | None:
        """The members that the dialect writes differently; None if its encoder refuses the rows."""
        timed = [
            replace(_writable(row), commit_ts=row.commit_ts or 0, start_ts=row.start_ts or row.commit_ts or 0)
            for row in rows
        ]
        tables = {(row.schema, row.table): versions[row.schema, row.table].table for row in rows}
        try:
            found = self._differences_from_written(timed, tables, record)
            if found and self.side.traits.writes_stand_ins:
                nulls = [_with_nulls(row, found, versions[row.schema, row.table].defaults) for row in timed]
                found = self._differences_from_written(nulls, tables, record) if nulls != timed else found
        except (Rejected, Unsupported):
            marked = with_question_marks(timed, record)
            with suppress(Rejected, Unsupported):
                return marked and without_stand_ins(self._differences_from_written(marked[0], tables, marked[1]))
            return None
        return found

    def _differences_from_written(
        self, rows: list[RowChange], tables: Mapping[tuple[str, str], Table], record: Record
    ) -> list[MemberDifference]:
        """The differences between the message and what the dialect writes for the rows."""
        records = self._encoder.encode(rows, tables.values()).records
        written = [one for one in records if one.value is not None or record.value is None]
        traits = self.side.traits
        is_timed = all(row.commit_ts for row in rows)
        positional = traits.positional - traits.from_commit_ts if is_timed else traits.positional
        found = [
            list(member_differences(one, record, positional, always=traits.is_of_ticdc)) for one in written or (None,)
        ]
        return min(found, key=len)  # the encoder may also write records of the transaction


def place_of(record: Record) -> Place:
    """Topic, partition and offset of a message."""
    return Place(record.topic or "", record.partition or 0, record.offset or 0)


def _as_present_row(row: RowChange) -> RowChange:
    """The change that a message without an operation reports: the row exists now."""
    return row if row.op != "insert" else replace(row, op="upsert" if row.before is None else "update")


def _writable(row: RowChange) -> RowChange:
    """The change in the form that encoders take: no upsert, and no update without a row before it."""
    if row.op == "upsert":
        return replace(row, op="insert" if row.before is None else "update")
    return replace(row, before=row.after) if row.op == "update" and row.before is None else row


def _with_nulls(row: RowChange, found: Sequence[MemberDifference], defaults: frozenset[str]) -> RowChange:
    """The change with NULL in odd columns that have a default.

    The producer may have written the default for NULL.
    """

    def image_of(name: str, given: Row | None) -> Row | None:
        nulls = {path[-1]: None for path, _, _ in found if path[-2:-1] == (name,) and path[-1] in defaults}
        return None if given is None else {**given, **nulls}

    return replace(row, before=image_of("before", row.before), after=image_of("after", row.after))


def _member(record: Record, name: str) -> str:
    """A member of a message as a text, "" if the message is compressed."""
    try:
        return str(orjson.loads(record.value or b"")[name])
    except (orjson.JSONDecodeError, KeyError, TypeError):
        return ""


def _transaction(event: RowChange, paths: Sequence[Path]) -> str:
    """The name of a change's transaction, "" if the message has none."""
    return next(filter(None, (_in_position(event, path) for path in paths)), "")


def _in_position(event: RowChange | DdlEvent, path: Path) -> str:
    """The text at a path in the position of an event, "" if it is absent."""
    found: Any = event.source if path else None
    for name in path:
        found = found.get(name) if isinstance(found, Mapping) else None
    return "" if found is None else str(found)
