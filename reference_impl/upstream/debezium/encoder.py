"""Writes the connector's records: rows with their tombstones, transactions and statements.

[DBZ-022 … DBZ-024, DBZ-044, DBZ-201 … DBZ-253, DBZ-350 … DBZ-359, DBZ-700 … DBZ-709]
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby, pairwise

from reference_impl.encoder_checks import check_images
from reference_impl.errors import Rejected
from reference_impl.model import DdlEvent, Encoded, Event, Record, Row, RowChange, Table
from reference_impl.profiles import NEWARCH, Profile
from reference_impl.settings import Settings
from reference_impl.upstream.debezium.json_text import literal
from reference_impl.upstream.debezium.known_tables import DdlEffect, KnownTables
from reference_impl.upstream.debezium.layout import Layout, Layouts
from reference_impl.upstream.debezium.options import Options
from reference_impl.upstream.debezium.position import Position, Positions, Sources, connector_name
from reference_impl.upstream.debezium.schema import (
    SCHEMA_CHANGE_KEY,
    STRING,
    TRANSACTION_KEY,
    TRANSACTION_VALUE,
    schema_change,
)
from reference_impl.upstream.debezium.table_changes import table_change
from reference_impl.upstream.debezium.transactions import Transaction, java_order

__all__ = ["Encoder"]

_OPS: Mapping[str, str] = {"insert": "c", "update": "u", "delete": "d", "read": "r", "truncate": "t"}

Headers = tuple[tuple[str, bytes | None], ...]


def _snapshot_marks(tables: Sequence[tuple[str, str]]) -> list[str]:
    """The member `snapshot` of each row of a snapshot. `tables` are the tables of the rows, in order."""
    last = len(tables) - 1
    marks = []
    for index, table in enumerate(tables):
        if index == last:
            marks.append("last")
        elif index == 0:
            marks.append("first")
        elif tables[index + 1] != table:
            marks.append("last_in_data_collection")
        else:
            marks.append("true" if tables[index - 1] == table else "first_in_data_collection")
    return marks


class Encoder:
    """The native connector for MySQL and MariaDB, behind Kafka Connect's JSON converter.

    Row changes `insert`, `update` and `delete` come from the binary log, `read` from a snapshot. Consecutive reads in
    one call are one snapshot, together with the statements right before them. `source` of an event may give its
    position, see the module `position`. A transaction ends at the latest with the call. The encoder remembers table
    versions from call to call, including those that statements create.

    Profiles and defects belong to TiCDC and have no effect here.
    """

    def __init__(
        self,
        options: Options | None = None,
        profile: Profile = NEWARCH,
        *,
        settings: Settings | None = None,
        defects: frozenset[str] = frozenset(),
    ) -> None:
        self._options = options or Options()
        self._settings = settings or Settings()
        self._layouts = Layouts(self._options, self._settings)
        self._positions = Positions(self._options, self._settings)
        self._sources = Sources(self._options, self._settings)
        self._name = connector_name(self._settings)
        self._known = KnownTables(self._options.traits, self._options.server == "mysql")
        self._layout_cache: dict[tuple[str, str, bool], Layout] = {}
        self._rows_event: object = None
        self._row_index = 0
        self._transaction: Transaction | None = None
        self._last_position: Position | None = None

    def encode(self, events: Iterable[Event], tables: Iterable[Table] = ()) -> Encoded:
        """The records of `events`; `tables` is the state before the first event.

        Raises `Rejected`: class `semantics` for an event that contradicts itself or names no known table, `type` or
        `range` for a value that does not fit its column; `Unsupported` for a type that the version cannot parse.
        """
        for table in tables:
            self._known.learn(table)
        event_list = list(events)
        records: list[Record] = []
        with_following = pairwise([*event_list, None])
        for (event, following), mark in zip(with_following, _marks(event_list), strict=True):
            if isinstance(event, RowChange):
                records.extend(self._rows(event, mark))
            elif isinstance(event, DdlEvent):
                records.extend(self._statement(event, following, mark))
        records.extend(self._close_transaction())
        return Encoded(tuple(records))

    def _layout(self, change: RowChange) -> Layout:
        table = self._known.tables.get((change.schema, change.table))
        if table is None:
            raise Rejected("semantics", f"{change.schema}.{change.table} is not among the tables")
        return self._layout_of(table, snapshot=change.op == "read")

    def _layout_of(self, table: Table, *, snapshot: bool) -> Layout:
        name = *table.id, snapshot
        layout = self._layout_cache.get(name)
        if layout is None or layout.table is not table:
            mistake = self._known.charset_mistakes.get(table.id)
            layout = self._layout_cache[name] = self._layouts.of_table(table, snapshot=snapshot, mistake=mistake)
        return layout

    # -- records

    def _headers(self, position: Position, **keys: str) -> Headers:
        """The headers of a record; `newkey` or `oldkey` is the other key of an update of the key."""
        headers: list[tuple[str, bytes | None]] = []
        for name, key in keys.items():
            headers.append((f"__debezium.{name}", key.encode()))
        if self._options.traits.context_headers:
            begin, end = self._layouts.around_payload(STRING)
            for name, value in (
                ("connectorLogicalName", self._name),
                ("taskId", "0"),
                ("connectorName", "mysql"),
                ("runId", position.run_id),
            ):
                headers.append((f"__debezium.context.{name}", f"{begin}{literal(value)}{end}".encode()))
        return tuple(headers)

    def _record(self, topic: str, key: str | None, value: str | None, headers: Headers) -> Record:
        return Record(
            None if key is None else key.encode(), None if value is None else value.encode(), None, topic, headers
        )

    def _rows(self, change: RowChange, mark: str) -> Iterator[Record]:
        if change.op != "read":
            check_images(change, "the connector")
        elif change.before is not None or change.after is None:
            raise Rejected("semantics", "an event 'read' needs an after image and must have no before image")
        layout, position = self._layout(change), self._positions.of(change)
        if mark == "false" and self._rows_event == position.rows_event:
            self._row_index += 1
        else:
            self._rows_event, self._row_index = position.rows_event, 0
        if mark == "false" and self._options.provide_transaction_metadata:
            yield from self._open_transaction(position)
        before, after = change.before, change.after
        if before is not None and after is not None:
            old_key, new_key = layout.key(before), layout.key(after)
            # An update of the key is a delete and an insert.  [DBZ-251]
            if old_key is not None and new_key is not None and old_key != new_key:
                headers = self._headers(position, newkey=new_key)
                yield from self._delete(layout, before, position, headers)
                headers = self._headers(position, oldkey=old_key)
                second = replace(position, written=position.rewritten)
                yield self._change(layout, "insert", None, after, second, mark, headers)
                return
        if after is None:
            assert before is not None
            yield from self._delete(layout, before, position, self._headers(position))
        else:
            yield self._change(layout, change.op, before, after, position, mark, self._headers(position))

    def _delete(self, layout: Layout, row: Row, position: Position, headers: Headers) -> Iterator[Record]:
        record = self._change(layout, "delete", row, None, position, "false", headers)
        yield record
        if self._options.tombstones_on_delete:
            yield Record(record.key, None, None, record.topic, headers)

    def _change(
        self,
        layout: Layout,
        op: str,
        before: Row | None,
        after: Row | None,
        position: Position,
        mark: str,
        headers: Headers,
    ) -> Record:
        key_row = before if after is None else after
        assert key_row is not None
        value = self._payload(layout, op, before, after, position, mark)
        return self._record(layout.topic, layout.key(key_row), value, headers)

    def _payload(
        self, layout: Layout, op: str, before: Row | None, after: Row | None, position: Position, mark: str
    ) -> str:
        table = layout.table
        block = "null"
        if self._transaction is not None and mark == "false":
            block = self._transaction.block(f"{table.schema}.{table.name}")
        images = (
            f'"before":{"null" if before is None else layout.image(before)},'
            f'"after":{"null" if after is None else layout.image(after)}'
        )
        source = self._sources.text(position, table.schema, table.name, self._row_index, mark=mark)
        times = self._sources.times(position.written)
        operation = f'"op":"{_OPS[op]}"'
        if self._options.traits.transaction_first:
            end = f'"transaction":{block},{operation},{times}'
        else:
            end = f'{operation},{times},"transaction":{block}'
        return f'{layout.begin}{{{images},"source":{source},{end}}}{layout.end}'

    # -- transactions

    def _open_transaction(self, position: Position) -> Iterator[Record]:
        if self._transaction is None or self._transaction.id != position.transaction:
            yield from self._close_transaction()
            self._transaction = Transaction(position.transaction)
            yield self._transaction_record(self._transaction.begin(position), position)
        self._last_position = position

    def _close_transaction(self) -> Iterator[Record]:
        if self._transaction is not None and self._last_position is not None:
            yield self._transaction_record(self._transaction.end(self._last_position), self._last_position)
        self._transaction = None

    def _transaction_record(self, value: str, position: Position) -> Record:
        assert self._transaction is not None
        key_begin, end = self._layouts.around_payload(TRANSACTION_KEY)
        begin, _ = self._layouts.around_payload(TRANSACTION_VALUE)
        topic = self._layouts.topic("transaction")
        key = f"{key_begin}{self._transaction.key()}{end}"
        return self._record(topic, key, f"{begin}{value}{end}", ())

    # -- statements

    def _statement(self, event: DdlEvent, following: Event | None, mark: str) -> Iterator[Record]:
        """The records of a statement, which changes the known tables if the connector understands it."""
        position = self._positions.of(event)
        transaction = self._positions.transaction(event)
        rows_follow = isinstance(following, RowChange) and self._positions.transaction(following) == transaction
        if transaction is None or not rows_follow:
            yield from self._close_transaction()
        elif self._options.provide_transaction_metadata:
            yield from self._open_transaction(position)  # CREATE TABLE … SELECT belongs to the transaction of its rows
        truncated = self._known.truncated_by(event.query, event.schema)
        if truncated is not None and self._options.skipped_operations == "none" and mark == "false":
            yield self._truncation(truncated, position)
            position = replace(position, written=position.rewritten)
        before = dict(self._known.tables)
        effects = self._known.apply(event.query, event.schema, event.table_after) if event.query else []
        if self._known.tables == before:
            for table in event.tables_after:
                self._known.learn(table)
        if self._options.include_schema_changes and effects:
            for effect in effects:
                yield self._schema_change(event, effect, position, mark)
                position = replace(position, written=position.rewritten)

    def _truncation(self, table: Table, position: Position) -> Record:
        """The truncation record in the topic of a table's rows; it has no key.  [DBZ-024]"""
        layout = self._layout_of(table, snapshot=False)
        value = self._payload(layout, "truncate", None, None, position, "false")
        return self._record(layout.topic, None, value, self._headers(position))

    def _schema_change(self, event: DdlEvent, effect: DdlEffect, position: Position, mark: str) -> Record:
        schema = literal(event.schema)
        tables = None
        if effect.tables is not None:
            table_names = {".".join(name): name[1] for name in effect.tables}
            tables = ",".join(table_names[full_name] for full_name in java_order(table_names))
        source = self._sources.text(position, event.schema, tables, self._row_index, mark=mark)
        change = "" if effect.change is None else table_change(effect.change, self._options.traits)
        key_begin, end = self._layouts.around_payload(SCHEMA_CHANGE_KEY)
        begin, _ = self._layouts.around_payload(schema_change(self._options.traits))
        value = (
            f'{{"source":{source},"ts_ms":{position.written.millis},"databaseName":{schema},"schemaName":null,'
            f'"ddl":{literal(effect.ddl)},"tableChanges":[{change}]}}'
        )
        key = f'{key_begin}{{"databaseName":{schema}}}{end}'
        return self._record(self._layouts.topic(), key, f"{begin}{value}{end}", self._headers(position))


def _marks(events: Sequence[Event]) -> list[str]:
    """The member `snapshot` of each event, `false` outside a snapshot. A snapshot begins with its statements."""
    marks: list[str] = []
    statements = 0  # the number of statements right before the group
    for kind, group in groupby(events, _kind):
        members = list(group)
        if kind == "read":
            marks[len(marks) - statements :] = ["true"] * statements
            marks += _snapshot_marks([(event.schema, event.table) for event in members if isinstance(event, RowChange)])
        else:
            marks += ["false"] * len(members)
        statements = len(members) if kind == "statement" else 0
    return marks


def _kind(event: Event) -> str:
    if isinstance(event, RowChange) and event.op == "read":
        return "read"
    return "statement" if isinstance(event, DdlEvent) else "other"
