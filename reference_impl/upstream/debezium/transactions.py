"""Transactions: the member `transaction` of each row's record, and the records of begin and end.  [DBZ-544]"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

from reference_impl.upstream.debezium.json_text import literal
from reference_impl.upstream.debezium.position import Position

__all__ = ["Transaction", "java_order"]

_SMALLEST_TABLE = 16  # buckets of a new HashMap


def _java_hash(text: str) -> int:
    """The hash of a string in a Java HashMap, as an unsigned number of 32 bits."""
    units = text.encode("utf-16-be")
    value = 0
    for index in range(0, len(units), 2):
        value = (31 * value + int.from_bytes(units[index : index + 2], "big")) & 0xFFFFFFFF
    return value ^ value >> 16


def java_order(names: Collection[str]) -> list[str]:
    """Texts, given in order of insertion, in the iteration order of a Java HashMap."""
    size = _SMALLEST_TABLE
    while len(names) > size * 3 // 4:
        size *= 2
    return sorted(names, key=lambda name: _java_hash(name) & (size - 1))


@dataclass(slots=True)
class Transaction:
    """An open transaction: its id, and the number of records so far of each table."""

    id: str
    counts: dict[str, int] = field(default_factory=dict)

    def block(self, name: str) -> str:
        """Count the next record, of the table `schema.name`; returns its member `transaction`."""
        self.counts[name] = self.counts.get(name, 0) + 1
        total, own = sum(self.counts.values()), self.counts[name]
        return f'{{"id":{literal(self.id)},"total_order":{total},"data_collection_order":{own}}}'

    def key(self) -> str:
        """The payload of the key of both records."""
        return f'{{"id":{literal(self.id)}}}'

    def begin(self, position: Position) -> str:
        """The payload of the record of the begin."""
        return self._record("BEGIN", "null", "null", position)

    def end(self, position: Position) -> str:
        """The payload of the record of the end."""
        collections = ",".join(
            f'{{"data_collection":{literal(name)},"event_count":{self.counts[name]}}}'
            for name in java_order(self.counts)
        )
        return self._record("END", str(sum(self.counts.values())), f"[{collections}]", position)

    def _record(self, status: str, count: str, collections: str, position: Position) -> str:
        return (
            f'{{"status":"{status}","id":{literal(self.id)},"event_count":{count},'
            f'"data_collections":{collections},"ts_ms":{position.happened.millis}}}'
        )
