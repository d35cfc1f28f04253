"""Reads the connector's records back: rows, snapshots and statements.

[DBZ-022 … DBZ-024, DBZ-044, DBZ-251, DBZ-350]
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from reference_impl.connect_json import ROW_OPS, Document
from reference_impl.errors import Rejected
from reference_impl.exact_json import Tree
from reference_impl.faults import Faults
from reference_impl.model import Claim, DdlEvent, Event, Record, RowChange, Table
from reference_impl.settings import Settings
from reference_impl.upstream.debezium.known_tables import KnownTables
from reference_impl.upstream.debezium.messages import (
    SourceBlock,
    position_of,
    read_document,
    read_images,
    read_source,
    second_times,
)
from reference_impl.upstream.debezium.options import Options
from reference_impl.upstream.debezium.plans import RowPlan, declared_plan, table_plan
from reference_impl.upstream.debezium.texts import Reading
from reference_impl.zones import zone_of

__all__ = ["Decoder"]

_TRUNCATE = "t"
_NEW_KEY, _OLD_KEY = "__debezium.newkey", "__debezium.oldkey"


@dataclass(frozen=True, slots=True)
class _OpenUpdate:
    """An update that changes the key, after its delete was read and before its insert is."""

    delete: RowChange
    new_key: bytes | None  # of the insert that must follow


class Decoder:
    """Decoder of the connector's JSON.

    A column is read by its type in the known table, from `tables` or from earlier statements. The schema in the message
    decides if no table is known or if it declares another type. If there is neither, the JSON kind decides.
    Tombstones and records of transactions give no event; a truncation record gives a DDL event. A delete and an insert
    whose headers mark them as one update of a key become one update. TIMESTAMP values are in the time zone of
    `settings`. `source` of a decoded event is its position, in the form that the encoder takes.
    """

    def __init__(self, options: Options | None = None, *, settings: Settings | None = None) -> None:
        self._options = options or Options()
        self._zone = zone_of((settings or Settings()).timezone)
        self._known = self._no_tables()

    def _no_tables(self) -> KnownTables:
        return KnownTables(self._options.traits, self._options.server == "mysql")

    def decode(
        self, records: Iterable[Record], tables: Iterable[Table] = (), claims: Iterable[Claim] = ()
    ) -> list[Event]:
        """The events of `records`; `tables` is the state before the first record.

        The format has no claim checks.

        Raises `Rejected` for the first invalid record, with the first class that applies to it, and `Unsupported` for a
        column type that the version does not know.
        """
        self._known = self._no_tables()
        self._known.tables.update((table.id, table) for table in tables)
        events: list[Event] = []
        open_update: _OpenUpdate | None = None
        for record in records:
            if record.value is None:
                continue
            event = self._event(record)
            if open_update is not None:
                events.append(_merged_update(open_update, event, record))
                open_update = None
                continue
            new_key = dict(record.headers).get(_NEW_KEY)
            if new_key is not None and isinstance(event, RowChange):
                open_update = _OpenUpdate(event, new_key)
            elif event is not None:
                events.append(event)
        if open_update is not None:
            events.append(open_update.delete)
        return events

    def _event(self, record: Record) -> Event | None:
        faults = Faults()
        assert record.value is not None
        schemas = self._options.schemas_enable
        value = read_document("value", record.value, schemas, faults)
        key = None if record.key is None else read_document("key", record.key, schemas, faults)
        if value is None:
            faults.raise_first()  # always raises: there is a value unless a fault was recorded
        assert value is not None
        payload = value.payload
        if "status" in payload and "op" not in payload:
            _check_transaction(payload, faults)
            faults.raise_first()
            return None
        source = read_source(payload, self._options.traits.fine_times, faults)
        if source is None:
            faults.raise_first()
        assert source is not None
        if "op" not in payload:
            return self._statement(payload, source, key, record, faults)
        op = payload["op"]
        if faults.expect(isinstance(op, str), "schema", "'op' is not a string"):
            faults.expect(op in ROW_OPS or op == _TRUNCATE, "type", f"op is {op!r}")
        faults.expect(source.table != "", "schema", "'source.table' names no table")
        if op == _TRUNCATE:
            faults.raise_first()
            return _truncation(source, payload, record)
        plan = self._plan(value, source, () if key is None else tuple(key.payload), faults)
        if not isinstance(op, str) or op not in ROW_OPS:
            # Always raises, but only now: a fault that `_plan` records may have precedence over that of `op`.
            faults.raise_first()
        return self._row(payload, str(op), source, plan, key, record, faults)

    def _plan(self, document: Document, source: SourceBlock, key: Sequence[str], faults: Faults) -> RowPlan:
        table = self._known.tables.get((source.schema, source.table))
        reading = Reading(self._options, self._zone, source.snapshot)
        if document.schema is None:
            return table_plan(table, reading, key)
        return declared_plan(_columns(document.schema, faults), table, reading, faults, key)

    def _row(
        self,
        payload: Mapping[str, Tree],
        op: str,
        source: SourceBlock,
        plan: RowPlan,
        key: Document | None,
        record: Record,
        faults: Faults,
    ) -> RowChange:
        before, after = read_images(payload, op, faults)
        row = before if op == "d" else after
        if key is not None and isinstance(row, dict):
            for name, value in key.payload.items():
                same = name in row and type(row[name]) is type(value) and row[name] == value
                faults.expect(same, "semantics", f"{name!r} of the key is not what the row has")
        old = plan.read("before", before, faults) if isinstance(before, dict) else None
        new = plan.read("after", after, faults) if isinstance(after, dict) else None
        faults.raise_first()
        return RowChange(ROW_OPS[op], source.schema, source.table, None, old, new, source=position_of(payload, record))

    def _statement(
        self, payload: Mapping[str, Tree], source: SourceBlock, key: Document | None, record: Record, faults: Faults
    ) -> DdlEvent:
        query, database, changes = payload.get("ddl"), payload.get("databaseName"), payload.get("tableChanges")
        faults.expect("ddl" in payload, "schema", "there is neither 'op' nor 'ddl'")
        faults.expect(isinstance(query, str), "schema", "'ddl' is not a string")
        faults.expect(database is None or isinstance(database, str), "schema", "'databaseName' is not a string")
        if faults.expect(isinstance(changes, list), "schema", "'tableChanges' is missing or not an array"):
            for change in changes or ():
                has_id = isinstance(change, dict) and isinstance(change.get("id"), str)
                if faults.expect(has_id, "schema", "a table change has no id"):
                    is_known = change.get("type") in ("CREATE", "ALTER", "DROP")
                    faults.expect(is_known, "type", f"a table change has the type {change.get('type')!r}")
        faults.expect(database in (None, source.schema), "semantics", f"databaseName {database!r} is not source.db")
        if key is not None:
            same = key.payload.get("databaseName") == database
            faults.expect(same, "semantics", "the key has another databaseName than the value")
        faults.raise_first()
        assert isinstance(query, str)
        self._known.apply(query, source.schema)
        return DdlEvent(source.schema, source.table, query, source=position_of(payload, record))


def _merged_update(open_update: _OpenUpdate, event: Event | None, record: Record) -> Event:
    """The update of a key that a delete and the following event form.

    Raises `Rejected` (class `semantics`) if that event is not the expected insert.
    """
    deleted = open_update.delete
    if (
        not isinstance(event, RowChange)
        or event.op != "insert"
        or (event.schema, event.table) != (deleted.schema, deleted.table)
        or record.key != open_update.new_key
        or _OLD_KEY not in dict(record.headers)
    ):
        raise Rejected("semantics", "a delete names a new key, but the insert with that key does not follow")
    source = {**(deleted.source or {}), "then": second_times(event.source or {})}
    return replace(deleted, op="update", after=event.after, source=source)


def _truncation(source: SourceBlock, payload: Mapping[str, Tree], record: Record) -> DdlEvent:
    """The DDL event of a truncation record, which is among the records of rows.  [DBZ-024]"""
    names = ".".join(f"`{name.replace('`', '``')}`" for name in (source.schema, source.table))
    return DdlEvent(source.schema, source.table, f"TRUNCATE TABLE {names}", source=position_of(payload, record))


def _check_transaction(payload: Mapping[str, Tree], faults: Faults) -> None:
    """Check a record of a transaction's begin or end, for which the model has no event."""
    faults.expect(isinstance(payload.get("id"), str), "schema", "'id' of a transaction is missing or not a string")
    status, count = payload["status"], payload.get("event_count")
    if faults.expect(isinstance(status, str), "schema", "'status' is not a string"):
        faults.expect(status in ("BEGIN", "END"), "type", f"status is {status!r}")
    has_count = type(count) is int if status == "END" else count is None
    faults.expect(has_count, "schema", "'event_count' has the wrong JSON kind")


def _columns(schema: Mapping[str, Tree], faults: Faults) -> list[Tree]:
    """The columns that the schema of a value declares for both of its images."""
    fields = schema.get("fields")
    if not faults.expect(isinstance(fields, list), "schema", "the schema has no array 'fields'"):
        return []
    images: list[list[Tree]] = []
    for field in fields or ():
        if isinstance(field, dict) and field.get("field") in ("before", "after"):
            columns = field.get("fields")
            faults.expect(isinstance(columns, list), "schema", "the schema of an image has no array 'fields'")
            images.append(columns if isinstance(columns, list) else [])
    if not faults.expect(len(images) == 2, "schema", "the schema does not describe both 'before' and 'after'"):
        return images[0] if images else []
    faults.expect(images[0] == images[1], "semantics", "the schemas of 'before' and 'after' are not the same")
    return images[1]
