"""Batches rows into messages up to a limit, one open message for each partition.  [OP-150 … OP-155]"""

from __future__ import annotations

from reference_impl.large_messages import RECORD_OVERHEAD
from reference_impl.model import Record
from reference_impl.open_protocol.framing import PAIR, VERSION, frame

__all__ = ["Batches", "single_event_length"]


def single_event_length(key: bytes, value: bytes) -> int:
    """The size in bytes of a Kafka record with only this event, as TiCDC counts it.  [OP-151]"""
    return len(key) + len(value) + RECORD_OVERHEAD + PAIR + len(VERSION)


class Batches:
    """The messages since the last flush, in the order of their first events.

    `max_rows` and `max_bytes` limit each message.
    """

    def __init__(self, max_rows: int, max_bytes: int) -> None:
        self._max_rows = max_rows
        self._max_bytes = max_bytes
        self._messages: list[tuple[int | None, list[tuple[bytes, bytes]]]] = []
        self._open: dict[int | None, tuple[list[tuple[bytes, bytes]], int]] = {}

    def add(self, partition: int | None, key: bytes, value: bytes) -> None:
        """Add an event to the partition's message, or to a new one if it would exceed a limit.  [OP-152]"""
        pairs, length = self._open.get(partition, (None, 0))
        added = len(key) + len(value) + PAIR
        if pairs is None or len(pairs) >= self._max_rows or length + added > self._max_bytes:
            pairs, length = [], len(VERSION) + RECORD_OVERHEAD
            self._messages.append((partition, pairs))
        pairs.append((key, value))
        self._open[partition] = pairs, length + added

    def flush(self) -> list[Record]:
        """The records of every message; the next event begins a new one."""
        records = []
        for partition, pairs in self._messages:
            key, value = frame(pairs)
            records.append(Record(key, value, partition))
        self._messages, self._open = [], {}
        return records
