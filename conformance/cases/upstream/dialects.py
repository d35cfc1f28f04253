"""What an upstream dialect has of its own when its recordings are judged: where a record stands in the stream, and what

it says of the time of a statement. These members, and nothing else, are taken from the record under judgement.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from conformance.cases.upstream.lenient import number_at, payload_of, tree_of
from conformance.catalogue.workload import Change
from reference_impl.column_types import Family
from reference_impl.model import Record
from reference_impl.zones import zone_of

__all__ = ["DIALECTS", "Dialect", "Position", "times_of"]


@dataclass(frozen=True, slots=True)
class Position:
    """Where a record stands: the members that are free, as the encoder takes them; the second in which the statement

    ran, as a UNIX time; what is the same for the rows of one rows event (None where nothing tells), and which of its
    rows this one says to be.
    """

    source: Mapping[str, object]
    second: float
    rows_event: object = None
    row: int = 0


@dataclass(frozen=True, slots=True)
class Dialect:
    """`ops` are the words of the operations, `topic` the expression of topics below a name, `nowhere` any position.

    `position` and `cell` read a record: the latter the value at (image, row, column), as it is written. `packs_rows`: a
    record holds all rows of a rows event.
    """

    ops: Mapping[str, str]
    topic: str
    position: Callable[[Record], Position]
    cell: Callable[[Any, str, int, str], Any]
    packs_rows: bool
    nowhere: Mapping[str, object]


_LAST_SECOND = 253_402_300_000  # of the year 9999


def _within_time(second: float) -> float:
    return min(max(second, 0), _LAST_SECOND)


# -- Canal -------------------------------------------------------------------------------------------------------------

_SECOND = 1000


def _canal_position(record: Record) -> Position:
    tree = tree_of(record.value)
    es = number_at(tree, "es") or 0
    source = {
        "id": str(max(number_at(tree, "id") or 0, 0)),
        "es": str(max(es, 0) // _SECOND * _SECOND),  # a rows event knows whole seconds  [CJ-668]
        "ts": str(max(number_at(tree, "ts") or 0, 0)),
        "gtid": _text(tree, "gtid") or "",
    }
    return Position(source, _within_time(es // _SECOND))


def _canal_cell(tree: Any, image: str, row: int, column: str) -> Any:
    """`old` has what an update changed, `data` the rest of the image before."""
    for member in ("old", "data") if image == "before" else ("data",):
        rows = tree.get(member) if isinstance(tree, dict) else None
        found = rows[row] if isinstance(rows, list) and row < len(rows) else None
        if isinstance(found, dict) and column in found:
            return found[column]
    return None


# -- Debezium ----------------------------------------------------------------------------------------------------------

_TIMES = ("ts_ms", "ts_us", "ts_ns")


def _debezium_position(record: Record) -> Position:
    payload = payload_of(tree_of(record.value))
    source = payload.get("source") if isinstance(payload, dict) else None
    taken: dict[str, object] = _digits(payload, _TIMES)
    where: dict[str, object] = _digits(source, (*_TIMES, "pos", "thread"))
    where |= {name: text for name in ("file", "gtid") if (text := _text(source, name)) is not None}
    taken["source"] = where
    if isinstance(payload, dict) and (transaction := _text(payload.get("transaction"), "id")) is not None:
        taken["transaction"] = transaction
    run = _text({_RUN: payload_of(tree_of(dict(record.headers).get(_RUN)))}, _RUN)
    if run is not None:
        taken["run_id"] = run
    event = (where.get("file"), where["pos"]) if "pos" in where else None
    second = _within_time((number_at(source, "ts_ms") or 0) / _SECOND)
    return Position(taken, second, event, number_at(source, "row") or 0)


def _digits(tree: Any, names: Sequence[str]) -> dict[str, object]:
    found = {name: number_at(tree, name) for name in names}
    return {name: str(number) for name, number in found.items() if number is not None and number >= 0}


def _text(tree: Any, name: str) -> str | None:
    value = tree.get(name) if isinstance(tree, dict) else None
    # A record under judgement may hold half a character, which no encoder is to be troubled with.
    return value.encode("utf-8", "replace").decode("utf-8") if isinstance(value, str) else None


_RUN = "__debezium.context.runId"


def _debezium_cell(tree: Any, image: str, row: int, column: str) -> Any:
    payload = payload_of(tree)
    found = payload.get(image) if isinstance(payload, dict) else None
    return found.get(column) if isinstance(found, dict) else None


_NO_BATCH = {"id": "1", "es": "1000", "ts": "1000", "gtid": ""}
_NO_TIME = {**dict.fromkeys(_TIMES, "1"), "source": {**dict.fromkeys(_TIMES, "1"), "file": "", "pos": "1"}}

DIALECTS: Mapping[str, Dialect] = {
    "canal": Dialect(
        {"insert": "INSERT", "update": "UPDATE", "delete": "DELETE"},
        "{name}",
        _canal_position,
        _canal_cell,
        True,
        _NO_BATCH,
    ),
    "debezium-connector": Dialect(
        {"insert": "c", "update": "u", "delete": "d", "read": "r"},
        "{name}.{schema}.{table}",
        _debezium_position,
        _debezium_cell,
        False,
        _NO_TIME,
    ),
}


# -- the time of a statement ---------------------------------------------------------------------------------------

_TEXT = re.compile(r"(\d{4}-\d{2}-\d{2})[ T](\d{2}:\d{2}:\d{2})(?:\.(\d{1,6}))?(Z?)", re.ASCII)
_SLACK = timedelta(seconds=2)
_MICROSECONDS_FROM = 10**14
_EPOCH = datetime.fromtimestamp(0, UTC)


def times_of(
    dialect: Dialect,
    change: Change,
    record: Record,
    row: int,
    zone: str,
    begin: datetime | None,
    sessions: Mapping[str, Sequence[str]] | None = None,
) -> dict[tuple[str, str], datetime]:
    """What the columns that a statement's clock filled hold in a record, a DATE or DATETIME as if it were UTC.

    `zone` is that of the producer, in which a TIMESTAMP is told; `sessions` are those in which an image may have been
    filled: the clock of a DATETIME is the session's. Without any it was in UTC.

    A time is taken from it only if the statement can have run then: not after the event, not more than `_SLACK` before
    it in the image after, and not before `begin` in the image before (None: nobody knows when it ran). Elsewhere it is
    the second of the event, and the record is found to differ.
    """
    position = dialect.position(record)
    ran = datetime.fromtimestamp(position.second, UTC)
    tree, found = tree_of(record.value), {}
    for image, name in change.now:
        column = change.table.column(name)
        is_instant = column is not None and column.type.family is Family.TIMESTAMP
        read = _instant(dialect.cell(tree, image, row, name), zone if is_instant else "UTC")
        earliest = begin - _SLACK if begin and image == "before" else ran - _SLACK if begin else None
        clocks = ["UTC"] if is_instant or not sessions else sessions[image]
        possible = read is not None and any(
            (then := _on_clock(read, clock)) <= ran + timedelta(seconds=1) and (not earliest or then >= earliest)
            for clock in clocks
        )
        second = ran.replace(microsecond=0).astimezone(zone_of(clocks[0])).replace(tzinfo=UTC)
        found[image, name] = read if read is not None and possible else second
    return found


def _on_clock(read: datetime, zone: str) -> datetime:
    """The instant at which a clock in a zone shows what was read as if it were UTC."""
    try:
        return read.replace(tzinfo=zone_of(zone)).astimezone(UTC)
    except OverflowError:
        return read


def _instant(written: Any, zone: str) -> datetime | None:
    """The time that a dialect wrote: digits since the epoch, ISO 8601 in UTC, or MySQL's text in a zone."""
    if not isinstance(written, str):
        return None
    if re.fullmatch(r"[0-9]{10,16}", written, re.ASCII):
        number = int(written)
        return _EPOCH + timedelta(microseconds=number if number >= _MICROSECONDS_FROM else number * _SECOND)
    text = _TEXT.fullmatch(written)
    if not text:
        return None
    try:
        read = datetime.fromisoformat(f"{text[1]} {text[2]}.{(text[3] or '').ljust(6, '0')}")
        return read.replace(tzinfo=UTC if text[4] else zone_of(zone)).astimezone(UTC)
    except (ValueError, OverflowError):
        return None
