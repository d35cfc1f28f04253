"""Writes Alibaba Canal's flat message: one Kafka record for each rows event of the binlog.  [CJ-901 … CJ-912]"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from reference_impl.column_types import Family
from reference_impl.encoder_checks import check_images, utf8
from reference_impl.errors import Rejected
from reference_impl.model import DdlEvent, Encoded, Event, Record, Row, RowChange, Table
from reference_impl.profiles import NEWARCH, Profile
from reference_impl.settings import Settings
from reference_impl.stored_json import stored_tree
from reference_impl.upstream.canal.ddl import message_of
from reference_impl.upstream.canal.images import LoggedColumns, logged_columns
from reference_impl.upstream.canal.json_text import literal
from reference_impl.upstream.canal.keys import Keys
from reference_impl.upstream.canal.layout import Layout, Texts, layout_of
from reference_impl.upstream.canal.options import IMAGES, Options
from reference_impl.upstream.canal.partial_json import partial_text
from reference_impl.upstream.canal.position import Position, Positions, member

__all__ = ["Encoder"]

_NO_ROWS = '"mysqlType":null,"old":null,"pkNames":null'


class Encoder:
    """Canal's encoder.

    `source` of an event holds texts. Its position is `id` (the number of the batch), `es`, `ts` (milliseconds) and
    `gtid`; `Positions` derives missing members. Consecutive rows with the same `rows_event` form one message. `query`
    is the statement that the binlog has before the rows event, if it has one. `binlog_row_image` and
    `binlog_row_value_options` are the settings of the database session, if they differ from the global ones.

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
        self._positions = Positions(self._options, self._settings)
        self._layouts: dict[tuple[str, str], Layout] = {}
        self._keys = Keys()

    def encode(self, events: Iterable[Event], tables: Iterable[Table] = ()) -> Encoded:
        """The records of one flush, which is one batch.

        `tables` is the state before the first event.

        Raises `Rejected`: class `semantics` for an event that contradicts itself or names no known table, `type` or
        `range` for a value that does not fit its column.
        """
        self._positions.next_batch()
        versions = {table.id: table for table in tables}
        records: list[Record] = []
        for message in _messages(events):
            if isinstance(message, DdlEvent):
                records.extend(self._ddl(message))
                versions |= {table.id: table for table in message.tables_after}
            else:
                row = message[0]
                table = versions.get((row.schema, row.table))
                if table is None:
                    raise Rejected("semantics", f"{row.schema}.{row.table} is not among the tables")
                records.extend(self._rows(message, table))
        return Encoded(tuple(records))

    def _record(self, value: str) -> Record:
        """The record of a value: without a key, and in the first partition if there are several.  [CJ-204, CJ-233]"""
        return Record(None, utf8(value), 0 if self._settings.partitions > 1 else None)

    def _ddl(self, event: DdlEvent) -> Iterator[Record]:
        self._keys.apply(event.query, event.schema)
        self._layouts.clear()
        message = message_of(event.query)
        if message is None:
            return
        names = (event.schema, event.table) if message.named else ("", "")
        yield self._record(_message(self._positions.of(event), names, message.type, event.query, is_ddl=True))

    def _query(self, event: RowChange, position: Position) -> Iterator[Record]:
        """The message with the statement that caused the rows, if the binlog has it.  [CJ-655]"""
        query = member(event, "query")
        if query is not None:
            names = ("", "" if self._options.mariadb else event.table)
            yield self._record(_message(position, names, "QUERY", query, is_ddl=False))

    def _layout(self, table: Table) -> Layout:
        layout = self._layouts.get(table.id)
        if layout is None or (layout.table is not table and layout.table != table):
            layout = self._layouts[table.id] = layout_of(table, self._options, self._keys)
        return layout

    def _rows(self, changes: Sequence[RowChange], table: Table) -> Iterator[Record]:
        for change in changes:
            check_images(change, "Canal's flat message")
        first = changes[0]
        position = self._positions.of(first)
        yield from self._query(first, position)
        layout = self._layout(table)
        logged = logged_columns(self._row_image(first), table, changes)
        befores, afters = self._images(changes, layout, logged)
        rows = afters or befores
        old = "null"
        if first.op == "update":
            old = f"[{','.join(map(layout.image, _changed(befores, afters)))}]"
        # An INSERT that names no column has an empty image under MINIMAL, and Canal writes what is empty as null.
        data = f"[{','.join(map(layout.image, rows))}]" if rows[-1] else "null"
        yield self._record(
            f'{{"data":{data},{layout.head},{position.head},"isDdl":false,'
            f'"mysqlType":{layout.mysql_types(rows[-1])},"old":{old},"pkNames":{layout.key_names(rows[-1])},"sql":"",'
            f'"sqlType":{layout.sql_types(rows[-1])},"table":{literal(table.name)},"ts":{position.ts},'
            f'"type":"{first.op.upper()}"}}'
        )

    def _row_image(self, change: RowChange) -> str:
        image = member(change, "binlog_row_image") or self._options.binlog_row_image
        if image not in IMAGES:
            raise Rejected("semantics", f"source.binlog_row_image is {image!r}: one of {', '.join(IMAGES)}")
        return image

    def _images(
        self, changes: Sequence[RowChange], layout: Layout, logged: LoggedColumns
    ) -> tuple[list[Texts], list[Texts]]:
        """The texts of the before and of the after images of all rows; empty if the operation lacks the image."""

        def texts(rows: Iterable[Row | None], columns: frozenset[str]) -> list[Texts]:
            return [layout.texts(row, columns) for row in rows if row is not None]

        befores = texts((change.before for change in changes), logged.before)
        afters = texts((change.after for change in changes), logged.after)
        if member(changes[0], "binlog_row_value_options") == "PARTIAL_JSON" and changes[0].op == "update":
            afters = [self._with_partial_json(c, layout, after) for c, after in zip(changes, afters, strict=True)]
        return befores, afters

    def _with_partial_json(self, change: RowChange, layout: Layout, after: Texts) -> Texts:
        """The texts `after`, with changed JSON columns as Canal prints the differences in the binlog.  [DV-52]"""
        texts = dict(after)
        for field in layout.fields:
            old, new = (row.get(field.name) if row else None for row in (change.before, change.after))
            if field.column.type.family is Family.JSON and isinstance(old, str) and isinstance(new, str) and old != new:
                texts[field.name] = partial_text(field.name, stored_tree(old), stored_tree(new), self._options.java)
        return texts


