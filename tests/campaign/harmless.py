"""Changes of a stream that do no harm, under which a comparison stays green; None if there is no place for one."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from decimal import Decimal
from random import Random
from typing import Any

from copies import OF_COPIES, partitioned
from corrupt_messages import duplicated
from harmless_pipelines import OF_PIPELINES, again, each, of_all_rows, of_bytes, sql
from trees import TICDC, Apply, Stream, Tree, changer, payload_of, source_member, source_of

from reference_impl.model import Record


def _of_connector(name: str, change: Callable[[Any], Any]) -> Apply:
    """Another value of a member of `source`."""
    return of_all_rows("debezium-connector", changer("debezium-connector", source_member(name), change))


def _shuffled(stream: Stream, draw: Random) -> list[Record]:
    records = [*stream.records]
    draw.shuffle(records)
    return records


def _by_topic(stream: Stream, draw: Random) -> list[Record]:
    return sorted(stream.records, key=lambda record: (record.topic or "", record.partition or 0, record.offset or 0))


def _add(holder: Tree, ms: int) -> None:
    """Later times of a holder, as far as it has them."""
    for name, factor in (("ts_ms", 1), ("ts_us", 1000), ("ts_ns", 1_000_000)):
        if name in holder:
            holder[name] += ms * factor


def _lag(seconds: int) -> Apply:
    """The binary log's clock is ahead by some seconds, in all messages."""

    def later(key: Tree, value: Tree) -> None:
        if "es" in value:
            value["es"] += seconds * 1000
        _add(source_of(value), seconds * 1000)

    return of_all_rows("canal debezium-connector", later)


_QUOTED = re.compile(r"""('(?:[^'\\]|''|\\.)*'|"(?:[^"\\]|""|\\.)*"|`[^`]*`)""")


def _outside(change: Callable[[str], str]) -> Callable[[str], str]:
    """The change of a statement, but for what stands in quotes."""
    return lambda sql: "".join(part if n % 2 else change(part) for n, part in enumerate(_QUOTED.split(sql)))


def _of_another_table(stream: Stream, draw: Random) -> list[Record] | None:
    """Messages of a table that is not compared."""
    if stream.dialect not in ("canal", "canal-json"):
        return None
    at = stream.rows[0]
    made = stream.changed(at, lambda key, value: value.update(table="of_nobody"))
    assert made is not None
    return [*stream.records, replace(made[at], topic="of_nobody", offset=0)]


def _heartbeats(stream: Stream, draw: Random) -> list[Record] | None:
    if stream.dialect != "debezium-connector":
        return None
    beat = Record(b"{}", b'{"ts_ms":1}', topic="__debezium-heartbeat.default", partition=0, offset=0)
    return [*stream.records, beat]


def _rows_twice(stream: Stream, draw: Random) -> list[Record]:
    rows = {*stream.rows}
    return [record for at, record in enumerate(stream.records) for _ in range(1 + (at in rows))]


