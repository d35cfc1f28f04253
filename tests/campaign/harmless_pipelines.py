"""Changes that do no harm, by what stands between a producer and its reader: mirrors, tools, restarts."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from random import Random

from shaped import BINARY, Tree, opened, payload_of, table_of
from streams_of_trees import Apply, Stream, edited, has_tombstone

from reference_impl.model import Record

__all__ = ["OF_PIPELINES"]

_TICDC = ("canal-json", "open-protocol", "debezium")


def _each(change: Callable[[Record], Record]) -> Apply:
    return lambda stream, draw: [change(record) for record in stream.records]


def _bytes(change: Callable[[bytes], bytes]) -> Apply:
    """The bytes of JSON in another spelling, in all values and keys."""

    def apply(stream: Stream, draw: Random) -> list[Record] | None:
        if stream.dialect in ("open-protocol", *BINARY):
            return None
        made = [
            replace(r, value=change(r.value) if r.value else r.value, key=change(r.key) if r.key else r.key)
            for r in stream.records
        ]
        return None if made == [*stream.records] else made

    return apply


def _escaped(data: bytes) -> bytes:
    """Letters beyond ASCII as escapes with capital digits."""
    text = data.decode("utf-8", "surrogatepass")
    units = (text.encode("utf-16-be", "surrogatepass"),)
    out = []
    for n in range(0, len(units[0]), 2):
        unit = int.from_bytes(units[0][n : n + 2], "big")
        out.append(chr(unit) if unit < 0x80 else f"\\u{unit:04X}")
    return "".join(out).encode()


def _topics_of_tables(stream: Stream, draw: Random) -> list[Record] | None:
    """A topic a table; statements stay where they are."""
    if stream.dialect in BINARY:
        return None
    rows, made = {*stream.rows()}, [*stream.records]
    for at in rows:
        trees = opened(stream.dialect, stream.records[at])
        assert trees is not None
        for n in range(at, at + 1 + has_tombstone(stream, at)):
            made[n] = replace(made[n], topic=f"mirror.{table_of(stream.dialect, trees)}")
    return stream.with_records(made)


def _whole_again(stream: Stream, draw: Random) -> list[Record] | None:
    """The changefeed was made anew at its first time stamp: everything comes twice."""
    return stream.with_records([*stream.records, *stream.records]) if stream.dialect in _TICDC else None


def _end_again(share: float) -> Apply:
    """All messages from a share of the stream on come again, statements among them."""

    def apply(stream: Stream, draw: Random) -> list[Record] | None:
        if stream.dialect not in _TICDC:
            return None
        return stream.with_records([*stream.records, *stream.records[int(share * len(stream.records)) :]])

    return apply


def _three_times(stream: Stream, draw: Random) -> list[Record] | None:
    """Each message three times on end: a producer that retries."""
    if stream.dialect not in _TICDC:
        return None
    return stream.with_records([record for record in stream.records for _ in range(3)])


def _two_by_two(stream: Stream, draw: Random) -> list[Record] | None:
    """Every pair of messages again behind it: batches that were retried."""
    if stream.dialect not in _TICDC:
        return None
    pairs = [stream.records[n : n + 2] for n in range(0, len(stream.records), 2)]
    return stream.with_records([record for pair in pairs for record in (*pair, *pair)])


def _sql(change: Callable[[str], str]) -> Apply:
    def apply(stream: Stream, draw: Random) -> list[Record] | None:
        def altered(key: Tree, value: Tree) -> None:
            told = payload_of(value)
            for name in ("sql", "ddl", "q"):
                if isinstance(told.get(name), str) and told[name]:
                    told[name] = change(told[name])

        found = {*stream.statements()}
        if not found:
            return None
        made = [
            (edited(stream.dialect, record, altered) or record) if at in found else record
            for at, record in enumerate(stream.records)
        ]
        return None if made == [*stream.records] else made

    return apply


def _watermarks(stream: Stream, draw: Random) -> list[Record] | None:
    """A watermark behind every message."""
    if stream.dialect != "canal-json":
        return None
    made = []
    for record in stream.records:
        made.append(record)
        value = json.loads(record.value or b"{}")
        if "_tidb" not in value:
            return None
        nothing = dict.fromkeys(("pkNames", "sqlType", "mysqlType", "data", "old"))
        mark = {**value, **nothing, "database": "", "table": "", "isDdl": False, "type": "TIDB_WATERMARK", "sql": ""}
        mark["_tidb"] = {"watermarkTs": value["_tidb"]["commitTs"]}
        made.append(replace(record, key=None, value=json.dumps(mark, separators=(",", ":")).encode()))
    return stream.with_records(made)


def _transactions(stream: Stream, draw: Random) -> list[Record] | None:
    """The connector's records of transactions, in a topic of their own."""
    if stream.dialect != "debezium-connector" or any(b'"schema":{' in (r.value or b"") for r in stream.records):
        return None
    begin = {"status": "BEGIN", "id": "b.1:4", "event_count": None, "data_collections": None, "ts_ms": 1}
    end = begin | {
        "status": "END",
        "event_count": 1,
        "data_collections": [{"data_collection": "s.t", "event_count": 1}],
    }
    made = [
        Record(None, json.dumps(told).encode(), topic="dbz.transaction", partition=0, offset=n)
        for n, told in enumerate((begin, end))
    ]
    return [*stream.records, *made]