def _messages(events: Iterable[Event]) -> Iterator[list[RowChange] | DdlEvent]:
    """What each message is about: consecutive rows of one rows event, or a statement.  [CJ-901]"""
    for _, group in groupby(events, key=_rows_event):
        for event in group:
            if isinstance(event, DdlEvent):
                yield event
            elif isinstance(event, RowChange):
                rows = [event, *(row for row in group if isinstance(row, RowChange))]
                if len({(row.schema, row.table, row.op) for row in rows}) > 1:
                    raise Rejected("semantics", "the rows of a rows event are of one table and one operation")
                yield rows


def _rows_event(event: Event) -> object:
    """The rows event that a row names as its own; of any other event an object that equals nothing else."""
    named = (event.source or {}).get("rows_event") if isinstance(event, RowChange) else None
    return object() if named is None else named


def _changed(befores: Sequence[Texts], afters: Sequence[Texts]) -> Iterator[Texts]:
    """The `old` object of each row: columns changed in it or in an earlier row.  [CJ-511, DV-34]"""
    changed: set[str] = set()
    missing = object()
    for before, after in zip(befores, afters, strict=True):
        changed |= {name for name, text in after.items() if before.get(name, missing) != text}
        yield {name: text for name, text in before.items() if name in changed}


def _message(position: Position, names: tuple[str, str], message_type: str, sql: str, *, is_ddl: bool) -> str:
    """A message without rows.  [CJ-654]"""
    database, table = map(literal, names)
    return (
        f'{{"data":null,"database":{database},{position.head},"isDdl":{str(is_ddl).lower()},{_NO_ROWS},'
        f'"sql":{literal(sql)},"sqlType":null,"table":{table},"ts":{position.ts},"type":"{message_type}"}}'
    )
