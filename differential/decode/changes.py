"""Reads messages into changes and checks their other members: the slow path.

The reference decoder of the dialect reads the message; a refused message becomes an `Unreadable`, never an exception.
The reference encoder of the dialect writes the events again. Every member in which the two messages differ becomes an
`Oddity`, except the positional ones.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from typing import Any

import orjson

from differential.decode.canonical import image
from differential.decode.contents import Content, Oddity, Statement
from differential.decode.contradictions import contradiction_name, contradictions
from differential.decode.ddl_differences import statement_differences
from differential.decode.ddl_messages import OF_SNAPSHOT, statement_members
from differential.decode.member_differences import MemberDifference, Path, member_differences
from differential.decode.refused import unreadable
from differential.decode.repairs import (
    with_escaped_names,
    with_members_in_order,
    with_question_marks,
    without_question_marks,
)
from differential.decode.row_forms import (
    as_present_row,
    completed,
    with_all_digits,
    with_nulls,
    with_zero_dates,
    writable,
)
from differential.decode.versions import Version, versions_of
from differential.model import PARTLY, UNKNOWN, Change, Place, Unreadable
from differential.row_values import in_zone
from differential.sides import Side
from differential.unread import problem_of
from reference_impl.column_types import Family
from reference_impl.errors import Rejected, Unsupported
from reference_impl.model import DdlEvent, Event, Record, RowChange, Table
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
        self._first: Mapping[tuple[str, str], Version] = {}
        """By schema and table, the version that is tried first."""
        self._first_tables: Sequence[Table] = ()
        self._note_first({id_: kept[0] for id_, kept in self._versions.items()})
        columns = [column for table in side.tables for column in table.columns]
        self._json_columns = frozenset(column.name for column in columns if column.type.family is Family.JSON)

    def read(self, record: Record) -> Iterator[Content]:
        """The contents of a message: its changes and oddities, its statement, or why it cannot be read."""
        place = place_of(record)
        if (problem := problem_of(record)) is not None:
            yield Unreadable(place, "line", problem, None)
            return
        heartbeat_prefix = self.side.traits.heartbeat_prefix
        if heartbeat_prefix and (record.topic or "").startswith(heartbeat_prefix):
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
        yield from self._other_events(reading.events, record, place)
        yield from self._row_changes(reading, record, place)

    def _other_events(self, events: Sequence[Event], record: Record, place: Place) -> Iterator[Content]:
        """The statements among the events of a message; watermarks are counted."""
        if not events:
            self.counts["other messages"] += 1
        for event in events:
            if isinstance(event, DdlEvent):
                try:
                    kind, changes, is_of_snapshot = statement_members(event, record, self.side)
                except Rejected as e:
                    yield unreadable(self.side, record, place, e)
                    continue
                if is_of_snapshot:
                    self.counts[OF_SNAPSHOT] += 1
                    continue
                self.counts["statements"] += 1
                time = "" if event.commit_ts is not None else self._time_of(event, record)
                odd = self._odd_statement(event, record) if len(events) == 1 else ""
                names = event.schema, event.table, event.query
                yield Statement(*names, place, kind, event.commit_ts, time, changes, odd)
            elif not isinstance(event, RowChange):
                self.counts["watermarks"] += 1

    def _row_changes(self, reading: _Reading, record: Record, place: Place) -> Iterator[Change | Oddity]:
        """The row changes of a message, and its odd members."""
        rows = reading.rows
        count = sum(isinstance(event, RowChange) for event in reading.events)
        self.counts["changes of other tables"] += count - len(rows)
        for row in rows:
            version = reading.versions[row.schema, row.table]
            yield from self._changes(in_zone(row, version.timestamps, self._zone, UTC), version, place, record)
        if reading.odd is None:
            self.counts["unchecked"] += 1
        for path, expected, got in (*(reading.odd or ()), *contradictions(self.side, record, rows)):
            if name := contradiction_name(place.topic, path, expected, got):
                self.contradictions.append(name)
            else:
                yield Oddity(rows[0].schema, rows[0].table, place, path, expected, got)

    def _reading(self, record: Record) -> _Reading:
        """The reading of a message, repaired if need be, by the best versions of its tables.

        Raises as the decoder does.
        """
        return _or_better(lambda: self._best_reading(record, record), partial(self._repaired_reading, record))

    def _repaired_reading(self, record: Record, found: _Reading | None) -> _Reading | None:
        """The reading of a repaired message; `found`, the reading of the message as it is, if no repair is better.

        `found` is None if the message cannot be read as it is.
        """
        if not self.side.traits.has_raw_names:
            return found
        if found is None and (ordered := with_members_in_order(record)):
            with suppress(Rejected):
                found = self._best_reading(ordered, record)
        if not self._json_columns or (found is not None and not found.faults):
            return found
        if escaped := with_escaped_names(record, self._json_columns):
            with suppress(Rejected):
                other = self._best_reading(escaped, record)
                if other.rows and not other.faults:
                    return other
        return found

    def _best_reading(self, record: Record, original: Record) -> _Reading:
        """The reading of a record by the versions that fit best, compared with the `original` record.

        Raises as the decoder does if no version fits.
        """
        return _or_better(
            lambda: self._read_with(record, original, self._first),
            partial(self._better_reading, record, original),
        )

    def _note_first(self, versions: Mapping[tuple[str, str], Version]) -> None:
        self._first, self._first_tables = versions, [version.table for version in versions.values()]

    def _better_reading(self, record: Record, original: Record, best: _Reading | None) -> _Reading | None:
        """The reading by other versions, one table after the other; `best` if none is better.

        The versions of the result are tried first for the next record.
        """
        for id_, kept in self._versions.items():
            if best is not None and not best.faults:
                break
            for version in kept[1:]:
                try:
                    found = self._read_with(record, original, {**self._first, id_: version})
                except Rejected:
                    continue
                if best is None or found.faults < best.faults:
                    best = found
            if best is not None and best.versions[id_] is not kept[0]:
                fitting = best.versions[id_]
                self._note_first({**self._first, id_: fitting})
                kept.remove(fitting)
                kept.insert(0, fitting)
        return best

    def _read_with(self, record: Record, original: Record, versions: Mapping[tuple[str, str], Version]) -> _Reading:
        events = self._decoded(record, versions)
        given = [event for event in events if isinstance(event, RowChange)]
        rows = [completed(row) for row in given if (row.schema, row.table) in versions]
        if not self._has_operations:
            rows = [as_present_row(row) for row in rows]
        if self.side.traits.writes_stand_ins:
            rows = [with_zero_dates(row, versions[row.schema, row.table], self._epoch) for row in rows]
        is_whole = bool(rows) and len(rows) == len(events)
        if is_whole:
            odd = self._odd_members(original, rows, versions)
        else:
            odd = None if rows else []  # the encoder cannot write the rows of tables not given
        return _Reading(events, versions, rows, odd)

    def _decoded(self, record: Record, versions: Mapping[tuple[str, str], Version]) -> list[Event]:
        given = replace(record, key=None) if self.side.traits.has_no_record_key else record  # an added key is an oddity
        is_first = versions is self._first
        tables = self._first_tables if is_first else [version.table for version in versions.values()]
        events = self._decoder.decode([given], tables)
        for event in events:
            if event.commit_ts is not None and event.commit_ts >= _BEYOND_TSO:
                raise Rejected("range", f"commit_ts {event.commit_ts} does not fit into 63 bits")
            if isinstance(event, RowChange) and (version := versions.get((event.schema, event.table))):
                unknown = {*(event.before or ()), *(event.after or ())} - version.types.keys()
                if unknown:
                    raise Rejected("schema", f"the table has no column {min(unknown)!r}")
        return events

    def _time_of(self, event: RowChange | DdlEvent, record: Record) -> str:
        """The time of an event, in milliseconds since 1970 as digits; "" if its message has no time."""
        if self.side.traits.time_member and event.commit_ts is None:
            return _member(record, self.side.traits.time_member)
        return _in_position(event, self.side.traits.time_path)

    def _changes(self, row: RowChange, version: Version, place: Place, record: Record) -> Iterator[Change]:
        """The change of a row; of an update that changes the key, a delete and an insert."""
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
        """The members of a DDL message that its dialect writes differently, as JSON; "" if there are none."""
        found = statement_differences(self.side, event, record)
        if found is None:
            self.counts["unchecked"] += 1
            return ""
        names = [name for one in found if (name := contradiction_name(record.topic or "", *one))]
        if len(names) == len(found):
            self.contradictions += names
            return ""
        # If other members differ as well, the message is of another kind, and its key is not typical of the topic.
        return orjson.dumps([(".".join(path), *values) for path, *values in found]).decode()

    def _odd_members(
        self, record: Record, rows: list[RowChange], versions: Mapping[tuple[str, str], Version]
    ) -> list[MemberDifference] | None:
        """The members that the dialect writes differently; None if its encoder refuses the rows."""
        timed = [
            replace(writable(row), commit_ts=row.commit_ts or 0, start_ts=row.start_ts or row.commit_ts or 0)
            for row in rows
        ]
        tables = {(row.schema, row.table): versions[row.schema, row.table].table for row in rows}
        try:
            found = self._differences_from_written(timed, tables, record)
            if found and self.side.traits.writes_stand_ins:
                nulls = [with_nulls(row, found, versions[row.schema, row.table].defaults) for row in timed]
                if nulls != timed:
                    found = self._differences_from_written(nulls, tables, record)
        except (Rejected, Unsupported):
            whole = [with_all_digits(row, versions[row.schema, row.table].types) for row in timed]
            if whole != timed:
                with suppress(Rejected, Unsupported):
                    return self._differences_from_written(whole, tables, record)
            return self._odd_members_beside_lost_letters(timed, tables, record)
        return found

    def _odd_members_beside_lost_letters(
        self, rows: list[RowChange], tables: Mapping[tuple[str, str], Table], record: Record
    ) -> list[MemberDifference] | None:
        """As `_odd_members`, with question marks for the letters that the producer lost; None without such letters."""
        if (marked := with_question_marks(rows, record)) is None:
            return None
        marked_rows, marked_record = marked
        try:
            return without_question_marks(self._differences_from_written(marked_rows, tables, marked_record))
        except (Rejected, Unsupported):
            return None

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


def _or_better(read: Callable[[], _Reading], better: Callable[[_Reading | None], _Reading | None]) -> _Reading:
    """What `read` returns, or a better reading of the message.

    `better` is asked if the reading has faults, and with None if `read` refuses the message; it returns None where it
    knows no better. Raises the refusal of `read` if `better` knows nothing either.
    """
    try:
        found = read()
    except Rejected:
        if (instead := better(None)) is None:
            raise
        return instead
    return (better(found) if found.faults else None) or found


def place_of(record: Record) -> Place:
    """Topic, partition and offset of a message."""
    return Place(record.topic or "", record.partition or 0, record.offset or 0)


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
