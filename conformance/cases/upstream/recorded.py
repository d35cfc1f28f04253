"""Cases from the recordings of upstream producers: the recorded output is the expectation, and input for decoders.

The shipped recordings are complete, so rows and records pair in order. Some are cases as a whole; for others, made from
the same workload under other options, one row of each table and operation is a case. Users' recordings are paired by
`conformance.oracle.upstream`, which tolerates lost and damaged records.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, groupby, takewhile
from typing import Any

from conformance.cases.model import Anchor, Case, ExpectedRecords
from conformance.cases.upstream.dialects import DIALECTS, times_of
from conformance.cases.upstream.lenient import payload_in, tree_of
from conformance.cases.upstream.model import Position
from conformance.catalogue.final_state import final_rows
from conformance.catalogue.fixtures import fixtures_root
from conformance.catalogue.producers import PRODUCERS
from conformance.catalogue.recordings import Recording, Workloads, read_recordings
from conformance.catalogue.statements import binlog_settings, statements
from conformance.catalogue.workload import Change
from reference_impl.model import DdlEvent, Record, RowChange, Table
from reference_impl.settings import Settings
from reference_impl.zones import zone_of

__all__ = ["recorded_cases"]

# Recordings in which every row is a case.
_WHOLE = frozenset({"mysql97", "mariadb1011", "mysql97_extra", "mysql97_rowimage"})
# Recordings of connectors that are also one case, from the first statement to the last row.
_IN_ONE = frozenset({"mysql97_noschema"})
_TRUNCATION = "t"


@dataclass(frozen=True, slots=True)
class _Part:
    """Changes that were recorded together, and the records about them."""

    name: str
    changes: tuple[Change, ...]
    events: tuple[RowChange | DdlEvent, ...]
    records: tuple[Record, ...]


def recorded_cases(protocol: str) -> Iterator[Case]:
    """The cases of the shipped recordings of a dialect, both roles."""
    for folder in PRODUCERS[protocol].folders if protocol in PRODUCERS else ():
        path = fixtures_root() / "recorded" / folder
        workloads = Workloads(path)
        for recording in read_recordings(path):
            seen: set[tuple[Any, ...]] = set()
            for part in _parts(recording, workloads):
                kinds = {(c.table.id, c.op) for c in part.changes}
                if recording.name not in _WHOLE and part.changes and kinds <= seen:
                    continue
                seen |= kinds
                yield from _cases(folder, recording, part)


def _cases(folder: str, recording: Recording, part: _Part) -> Iterator[Case]:
    # Reversed twice, so that each table is as at its first change.
    tables = {change.table.id: change.table for change in reversed(part.changes)}
    operations = dict.fromkeys(change.op for change in part.changes)
    axes = {"operation": "+".join(operations)} if operations else {}
    if len(tables) == 1:
        axes["table"] = ".".join(next(iter(tables)))
    encode = Case(
        id=f"{recording.protocol}/recorded/{folder}/{recording.name}/{part.name}",
        protocol=recording.protocol,
        role="encode",
        tables=tuple(reversed(tables.values())),
        events=part.events,
        options=recording.options,
        settings=Settings(timezone=recording.facts.timezone, topic=_topic(recording)),
        expected=ExpectedRecords(part.records),
        anchor=Anchor.RECORDED,
        source=f"recorded: {recording.source}",
        axes=axes,
    )
    if part.events:
        yield encode
    if any("binlog_row_value_options" in (event.source or {}) for event in part.events):
        return  # JSON by its differences is no JSON  [DV-52]
    yield replace(encode, id=f"{encode.id}/decode", role="decode", records=part.records, expected=None)


def _topic(recording: Recording) -> str:
    return DIALECTS[recording.protocol].topic.replace("{name}", recording.facts.topic)


def _records(recording: Recording) -> list[Record]:
    """The records in the form of an encoder's answer: partitions and offsets are the broker's."""
    return [
        replace(c.record, partition=None, offset=None, timestamp=None)
        for c in recording.records
        if c.record is not None
    ]


def _parts(recording: Recording, workloads: Workloads) -> Iterator[_Part]:
    if DIALECTS[recording.protocol].packs_rows:
        return _messages(recording, workloads)
    if recording.facts.snapshot:
        return _snapshot(recording, workloads)
    streams = _stream(recording, workloads) if recording.name in _IN_ONE else ()
    return chain(streams, _transactions(recording, workloads))


def _event(recording: Recording, change: Change, record: Record, row: int, **source: object) -> RowChange:
    """A change as an event at the position of a record."""
    dialect, zone = DIALECTS[recording.protocol], recording.facts.timezone
    now = times_of(dialect, change, record, row, zone, begin=None) if change.now else {}
    return change.event({**dialect.position(record).source, **source}, now, zone_of(zone))


# -- Canal -------------------------------------------------------------------------------------------------------------


def _messages(recording: Recording, workloads: Workloads) -> Iterator[_Part]:
    """A case for each message of rows, with the statement before it; one for each other statement."""
    changes, sql = workloads.truth_of(recording).changes, workloads.sql_of(recording) or ""
    sessions, script = dict(binlog_settings(sql)), statements(sql)
    position = DIALECTS[recording.protocol].position
    read = 0  # the number of changes in earlier messages
    query: Record | None = None  # the last message, if it has the statement of the rows after it
    for n, record in enumerate(_records(recording)):
        plain, tree = replace(record, topic=None), tree_of(record.value)
        if tree["isDdl"]:
            source = position(record).source
            event = DdlEvent(tree["database"], tree["table"], tree["sql"], source=source)
            yield _Part(f"{n}", (), (event,), (plain,))
        elif tree["data"] is None:
            query = record if tree["type"] == "QUERY" else None
        else:
            message_changes = changes[read : read + len(tree["data"])]
            read += len(message_changes)
            number = message_changes[0].statement
            source = dict(sessions.get(number, {}))
            records = [plain]
            if query is not None and _is_adjacent(position, query, record):
                source["query"] = script[number]
                records.insert(0, replace(query, topic=None))
            source["rows_event"] = "1"
            events = tuple(_event(recording, c, record, row, **source) for row, c in enumerate(message_changes))
            yield _Part(f"{n}", message_changes, events, tuple(records))
            query = None


def _is_adjacent(position: Callable[[Record], Position], one: Record, other: Record) -> bool:
    """Whether two messages have one position, so that they may be of one batch."""
    return position(one).source == position(other).source


# -- Debezium ----------------------------------------------------------------------------------------------------------


def _op(record: Record) -> str | None:
    return payload_in(record.value).get("op")


def _is_row(record: Record) -> bool:
    return record.value is None or _op(record) in ("c", "u", "d", "r")


def _groups(records: Sequence[Record]) -> Iterator[tuple[Record, ...]]:
    """The records of each change: a deletion includes its tombstone, and the row under a new key."""
    begin = 0
    while begin < len(records):
        end = begin + 1
        if _op(records[begin]) == "d":
            if end < len(records) and records[end].value is None:  # the tombstone
                end += 1
            if any(name == "__debezium.newkey" for name, _ in records[begin].headers):
                end += 1
        yield tuple(records[begin:end])
        begin = end


def _change(recording: Recording, change: Change, records: Sequence[Record]) -> RowChange:
    """A change as an event; `then` in its source is the position of the last of several records."""
    if len(records) == 1 or not records[-1].value:
        return _event(recording, change, records[0], 0)
    return _event(recording, change, records[0], 0, then=DIALECTS[recording.protocol].position(records[-1]).source)


def _transactions(recording: Recording, workloads: Workloads) -> Iterator[_Part]:
    """A case for each transaction whose tables are in their first version.

    A connector's view of an altered table depends on its own reading of the statements: see `_stream`.
    """
    records = _records(recording)
    boundaries = _boundaries(records)
    groups = list(_groups([r for r in records if _is_row(r)]))
    truth = workloads.truth_of(recording)
    first: dict[tuple[str, str], int] = {}
    for version, table in truth.tables.items():
        first.setdefault(table.id, version)
    pairs = list(zip(truth.changes, groups, strict=True))
    for number, (_, members) in enumerate(groupby(pairs, lambda pair: pair[0].transaction)):
        changed_rows = list(members)
        if any(change.version != first[change.table.id] for change, _ in changed_rows):
            continue
        events = tuple(_change(recording, change, group) for change, group in changed_rows)
        rows = [record for _, group in changed_rows for record in group]
        begin, end = boundaries.get(_transaction(rows[0]), ((), ()))
        if len(begin) != len(end):
            continue  # the recording ends within the transaction
        yield _Part(f"transaction {number}", tuple(c for c, _ in changed_rows), events, (*begin, *rows, *end))


def _transaction(record: Record) -> str | None:
    block = payload_in(record.value).get("transaction")
    return str(block["id"]) if isinstance(block, dict) else None


def _boundaries(records: Sequence[Record]) -> dict[str | None, tuple[tuple[Record, ...], tuple[Record, ...]]]:
    """Transaction → its BEGIN records and its END records."""
    by_transaction: dict[str | None, tuple[tuple[Record, ...], tuple[Record, ...]]] = {}
    for record in records:
        payload = payload_in(record.value)
        if "status" in payload:
            begin, end = by_transaction.get(payload["id"], ((), ()))
            if payload["status"] == "BEGIN":
                begin = (*begin, record)
            else:
                end = (*end, record)
            by_transaction[payload["id"]] = begin, end
    return by_transaction


# What a statement about several tables has before the first of them.
_BEFORE_TABLES = re.compile(r"(?:rename|drop)\s+table\s+(?:if\s+exists\s+)?", re.IGNORECASE)


def _statement(position: Callable[[Record], Position], records: Sequence[Record]) -> DdlEvent:
    """The statement of some records: one about several tables has a record for each.

    A TRUNCATE has a record of its own among the rows, and perhaps that of a statement behind it.
    """
    payloads = [payload_in(record.value) for record in records]
    schema, table = (payloads[0]["source"][name] for name in ("db", "table"))
    first, *others = [payload for payload in payloads if "ddl" in payload] or [{"ddl": f"TRUNCATE TABLE `{table}`"}]
    text = ", ".join([first["ddl"], *(_BEFORE_TABLES.sub("", payload["ddl"], count=1) for payload in others)])
    then = {"then": position(records[1]).source} if len(records) > 1 else {}
    return DdlEvent(schema or "", "", text, source={**position(records[0]).source, **then})


def _at_position_of_first(position: Callable[[Record], Position], records: Sequence[Record]) -> Iterator[Record]:
    """The first record, and those that follow it at the same position."""
    first = position(records[0]).source.get("source")
    return takewhile(lambda record: position(record).source.get("source") == first, records)


def _add_version(events: list[DdlEvent | RowChange], begin: int, table: Table) -> None:
    """Give the first statement that names a table, from `begin` on, the version that it makes."""
    named = re.compile(rf"(?<!\w){re.escape(table.name)}(?!\w)", re.IGNORECASE)
    for n in range(begin, len(events)):
        event = events[n]
        if isinstance(event, DdlEvent) and event.table_after is None and named.search(event.query):
            events[n] = replace(event, table_after=table)
            return


def _stream(recording: Recording, workloads: Workloads) -> Iterator[_Part]:
    """One case: statements and rows in order, from the beginning. The first record is the connector's own."""
    position = DIALECTS[recording.protocol].position
    changes = iter(workloads.truth_of(recording).changes)
    records = _records(recording)[1:]
    events: list[DdlEvent | RowChange] = []
    # Table → the version at its last row, and the position of this row in `events`.
    known: dict[tuple[str, str], tuple[int, int]] = {}
    begin = 0
    while begin < len(records):
        if _is_row(records[begin]):
            group = next(_groups(records[begin:]))
            change = next(changes)
            version, last_row = known.get(change.table.id, (0, 0))
            if version != change.version:
                _add_version(events, last_row, change.table)
            known[change.table.id] = change.version, len(events)
            events.append(_change(recording, change, group))
        else:
            group = tuple(_at_position_of_first(position, records[begin:]))
            events.append(_statement(position, group))
        begin += len(group)
    yield _Part("stream", (), tuple(events), tuple(records))
    truncations = tuple(record for record in _records(recording) if _op(record) == _TRUNCATION)
    yield _Part("truncations", (), (), truncations)


def _snapshot(recording: Recording, workloads: Workloads) -> Iterator[_Part]:
    """One case: all rows of a snapshot, except tables with an unknown row."""
    final = final_rows(workloads.truth_of(recording), workloads.sql_of(recording))
    unknown = {row.change.table.id for row in final if row.reason}
    unpaired = [row.change.without(recording.facts.left_out) for row in final if row.change.table.id not in unknown]
    changes, events, records = [], [], []
    for record in _records(recording):
        if _op(record) != "r":
            continue
        source = payload_in(record.value)["source"]
        of_table = [change for change in unpaired if change.table.id == (source["db"], source["table"])]
        if of_table:
            key = payload_in(record.key)
            change = next((c for c in of_table if _has_key(c, key)), of_table[0])
            unpaired.remove(change)
            changes.append(change)
            events.append(_event(recording, change, record, 0))
            records.append(record)
    yield _Part("rows", tuple(changes), tuple(events), tuple(records))


def _has_key(change: Change, key: Mapping[str, Any]) -> bool:
    row = change.after or {}
    return all(row.get(name) == value for name, value in key.items())
