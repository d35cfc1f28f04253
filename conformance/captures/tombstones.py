"""Finds deletes of a connector's capture that no tombstone follows.  [DBZ-022]

A connector writes a delete and its tombstone one after the other into the same partition. So a tombstone is missing if
a record of the same partition and connector, from a later position of the binary log, comes before it. Where topic or
partition is unknown, only a later record of the same row shows that: a row is always in the same partition, while other
records may be in another one.

These are not judged: records without a comparable position, deletes without a key, the last delete of a partition, and
deletes before a gap in the offsets. A record that was sent again, or is not in the capture, is not a fault of the
connector. Of more than 100,000 deletes of a partition that wait, the oldest are not judged either.

If it is unknown whether the connector writes tombstones, the first tombstone shows that it does: until then, findings
are held back.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from conformance.captures.model import Place
from conformance.captures.results import finding_at
from conformance.cases.upstream.lenient import number_at, payload_of, text_at, tree_of
from conformance.oracle.findings import Finding
from conformance.oracle.tree import Kind
from reference_impl.model import Record

__all__ = ["TOMBSTONES_OPTION", "TombstoneJudge"]

TOMBSTONES_OPTION = "tombstones.on.delete"
_DELETE = re.compile(rb'"op"\s*:\s*"d"')
_EXPECTED, _GOT = "a record with the key of the delete and no value", "none, and later records behind the delete"
_MOST_WAITING = 100_000
"""The number of deletes of a partition that wait for a tombstone or a later record."""
_MOST_HELD = 1000
"""The number of deletes that are held back until the first tombstone; further ones are only counted."""

_Position: TypeAlias = tuple[int, int, int]
"""In a binary log: number of the file, position in the file, row."""
_Log: TypeAlias = tuple[str | None, str]
"""The name of a connector, and that of its binary log without the number."""

_Table: TypeAlias = tuple[str | None, str | None]
"""Database and table."""


@dataclass(frozen=True, slots=True)
class _Delete:
    """A delete that waits for its tombstone."""

    place: Place
    log: _Log
    position: _Position
    table: _Table


@dataclass(slots=True)
class _Partition:
    """A partition of a topic: its last offset, and the deletes that wait, by key."""

    offset: int | None = None
    waiting: dict[bytes, _Delete] = field(default_factory=dict)


class TombstoneJudge:
    """Judges the records of a capture, in order.

    `writes_tombstones` is false if that is unknown: it becomes true at the first tombstone.
    """

    def __init__(self, *, writes_tombstones: bool) -> None:
        self.writes_tombstones = writes_tombstones
        self._partitions: dict[tuple[str | None, int | None], _Partition] = {}
        self._held: list[_Delete] = []
        self._more_than_held = 0

    def see(self, place: Place, record: Record) -> Iterator[tuple[Place, Finding]]:
        """The earlier deletes whose tombstone should have come before this record, each with its place."""
        if not self.writes_tombstones and record.key is not None and record.value is None:
            self.writes_tombstones = True
            yield from self._release()
        for delete in self._overtaken(place, record):
            if self.writes_tombstones:
                yield _missing(delete)
            elif len(self._held) < _MOST_HELD:
                self._held.append(delete)
            else:
                self._more_than_held += 1

    def _release(self) -> Iterator[tuple[Place, Finding]]:
        """The findings that were held back; the last of them has the number of deletes that were only counted."""
        last = len(self._held) - 1
        for n, delete in enumerate(self._held):
            yield _missing(delete, self._more_than_held if n == last else 0)
        self._held.clear()

    def _overtaken(self, place: Place, record: Record) -> Iterator[_Delete]:
        """The deletes that still wait for a tombstone, and are from an earlier position than this record."""
        partition = self._partitions.setdefault((record.topic, record.partition), _Partition())
        waiting = partition.waiting
        if record.offset is not None:
            if partition.offset is not None and record.offset != partition.offset + 1:
                waiting.clear()
            partition.offset = record.offset
        if record.value is None:
            waiting.pop(record.key or b"", None)
            return
        is_delete = record.key is not None and _DELETE.search(record.value) is not None
        is_partition_known = record.topic is not None and record.partition is not None
        # In an unknown partition, a record decides only on the row with its key.
        own = [record.key] if record.key is not None and record.key in waiting else []
        keys = list(waiting) if is_partition_known else own
        if not (is_delete or keys):
            return
        payload = payload_of(tree_of(record.value))
        source = payload.get("source") if isinstance(payload, dict) else None
        log_and_position = _log_and_position(source)
        if log_and_position is None:
            return
        log, position = log_and_position
        table = text_at(source, "db"), text_at(source, "table")
        for key in keys:
            delete = waiting[key]
            is_same_partition = is_partition_known or table == delete.table
            if is_same_partition and delete.log == log and delete.position < position:
                del waiting[key]
                yield delete
        if is_delete and record.key is not None and text_at(payload, "op") == "d":
            waiting[record.key] = _Delete(place, log, position, table)
            if len(waiting) > _MOST_WAITING:
                del waiting[next(iter(waiting))]


def _missing(delete: _Delete, more: int = 0) -> tuple[Place, Finding]:
    """The finding about a delete without a tombstone, and its place; it also stands for `more` later ones."""
    got = f"{_GOT}; the same is true of {more:,} later deletes" if more else _GOT
    return delete.place, finding_at("DBZ-022", "tombstone", Kind.MISSING, _EXPECTED, got)


def _log_and_position(source: Any) -> tuple[_Log, _Position] | None:
    """The binary log of a message, and its position there; None if its source block does not show them."""
    file = re.fullmatch(r"(.*)\.([0-9]{1,18})", text_at(source, "file") or "", re.ASCII | re.DOTALL)
    pos, row = number_at(source, "pos"), number_at(source, "row")
    if file is None or pos is None:
        return None
    return (text_at(source, "name"), file[1]), (int(file[2]), pos, row or 0)
