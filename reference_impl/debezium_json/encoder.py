"""Writes TiCDC's Debezium JSON: a Kafka record for each row change.

Statements and watermarks go to every partition.

[DBZ-010 … DBZ-046, DBZ-300 … DBZ-342, DBZ-400 … DBZ-404]
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from reference_impl.compression import compress
from reference_impl.debezium_json.ddl import sent_code, single_statements
from reference_impl.debezium_json.json_text import literal
from reference_impl.debezium_json.layout import Layout, Layouts
from reference_impl.debezium_json.options import Options
from reference_impl.debezium_json.style import style_of
from reference_impl.debezium_json.table_changes import table_changes
from reference_impl.encoder_checks import check_images, table_of, utf8
from reference_impl.keys import split_update
from reference_impl.model import DdlEvent, Encoded, Event, Record, RowChange, Table, Watermark
from reference_impl.partitions import every_partition, partition_of_row
from reference_impl.profiles import NEWARCH, Profile
from reference_impl.settings import Settings
from reference_impl.tso import required_tso

__all__ = ["Encoder"]

# `op` of each operation.  [DBZ-043]
_OPS: Mapping[str, str] = {"insert": "c", "update": "u", "delete": "d"}


class Encoder:
    """TiCDC's Debezium JSON encoder.  [DBZ-042, DBZ-160, DBZ-162, DBZ-303, DBZ-403]

    Row changes become records with a key and a value. DDL statements and, with the extension, watermarks go to every
    partition, in the profiles that have such messages. A NULL in a column with a default is written as the default. The
    encoder remembers table versions from call to call.

    The arguments are those of `encode`. The wall clock `ts_ms` is `settings.now_ms`, without it the physical time of
    the commit. Where recorded producers write a wrong default, the encoder writes the right one, unless `defects` names
    the defect.
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
        self._style = style_of(profile, defects)
        self._layouts = Layouts(self._options, self._style, self._settings)
        self._tables: dict[tuple[str, str], Table] = {}
        self._layout_by_table: dict[tuple[str, str], Layout] = {}

    def encode(self, events: Iterable[Event], tables: Iterable[Table] = ()) -> Encoded:
        """The records of `events`; `tables` is the state before the first event.

        Raises `Rejected`: class `semantics` for an event that contradicts itself, lacks a time stamp or names no known
        table, `type` for a value or column type that cannot be written, `range` for a time stamp beyond 64 bits.
        """
        for table in tables:
            self._learn(table)
        records: list[Record] = []
        for event in events:
            if isinstance(event, RowChange):
                records.extend(self._row_records(event))
            elif isinstance(event, DdlEvent):
                records.extend(self._ddl(event))
            else:
                records.extend(self._watermark(event))
        return Encoded(tuple(records))

    def _learn(self, table: Table) -> None:
        if self._tables.get(table.id) is not table:
            self._tables[table.id] = table
            self._layout_by_table.pop(table.id, None)

    def _layout(self, change: RowChange) -> Layout:
        name = change.schema, change.table
        layout = self._layout_by_table.get(name)
        if layout is None:
            layout = self._layout_by_table[name] = self._layouts.of_table(table_of(change, self._tables))
        return layout

    def _bytes(self, text: str) -> bytes:
        data = utf8(text, "surrogateescape" if self._style.raw_invalid_utf8 else "strict")
        return compress(self._options.large_message_handle_compression, data)  # [DBZ-016]

    def _row_records(self, change: RowChange) -> Iterator[Record]:
        check_images(change, "Debezium JSON of TiCDC")
        layout = self._layout(change)
        partition = partition_of_row(change.schema, change.table, self._settings.partitions)
        parts = (change,) if self._options.output_raw_change_event else split_update(change, layout.table)
        for part in parts:
            key = layout.key(part.row)  # [DBZ-037]
            yield Record(self._bytes(key), self._bytes(self._row_value(part, layout)), partition)

    def _row_value(self, change: RowChange, layout: Layout) -> str:
        start_ts = required_tso(change.start_ts, "start_ts of a row event") if self._layouts.start_ts else None
        commit_ts = required_tso(change.commit_ts, "commit_ts of a row event")
        begin = self._layouts.up_to_clock(layout.begin, commit_ts, start_ts)
        before = "null" if change.before is None else layout.image(change.before)
        after = "null" if change.after is None else layout.image(change.after)
        if change.op == "delete":
            images = f'"after":null,"before":{before}'
        elif change.op == "update" and not self._options.debezium_output_old_value:
            images = f'"after":{after}'  # [DBZ-013]
        else:
            images = f'"before":{before},"after":{after}'
        return f'{begin},"transaction":null,"op":"{_OPS[change.op]}",{images}}}{layout.value_end}'

    def _broadcast(self, key: str, value: str) -> Iterator[Record]:
        key_bytes, value_bytes = self._bytes(key), self._bytes(value)
        for partition in every_partition(self._settings.partitions):
            yield Record(key_bytes, value_bytes, partition)

    def _ddl(self, event: DdlEvent) -> Iterator[Record]:
        for table in event.tables_after:
            self._learn(table)
        if self._style.ddl and sent_code(event) is not None:
            for single in single_statements(event):
                yield from self._statement(single)

    def _statement(self, event: DdlEvent) -> Iterator[Record]:
        """The message of a statement about one table, or about a schema.  [DBZ-310, DBZ-320]"""
        code = sent_code(event)
        assert code is not None
        layouts, schema = self._layouts, literal(event.schema)
        begin = layouts.up_to_clock(
            layouts.begin_of(event.schema, event.table), required_tso(event.commit_ts, "commit_ts of a ddl event")
        )
        yield from self._broadcast(
            f'{{"payload":{{"databaseName":{schema}}}{layouts.ddl_key_end}',
            f'{begin},"databaseName":{schema},"schemaName":null,"ddl":{literal(event.query)},'
            f'"tableChanges":{table_changes(event, code, self._style, self._settings)}}}{layouts.ddl_end}',
        )

    def _watermark(self, event: Watermark) -> Iterator[Record]:
        if not (self._style.watermarks and self._options.enable_tidb_extension):
            return
        layouts = self._layouts
        begin = layouts.up_to_clock(layouts.begin_of("", ""), required_tso(event.commit_ts, "commit_ts of a watermark"))
        yield from self._broadcast(
            layouts.watermark_key, f'{begin},"transaction":null,"op":"m"}}{layouts.watermark_end}'
        )