def _source_turned(stream: Stream, draw: Random) -> list[Record] | None:
    """The members of `source` in another order."""

    def turned(key: Tree, value: Tree) -> None:
        told = payload_of(value)
        if isinstance(told.get("source"), dict):
            told["source"] = dict(reversed(told["source"].items()))

    return stream.all_changed(turned) if "debezium" in stream.dialect else None


def _canal_seconds(stream: Stream, draw: Random) -> list[Record] | None:
    """Canal's wall clock stands still: all batches of a second were sent at once."""
    if stream.dialect != "canal":
        return None

    def still(key: Tree, value: Tree) -> None:
        value["ts"] = value["es"] + 999

    return stream.all_changed(still)


def _one_batch(stream: Stream, draw: Random) -> list[Record] | None:
    """One batch number for all messages."""

    def one(key: Tree, value: Tree) -> None:
        value["id"] = 1

    return stream.all_changed(one) if stream.dialect == "canal" else None


def _statements_first(stream: Stream, draw: Random) -> list[Record] | None:
    """The topic of statements is read before all others: the order of lines in a capture."""
    found = {*stream.statements()}
    rest = [record for at, record in enumerate(stream.records) if at not in found]
    return [*(stream.records[at] for at in sorted(found)), *rest] if found else None


_BLANK = re.compile(r"""(?<=[A-Za-z]) (?=[A-Z`]{3})""")
_NAMED = re.compile(r"`([A-Za-z_]\w*)`")

OF_PIPELINES: Mapping[str, Apply] = {
    "headers of a tracer": _each(lambda r: replace(r, headers=(*r.headers, ("traceparent", b"00-0af7651916cd-01")))),
    "no headers": _each(lambda r: replace(r, headers=())),
    "topics with the name of a cluster before theirs": _each(lambda r: replace(r, topic=f"primary.{r.topic}")),
    "a topic a table": _topics_of_tables,
    "time stamps of the broker": _each(lambda r: replace(r, timestamp=1_800_000_000_000)),
    "offsets of a long life": _each(lambda r: replace(r, offset=(r.offset or 0) + 2**40)),
    "a partition of another number": _each(lambda r: replace(r, partition=41)),
    "letters as escapes with capital digits": _bytes(_escaped),
    "a line feed behind each message": _bytes(lambda data: data + b"\n"),
    "blanks before each message": _bytes(lambda data: b" \t\r\n" + data),
    "everything twice": _whole_again,
    "the second half again": _end_again(0.5),
    "the last tenth again": _end_again(0.9),
    "every message three times": _three_times,
    "every two messages again": _two_by_two,
    "a semicolon behind statements": _sql(lambda sql: f"{sql};"),
    "a comment before statements": _sql(lambda sql: f"/* ApplicationName=x */ {sql}"),
    "a comment of a line behind statements": _sql(lambda sql: f"{sql} -- by hand"),
    "statements without quotes": _sql(lambda sql: _NAMED.sub(r"\1", sql)),
    "tabs in statements": _sql(lambda sql: _BLANK.sub("\t", sql)),
    "watermarks": _watermarks,
    "records of transactions": _transactions,
    "members of source in another order": _source_turned,
    "Canal's wall clock by the second": _canal_seconds,
    "one batch number": _one_batch,
    "lines of statements first": _statements_first,
}
