"""The position of an event in the binary log, and its times.  [DBZ-041, DBZ-700]

`source` of an event may hold its position: `ts_ms`, `ts_us` and `ts_ns` of the payload, `transaction`, `rows_event`,
`run_id`, and in a mapping `source` the members `ts_ms`, `ts_us`, `ts_ns`, `gtid`, `file`, `pos` and `thread`. An update
of a key has two payloads, as has a statement about two tables: the mapping `then` holds the times of the second one.
Missing members are derived from the commit time stamp and the number of earlier events without `pos`. Without
`rows_event`, rows with the same file and position belong to one rows event.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from reference_impl.errors import Rejected
from reference_impl.model import DdlEvent, RowChange
from reference_impl.settings import Settings
from reference_impl.tso import physical_ms
from reference_impl.upstream.debezium.json_text import literal
from reference_impl.upstream.debezium.options import Options

__all__ = ["Position", "Positions", "Sources", "connector_name"]

_RUN_ID = "00000000-0000-7000-8000-000000000000"
_SERVER_ID = 1
_FILE = "binlog.000001"
_FIRST_POS, _STEP = 4, 100
_MOST_DIGITS = 19  # of a 64-bit integer


def connector_name(settings: Settings) -> str:
    """`topic.prefix`: the beginning of a topic expression, or the cluster's name if it begins with a table."""
    return settings.topic.partition("{")[0].rstrip(".-_") or settings.cluster_id


class Times(NamedTuple):
    """A time since 1970 in three units, in digits."""

    millis: str
    micros: str
    nanos: str


@dataclass(frozen=True, slots=True)
class Position:
    """The position of one event."""

    written: Times  # when the connector wrote the payload
    rewritten: Times  # when it wrote the second payload, if there are two
    happened: Times  # the time of the change in the database
    gtid: str | None
    file: str  # the file of the binary log
    pos: str  # the offset in the file, in digits
    thread: str | None  # in digits
    transaction: str  # an id
    rows_event: object  # equal for the rows of one rows event
    run_id: str  # of the connector's task


def _digits(members: Mapping[str, object], name: str) -> str | None:
    value = members.get(name)
    if value is None:
        return None
    text = str(value)
    digits = text.lstrip("0") or "0"
    if isinstance(value, bool) or not (text.isascii() and text.isdigit()) or len(digits) > _MOST_DIGITS:
        raise Rejected("semantics", f"the position of an event: {name!r} is {text[:60]!r}")
    return digits


def _text(members: Mapping[str, object], name: str) -> str | None:
    value = members.get(name)
    return None if value is None else str(value)


def _times(members: Mapping[str, object], default_millis: int) -> Times:
    ms = int(_digits(members, "ts_ms") or default_millis)
    return Times(str(ms), _digits(members, "ts_us") or str(ms * 1000), _digits(members, "ts_ns") or str(ms * 1_000_000))


class Positions:
    """Finds or derives the position of every event."""

    def __init__(self, options: Options, settings: Settings) -> None:
        self._options, self._settings = options, settings
        self._count = 0

    @staticmethod
    def transaction(event: RowChange | DdlEvent) -> str | None:
        """The id of an event's transaction, None if unknown."""
        members: Mapping[str, object] = event.source or {}
        inner = members.get("source")
        gtid = _text(inner, "gtid") if isinstance(inner, Mapping) else None
        commit = str(event.commit_ts) if event.commit_ts is not None else None
        return _text(members, "transaction") or gtid or commit

    def of(self, event: RowChange | DdlEvent) -> Position:
        """The position of an event. Raises `Rejected` (class `semantics`) for an invalid one."""
        members: Mapping[str, object] = event.source or {}
        inner = members.get("source")
        source: Mapping[str, object] = inner if isinstance(inner, Mapping) else {}
        commit = physical_ms(event.commit_ts) if event.commit_ts is not None else 0
        now = self._settings.now_ms if self._settings.now_ms is not None else commit
        fine = self._options.traits.fine_times
        pos = _digits(source, "pos")
        if pos is None:
            pos = str(_FIRST_POS + _STEP * self._count)
            self._count += 1
        file, gtid = _text(source, "file") or _FILE, _text(source, "gtid")
        rows_event = members.get("rows_event")
        transaction = self.transaction(event) or f"file={file},pos={pos}"
        then = members.get("then")
        written = _times(members, now)
        return Position(
            written=written,
            rewritten=_times(then, now) if isinstance(then, Mapping) else written,
            happened=_times(source, commit if fine else commit // 1000 * 1000),
            gtid=gtid,
            file=file,
            pos=pos,
            thread=_digits(source, "thread"),
            transaction=transaction,
            rows_event=(file, pos) if rows_event is None else rows_event,
            run_id=_text(members, "run_id") or _RUN_ID,
        )


class Sources:
    """Writes the member `source`."""

    def __init__(self, options: Options, settings: Settings) -> None:
        self._fine = options.traits.fine_times
        name = connector_name(settings)
        self._begin = f'{{"version":"{options.traits.text}","connector":"mysql","name":{literal(name)},"ts_ms":'

    def text(self, position: Position, schema: str, table: str | None, row: int, *, mark: str = "false") -> str:
        """The JSON text of `source`; `mark` is its member `snapshot`, `row` the index of the row in its rows event."""
        happened = position.happened
        fine = f'"ts_us":{happened.micros},"ts_ns":{happened.nanos},' if self._fine else ""
        server = _SERVER_ID if mark == "false" else 0  # 0 in a snapshot
        return (
            f'{self._begin}{happened.millis},"snapshot":"{mark}","db":{literal(schema)},"sequence":null,{fine}'
            f'"table":{"null" if table is None else literal(table)},"server_id":{server},'
            f'"gtid":{"null" if position.gtid is None else literal(position.gtid)},"file":{literal(position.file)},'
            f'"pos":{position.pos},"row":{row},"thread":{position.thread or "null"},"query":null}}'
        )

    def times(self, times: Times) -> str:
        """The members `ts_ms` of the payload and, in newer versions, `ts_us` and `ts_ns`."""
        fine = f',"ts_us":{times.micros},"ts_ns":{times.nanos}' if self._fine else ""
        return f'"ts_ms":{times.millis}{fine}'
