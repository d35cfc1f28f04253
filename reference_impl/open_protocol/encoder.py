"""Writes Open Protocol: order, batches, sizes and claim checks.

Rows are written in `layout`; `style` has the differences between profiles.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable

from reference_impl.actions import action_code
from reference_impl.compression import compress
from reference_impl.encoder_checks import check_images, table_of, utf8
from reference_impl.errors import Rejected
from reference_impl.keys import split_update
from reference_impl.large_messages import claim_location
from reference_impl.model import Claim, DdlEvent, Encoded, Event, Record, RowChange, Table, Watermark
from reference_impl.open_protocol.batches import Batches, single_event_length
from reference_impl.open_protocol.framing import frame
from reference_impl.open_protocol.layout import Layout, names_json
from reference_impl.open_protocol.options import Options
from reference_impl.open_protocol.style import style_of
from reference_impl.partitions import every_partition, partition_of_row
from reference_impl.profiles import NEWARCH, Profile
from reference_impl.settings import Settings
from reference_impl.tso import required_tso

__all__ = ["Encoder"]


class Encoder:
    """TiCDC's Open Protocol encoder.  [OP-008, OP-203, OP-204, OP-212]

    Row changes share messages; each DDL statement and each watermark has its own message. A call of `encode` is one
    flush. The encoder remembers table versions from call to call: `tables` and the tables of DDL events replace earlier
    versions. With more than one partition every record names its partition: rows go to the partition of their table,
    DDL statements and watermarks to every partition.

    The arguments are those of `encode`.
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
        self._compression = self._options.large_message_handle_compression
        self._tables: dict[tuple[str, str], Table] = {}
        self._layouts: dict[tuple[str, str], Layout] = {}
        self._batches = Batches(self._options.max_batch_size, self._options.max_message_bytes)
        self._claims: list[Claim] = []
        self._claimed = 0  # the number of claim-check files so far, which makes their names unique

    def encode(self, events: Iterable[Event], tables: Iterable[Table] = ()) -> Encoded:
        """The records of `events`; `tables` is the state before the first event.

        Raises `Rejected`: class `type` or `range` for a value that does not fit its column, `range` for a row that is
        too large, `semantics` for an event that lacks its time stamp, or contradicts itself, the options or the tables;
        `Unsupported` for a column type that the protocol does not have. After an error, no record of the flush remains
        in the encoder.
        """
        for table in tables:
            self._learn(table)
        records: list[Record] = []
        try:
            for event in events:
                if isinstance(event, RowChange):
                    self._add(event)
                else:
                    records += self._batches.flush()
                    records += self._ddl(event) if isinstance(event, DdlEvent) else self._watermark(event)
            records += self._batches.flush()
            return Encoded(tuple(records), tuple(self._claims))
        finally:
            self._batches.flush()
            self._claims = []

    def _learn(self, table: Table) -> None:
        if self._tables.get(table.id) is not table:
            self._tables[table.id] = table
            self._layouts.pop(table.id, None)

    def _layout(self, change: RowChange) -> Layout:
        name = change.schema, change.table
        layout = self._layouts.get(name)
        if layout is None:
            layout = self._layouts[name] = Layout(table_of(change, self._tables), self._options, self._style)
        return layout

    @staticmethod
    def _bytes(text: str) -> bytes:
        return utf8(text, "surrogateescape")  # only a defect leaves bytes that are not UTF-8 in a text  [OP-077]

    def _body(self, text: str) -> bytes:
        return compress(self._compression, self._bytes(text))  # [OP-157]

    def _add(self, change: RowChange) -> None:
        check_images(change, "Open Protocol")
        layout = self._layout(change)
        partition = partition_of_row(change.schema, change.table, self._settings.partitions)
        parts = (change,) if self._options.output_raw_change_event else split_update(change, layout.table)
        for part in parts:
            key, value = self._bytes(layout.key(part)), self._body(layout.value(part))
            if self._is_too_large(key, value):
                key, value = self._reduced(layout, part, key, value)
            self._batches.add(partition, key, value)

    def _is_too_large(self, key: bytes, value: bytes) -> bool:
        return single_event_length(key, value) > self._options.max_message_bytes

    def _reduced(self, layout: Layout, change: RowChange, key: bytes, value: bytes) -> tuple[bytes, bytes]:
        """The substitute for a key and a value that are too large.  [OP-160]"""
        handling = self._options.large_message_handle_option
        if handling == "handle-key-only":
            key, value = (
                self._bytes(layout.key(change, handle_only=True)),
                self._body(layout.value(change, handle_only=True)),
            )
        elif handling == "claim-check":
            key, value = self._claim_check(layout, change, key, value)
        if self._is_too_large(key, value):
            raise Rejected(
                "range",
                f"message too large: a row of {change.schema}.{change.table} needs {single_event_length(key, value)} "
                f"bytes of {self._options.max_message_bytes}",
            )
        return key, value

    def _claim_check(self, layout: Layout, change: RowChange, key: bytes, value: bytes) -> tuple[bytes, bytes]:
        """Key and value with only the handle key, and the location of a file with the whole message.

        [OP-170 … OP-172]
        """
        key, value = frame([(key, value)])
        content = f'{{"key":"{b64encode(key).decode("ascii")}","value":"{b64encode(value).decode("ascii")}"}}'.encode()
        location = claim_location(self._options.claim_check_storage_uri, b"%d:" % self._claimed + content)
        body = self._body(layout.value(change, handle_only=True))
        self._claimed += 1
        self._claims.append(Claim(location, content))
        return self._bytes(layout.key(change, location=location)), body

    def _broadcast(self, key: bytes, value: bytes) -> list[Record]:
        framed_key, framed_value = frame([(key, value)])
        return [Record(framed_key, framed_value, partition) for partition in every_partition(self._settings.partitions)]

    def _ddl(self, event: DdlEvent) -> list[Record]:
        names = names_json(event.schema, event.table, self._style)
        ts = required_tso(event.commit_ts, "commit_ts of a ddl event")
        key = f'{{"ts":{ts}{names},"t":2}}'
        value = f'{{"q":{self._style.string(event.query)},"t":{action_code(event)}}}'  # [OP-065]
        for table in event.tables_after:
            self._learn(table)
        return self._broadcast(self._bytes(key), self._body(value))

    def _watermark(self, event: Watermark) -> list[Record]:
        ts = required_tso(event.commit_ts, "commit_ts of a watermark")
        return self._broadcast(self._bytes(f'{{"ts":{ts},"t":3}}'), b"")  # [OP-007, OP-025]
