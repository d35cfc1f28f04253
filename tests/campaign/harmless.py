"""Changes of a stream that do no harm, under which a comparison stays green; None if there is no place for one."""

from __future__ import annotations

import json
import re
from binascii import crc32
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from random import Random
from typing import Any

from copies import OF_COPIES
from harmless_pipelines import OF_PIPELINES
from shaped import Tree, payload_of
from streams_of_trees import Apply, Stream, changer, edited, has_tombstone, row_key

from reference_impl.model import Record

__all__ = ["HARMLESS"]

Change = Callable[[Record, int], Record]
Find = Callable[[str, Tree, Tree], "tuple[Any, Any] | None"]


def _each(change: Change) -> Apply:
    return lambda stream, draw: [change(record, number) for number, record in enumerate(stream.records)]


def _of_rows(
    dialects: str, find: Callable[[str, Tree, Tree], tuple[Any, Any] | None], change: Callable[[Any], Any]
) -> Apply:
    def apply(stream: Stream, draw: Random) -> list[Record] | None:
        if stream.dialect not in dialects.split():
            return None
        return stream.all_changed(changer(stream.dialect, find, change))

    return apply


def _source(name: str) -> Callable[[str, Tree, Tree], tuple[Any, Any] | None]:
    def find(dialect: str, key: Tree, value: Tree) -> tuple[Any, Any] | None:
        source = payload_of(value).get("source") or {}
        return (source, name) if source.get(name) is not None else None

    return find


def _top(name: str) -> Callable[[str, Tree, Tree], tuple[Any, Any] | None]:
    return lambda dialect, key, value: (payload_of(value), name) if name in payload_of(value) else None


def _shuffled(stream: Stream, draw: Random) -> list[Record]:
    records = [*stream.records]
    draw.shuffle(records)
    return records


def _by_topic(stream: Stream, draw: Random) -> list[Record]:
    return sorted(stream.records, key=lambda record: (record.topic or "", record.partition or 0, record.offset or 0))


def _wall_clock(stream: Stream, draw: Random) -> list[Record] | None:
    """The connector wrote all messages a minute later."""

    def later(key: Tree, value: Tree) -> None:
        told = payload_of(value)
        for name, factor in (("ts_ms", 1), ("ts_us", 1000), ("ts_ns", 1_000_000)):
            if name in told:
                told[name] += 60_000 * factor

    return stream.all_changed(later) if "debezium" in stream.dialect else None


def _lag(seconds: int) -> Apply:
    """The binary log's clock is ahead by some seconds, in all messages."""

    def apply(stream: Stream, draw: Random) -> list[Record] | None:
        if stream.dialect not in ("canal", "debezium-connector"):
            return None

        def later(key: Tree, value: Tree) -> None:
            if stream.dialect == "canal":
                value["es"] += seconds * 1000
                return
            source = payload_of(value)["source"]
            for name, factor in (("ts_ms", 1), ("ts_us", 1000), ("ts_ns", 1_000_000)):
                if name in source:
                    source[name] += seconds * 1000 * factor

        return stream.all_changed(later)

    return apply


_QUOTED = re.compile(r"""('(?:[^'\\]|''|\\.)*'|"(?:[^"\\]|""|\\.)*"|`[^`]*`)""")


def _outside(change: Callable[[str], str]) -> Callable[[str], str]:
    """The change of a statement, but for what stands in quotes."""
    return lambda sql: "".join(part if n % 2 else change(part) for n, part in enumerate(_QUOTED.split(sql)))


def _sql(change: Callable[[str], str]) -> Apply:
    def apply(stream: Stream, draw: Random) -> list[Record] | None:
        found = {*stream.statements()}

        def altered(key: Tree, value: Tree) -> None:
            told = payload_of(value)
            for name in ("sql", "ddl", "q"):
                if isinstance(told.get(name), str) and told[name]:
                    told[name] = change(told[name])

        if not found:
            return None
        return [
            (edited(stream.dialect, record, altered) or record) if at in found else record
            for at, record in enumerate(stream.records)
        ]

    return apply


def _of_another_table(stream: Stream, draw: Random) -> list[Record] | None:
    """Messages of a table that is not compared."""
    if stream.dialect not in ("canal", "canal-json"):
        return None
    at = stream.rows()[0]

    def other(key: Tree, value: Tree) -> None:
        value["table"] = "of_nobody"

    made = edited(stream.dialect, stream.records[at], other)
    assert made is not None
    return [*stream.records, replace(made, topic="of_nobody", offset=0)]


def _heartbeats(stream: Stream, draw: Random) -> list[Record] | None:
    if stream.dialect != "debezium-connector":
        return None
    beat = Record(b"{}", b'{"ts_ms":1}', topic="__debezium-heartbeat.default", partition=0, offset=0)
    return [*stream.records, beat]


def _again(stream: Stream, places: Sequence[int]) -> list[Record]:
    records = []
    for at, record in enumerate(stream.records):
        records += [record, record] if at in places else [record]
    return stream.with_records(records)


def _delivered_twice(stream: Stream, draw: Random) -> list[Record] | None:
    own = stream.dialect in ("canal-json", "open-protocol", "debezium")
    return _again(stream, [draw.choice(stream.rows())]) if own else None


