"""Reads Alibaba Canal's flat message, release 1.1.7.  [CJ-420 … CJ-454, CJ-510 … CJ-516, CJ-721]

It is strict about messages and lenient about streams. It restores text of charsets other than UTF-8 as far as possible,
and refuses a JSON value whose text is not valid JSON.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from reference_impl.column_types import BINARY
from reference_impl.errors import Rejected
from reference_impl.exact_json import loads_strict
from reference_impl.faults import Faults
from reference_impl.model import Claim, DdlEvent, Event, Record, Row, RowChange, Table, Value
from reference_impl.settings import Settings
from reference_impl.upstream.canal.ddl import NO_NAMES, message_of
from reference_impl.upstream.canal.layout import charset_of, unquoted
from reference_impl.upstream.canal.message import QUERY, ROW_OPS, Message, TextRow, read_message
from reference_impl.upstream.canal.options import Options
from reference_impl.upstream.canal.texts import CanalColumn, Reader, reader
from reference_impl.upstream.canal.types import read_mysql_type, same_kind, sql_type

__all__ = ["Decoder"]

_SECOND = 1000
# Statements of these types keep the columns and keys of their table.
_KEEPS_TABLE = frozenset({"TRUNCATE"})


class Decoder:
    """Canal's decoder.

    Each row becomes an event. `source` holds the position of its message: `id`, `es`, `ts`, `gtid`, the `query` of an
    earlier message, and a number `rows_event` that the rows of a message share. The messages have no commit time stamp,
    so `commit_ts` is None. A row has the columns of its message, an update's `before` those of `old`. Types come from
    the tables if known, else from `mysqlType`. The decoder forgets a table when it reads a statement about it. Messages
    about transactions give no event.
    """

    def __init__(self, options: Options | None = None, *, settings: Settings | None = None) -> None:
        self._options = options or Options()
        self._tables: dict[tuple[str, str], Table] = {}
        self._query: str | None = None
        self._number = 0

    def decode(
        self, records: Iterable[Record], tables: Iterable[Table] = (), claims: Iterable[Claim] = ()
    ) -> list[Event]:
        """The events of `records`; `tables` is the state before the first record.

        The format has no claim checks.

        Raises `Rejected` for the first invalid record, with the first class that applies to it.
        """
        self._tables = {table.id: table for table in tables}
        self._query = None
        return [event for record in records for event in self._events(record)]

    def _events(self, record: Record) -> Sequence[Event]:
        if not record.value:
            raise Rejected("framing", "a record without a value")
        if record.key:
            raise Rejected("framing", "a record with a key")
        faults = Faults()
        message = read_message(loads_strict(record.value), faults, image=self._options.binlog_row_image)
        faults.expect(message.es % _SECOND == 0, "semantics", f"es is {message.es}, not a whole second")
        faults.expect(
            self._options.gtid or not message.gtid, "semantics", "there is a gtid, although the option gtid is false"
        )
        if message.is_ddl:
            return [self._ddl(message, faults)]
        if message.type in ROW_OPS:
            return self._rows(message, faults)
        _check_no_rows(message, faults)
        faults.raise_first()
        if message.type == QUERY:  # the others are about transactions
            self._query = message.sql
        return []

    def _source(self, message: Message) -> dict[str, object]:
        return {"id": str(message.id), "es": str(message.es), "ts": str(message.ts), "gtid": message.gtid}

    def _ddl(self, message: Message, faults: Faults) -> DdlEvent:
        _check_no_rows(message, faults)
        faults.expect(message.sql != "", "semantics", "a DDL message without a statement")
        expected = message_of(message.sql)
        is_right = not message.database and not message.table and message.type == NO_NAMES.type
        if expected is not None and expected.named:
            is_right |= message.type == expected.type
        faults.expect(is_right, "semantics", f"type {message.type} of {message.sql[:60]!r}")
        faults.raise_first()
        if message.type not in _KEEPS_TABLE:
            self._tables = {
                (schema, name): table
                for (schema, name), table in self._tables.items()
                if schema != message.database or message.table not in ("", name)
            }
        return DdlEvent(message.database, message.table, message.sql, source=self._source(message))

    def _rows(self, message: Message, faults: Faults) -> list[Event]:
        op = ROW_OPS[message.type]
        table = self._tables.get((message.database, message.table))
        readers = self._readers(message, table, faults)
        images = [_read("data", row, readers, faults) for row in message.data]
        olds = [_read("old", row, readers, faults) for row in message.old]
        faults.expect(message.sql == "", "semantics", f"{message.type} has a statement")
        faults.expect(bool(olds) == (op == "update"), "semantics", f"{message.type} with {len(olds)} old rows")
        _check_old(message, faults)
        _check_key(message, table, faults)
        faults.raise_first()
        self._number += 1
        source = self._source(message) | {"rows_event": str(self._number)}
        if self._query is not None:
            source["query"], self._query = self._query, None
        befores: Sequence[Row | None] = images if op == "delete" else olds or [None] * len(images)
        afters: Sequence[Row | None] = [None] * len(images) if op == "delete" else images
        return [
            RowChange(op, message.database, message.table, None, before, after, source=source)
            for before, after in zip(befores, afters, strict=True)
        ]

    def _readers(self, message: Message, table: Table | None, faults: Faults) -> dict[str, Reader]:
        """The readers of the columns. `sqlType` is checked with the last row, which it describes.  [DV-14]"""
        readers = {}
        for name, type_text in message.mysql_type.items():
            column = self._column(name, type_text, table, faults)
            readers[name] = reader(column)
            text = message.data[-1][name]
            try:
                expected = sql_type(column.type, type_text, text, mariadb=self._options.mariadb)
            except ValueError:
                continue  # not a number; the reader reports it
            code = message.sql_type[name]
            faults.expect(code == expected, "type", f"sqlType.{name} is {code}, expected {expected}")
        return readers

    def _column(self, name: str, type_text: str, table: Table | None, faults: Faults) -> CanalColumn:
        """A column as Canal sees it: by the table if known, else by the message's `mysqlType`."""
        column_type, charset = read_mysql_type(type_text), None
        if table is not None:
            column = next((c for c in table.columns if unquoted(c.name) == name), None)
            if column is None:
                faults.add("semantics", f"the table {table.name!r} has no column {name!r}")
            elif not same_kind(column.type, column_type):
                faults.add("semantics", f"mysqlType.{name} is {type_text!r}, the table says {column.type.text!r}")
            else:
                column_type, charset = column.type, charset_of(column, table)
        if column_type.family in BINARY:
            charset = "binary"
        return CanalColumn(column_type, type_text, charset, self._options.mariadb, self._options.java)


