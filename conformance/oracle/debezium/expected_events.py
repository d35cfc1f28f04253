"""Makes the deliveries of a case in Debezium JSON, and the expected event of each.

`known_values` makes the values of the event.  [DBZ-013, DBZ-038, DBZ-045, DBZ-300 … DBZ-303, DBZ-400 … DBZ-403]
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from conformance.cases.model import Case
from conformance.errors import SuiteError
from conformance.oracle.actions import statement_of_type
from conformance.oracle.conditions import kind_of
from conformance.oracle.debezium.known_values import known_value
from conformance.oracle.debezium.reading import kind_sent, start_sent
from conformance.oracle.rules import Delivery
from conformance.oracle.tree import Maybe
from reference_impl.actions import TRUNCATE_TABLE, action_code
from reference_impl.debezium_json.ddl import CHANGE_TYPES, sent_code, single_statements
from reference_impl.errors import Rejected
from reference_impl.keys import split_update
from reference_impl.model import DdlEvent, Row, RowChange, Table, Watermark
from reference_impl.partitions import every_partition, partition_of_row
from reference_impl.profiles import Profile
from reference_impl.wire import event_to_json

__all__ = ["CARRIED", "OF_SCHEMAS", "OF_TABLES", "SILENT", "deliveries", "expected_event", "has_message"]

CARRIED = (
    ("schema, table, operation, commit time stamp", "always"),
    ("columns", "all but virtual generated ones"),
    ("before image of an update", "all columns; none with debezium-output-old-value=false"),
    ("NULL in a column with a default", "not carried: it is written as the default"),
    ("DECIMAL", "the nearest 64-bit float, at the scale that the tables know"),
    ("BIGINT UNSIGNED above 9223372036854775807", "where tables or tidb_type tell that it is unsigned"),
    ("zero dates and days in no calendar", "not carried: NULL, or the start of 1970 where the column is NOT NULL"),
    ("years below 100 of DATE and DATETIME", "moved to 1970 … 2069"),
    ("the zero TIMESTAMP", "as the start of 1970, which no other TIMESTAMP is"),
    ("the invalid ENUM value", "as an empty text, unless that is a label"),
    ("length, scale, fractional digits", "from the tables; digits as they are written"),
    ("column types", "from the tables, else tidb_type, else type and name of the schema; without any of them nothing"),
    ("bytes that are not valid UTF-8 in a text", "not carried: U+FFFD for them"),
    (
        "DDL",
        "schema, table and statement, of the kinds that have a message; of the action whether it creates, alters or "
        "drops, so that an action may be left out; not in the profile classic",
    ),
    ("watermark", "with enable-tidb-extension; not in the profile classic"),
    ("start time stamp", "with debezium-include-start-ts; it may be left out"),
    ("row id, physical partition", "not carried"),
)

# TiDB's action codes of the statements that have a message: about a schema, about a table.  [DBZ-300]
OF_SCHEMAS = frozenset({1, 2, 26})
OF_TABLES = frozenset(
    {3, 4, 5, 6, 7, 8, 11, 12, 13, 14, 15, 17, 18, 19, 20, 21, 22, 23, 24, 32, 33, 41, 42, 47, 60, 61, 64, 71, 72}
)

# Profiles whose producer sends only rows: no DDL messages, no watermarks.  [DBZ-001a]
SILENT = frozenset({"classic"})


def _parts(event: RowChange, table: Table | None, options: Any) -> Iterator[RowChange]:
    if table is None or options.output_raw_change_event:
        yield event
    else:
        yield from split_update(event, table)


def _is_of_sent_kind(event: DdlEvent) -> bool:
    try:
        return action_code(event) in OF_SCHEMAS | OF_TABLES
    except Rejected as e:
        raise SuiteError(f"a statement of a case has no action: {e.message}") from None


def has_message(event: DdlEvent, profile: Profile) -> bool:
    """Whether a producer of the profile sends the statement.  [DBZ-001a, DBZ-300]"""
    return profile.name not in SILENT and _is_of_sent_kind(event)


def _statements(event: DdlEvent) -> Iterator[DdlEvent]:
    """The statements that have a message, one for each table that the statement touches.  [DBZ-300, DBZ-302a]"""
    if _is_of_sent_kind(event):
        yield from single_statements(event)


def _all_deliveries(case: Case, options: Any, *, statements: bool, watermarks: bool) -> Iterator[Delivery]:
    partitions = case.settings.partitions
    everywhere = every_partition(partitions)
    versions = {table.id: table for table in case.tables}
    for event in case.events:
        if isinstance(event, RowChange):
            table = versions.get((event.schema, event.table))
            partition = partition_of_row(event.schema, event.table, partitions)
            yield from (Delivery(part, table, partition) for part in _parts(event, table, options))
        elif isinstance(event, DdlEvent):
            versions |= {table.id: table for table in event.tables_after}
            if statements:
                for single in _statements(event):
                    yield from (Delivery(single, single.table_after, partition) for partition in everywhere)
        elif watermarks:
            yield from (Delivery(event, None, partition) for partition in everywhere)


def deliveries(case: Case, options: Any, profile: Profile) -> list[Delivery]:
    """The deliveries of the case's events.

    Updates of keys and statements about several tables are split; DDL messages and watermarks go to each partition.
    For a decoder the deliveries are those of the case's records, in their order.
    """
    if case.role == "encode":
        statements = profile.name not in SILENT
        watermarks = statements and options.enable_tidb_extension
        return list(_all_deliveries(case, options, statements=statements, watermarks=watermarks))
    waiting: dict[tuple[str | None, int | None], deque[Delivery]] = {}
    for delivery in _all_deliveries(case, options, statements=True, watermarks=True):
        waiting.setdefault((kind_of(delivery.event), delivery.partition), deque()).append(delivery)
    ordered: list[Delivery] = []
    for record in case.records:
        if not record.value:
            continue  # a tombstone has no event
        kind = kind_sent(record.value, options.large_message_handle_compression)
        queue = waiting.get((kind, record.partition if case.settings.partitions > 1 else None))
        if not queue:
            raise SuiteError(f"case {case.id}: its records hold more messages than its events make")
        ordered.append(_as_written(queue.popleft(), record.value, options))
    return ordered


def _as_written(delivery: Delivery, value: bytes, options: Any) -> Delivery:
    """The delivery with the start time stamp of the message, if it has one.  [DBZ-451z]"""
    if not isinstance(delivery.event, RowChange):
        return delivery
    start_ts = start_sent(value, options.large_message_handle_compression)
    return replace(delivery, event=replace(delivery.event, start_ts=start_ts))


def _codes_of_type(event: DdlEvent) -> list[int]:
    """The codes of all actions that have the type of change in the event's message; its own if the message has none."""
    code = sent_code(event)
    if code is None:
        return []
    if code == TRUNCATE_TABLE or not event.table:
        return [code]
    return [other for other, kind in CHANGE_TYPES.items() if kind == CHANGE_TYPES[code]]


