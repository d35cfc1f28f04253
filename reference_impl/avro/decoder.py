"""Reads TiCDC's Avro, every profile and every release of it.  [AV-200 … AV-211]"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from reference_impl import exact_json
from reference_impl.actions import ACTIONS
from reference_impl.avro import framing
from reference_impl.avro.options import Options
from reference_impl.avro.records import Contents, RecordReader
from reference_impl.avro.registered import RecordSchema, read_schema
from reference_impl.errors import Rejected, RejectionClass
from reference_impl.model import Claim, DdlEvent, Event, Record, RowChange, RowOp, Table, Watermark
from reference_impl.registry import MemoryRegistry
from reference_impl.settings import Settings
from reference_impl.tso import MAX_TSO

__all__ = ["Decoder"]

_OPS: Mapping[str, RowOp] = {"c": "insert", "u": "update", "d": "delete"}

# The operation of a row without `_tidb_op`, where inserts and updates look alike.  [AV-203, AV-204]
_WITHOUT_OPERATION: RowOp = "insert"

_MAX_DDL_CODE = 255
_DDL_MEMBERS: Mapping[str, type[Any]] = {"query": str, "type": int, "schema": str, "table": str, "commitTs": int}


class Decoder:
    """TiCDC's Avro decoder.  [AV-130, AV-200a, AV-207]

    The schema of a record alone determines the column types. `tables` supply the original names of tables and columns
    whose names Avro does not permit; without a fitting table the names of the schema stay. A row without `_tidb_op` is
    read as an insert. A delete has the columns of its key; the decoder ignores a delete without a key. It refuses
    control messages unless the options enable them.

    The arguments are those of `decode`. The decoder looks up a schema once in `settings.registry`; without a registry
    it knows none.
    """

    def __init__(self, options: Options | None = None, *, settings: Settings | None = None) -> None:
        self._options = options or Options()
        self._registry = (settings or Settings()).registry or MemoryRegistry()
        self._tables: dict[tuple[str, str], Table] = {}
        self._schemas: dict[int, RecordSchema] = {}
        self._readers: dict[int, RecordReader] = {}

    def decode(
        self, records: Iterable[Record], tables: Iterable[Table] = (), claims: Iterable[Claim] = ()
    ) -> list[Event]:
        """The events of `records`; `tables` is the state before the first record.

        Avro has no claim checks.

        Raises `Rejected` for the first invalid record, with the first class that applies to it.
        """
        known = {table.id: table for table in tables}
        if known != self._tables:
            self._tables = known
            self._readers.clear()
        return [event for record in records if (event := self._event(record)) is not None]

    def _event(self, record: Record) -> Event | None:
        """The event of a record; None for a delete without a key, which has no content.  [AV-200a]"""
        key, value = record.key, record.value
        if value is None:
            return None if key is None else self._delete(key, None)
        first_byte = value[0] if value else None
        if first_byte == framing.ROW:
            return self._row(key, value)
        if first_byte == framing.DELETE:
            return self._marked_delete(key, framing.read_timestamp(value))
        if key is None and first_byte == framing.WATERMARK:
            commit_ts = framing.read_timestamp(value)
            self._refuse_unless_enabled("a watermark")
            return Watermark(commit_ts)
        if key is None and first_byte == framing.DDL:
            return self._ddl(value[1:])
        begins = f"begins with {first_byte:#04x}" if first_byte is not None else "is empty"
        raise Rejected("framing", f"a value that {begins}, {'without' if key is None else 'with'} a key")

    def _refuse_unless_enabled(self, message: str) -> None:
        """Refuse a control message without the options for it.

        This check comes last: its class is `semantics`, so any fault of the message itself takes precedence.
        """
        if not self._options.watermarks:
            raise Rejected("semantics", f"{message} without enable-tidb-extension and avro-enable-watermark")

    def _reader(self, schema_id: int) -> RecordReader:
        reader = self._readers.get(schema_id)
        if reader is None:
            schema = self._schemas.get(schema_id)
            if schema is None:
                schema = self._schemas[schema_id] = read_schema(self._registry.schema(schema_id))
            reader = self._readers[schema_id] = RecordReader(schema, self._tables)
        return reader

    def _marked_delete(self, key: bytes | None, commit_ts: int) -> RowChange | None:
        change = None if key is None else self._delete(key, commit_ts)
        self._refuse_unless_enabled("a delete with a time stamp")
        return change

    def _delete(self, key: bytes, commit_ts: int | None) -> RowChange:
        contents = self._key(framing.unframe(key, "the key"))
        return RowChange("delete", contents.schema, contents.table, commit_ts, before=contents.row)

    def _row(self, key: bytes | None, value: bytes) -> RowChange:
        """The row change of a record.

        Key and value are both read, even if the key is invalid: of two faults, the class with precedence is reported.
        """
        framed_key = None if key is None else framing.unframe(key, "the key")
        framed_value = framing.unframe(value, "the value")
        try:
            key_contents = None if framed_key is None else self._key(framed_key)
        except Rejected as fault:
            try:
                self._value(framed_value)
            except Rejected as fault_of_value:
                raise min(fault, fault_of_value, key=_precedence) from None
            raise
        contents = self._value(framed_value)
        if key_contents is not None:
            _check_key(contents, key_contents)
        return self._change(contents)

    def _key(self, framed: tuple[int, bytes]) -> Contents:
        return self._reader(framed[0]).key(framed[1])

    def _value(self, framed: tuple[int, bytes]) -> Contents:
        return self._reader(framed[0]).value(framed[1], extension=self._options.enable_tidb_extension)

    def _change(self, contents: Contents) -> RowChange:
        row, before = contents.row, contents.before
        op = _WITHOUT_OPERATION if contents.op is None else _OPS[contents.op]
        if op == "delete":
            if before != row:
                raise Rejected("semantics", "a delete whose row is not the row before it")
            return RowChange(op, contents.schema, contents.table, contents.commit_ts, before=row)
        if contents.has_before:  # then an update has a row before it, and an insert has none
            if op == "update" and before is None:
                raise Rejected("semantics", "an update without the row before it")
            if op == "insert" and before is not None:
                raise Rejected("semantics", "an insert with the row before it")
        return RowChange(op, contents.schema, contents.table, contents.commit_ts, before=before, after=row)

    def _ddl(self, data: bytes) -> DdlEvent:
        tree = exact_json.loads_strict(data)
        if not isinstance(tree, dict):
            raise Rejected("schema", "a DDL message is not a JSON object")
        for name, kind in _DDL_MEMBERS.items():
            if type(tree.get(name)) is not kind:
                raise Rejected("schema", f"a DDL message: {name!r} is missing or of the wrong JSON kind")
        code, commit_ts = tree["type"], tree["commitTs"]
        if not (0 <= code <= _MAX_DDL_CODE and 0 <= commit_ts <= MAX_TSO):
            raise Rejected("range", f"a DDL message of type {code} at {commit_ts}")
        if not tree["query"]:
            raise Rejected("semantics", "a DDL message without a statement")
        self._refuse_unless_enabled("a DDL message")
        return DdlEvent(tree["schema"], tree["table"], tree["query"], ACTIONS.get(code), code, commit_ts)


def _precedence(fault: Rejected) -> int:
    """The precedence of a fault's class, 0 for the highest."""
    return list(RejectionClass).index(fault.reason)


def _check_key(contents: Contents, key_contents: Contents) -> None:
    if (key_contents.schema, key_contents.table) != (contents.schema, contents.table):
        raise Rejected(
            "semantics",
            f"a key of {key_contents.schema}.{key_contents.table} with a row of {contents.schema}.{contents.table}",
        )
    row = contents.row
    for name, value in key_contents.row.items():
        if name not in row or row[name] != value:
            raise Rejected("semantics", f"column {name!r} of the key is not that of the row")
