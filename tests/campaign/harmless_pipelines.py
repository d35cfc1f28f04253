"""Changes that do no harm, by what stands between a producer and its reader: mirrors, tools, restarts."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from random import Random

from trees import BINARY, TICDC, Apply, Stream, Tree, changer, payload_of, sql_of

from reference_impl.model import Record


def each(change: Callable[[Record, int], Record]) -> Apply:
    """A change of every record, by its place."""
    return lambda stream, draw: [change(record, number) for number, record in enumerate(stream.records)]


def sql(change: Callable[[str], str]) -> Apply:
    """A change of the text of every statement."""
    return lambda stream, draw: stream.all_changed(changer(stream.dialect, sql_of, change), stream.statements)


def again(choose: Callable[[Stream, Random], Sequence[Record]]) -> Apply:
    """More than is needed, of a producer that may send its messages again."""
    return lambda stream, draw: stream.with_records(choose(stream, draw)) if stream.dialect in TICDC else None


def of_all_rows(dialects: str, change: Callable[[Tree, Tree], object]) -> Apply:
    """A change of every message of rows, in these dialects."""
    return lambda stream, draw: stream.all_changed(change) if stream.dialect in dialects.split() else None


def of_bytes(change: Callable[[bytes], bytes]) -> Apply:
    """The bytes of JSON in another spelling, in all values and keys."""

    def apply(stream: Stream, draw: Random) -> list[Record] | None:
        if stream.dialect in ("open-protocol", *BINARY):
            return None
        return [replace(r, value=r.value and change(r.value), key=r.key and change(r.key)) for r in stream.records]

    return apply


def _escaped(data: bytes) -> bytes:
    """Letters beyond ASCII as escapes with capital digits."""
    text = data.decode("utf-8", "surrogatepass")
    units = memoryview(text.encode("utf-16", "surrogatepass")).cast("H")[1:]
    return "".join(chr(unit) if unit < 0x80 else f"\\u{unit:04X}" for unit in units).encode()


def _topics_of_tables(stream: Stream, draw: Random) -> list[Record] | None:
    """A topic a table; statements stay where they are."""
    if stream.dialect in BINARY:
        return None
    topics = {n: f"mirror.{stream.names[at]}" for at in stream.rows for n in stream.whole(at)}
    return stream.with_records([replace(r, topic=topics.get(at, r.topic)) for at, r in enumerate(stream.records)])


def _from_share_on(share: float) -> Apply:
    """All messages from a share of the stream on come again, statements among them."""
    return again(lambda stream, draw: [*stream.records, *stream.records[int(share * len(stream.records)) :]])


def _two_by_two(stream: Stream, draw: Random) -> list[Record]:
    """Every pair of messages again behind it: batches that were retried."""
    pairs = [stream.records[n : n + 2] for n in range(0, len(stream.records), 2)]
    return [record for pair in pairs for record in (*pair, *pair)]


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
    counted = {"event_count": 1, "data_collections": [{"data_collection": "s.t", "event_count": 1}]}
    values = [json.dumps(one).encode() for one in (begin, begin | {"status": "END"} | counted)]
    made = [Record(None, data, topic="dbz.transaction", partition=0, offset=n) for n, data in enumerate(values)]
    return [*stream.records, *made]


def _source_turned(key: Tree, value: Tree) -> None:
    """The members of `source` in another order."""
    payload = payload_of(value)
    payload["source"] = dict(reversed(payload["source"].items()))


def _statements_first(stream: Stream, draw: Random) -> list[Record] | None:
    """The topic of statements is read before all others: the order of lines in a capture."""
    found = {*stream.statements}
    rest = [record for at, record in enumerate(stream.records) if at not in found]
    return [*(stream.records[at] for at in sorted(found)), *rest] if found else None


_BLANK = re.compile(r"""(?<=[A-Za-z]) (?=[A-Z`]{3})""")
_NAMED = re.compile(r"`([A-Za-z_]\w*)`")

OF_PIPELINES: Mapping[str, Apply] = {
    "headers of a tracer": each(lambda r, n: replace(r, headers=(*r.headers, ("traceparent", b"00-0af7651916cd-01")))),
    "no headers": each(lambda r, n: replace(r, headers=())),
    "topics with the name of a cluster before theirs": each(lambda r, n: replace(r, topic=f"primary.{r.topic}")),
    "a topic a table": _topics_of_tables,
    "time stamps of the broker": each(lambda r, n: replace(r, timestamp=1_800_000_000_000)),
    "offsets of a long life": each(lambda r, n: replace(r, offset=(r.offset or 0) + 2**40)),
    "a partition of another number": each(lambda r, n: replace(r, partition=41)),
    "letters as escapes with capital digits": of_bytes(_escaped),
    "a line feed behind each message": of_bytes(lambda data: data + b"\n"),
    "blanks before each message": of_bytes(lambda data: b" \t\r\n" + data),
    "everything twice": _from_share_on(0),
    "the second half again": _from_share_on(0.5),
    "the last tenth again": _from_share_on(0.9),
    "every message three times": again(lambda stream, draw: [record for record in stream.records for _ in range(3)]),
    "every two messages again": again(_two_by_two),
    "a semicolon behind statements": sql(lambda sql: f"{sql};"),
    "a comment before statements": sql(lambda sql: f"/* ApplicationName=x */ {sql}"),
    "a comment of a line behind statements": sql(lambda sql: f"{sql} -- by hand"),
    "statements without quotes": sql(lambda sql: _NAMED.sub(r"\1", sql)),
    "tabs in statements": sql(lambda sql: _BLANK.sub("\t", sql)),
    "watermarks": _watermarks,
    "records of transactions": _transactions,
    "members of source in another order": of_all_rows("debezium debezium-connector", _source_turned),
    "Canal's wall clock by the second": of_all_rows("canal", lambda key, value: value.update(ts=value["es"] + 999)),
    "one batch number": of_all_rows("canal", lambda key, value: value.update(id=1)),
    "lines of statements first": _statements_first,
}
