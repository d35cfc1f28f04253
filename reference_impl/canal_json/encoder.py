"""Writes TiCDC's Canal-JSON: one Kafka record an event.  [CJ-010 … CJ-052, CJ-101 … CJ-140]"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from reference_impl.canal_json.ddl import ddl_type
from reference_impl.canal_json.large import claim_file, location_member
from reference_impl.canal_json.layout import Layout, layout
from reference_impl.canal_json.options import Options
from reference_impl.canal_json.style import style_of
from reference_impl.canal_json.texts import literal
from reference_impl.compression import compress
from reference_impl.encoder_checks import check_images, table_of, utf8
from reference_impl.errors import Rejected
from reference_impl.keys import split_update
from reference_impl.large_messages import RECORD_OVERHEAD
from reference_impl.model import Claim, DdlEvent, Encoded, Event, Record, RowChange, Table, Watermark
from reference_impl.partitions import every_partition, partition_of_row
from reference_impl.profiles import NEWARCH, Profile
from reference_impl.settings import Settings
from reference_impl.tso import physical_ms, required_tso

__all__ = ["Encoder"]

_ONLY_HANDLE_KEY = ',"onlyHandleKey":true'


class Encoder:
    """TiCDC's Canal-JSON encoder.  [CJ-051, CJ-201, CJ-230]

    Row changes, DDL statements and watermarks become Kafka records without a key; watermarks are written only with the
    extension. With more than one partition each record names its partition, and a watermark is written once for each.

    The arguments are those of `encode`. Without `settings.now_ms` the free member `ts` repeats `es`, since the encoder
    has no clock. `defects` has no effect: no recorded producer has a defect in this protocol.
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
        self._style = style_of(profile)
        self._claimed = 0  # the number of claim-check files so far
        self._layouts: dict[tuple[str, str, bool], Layout] = {}

    def encode(self, events: Iterable[Event], tables: Iterable[Table] = ()) -> Encoded:
        """The records of one flush; `tables` is the state before the first event.

        Raises `Rejected`: class `semantics` for an event that contradicts itself or names no known table, `type` or
        `range` for a value that does not fit its column, `range` for a message that is too large.
        """
        versions = {table.id: table for table in tables}
        records: list[Record] = []
        claims: list[Claim] = []
        for event in events:
            if isinstance(event, RowChange):
                table = table_of(event, versions)
                records.extend(self._record(part, table, claims) for part in self._parts(event, table))
            elif isinstance(event, DdlEvent):
                first_partition = every_partition(self._settings.partitions)[0]
                records.append(Record(None, self._ddl(event), first_partition))
                versions |= {table.id: table for table in event.tables_after}
            else:
                records.extend(self._watermark(event))
        return Encoded(tuple(records), tuple(claims))

    def _parts(self, change: RowChange, table: Table) -> Iterable[RowChange]:
        check_images(change, "Canal-JSON")
        return (change,) if self._options.output_raw_change_event else split_update(change, table)

    def _layout(self, table: Table, *, handle_key_only: bool) -> Layout:
        key = (table.schema, table.name, handle_key_only)
        row_layout = self._layouts.get(key)
        if row_layout is None or (row_layout.table is not table and row_layout.table != table):
            row_layout = layout(
                table, self._style, full_types=self._options.content_compatible, handle_key_only=handle_key_only
            )
            self._layouts[key] = row_layout
        return row_layout

    def _record(self, change: RowChange, table: Table, claims: list[Claim]) -> Record:
        options = self._options
        handle_key_only = change.op == "delete" and options.delete_only_output_handle_key_columns
        value = self._row(change, self._layout(table, handle_key_only=handle_key_only), "")
        if self._too_large(value):
            value = self._small(change, table, value, claims)
        return Record(None, value, partition_of_row(change.schema, change.table, self._settings.partitions))

    def _too_large(self, value: bytes) -> bool:
        return len(value) + RECORD_OVERHEAD > self._options.max_message_bytes

    def _small(self, change: RowChange, table: Table, whole: bytes, claims: list[Claim]) -> bytes:
        """The substitute for a message that is too large.  [CJ-130 … CJ-134]"""
        options = self._options
        limit, handling = options.max_message_bytes, options.large_message_handle_option
        if handling == "none":
            raise Rejected(
                "range", f"a record of {len(whole) + RECORD_OVERHEAD} bytes is larger than max-message-bytes={limit}"
            )
        keys = self._layout(table, handle_key_only=True)
        if handling == "claim-check":
            self._claimed += 1
            claim = claim_file(options, self._claimed, whole)
            claims.append(claim)
            mark = location_member(claim.location)
        else:
            mark = _ONLY_HANDLE_KEY
        value = self._row(change, keys, mark)
        if self._too_large(value):
            size = len(value) + RECORD_OVERHEAD
            raise Rejected("range", f"the handle key alone needs {size} bytes: max-message-bytes={limit}")
        return value

    def _row(self, change: RowChange, row_layout: Layout, mark: str) -> bytes:
        """The value of a row message; `mark` is the part of `_tidb` after the time stamp."""
        commit_ts = required_tso(change.commit_ts, "commit_ts of a row event")
        texts = row_layout.texts(change.row)
        image = row_layout.image(texts)
        if change.op == "update":
            assert change.before is not None
            before = row_layout.texts(change.before)
            old = f"[{row_layout.changed(before, texts) if self._options.changed_only else row_layout.image(before)}]"
        else:
            old = f"[{image}]" if change.op == "delete" and self._style.old_on_delete else "null"
        images = f'"data":[{image}],"old":{old}' if self._style.data_first else f'"old":{old},"data":[{image}]'
        tidb = f',"_tidb":{{"commitTs":{commit_ts}{mark}}}' if self._options.enable_tidb_extension else ""
        return self._finish(
            f'{row_layout.head}{change.op.upper()}",{self._times(commit_ts)},"sql":"",'
            f"{row_layout.sql_types_of(texts)},{row_layout.mysql_types},{images}{tidb}}}"
        )

    def _times(self, commit_ts: int) -> str:
        es = physical_ms(commit_ts)
        now = self._settings.now_ms
        return f'"es":{es},"ts":{es if now is None else now}'

    def _finish(self, text: str) -> bytes:
        return compress(self._options.large_message_handle_compression, utf8(text))

    def _control(self, names: str, message_type: str, commit_ts: int, sql: str, tidb: str) -> bytes:
        extension = f',"_tidb":{{{tidb}}}' if self._options.enable_tidb_extension else ""
        return self._finish(
            f'{{"id":0,{names},"type":"{message_type}",{self._times(commit_ts)},"sql":{literal(sql)},"sqlType":null,'
            f'"mysqlType":null,"data":null,"old":null{extension}}}'
        )

    def _ddl(self, event: DdlEvent) -> bytes:
        commit_ts = required_tso(event.commit_ts, "commit_ts of a ddl event")
        names = f'"database":{literal(event.schema)},"table":{literal(event.table)},"pkNames":null,"isDdl":true'
        tidb = f'"commitTs":{commit_ts}' if commit_ts else ""  # [CJ-042]
        return self._control(names, ddl_type(event, self._style), commit_ts, event.query, tidb)

    def _watermark(self, event: Watermark) -> Iterator[Record]:
        if not self._options.enable_tidb_extension:
            return
        commit_ts = required_tso(event.commit_ts, "commit_ts of a watermark")
        names = '"database":"","table":"","pkNames":null,"isDdl":false'
        value = self._control(names, "TIDB_WATERMARK", commit_ts, "", f'"watermarkTs":{commit_ts}')
        for partition in every_partition(self._settings.partitions):
            yield Record(None, value, partition)
