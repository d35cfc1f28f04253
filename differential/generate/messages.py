"""Writes transactions as Kafka records with their places, by the reference encoders."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC
from itertools import groupby

from differential.generate.truth import Transaction
from differential.row_values import in_zone
from differential.sides import Side, codec_of
from reference_impl.avro import subjects
from reference_impl.column_types import Family
from reference_impl.errors import Rejected, Unsupported
from reference_impl.model import DdlEvent, Record, RowChange, Table
from reference_impl.options import parse
from reference_impl.registry import MemoryRegistry, RegisteredSchema
from reference_impl.settings import Settings
from reference_impl.tso import physical_ms
from reference_impl.zones import zone_of

__all__ = ["StreamWriter", "Unwritable", "schemas_of", "topic_of"]


class Unwritable(Exception):
    """Raised if a dialect has no message for a change: the dialect, and its reason."""

    def __init__(self, dialect: str, what: str) -> None:
        super().__init__(dialect, what)
        self.dialect, self.what = dialect, what


def topic_of(settings: Settings, table: Table) -> str:
    """The topic of a table's records, for dialects that leave it to the sink."""
    return subjects.topic_of(settings.topic, table.schema, table.name)


class StreamWriter:
    """Writes a side's messages of one shard.

    The shard is the partition; offsets count from 0 in each topic.

    TiCDC's dialects write what TiDB kept of a transaction, upstream's what the server logged. Upstream flushes once a
    transaction, TiCDC once for each of its tables. Records without a topic of their own go to the topic that the sink
    configures for TiCDC, or to one with the dialect's name. TiCDC's dialect chooses the partitions of a statement;
    upstream uses the first one. Schemas are registered in the order of the tables, so every shard has the same ids.
    """

    def __init__(self, side: Side, shard: int, shards: int = 1) -> None:
        self._side, self._shard = side, shard
        self._tables = {table.id: table for table in side.tables}
        self.registry = MemoryRegistry()
        codec = codec_of(side.dialect)
        settings = replace(side.settings, registry=self.registry, partitions=shards)
        self._encoder = codec.encoder(parse(codec.options, side.options), side.profile, settings=settings)
        self._zone = zone_of(side.settings.timezone)
        self._topics = {table.id: topic_of(side.settings, table) for table in side.tables}
        self._offsets: Counter[str] = Counter()

    def register(self, rows: Iterable[tuple[Table, RowChange]]) -> None:
        """Let the encoder register the schemas of tables, by one sample row each that is not sent."""
        for table, row in rows:
            self._written([row], {table.id: table})

    def records(self, given: Transaction | DdlEvent) -> Iterator[Record]:
        """The records of a transaction or statement. Raises `Unwritable`."""
        return self._rows(given) if isinstance(given, Transaction) else self._statement(given)

    def _statement(self, event: DdlEvent) -> Iterator[Record]:
        before, after = event.table_before, event.table_after
        assert before is not None
        assert after is not None
        assert event.commit_ts is not None
        # A table is renamed in the topic of its old name.
        topic = self._topics[before.id] if self._side.traits.is_of_ticdc else self._side.dialect
        written = self._written([event], self._tables)
        del self._tables[before.id]
        self._tables[after.id] = after
        self._topics[after.id] = topic_of(self._side.settings, after)
        here = [record for record in written if (record.partition or 0) == self._shard]
        yield from self._placed(topic, here, physical_ms(event.commit_ts))

    def _rows(self, transaction: Transaction) -> Iterator[Record]:
        changes = transaction.ticdc if self._side.traits.is_of_ticdc else transaction.upstream
        if not changes:
            return
        timestamp = physical_ms(transaction.commit_ts)
        if not self._side.traits.is_of_ticdc:
            yield from self._placed(self._side.dialect, self._written(changes, self._tables), timestamp)
            return
        for table, group in groupby(changes, lambda change: (change.schema, change.table)):
            yield from self._placed(self._topics[table], self._written(list(group), self._tables), timestamp)

    def _written(
        self, events: Sequence[RowChange | DdlEvent], tables: Mapping[tuple[str, str], Table]
    ) -> tuple[Record, ...]:
        seen = [self._in_zone(event, tables) if isinstance(event, RowChange) else event for event in events]
        try:
            return self._encoder.encode(seen, tables.values()).records
        except (Rejected, Unsupported) as e:
            raise Unwritable(self._side.dialect, f"{events[0].schema}.{events[0].table}: {e}") from None

    def _in_zone(self, change: RowChange, tables: Mapping[tuple[str, str], Table]) -> RowChange:
        """A change of the truth, whose TIMESTAMPs are in UTC, as a session in the zone of the side sees it."""
        columns = tables[change.schema, change.table].columns
        timestamps = [column.name for column in columns if column.type.family is Family.TIMESTAMP]
        return in_zone(change, timestamps, UTC, self._zone)

    def _placed(self, topic: str, records: Iterable[Record], timestamp: int) -> Iterator[Record]:
        """The records with their places; `topic` is for records without a topic of their own."""
        for record in records:
            name = record.topic or topic
            offset = self._offsets[name]
            self._offsets[name] += 1
            yield replace(record, topic=name, partition=self._shard, offset=offset, timestamp=timestamp)


def schemas_of(registry: MemoryRegistry) -> list[RegisteredSchema]:
    """The registered schemas, once each, in the order of ids."""
    return sorted({one.id: one for one in registry.requests}.values(), key=lambda one: one.id)
