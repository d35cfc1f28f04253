"""Writes TiCDC's Avro: one Kafka record a row change, its schemas registered on the way.  [AV-001 … AV-010, AV-156]"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from reference_impl.actions import action_code
from reference_impl.avro import framing
from reference_impl.avro.extension import BEFORE, COMMIT_TIME, COMMIT_TS, OP
from reference_impl.avro.layout import Layout, Part, layout
from reference_impl.avro.options import Options
from reference_impl.avro.schemas import literal
from reference_impl.avro.style import style_of
from reference_impl.avro.subjects import check_topic, subject, topic_of
from reference_impl.encoder_checks import check_images, table_of, utf8
from reference_impl.errors import Rejected
from reference_impl.keys import split_update
from reference_impl.large_messages import RECORD_OVERHEAD
from reference_impl.model import DdlEvent, Encoded, Event, Record, RowChange, Table, Watermark
from reference_impl.partitions import every_partition, partition_of_row
from reference_impl.profiles import NEWARCH, Profile
from reference_impl.registry import MemoryRegistry
from reference_impl.settings import Settings
from reference_impl.tso import physical_ms, required_tso

__all__ = ["Encoder"]

# The values of `_tidb_op`.
_OPS: Mapping[str, str] = {"insert": "c", "update": "u", "delete": "d"}

_MAX_LONG = 2**63 - 1


class Encoder:
    """TiCDC's Avro encoder.  [AV-004, AV-007, AV-010, AV-130]

    A row change is a record with key and value; a delete has only a key, unless the options give it a value. DDL
    statements and watermarks have records only if the options enable them. With more than one partition each record
    names its partition; DDL statements and watermarks go to every partition.

    The arguments are those of `encode`. The encoder registers each schema once in `settings.registry`, before the first
    record that needs it; without a registry it keeps schemas in memory. Raises `Rejected` (class `semantics`) for a
    `settings.topic` that `check_topic` refuses.  [AV-150]
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
        self._registry = self._settings.registry or MemoryRegistry()
        self._headers: dict[tuple[str, str], bytes] = {}
        self._states: dict[tuple[str, str], _TableState] = {}
        check_topic(self._settings.topic)

    def encode(self, events: Iterable[Event], tables: Iterable[Table] = ()) -> Encoded:
        """The records of one flush; `tables` is the state before the first event.

        Raises `Rejected`: class `semantics` for an event that contradicts itself or names no known table, and for a
        schema that the registry refuses; `schema` for names that collide; `type` or `range` for a value that does not
        fit its column; `range` for a message that is too large.
        """
        versions = {table.id: table for table in tables}
        records: list[Record] = []
        for event in events:
            if isinstance(event, RowChange):
                table = table_of(event, versions)
                state = self._state(table)
                records += [self._record(part, state) for part in self._parts(event, table)]
            elif isinstance(event, DdlEvent):
                records += self._ddl(event)
                versions |= {table.id: table for table in event.tables_after}
            else:
                records += self._watermark(event)
        return Encoded(tuple(records))

    def _parts(self, change: RowChange, table: Table) -> Iterable[RowChange]:
        check_images(change, "Avro")
        return (change,) if self._options.output_raw_change_event else split_update(change, table)

    def _state(self, table: Table) -> _TableState:
        state = self._states.get(table.id)
        if state is None or (state.layout.table is not table and state.layout.table != table):
            state = _TableState(layout(table, self._options, self._style, self._settings), self._settings)
            self._states[table.id] = state
        return state

    def _framed(self, state: _TableState, name: str, part: Part, datum: dict[str, Any]) -> bytes:
        body = part.body(datum)
        header = state.headers.get(name)
        if header is None:
            header = state.headers[name] = self._header(subject(state.topic, name), part.text)
        return header + body

    def _header(self, subject: str, schema: str) -> bytes:
        header = self._headers.get((subject, schema))
        if header is None:
            header = framing.header(self._registry.register(subject, schema))
            self._headers[subject, schema] = header
        return header

    def _record(self, change: RowChange, state: _TableState) -> Record:
        part = state.layout.key
        key = None if part is None else self._framed(state, "key", part, part.datum(change.row))
        value = self._value(change, state)
        length = len(key or b"") + len(value or b"") + RECORD_OVERHEAD
        if length > self._options.max_message_bytes:
            raise Rejected("range", f"a message of {length} bytes; max-message-bytes={self._options.max_message_bytes}")
        return Record(key, value, state.partition)

    def _value(self, change: RowChange, state: _TableState) -> bytes | None:
        shape = state.layout
        if change.op == "delete" and shape.before_name is None:
            if self._options.watermarks and self._style.delete_marker:
                return framing.timestamp(framing.DELETE, required_tso(change.commit_ts, "commit_ts of a row event"))
            return None
        datum = shape.value.datum(change.row)
        if shape.before_name is not None:
            before = None if change.before is None else shape.value.datum(change.before)
            datum[BEFORE] = ("null", None) if before is None else (shape.before_name, before)
        if shape.has_op:
            datum[OP] = _OPS[change.op]
        if shape.has_times:
            commit_ts = required_tso(change.commit_ts, "commit_ts of a row event")
            datum[COMMIT_TS] = commit_ts if commit_ts <= _MAX_LONG else commit_ts - 2**64  # [AV-117]
            datum[COMMIT_TIME] = physical_ms(commit_ts)
        return self._framed(state, "value", shape.value, datum)

    def _broadcast(self, value: bytes) -> list[Record]:
        return [Record(None, value, partition) for partition in every_partition(self._settings.partitions)]

    def _ddl(self, event: DdlEvent) -> list[Record]:
        if not self._options.watermarks:
            return []
        members = (
            f'"query":{literal(event.query)},"type":{action_code(event)},"schema":{literal(event.schema)},'
            f'"table":{literal(event.table)},"commitTs":{required_tso(event.commit_ts, "commit_ts of a ddl event")}'
        )
        return self._broadcast(bytes((framing.DDL,)) + utf8(f"{{{members}}}"))

    def _watermark(self, event: Watermark) -> list[Record]:
        if not self._options.watermarks:
            return []
        return self._broadcast(
            framing.timestamp(framing.WATERMARK, required_tso(event.commit_ts, "commit_ts of a watermark"))
        )


class _TableState:
    """A table version in use: layout, topic and partition.

    `headers` holds, for `key` and `value`, the header with the id of the registered schema.
    """

    def __init__(self, layout: Layout, settings: Settings) -> None:
        self.layout = layout
        self.topic = topic_of(settings.topic, *layout.table.id)
        self.partition = partition_of_row(*layout.table.id, settings.partitions)
        self.headers: dict[str, bytes] = {}