def _knows_table(event: RowChange, case: Case) -> bool:
    """Whether the decoder has the table as it was at the change: no statement about it came before."""
    statements = (e for e in case.events if isinstance(e, DdlEvent) and e.schema == event.schema)
    ts = event.commit_ts or 0
    return case.send_tables and not any(e.table in ("", event.table) and (e.commit_ts or 0) <= ts for e in statements)


def _has_tidb_types(case: Case) -> bool:
    return any(b'"tidb_type"' in (record.value or b"") for record in case.records)


def _image(event: RowChange, row: Row | None, table: Table, case: Case) -> dict[str, Any] | None:
    if row is None:
        return None
    scaled = _knows_table(event, case)
    typed = scaled or _has_tidb_types(case)
    return {
        column.name: known_value(column, row[column.name], case.settings, typed=typed, scaled=scaled)
        for column in table.columns
        if column.name in row and column.generated != "virtual"
    }


def expected_event(delivery: Delivery, case: Case, options: Any, profile: Profile) -> Mapping[str, Any]:
    """The event that a decoder must answer for a delivery, as JSON of the harness protocol."""
    event, table = delivery.event, delivery.table
    if isinstance(event, Watermark):
        return event_to_json(event)
    if isinstance(event, DdlEvent):
        return {**statement_of_type(event, _codes_of_type(event)), "commit_ts": str(event.commit_ts)}
    answer: dict[str, Any] = {"schema": event.schema, "table": event.table, "commit_ts": str(event.commit_ts)}
    assert table is not None
    before = None if event.op == "update" and not options.debezium_output_old_value else event.before
    images = {"before": _image(event, before, table, case), "after": _image(event, event.after, table, case)}
    if event.start_ts is not None:
        answer["start_ts"] = Maybe(str(event.start_ts))
    return answer | {"kind": "row", "op": event.op} | images
