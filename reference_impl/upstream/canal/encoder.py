"""Writes Alibaba Canal's flat message: one Kafka record a rows event of the binlog.  [CJ-901 … CJ-912]"""

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
from reference_impl.upstream.canal.ddl import statement
from reference_impl.upstream.canal.images import Images, logged_columns
from reference_impl.upstream.canal.json_text import literal
from reference_impl.upstream.canal.keys import Keys
from reference_impl.upstream.canal.layout import Layout, Texts, layout
from reference_impl.upstream.canal.options import IMAGES, Options
from reference_impl.upstream.canal.partial_json import partial_text
from reference_impl.upstream.canal.position import Position, Positions, member

__all__ = ["Encoder"]

_NO_ROWS = '"mysqlType":null,"old":null,"pkNames":null'


class Encoder:
    """Canal's Kafka producer.

    The position of an event is in its `source`: `id` (number of the batch), `es`, `ts` (milliseconds) and `gtid`, all
    texts; what is missing is derived, see `Positions`. Rows that follow one another with the same `rows_event` in
    `source` are one message. Two more members of `source` are about the session of the database: `query`, the
    statement, where the binlog has it before the rows event, and `binlog_row_image` and `binlog_row_value_options`,
    where the session had its own.

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
        for group in _rows_events(events):
            first = group[0]
            if isinstance(first, RowChange):
                table = versions.get((first.schema, first.table))
                if table is None:
                    raise Rejected("semantics", f"{first.schema}.{first.table} is not among the tables")
                records.extend(self._rows([e for e in group if isinstance(e, RowChange)], table))
            elif isinstance(first, DdlEvent):
                records.extend(self._ddl(first))
                versions |= {t.id: t for t in (first.table_after, *first.other_tables) if t is not None}
        return Encoded(tuple(records))

    def _record(self, value: str) -> Record:
        """Everything goes to the first partition, without a key.  [CJ-204, CJ-233]"""
        return Record(None, utf8(value), 0 if self._settings.partitions > 1 else None)

    def _ddl(self, event: DdlEvent) -> Iterator[Record]:
        self._keys.apply(event.query, event.schema)
        self._layouts.clear()
        found = statement(event.query)
        if found is None:
            return
        names = (event.schema, event.table) if found.named else ("", "")
        yield self._record(_message(self._positions.of(event), names, found.type, event.query, is_ddl=True))

    def _query(self, event: RowChange, position: Position) -> Iterator[Record]:
        """The statement that caused the rows, if the binlog has it.  [CJ-655]"""
        query = member(event, "query")
        if query is not None:
            names = ("", "" if self._options.mariadb else event.table)
            yield self._record(_message(position, names, "QUERY", query, is_ddl=False))

    def _layout(self, table: Table) -> Layout:
        found = self._layouts.get(table.id)
        if found is None or (found.table is not table and found.table != table):
            found = self._layouts[table.id] = layout(table, self._options, self._keys)
        return found

    def _rows(self, changes: Sequence[RowChange], table: Table) -> Iterator[Record]:
        for change in changes:
            check_images(change, "Canal's flat message")
        first = changes[0]
        position = self._positions.of(first)
        yield from self._query(first, position)
        plan = self._layout(table)
        images = logged_columns(self._image(first), table, changes)
        befores, afters = self._images(changes, plan, images)
        rows = afters or befores
        old = "null"
        if first.op == "update":
            old = f"[{','.join(map(plan.image, _changed(befores, afters)))}]"
        yield self._record(
            f'{{"data":[{",".join(map(plan.image, rows))}],{plan.head},{position.head},"isDdl":false,'
            f'"mysqlType":{plan.mysql_types(rows[-1])},"old":{old},"pkNames":{plan.key_names(rows[-1])},"sql":"",'
            f'"sqlType":{plan.sql_types(rows[-1])},"table":{literal(table.name)},"ts":{position.ts},'
            f'"type":"{first.op.upper()}"}}'
        )

    def _image(self, change: RowChange) -> str:
        image = member(change, "binlog_row_image") or self._options.binlog_row_image
        if image not in IMAGES:
            raise Rejected("semantics", f"source.binlog_row_image is {image!r}: one of {', '.join(IMAGES)}")
        return image

    def _images(self, changes: Sequence[RowChange], plan: Layout, images: Images) -> tuple[list[Texts], list[Texts]]:
        """Texts of the rows before and after; an empty list if the operation lacks the image."""

        def texts(rows: Iterable[Row | None], columns: frozenset[str]) -> list[Texts]:
            return [plan.texts(row, columns) for row in rows if row is not None]

        befores = texts((change.before for change in changes), images.before)
        afters = texts((change.after for change in changes), images.after)
        if member(changes[0], "binlog_row_value_options") == "PARTIAL_JSON" and changes[0].op == "update":
            afters = [self._by_difference(c, plan, after) for c, after in zip(changes, afters, strict=True)]
        return befores, afters

    def _by_difference(self, change: RowChange, plan: Layout, after: Texts) -> Texts:
        """The texts after an update if the binlog has JSON as differences.  [DV-52]"""
        texts = dict(after)
        for field in plan.fields:
            old, new = (row.get(field.name) if row else None for row in (change.before, change.after))
            if (
                field.source.column_type.family is Family.JSON
                and isinstance(old, str)
                and isinstance(new, str)
                and old != new
            ):
                texts[field.name] = partial_text(field.name, stored_tree(old), stored_tree(new), self._options.java)
        return texts


def _rows_events(events: Iterable[Event]) -> Iterator[list[Event]]:
    """Group the events of one message: the rows of one rows event.  [CJ-901]"""
    alone = iter(range(2**63))

    def key(event: Event) -> object:
        name = (event.source or {}).get("rows_event") if isinstance(event, RowChange) else None
        return next(alone) if name is None else (name,)

    for _, group in groupby(events, key):
        found = list(group)
        if len({(e.schema, e.table, e.op) for e in found if isinstance(e, RowChange)}) > 1:
            raise Rejected("semantics", "the rows of a rows event are of one table and one operation")
        yield found


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
