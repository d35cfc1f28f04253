"""Reads TiCDC's Debezium JSON, every profile of it, and the envelope of the connector that it imitates.

The times in `source` may contradict each other, since they do so in the document's samples.  [DBZ-451]
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from reference_impl.compression import decompress, decompressed_limit
from reference_impl.connect_json import ROW_OPS, Document
from reference_impl.debezium_json.ddl_tables import table_of_change
from reference_impl.debezium_json.documents import open_document, read_documents
from reference_impl.debezium_json.message import (
    TRUNCATE,
    WATERMARK,
    Source,
    read_ddl,
    read_images,
    read_op,
    read_source,
)
from reference_impl.debezium_json.options import Options
from reference_impl.debezium_json.plans import RowPlan, declared_plan, table_plan
from reference_impl.debezium_json.quick import QuickPlans
from reference_impl.errors import Unsupported
from reference_impl.exact_json import Tree
from reference_impl.faults import Faults
from reference_impl.model import Claim, DdlEvent, Event, Record, RowChange, Table, Watermark
from reference_impl.settings import Settings
from reference_impl.zones import zone_of

__all__ = ["Decoder"]


class Decoder:
    """TiCDC's Debezium JSON decoder.  [DBZ-057, DBZ-451, DBZ-555]

    The decoder reads a message by its schema, and by the known table if it does not contradict the schema; a message
    without a schema by the known table alone; a message with neither by the JSON kinds of its values. A record without
    a value is a tombstone, which gives no event. A DDL message replaces the known table by the table in `tableChanges`.
    A DDL message about a schema makes the decoder forget the tables of the schema.

    The decoder accepts three defects of recorded producers that lose nothing: a binary default written twice, a column
    declared twice, and a year that is a string of digits. It refuses every other duplicate member.

    The arguments are those of `decode`. TIMESTAMP values are in the time zone of `settings`.
    """

    def __init__(self, options: Options | None = None, *, settings: Settings | None = None) -> None:
        self._options = options or Options()
        self._zone = zone_of((settings or Settings()).timezone)
        self._tables: dict[tuple[str, str], Table] = {}
        self._quick = QuickPlans()

    def decode(
        self, records: Iterable[Record], tables: Iterable[Table] = (), claims: Iterable[Claim] = ()
    ) -> list[Event]:
        """The events of `records`; `tables` is the state before the first record.

        The protocol has no claim checks.

        Raises `Rejected` for the first invalid record, with the first class that applies to it, and `Unsupported` for a
        truncation record of the imitated connector.
        """
        self._know({table.id: table for table in tables})
        return [self._event(record.value, record.key) for record in records if record.value is not None]

    def _know(self, tables: dict[tuple[str, str], Table]) -> None:
        if tables != self._tables:
            self._tables = tables
            self._quick.forget()

    def _event(self, value: bytes, key: bytes | None) -> Event:
        compression = self._options.large_message_handle_compression
        largest = decompressed_limit(self._options)
        value = decompress(compression, value, largest)
        key = None if key is None else decompress(compression, key, largest)
        return self._quickly(value, key) or self._read(value, key)

    def _quickly(self, value: bytes, key: bytes | None) -> Event | None:
        """The event of a row message like an earlier one, or None if `_read` must read it."""
        parts = self._quick.find(value, key)
        if parts is None:
            return None
        payload, key_payload, plan = parts
        faults = Faults()
        source, op = read_source(payload, faults), read_op(payload, faults)
        if source is None or op is None or op not in ROW_OPS:
            return None
        change = self._row(payload, op, source, plan, key_payload, faults)
        return change if faults.is_empty else None

    def _read(self, value: bytes, key: bytes | None) -> Event:
        trees = read_documents(value, key)
        faults = Faults()
        is_bare = isinstance(trees[0], dict) and "source" in trees[0]
        document = open_document("value", trees[0], faults, may_be_bare=is_bare)
        key_document = open_document("key", trees[1], faults, may_be_bare=is_bare) if key is not None else None
        if document is None:
            faults.raise_first()
        assert document is not None
        payload = document.payload
        source, op = read_source(payload, faults), read_op(payload, faults)
        faults.raise_first("schema")
        assert source is not None
        if op is None:
            return self._ddl(payload, source, key_document, faults)
        if op == TRUNCATE:
            faults.raise_first()
            raise Unsupported("the model has no truncation of a table as a row event")
        if op == WATERMARK:
            return self._watermark(payload, source, faults)
        plan = self._plan(document, source, faults)
        if op not in ROW_OPS:
            faults.raise_first()
        key_payload = None if key_document is None else key_document.payload
        change = self._row(payload, op, source, plan, key_payload, faults)
        faults.raise_first()
        self._quick.learn(value, document, (source.schema, source.table), plan)
        return change

    def _plan(self, document: Document, source: Source, faults: Faults) -> RowPlan:
        table = self._tables.get((source.schema, source.table))
        if document.schema is None:
            return table_plan(table, self._zone)
        return declared_plan(_columns(document.schema, faults), table, self._zone, faults)

    def _row(
        self,
        payload: Mapping[str, Tree],
        op: str,
        source: Source,
        plan: RowPlan,
        key: Mapping[str, Tree] | None,
        faults: Faults,
    ) -> RowChange:
        before, after = read_images(payload, op, faults)
        _check_key(key, before if op == "d" else after, plan, faults)
        return RowChange(
            op=ROW_OPS[op],
            schema=source.schema,
            table=source.table,
            commit_ts=source.commit_ts,
            before=plan.read("before", before, faults) if isinstance(before, dict) else None,
            after=plan.read("after", after, faults) if isinstance(after, dict) else None,
            start_ts=source.start_ts,
        )

    def _ddl(self, payload: Mapping[str, Tree], source: Source, key: Document | None, faults: Faults) -> DdlEvent:
        query, changes = read_ddl(payload, source, faults)
        if key is not None:
            database = key.payload.get("databaseName")
            if faults.expect(isinstance(database, str), "schema", "the key has no string 'databaseName'"):
                same = database == source.schema
                faults.expect(same, "semantics", f"the key names {database!r}, source.db is {source.schema!r}")
        faults.raise_first()
        if changes or not source.table:
            kept = {
                (schema, name): table
                for (schema, name), table in self._tables.items()
                if schema != source.schema or source.table not in ("", name)
            }
            changed = (table_of_change(source.schema, source.table, change) for change in changes)
            self._know(kept | {table.id: table for table in changed if table is not None})
        return DdlEvent(source.schema, source.table, query, commit_ts=source.commit_ts)

    def _watermark(self, payload: Mapping[str, Tree], source: Source, faults: Faults) -> Watermark:
        faults.expect("commit_ts" in payload["source"], "schema", "there is no member 'source.commit_ts'")
        for name in ("before", "after"):
            faults.expect(payload.get(name) is None, "semantics", f"a watermark has a member {name!r}")
        for name, value in (("db", source.schema), ("table", source.table)):
            faults.expect(value == "", "semantics", f"a watermark has a source.{name}")
        faults.raise_first()
        assert source.commit_ts is not None
        return Watermark(source.commit_ts)


def _columns(schema: Mapping[str, Tree], faults: Faults) -> list[Tree]:
    """The columns that the schema of a value declares for the images of its row."""
    fields = schema.get("fields")
    if not isinstance(fields, list):
        faults.add("schema", "the schema has no array 'fields'")
        return []
    faults.expect(schema.get("type") == "struct", "schema", "the schema is not a struct")
    images: dict[str, list[Tree]] = {}
    for field in fields:
        name = field.get("field") if isinstance(field, dict) else None
        if not faults.expect(isinstance(name, str), "schema", "a field of the schema has no name"):
            continue
        if name in ("before", "after"):
            columns = field.get("fields")
            if faults.expect(isinstance(columns, list), "schema", f"the schema of {name!r} has no array 'fields'"):
                images[name] = columns
    if not faults.expect(bool(images), "schema", "the schema describes neither 'before' nor 'after'"):
        return []
    if len(images) > 1:
        faults.expect(
            images["before"] == images["after"], "semantics", "the schemas of 'before' and 'after' are not the same"
        )
    return images["after"] if "after" in images else images["before"]


def _check_key(key: Mapping[str, Tree] | None, row: Tree, plan: RowPlan, faults: Faults) -> None:
    """Check that the values of the key equal those of the row, which lacks virtual columns.  [DBZ-045]"""
    if key is None or not isinstance(row, dict):
        return
    for name, value in key.items():
        if name in row:
            if type(row[name]) is not type(value) or row[name] != value:
                faults.add("semantics", f"{name!r} is another value in the key than in the row")
        elif name not in plan.fields:
            faults.add("semantics", f"the key has a column {name!r}, which the row has not")
