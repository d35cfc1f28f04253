"""The connector's recordings beside the truth of their workloads: which change, or which statement, a record tells of.

Taken from a record are its position, the time of the statement where a column holds that, and the text that the server
made of a statement; everything else comes from the SQL.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

from conformance.catalogue.final_state import FinalRow, final_rows
from conformance.catalogue.recordings import Recording, Workloads, read_recordings
from conformance.catalogue.workload import Change
from reference_impl import options as option_strings
from reference_impl.exact_json import loads
from reference_impl.model import DdlEvent, Event, Record, RowChange, Table
from reference_impl.settings import Settings
from reference_impl.sql_tokens import statements, tokens
from reference_impl.upstream.debezium import Options
from reference_impl.upstream.debezium.known_tables import KnownTables

_FOLDERS = [Path(__file__).resolve().parents[4] / "fixtures/recorded" / name for name in ("debezium24", "debezium36")]


@cache
def recordings() -> Mapping[str, tuple[Recording, Workloads]]:
    """The recordings by folder and name."""
    return {
        f"{folder.name}/{recording.name}": (recording, workloads)
        for folder in _FOLDERS
        for workloads in [Workloads(folder)]
        for recording in read_recordings(folder)
    }


def options_of(name: str) -> Options:
    """The options of a recording, but for its truncations: `Stream.records` is without them."""
    return replace(option_strings.parse(Options, recordings()[name][0].options), skipped_operations="t")


def settings_of(name: str) -> Settings:
    """The settings of a recording: where its topics begin."""
    return Settings(topic=recordings()[name][0].facts.topic)


def payload_of(record: Record) -> Any:
    """The payload of a record's value, None for a tombstone."""
    if record.value is None:
        return None
    tree = loads(record.value)
    return tree["payload"] if "schema" in tree else tree


def is_row(record: Record) -> bool:
    """Whether a record is of a row, a tombstone included."""
    payload = payload_of(record)
    return payload is None or payload.get("op") in ("c", "u", "d", "r")


_TIMES = ("ts_ms", "ts_us", "ts_ns")


def _position(payload: Any, record: Record, then: Record | None = None) -> dict[str, object]:
    source = {name: payload["source"].get(name) for name in (*_TIMES, "gtid", "file", "pos", "thread")}
    found: dict[str, object] = {**{name: payload.get(name) for name in _TIMES}, "source": source}
    if payload.get("transaction"):
        found["transaction"] = payload["transaction"]["id"]
    for name, value in record.headers:
        if name == "__debezium.context.runId" and value is not None:
            told = loads(value)
            found["run_id"] = told["payload"] if isinstance(told, dict) else told
    if then is not None and then.value is not None:
        found["then"] = {name: payload_of(then).get(name) for name in _TIMES}
    return found


def _now(change: Change, payload: Any) -> dict[tuple[str, str], datetime]:
    """What the columns hold that the clock of the statement filled."""

    def instant(value: Any) -> datetime:
        if isinstance(value, int):
            return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=value)
        return datetime.fromisoformat(value).astimezone(UTC)

    return {(image, name): instant(payload[image][name]) for image, name in change.now}


@dataclass(frozen=True)
class Row:
    """A change, and the records that tell of it: one, with its tombstone, or those of an old and of a new key."""

    change: Change
    event: RowChange
    records: Sequence[Record]

    @property
    def table(self) -> Table:
        return self.change.table


@dataclass(frozen=True)
class Stream:
    """All events of a recording, in order, and the records that it should hold."""

    events: Sequence[Event]
    rows: Sequence[Row]
    records: Sequence[Record]


def _groups(records: Sequence[Record]) -> Iterator[Sequence[Record]]:
    at = 0
    while at < len(records):
        first = payload_of(records[at])
        end = at + 1
        if first["op"] == "d":
            if end < len(records) and records[end].value is None:
                end += 1
            if any(name == "__debezium.newkey" for name, _ in records[at].headers):
                end += 1
        yield records[at:end]
        at = end


# What the server and its client make of statements that are not of rows.
_OBJECT = re.compile(r"\b(v_one|tr_ins|p_one|f_one|ev_one|cap_u1|d_ctas_pk|d_ctas)\b")
_UNTOLD = re.compile(r"(?:create|drop)\s+temporary|create table d_bad1", re.IGNORECASE)
_STATEMENT = re.compile(r"(?:create|alter|drop|rename|truncate|grant|revoke|analyze)\b", re.IGNORECASE)
_OF_SCHEMA = re.compile(r"(?:create|alter|drop)\s+(?:database|schema)\s+(?:if\s+(?:not\s+)?exists\s+)?(\w+)")
_MOVED = re.compile(r"(?:alter|rename)\s+table\s+\S+\s+(?:rename|to)\s+(?:to\s+)?(?:(\w+)\.)?\w+")
_QUALIFIED = re.compile(r"\b(cap|cap_other)\.\w+")