def _replayed(stream: Stream, draw: Random) -> list[Record]:
    """The changefeed began again at a checkpoint: all messages from there on come again."""
    begin = max([len(stream.records) * 3 // 4, *(at + 1 for at in stream.statements)])
    return [*stream.records, *stream.records[begin:]]


def _statement_twice(stream: Stream, draw: Random) -> list[Record] | None:
    last = stream.statements[-1:]
    return stream.with_again(last[0], stream.records[last[0]]) if last and stream.dialect in TICDC else None


def _written(change: Callable[[Tree], bytes]) -> Apply:
    """Every message that is JSON in other bytes for the same."""

    def respelled(data: bytes) -> bytes:
        try:
            return change(json.loads(data, parse_float=Decimal))
        except ValueError:
            return data

    return of_bytes(respelled)


def _dumped(**options: Any) -> Callable[[Tree], bytes]:
    def dump(tree: Tree) -> bytes:
        numbers: list[str] = []

        def kept(number: Any) -> str:
            numbers.append(str(number))
            return f"\x01{len(numbers) - 1}\x01"

        text = json.dumps(tree, default=kept, **options)
        return re.sub(r'"\\u0001(\d+)\\u0001"', lambda m: numbers[int(m[1])], text).encode("utf-8", "surrogatepass")

    return dump


def _turned(tree: Tree) -> Tree:
    """With the members of all objects in the opposite order."""
    if isinstance(tree, dict):
        return {name: _turned(tree[name]) for name in reversed(tree)}
    return [_turned(one) for one in tree] if isinstance(tree, list) else tree


def _slashes(tree: Tree) -> bytes:
    return _dumped(ensure_ascii=False, separators=(",", ":"))(tree).replace(b"/", rb"\/")


def _by_rows(partitions: int) -> Apply:
    """A topic of so many partitions, by the key of the row, of a producer whose messages have one row each."""

    def apply(stream: Stream, draw: Random) -> list[Record] | None:
        made = partitioned(stream, partitions) if stream.dialect in ("canal-json", "debezium-connector") else None
        return None if made is None else stream.with_records(made)

    return apply


_LONG = 18  # digits


def _row_by_row(stream: Stream, draw: Random) -> list[Record] | None:
    """A message of several rows as one for each, where all of them have the same `sqlType` alone, and no `old`."""
    if stream.dialect not in ("canal", "canal-json"):
        return None
    made: list[Record] = []
    for record in stream.records:
        value = json.loads(record.value or b"null", parse_float=Decimal)
        rows = (value or {}).get("data") or ()
        alike = len({tuple(cell is None for cell in row.values()) for row in rows}) == 1
        if not alike or value["old"] or any(len(cell or "") > _LONG for row in rows for cell in row.values()):
            rows = ()
        for n in range(len(rows)) if len(rows) > 1 else ():
            one = {**value, "data": [rows[n]]}
            made.append(replace(record, value=_dumped(ensure_ascii=False, separators=(",", ":"))(one)))
        made += [record] if len(rows) < 2 else []
    return None if made == [*stream.records] else stream.with_records(made)


HARMLESS: Mapping[str, Apply] = {
    "members in the opposite order": _written(lambda tree: _dumped(ensure_ascii=False)(_turned(tree))),
    "members by name": _written(_dumped(ensure_ascii=False, sort_keys=True, separators=(",", ":"))),
    "blanks between members": _written(_dumped(ensure_ascii=False, separators=(" , ", " : "))),
    "lines and blanks": _written(_dumped(ensure_ascii=False, indent=2)),
    "all letters escaped": _written(_dumped(ensure_ascii=True, separators=(",", ":"))),
    "slashes escaped": _written(_slashes),
    "three partitions by key": _by_rows(3),
    "seven partitions by key": _by_rows(7),
    "a message a row": _row_by_row,
    "all topics are one": lambda stream, draw: stream.with_records(
        [replace(record, topic="all") for record in stream.records]
    ),
    "the last messages again": again(lambda stream, draw: [*stream.records, *stream.records[-5:]]),
    "a statement that is delivered twice": _statement_twice,
    "statements in another case": sql(_outside(str.swapcase)),
    "the same": each(lambda record, n: record),
    "lines in another order": _shuffled,
    "topic by topic": _by_topic,
    "lines backwards": lambda stream, draw: [*reversed(stream.records)],
    "gaps between offsets": each(lambda record, n: replace(record, offset=3 * (record.offset or 0))),
    "no time stamps of Kafka": each(lambda record, n: replace(record, timestamp=None)),
    "other batch numbers of Canal": of_all_rows("canal", lambda key, value: value.update(id=value["id"] + 100)),
    "Canal's wall clock": of_all_rows("canal canal-json", lambda key, value: value.update(ts=value["ts"] + 90_000)),
    "the connector's wall clock": of_all_rows(
        "debezium debezium-connector", lambda key, value: _add(payload_of(value), 60_000)
    ),
    "another server": _of_connector("server_id", lambda n: n + 1),
    "another binary log": _of_connector("file", lambda name: f"mysql-{name}"),
    "later places in the binary log": _of_connector("pos", lambda n: n + 4096),
    "another thread": _of_connector("thread", lambda n: n + 1),
    "GTIDs of another server": _of_connector("gtid", lambda text: text.replace("-", "-f")),
    "a clock that is a second ahead": _lag(1),
    "a clock that is half a minute ahead": _lag(30),
    "a clock that is two minutes ahead": _lag(120),
    "a clock that is two minutes behind": _lag(-120),
    "blanks in statements": sql(_outside(lambda sql: sql.replace(" ", "  "))),
    "line feeds in statements": sql(lambda sql: re.sub(r" ", "\n", sql, count=2)),
    "a comment behind statements": sql(lambda sql: f"{sql} /* by hand */"),
    "blanks before commas in statements": sql(_outside(lambda sql: sql.replace(",", " ,"))),
    "messages of a table that is not compared": _of_another_table,
    "heartbeats": _heartbeats,
    "a message that is delivered twice": again(duplicated),
    "all messages delivered twice": again(_rows_twice),
    "a replay from a checkpoint": again(_replayed),
    **OF_PIPELINES,
    **OF_COPIES,
}