def _read(image: str, row: TextRow, readers: dict[str, Reader], faults: Faults) -> Row:
    values: dict[str, Value] = dict(row)
    for name, text in row.items():
        if text is not None:
            try:
                values[name] = readers[name](text)
            except Rejected as e:
                faults.add(e.reason, f"{image}.{name}: {e.message}")
    return values


def _check_no_rows(message: Message, faults: Faults) -> None:
    for name in ("data", "old", "pk_names", "sql_type", "mysql_type"):
        faults.expect(not getattr(message, name), "semantics", f"{message.type} has a {name}")


def _check_old(message: Message, faults: Faults) -> None:
    """Check that `old` has the columns of earlier rows, and that all its other columns changed.  [CJ-511]"""
    seen: set[str] = set()
    for row, old in zip(message.data, message.old, strict=False):
        faults.expect(seen <= old.keys(), "semantics", "old lacks a column that the row before has")
        same = [name for name in old.keys() - seen if old[name] == row[name]]
        faults.expect(not same, "semantics", f"old has {same}, which did not change")
        seen |= old.keys()


def _check_key(message: Message, table: Table | None, faults: Faults) -> None:
    names = message.pk_names
    faults.expect(len(names) == len({*names}), "semantics", "pkNames has a name twice")
    columns = message.data[0].keys()
    faults.expect({*names} <= columns, "semantics", f"pkNames {names} has a column that data has not")
    if table is not None:
        own = [unquoted(c.name) for c in table.columns if c.name in table.primary_key]
        expected = [name for name in own if name in columns]
        faults.expect(names == expected, "semantics", f"pkNames is {names}, the table says {expected}")