def _schema(sql: str) -> str:
    """The schema that a statement of the workloads is about, after a rename the new one."""
    for pattern in (_OF_SCHEMA, _MOVED, _QUALIFIED):
        if found := pattern.search(sql):
            return found[1] or "cap"
    return "cap"


def _as_logged(sql: str, told: str) -> str:
    """The text in the binary log: `told`, if that can be what the server and its client made of the statement."""
    if [(t.kind, t.text) for t in tokens(sql)] == [(t.kind, t.text) for t in tokens(told)]:
        return told
    name, other = _OBJECT.search(sql), _OBJECT.search(told)
    same = name and other and name[0] == other[0] and sql.split()[0].lower() == told.split()[0].lower()
    return told if same else sql


@cache
def stream_of(name: str) -> Stream:
    """A recording of the binary log. Its first record is the connector's own: it tells of no statement."""
    recording, workloads = recordings()[name]
    options = options_of(name)
    records = [captured.record for captured in recording.records if captured.record is not None]
    topic = recording.facts.topic
    ddl = [record for record in records if record.topic == topic][1:]
    groups = list(_groups([record for record in records if record.topic != topic and is_row(record)]))
    changes = workloads.truth_of(recording).changes
    sql = workloads.sql_of(recording)
    assert sql is not None
    assert len(groups) == len(changes)
    tables = {change.table.name: change.table for change in changes}
    known = KnownTables(options.traits, options.server == "mysql")
    events: list[Event] = []
    rows: list[Row] = []
    seen = 0
    for number, text in enumerate(statements(sql)):
        if _STATEMENT.match(text) and not _UNTOLD.match(text) and seen < len(ddl):
            payload = payload_of(ddl[seen])
            query, schema = _as_logged(text, payload["ddl"]), _schema(text)
            made = tables.get(found[0]) if (found := _OBJECT.search(text)) else None
            count = len(known.apply(query, schema, made))
            then = ddl[seen + 1] if count > 1 else None
            events.append(DdlEvent(schema, "", query, table_after=made, source=_position(payload, ddl[seen], then)))
            seen += count
        while len(rows) < len(changes) and changes[len(rows)].statement == number:
            change, group = changes[len(rows)], groups[len(rows)]
            payload = payload_of(group[0])
            then = group[-1] if len(group) > 1 else None
            event = change.event(_position(payload, group[0], then), _now(change, payload))
            events.append(event)
            rows.append(Row(change, event, group))
    assert seen == len(ddl)
    own = [r for r in records if (p := payload_of(r)) is None or p.get("op") != "t"]
    return Stream(events, rows, own[1:])


# What became of the one row that ALTER TABLE changed and no later statement touched: `h` 7 is now the text `h2`, and
# columns that were added have their defaults.
_ALTERED = {"h2": "7", "i2": "3", "j": "jj", "n1": None, "n3": None, "e": None}


@cache
def snapshot_of(name: str) -> Sequence[Row]:
    """The rows of a recorded snapshot, in its order."""
    recording, workloads = recordings()[name]
    left: dict[tuple[str, str], list[FinalRow]] = {}
    for row in final_rows(workloads.truth_of(recording), workloads.sql_of(recording)):
        left.setdefault(row.change.table.id, []).append(row)
    rows = []
    for captured in recording.records:
        record = captured.record
        if record is None or (payload := payload_of(record)).get("op") != "r":
            continue
        mine = left[payload["source"]["db"], payload["source"]["table"]]
        key = {} if record.key is None else loads(record.key)
        found = next((row for row in mine if _holds(row.change, key)), mine[0])
        mine.remove(found)
        change = found.change.without(recording.facts.left_out)
        if found.reason:
            assert (change.table.name, key["id"]) == ("d_all", 6)
            change = replace(change, after={**_ALTERED, **{k: v for k, v in (change.after or {}).items() if v}})
        event = change.event(_position(payload, record), _now(change, payload))
        rows.append(Row(change, event, [record]))
    assert all(row.reason for mine in left.values() for row in mine)
    return rows


@cache
def whole_snapshot_of(name: str) -> Stream:
    """A snapshot with the statements before its rows, whose texts are the server's and the connector's own.

    Columns that the connector was told to leave out are left out of the tables between statements and rows.
    """
    rows = snapshot_of(name)
    records = [captured.record for captured in recordings()[name][0].records if captured.record is not None]
    told = records[: len(records) - len(rows)]
    events: list[Event] = []
    for record in told:
        payload = payload_of(record)
        events.append(DdlEvent(payload["databaseName"], "", payload["ddl"], source=_position(payload, record)))
    if recordings()[name][0].facts.left_out:
        events += [DdlEvent(*row.table.id, "", table_after=row.table) for row in rows]
    return Stream([*events, *(row.event for row in rows)], rows, records)


def _holds(change: Change, key: Mapping[str, Any]) -> bool:
    """Whether a change is of the row with that key, as far as texts tell."""
    assert change.after is not None
    return all(change.after[name] == str(value) for name, value in key.items())