def _all_delivered_twice(stream: Stream, draw: Random) -> list[Record] | None:
    own = stream.dialect in ("canal-json", "open-protocol", "debezium")
    return _again(stream, stream.rows()) if own else None


def _replayed(stream: Stream, draw: Random) -> list[Record] | None:
    """The changefeed began again at a checkpoint: all messages from there on come again."""
    if stream.dialect not in ("canal-json", "open-protocol", "debezium"):
        return None
    statements = stream.statements()
    begin = max([len(stream.records) * 3 // 4, *(at + 1 for at in statements)])
    return stream.with_records([*stream.records, *stream.records[begin:]])


def _written(change: Callable[[Tree], bytes]) -> Apply:
    """Every message that is JSON in other bytes for the same."""

    def apply(stream: Stream, draw: Random) -> list[Record] | None:
        if stream.dialect in ("avro", "open-protocol"):
            return None
        return [replace(r, value=_again_as(change, r.value), key=_again_as(change, r.key)) for r in stream.records]

    return apply


def _again_as(change: Callable[[Tree], bytes], data: bytes | None) -> bytes | None:
    try:
        return change(json.loads(data, parse_float=Decimal)) if data else data
    except ValueError:
        return data


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
        if stream.dialect not in ("canal-json", "debezium-connector"):
            return None
        rows, records = {*stream.rows()}, [*stream.records]
        for at in rows:
            partition = crc32(row_key(stream, at).encode()) % partitions
            records[at] = replace(records[at], partition=partition)
            if has_tombstone(stream, at):
                records[at + 1] = replace(records[at + 1], partition=partition)
        return stream.with_records(records)

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


def _one_topic(stream: Stream, draw: Random) -> list[Record]:
    """All topics of a side are one."""
    return stream.with_records([replace(record, topic="all") for record in stream.records])


def _again_later(stream: Stream, draw: Random) -> list[Record] | None:
    """The last five messages come again in their order."""
    if stream.dialect not in ("canal-json", "open-protocol", "debezium"):
        return None
    return stream.with_records([*stream.records, *stream.records[-5:]])


def _statement_twice(stream: Stream, draw: Random) -> list[Record] | None:
    found = stream.statements()
    own = stream.dialect in ("canal-json", "open-protocol", "debezium")
    return _again(stream, found[-1:]) if own and found else None


def _no_words(stream: Stream, draw: Random) -> list[Record] | None:
    """Statements in another case."""
    return _sql(_outside(lambda sql: sql.swapcase()))(stream, draw)


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
    "all topics are one": _one_topic,
    "topics of other names": _each(lambda record, n: replace(record, topic=f"x.{record.topic}")),
    "the last messages again": _again_later,
    "a statement that is delivered twice": _statement_twice,
    "statements in another case": _no_words,
    "the same": _each(lambda record, n: record),
    "lines in another order": _shuffled,
    "topic by topic": _by_topic,
    "lines backwards": lambda stream, draw: [*reversed(stream.records)],
    "later offsets": _each(lambda record, n: replace(record, offset=(record.offset or 0) + 1_000_000)),
    "gaps between offsets": _each(lambda record, n: replace(record, offset=3 * (record.offset or 0))),
    "another partition for all": _each(lambda record, n: replace(record, partition=7)),
    "no time stamps of Kafka": _each(lambda record, n: replace(record, timestamp=None)),
    "other time stamps of Kafka": _each(lambda record, n: replace(record, timestamp=1_700_000_000_000 + n)),
    "a header": _each(lambda record, n: replace(record, headers=(*record.headers, ("trace", b"x")))),
    "other batch numbers of Canal": _of_rows("canal", _top("id"), lambda n: n + 100),
    "Canal's wall clock": _of_rows("canal canal-json", _top("ts"), lambda ms: ms + 90_000),
    "the connector's wall clock": _wall_clock,
    "another server": _of_rows("debezium-connector", _source("server_id"), lambda n: n + 1),
    "another binary log": _of_rows("debezium-connector", _source("file"), lambda name: f"mysql-{name}"),
    "later places in the binary log": _of_rows("debezium-connector", _source("pos"), lambda n: n + 4096),
    "another thread": _of_rows("debezium-connector", _source("thread"), lambda n: n + 1),
    "GTIDs of another server": _of_rows("debezium-connector", _source("gtid"), lambda text: text.replace("-", "-f")),
    "a clock that is a second ahead": _lag(1),
    "a clock that is half a minute ahead": _lag(30),
    "a clock that is two minutes ahead": _lag(120),
    "a clock that is two minutes behind": _lag(-120),
    "blanks in statements": _sql(_outside(lambda sql: sql.replace(" ", "  "))),
    "line feeds in statements": _sql(lambda sql: re.sub(r" ", "\n", sql, count=2)),
    "a comment behind statements": _sql(lambda sql: f"{sql} /* by hand */"),
    "blanks before commas in statements": _sql(_outside(lambda sql: sql.replace(",", " ,"))),
    "messages of a table that is not compared": _of_another_table,
    "heartbeats": _heartbeats,
    "a message that is delivered twice": _delivered_twice,
    "all messages delivered twice": _all_delivered_twice,
    "a replay from a checkpoint": _replayed,
    **OF_PIPELINES,
    **OF_COPIES,
}
