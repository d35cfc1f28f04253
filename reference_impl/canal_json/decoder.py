"""Reads TiCDC's Canal-JSON, every profile and every release of it.  [CJ-801, CJ-880 … CJ-886]

It is strict about messages and lenient about streams: duplicates and watermarks that go back are decoded unchanged.
An `es` that contradicts the commit time stamp is accepted, since the document's own samples have it.  [CJ-882]
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from reference_impl.canal_json.large import claimed_message
from reference_impl.canal_json.message import ROW_OPS, WATERMARK, Message, read_message
from reference_impl.canal_json.options import Options
from reference_impl.canal_json.quick import QuickRows
from reference_impl.canal_json.rows import row_plan
from reference_impl.compression import decompress, decompressed_limit
from reference_impl.errors import Rejected
from reference_impl.exact_json import loads_quickly, loads_strict
from reference_impl.faults import Faults
from reference_impl.large_messages import files_by_name
from reference_impl.model import Claim, DdlEvent, Event, Record, RowChange, Table, Watermark
from reference_impl.settings import Settings

__all__ = ["Decoder"]

# A statement of this type keeps the columns and keys of its table.
_KEEPS_TABLE = "TRUNCATE"


class Decoder:
    """TiCDC's Canal-JSON decoder.

    A row has the columns of its message, an update's `before` those of `old`. Numbers of ENUM and SET become labels
    where the members are known: from the tables, or from `mysqlType` in content-compatible mode. The decoder forgets a
    table when it reads a DDL message for it, since the message does not describe the new table.

    The arguments are those of `decode`. Values keep their texts, also those of TIMESTAMP, so `settings` has no effect.
    [CJ-394]
    """

    def __init__(self, options: Options | None = None, *, settings: Settings | None = None) -> None:
        self._options = options or Options()
        self._tables: dict[tuple[str, str], Table] = {}
        self._files: Mapping[str, bytes] = {}
        self._quick = QuickRows(extension=self._options.enable_tidb_extension)

    def decode(
        self, records: Iterable[Record], tables: Iterable[Table] = (), claims: Iterable[Claim] = ()
    ) -> list[Event]:
        """The events of `records`.

        `tables` is the state before the first record, `claims` are the files in claim-check storage.

        Raises `Rejected` for the first invalid record, with the first class that applies to it.
        """
        self._know({table.id: table for table in tables})
        self._files = files_by_name(claims)
        return [self._event(record) for record in records]

    def _know(self, tables: dict[tuple[str, str], Table]) -> None:
        if tables != self._tables:
            self._tables = tables
            self._quick.forget()

    def _event(self, record: Record) -> Event:
        if not record.value:
            raise Rejected("framing", "a record without a value")
        compression = self._options.large_message_handle_compression
        value = decompress(compression, record.value, decompressed_limit(self._options))
        return self._quick.row(loads_quickly(value)) or self._read(value)

    def _read(self, value: bytes, *, is_claimed: bool = False) -> Event:
        faults = Faults()
        message = read_message(loads_strict(value), faults, extension=self._options.enable_tidb_extension)
        if message.is_ddl:
            return self._ddl(message, faults)
        if message.type == WATERMARK:
            return self._watermark(message, faults)
        change = self._row(message, faults)
        if message.location is None:
            return change
        if is_claimed:
            raise Rejected("semantics", "a claim-check file holds a claim check")
        return self._claimed(change, message.location)

    def _claimed(self, change: RowChange, location: str) -> Event:
        whole = self._read(claimed_message(self._options, self._files, location), is_claimed=True)

        def identity(event: Event) -> object:
            return isinstance(event, RowChange) and (event.op, event.schema, event.table, event.commit_ts)

        if identity(whole) != identity(change):
            raise Rejected("semantics", f"the claim-check file {location!r} holds another event")
        return whole

    def _ddl(self, message: Message, faults: Faults) -> DdlEvent:
        self._check_no_row(message, faults)
        faults.expect(message.sql != "", "semantics", "a DDL message without a statement")
        faults.raise_first()
        if message.type != _KEEPS_TABLE:
            kept = {
                (schema, name): table
                for (schema, name), table in self._tables.items()
                if schema != message.database or message.table not in ("", name)
            }
            self._know(kept)
        return DdlEvent(message.database, message.table, message.sql, commit_ts=message.commit_ts)

    def _watermark(self, message: Message, faults: Faults) -> Watermark:
        self._check_no_row(message, faults)
        for name, value in (("database", message.database), ("table", message.table), ("sql", message.sql)):
            faults.expect(value == "", "semantics", f"a watermark with a {name}")
        faults.raise_first()
        assert message.watermark_ts is not None
        return Watermark(message.watermark_ts)

    def _check_no_row(self, message: Message, faults: Faults) -> None:
        members = {
            "pkNames": message.pk_names,
            "sqlType": message.sql_type,
            "mysqlType": message.mysql_type,
            "data": message.data,
            "old": message.old,
        }
        for name, value in members.items():
            faults.expect(not value, "semantics", f"{message.type} has a {name}")

    def _row(self, message: Message, faults: Faults) -> RowChange:
        assert message.data is not None
        row, old = message.data[0], message.old[0] if message.old else None
        op = ROW_OPS[message.type]
        table = self._tables.get((message.database, message.table))
        plan = row_plan(message.mysql_type or {}, table, faults)
        plan.check_codes(message.sql_type or {}, row, faults)
        image = plan.read("data", row, faults)
        before = plan.read("old", old, faults) if old is not None else None
        faults.expect(message.sql == "", "semantics", f"{message.type} has a statement")
        faults.expect(op != "insert" or old is None, "semantics", "an INSERT has an old row")
        faults.expect(op != "update" or old is not None, "semantics", "an UPDATE has no old row")
        # Before v5.4.0 a DELETE repeats its row.  [CJ-502]
        faults.expect(op != "delete" or old is None or old == row, "semantics", "a DELETE has another old row")
        self._check_key(message, table, faults)
        faults.raise_first()
        if message.location is None:
            self._quick.learn(message, plan)
        return RowChange(
            op=ROW_OPS[message.type],
            schema=message.database,
            table=message.table,
            commit_ts=message.commit_ts,
            before=image if op == "delete" else before,
            after=None if op == "delete" else image,
        )

    def _check_key(self, message: Message, table: Table | None, faults: Faults) -> None:
        names = message.pk_names or []
        faults.expect(len(names) == len({*names}), "semantics", "pkNames has a name twice")
        if table is not None:
            is_in_key = {*names} <= {*table.primary_key}
            faults.expect(is_in_key, "semantics", f"pkNames {names} is not in the primary key of {table.name!r}")
