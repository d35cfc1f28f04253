"""Finds deletes of a connector's capture that no tombstone follows.  [DBZ-022]

A connector writes a delete and its tombstone one after the other into the same partition. A tombstone is missing if the
next records of the partition have none with the key, up to one of the same connector from a later position of the
binary log. Where topic or partition is unknown, that must be one of the same row, which is always in the same
partition: others may be in another one.

These are not judged: records without a comparable position, deletes without a key, the last delete of a partition, and
deletes before a gap in the offsets. For it is no fault of the connector if a record was sent again, or is not in the
capture. Of more than 100,000 deletes of a partition that wait, the oldest are not judged either.

If it is unknown whether the connector writes tombstones, the first tombstone shows it: until then, what is missing is
held back.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from conformance.captures.model import Place
from conformance.captures.results import CaptureResult, verdict_of
from conformance.cases.upstream.lenient import number_at, payload_of, text_at, tree_of
from conformance.catalogue.register import Register
from conformance.oracle.findings import Finding, fingerprint
from conformance.oracle.harm import harm_of
from conformance.oracle.tree import Kind
from reference_impl.model import Record

__all__ = ["OPTION", "TombstoneJudge"]

OPTION = "tombstones.on.delete"
_REQUIREMENT, _PATH = "DBZ-022", "tombstone"
_DELETE = re.compile(rb'"op"\s*:\s*"d"')
_EXPECTED, _GOT = "a record with the key of the delete and no value", "none, and later records behind the delete"
_MOST_WAITING = 100_000
"""The number of deletes of a partition that wait for a tombstone or a later record."""
_MOST_HELD = 1000
"""The number of deletes whose results are held back until the first tombstone; further ones are only counted."""

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
class _Lane:
    """A partition of a topic: its last offset, and the deletes that wait, by key."""

    offset: int | None = None
    waiting: dict[bytes, _Delete] = field(default_factory=dict)


class TombstoneJudge:
    """Judges the records of a capture, in order.

    `writes_tombstones` is false if that is unknown: it becomes true at the first tombstone.
    """

    def __init__(self, register: Register, *, writes_tombstones: bool) -> None:
        self.writes_tombstones = writes_tombstones
        self._register = register
        self._lanes: dict[tuple[str | None, int | None], _Lane] = {}
        self._held: list[_Delete] = []
        self._more_than_held = 0

    def see(self, place: Place, record: Record) -> Iterator[CaptureResult]:
        """The results that this record decides: those of earlier deletes whose tombstone should have come before it."""
        if not self.writes_tombstones and record.key is not None and record.value is None:
            self.writes_tombstones = True
            yield from self._release()
        for delete in self._overtaken(place, record):
            if self.writes_tombstones:
                yield self._missing(delete)
            elif len(self._held) < _MOST_HELD:
                self._held.append(delete)
            else:
                self._more_than_held += 1

    def _release(self) -> Iterator[CaptureResult]:
        """The results that were held back; the last of them has the number of deletes that were only counted."""
        last = len(self._held) - 1
        for n, delete in enumerate(self._held):
            yield self._missing(delete, self._more_than_held if n == last else 0)
        self._held.clear()

    def _overtaken(self, place: Place, record: Record) -> Iterator[_Delete]:
        """Earlier deletes without a tombstone, behind which this record comes from a later position."""
        lane = self._lanes.setdefault((record.topic, record.partition), _Lane())
        if record.offset is not None:
            if lane.offset is not None and record.offset != lane.offset + 1:
                lane.waiting.clear()
            lane.offset = record.offset
        if record.value is None:
            lane.waiting.pop(record.key or b"", None)
            return
        is_delete = record.key is not None and _DELETE.search(record.value) is not None
        is_lane_known = record.topic is not None and record.partition is not None
        # In an unknown partition, a record says something only of the row with its key.
        keys = list(lane.waiting) if is_lane_known else [key for key in (record.key,) if key in lane.waiting]
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
            delete = lane.waiting[key]
            is_of_lane = is_lane_known or table == delete.table
            if is_of_lane and delete.log == log and delete.position < position:
                del lane.waiting[key]
                yield delete
        if is_delete and record.key is not None and text_at(payload, "op") == "d":
            lane.waiting[record.key] = _Delete(place, log, position, table)
            if len(lane.waiting) > _MOST_WAITING:
                del lane.waiting[next(iter(lane.waiting))]

    def _missing(self, delete: _Delete, more: int = 0) -> CaptureResult:
        """The result of a delete without a tombstone; it also stands for `more` later ones."""
        got = f"{_GOT}; the same is true of {more:,} later deletes" if more else _GOT
        mark = fingerprint(_REQUIREMENT, _PATH, Kind.MISSING)
        harm = harm_of(_PATH, Kind.MISSING, _EXPECTED, got)
        finding = Finding(_REQUIREMENT, _PATH, Kind.MISSING, _EXPECTED, got, mark, harm)
        verdict = verdict_of((finding,), self._register)
        return CaptureResult(delete.place, verdict, (finding,), frozenset({_REQUIREMENT}), is_stream=True)


def _log_and_position(source: Any) -> tuple[_Log, _Position] | None:
    """The binary log of a message, and its position there; None if its source block does not show them."""
    file = re.fullmatch(r"(.*)\.([0-9]{1,18})", text_at(source, "file") or "", re.ASCII | re.DOTALL)
    pos, row = number_at(source, "pos"), number_at(source, "row")
    if file is None or pos is None:
        return None
    return (text_at(source, "name"), file[1]), (int(file[2]), pos, row or 0)
