"""The keys, partitions, topics, order and other messages of the streams before and after the move.

The reference encoders write the keys of the given tables; the other texts follow the documents.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from conformance.migration.move import Move
from conformance.migration.writing import WrittenProbe
from reference_impl.model import Record
from reference_impl.protocols import AVRO, CANAL, CANAL_JSON, CONNECTOR, DEBEZIUM, OPEN_PROTOCOL

__all__ = ["placement"]

_ASPECTS = ("keys", "partitions", "topics", "order", "transactions", "tombstones", "statements", "watermarks")

_BY_DIALECT: Mapping[str, Mapping[str, str]] = {
    CANAL.name: {
        "partitions": "the first; or a Java hash of the key's text over the columns named by canal.mq.partitionHash",
        "topics": "canal.mq.topic, or one a table by canal.mq.dynamicTopic",
        "order": "that of the binary log within a partition",
        "transactions": "every change that the server logged, rows of one statement together",
        "tombstones": "none",
        "statements": "messages with isDdl=true in the topic of the rows, in its first partition",
        "watermarks": "none",
    },
    CONNECTOR.name: {
        "partitions": "by Kafka's own hash of the record's key",
        "topics": "one a table: PREFIX.DATABASE.TABLE",
        "order": "that of the binary log within a key",
        "transactions": "every change that the server logged",
        "tombstones": "a record with the key and no value behind each delete, unless tombstones.on.delete=false",
        "statements": "a topic of their own, PREFIX, with one partition",
        "watermarks": "none; heartbeats have a topic of their own",
    },
    CANAL_JSON.name: {
        "statements": "in the topic of the rows, in its first partition, with isDdl=true",
        "watermarks": "with enable-tidb-extension=true: type TIDB_WATERMARK, in every partition of every topic",
    },
    DEBEZIUM.name: {
        "statements": "in every partition of the topics of rows, without `op`; classic TiCDC sends none",
        "watermarks": "with enable-tidb-extension=true: `op` m, in every partition of every topic",
    },
    AVRO.name: {
        "topics": "one a table, as a schema registry needs: the topic expression holds {schema} and {table}",
        "tombstones": "a delete is a record with its key and no value",
        "statements": "none, unless avro-enable-watermark=true and enable-tidb-extension=true",
        "watermarks": "none, unless avro-enable-watermark=true and enable-tidb-extension=true",
    },
    OPEN_PROTOCOL.name: {
        "statements": "in every partition of the topic, with `t` 2 in the key",
        "watermarks": "always: `t` 3 in the key, in every partition of every topic, about once a second",
    },
}
_OF_TICDC: Mapping[str, str] = {
    "partitions": "by the dispatcher of the changefeed (`table` by default), by a hash that is TiCDC's own",
    "topics": "one for all tables, that of the sink URI, unless a dispatcher's expression has {schema} and {table}",
    "order": "by commit time stamp within a key that the dispatcher keeps in one partition; messages may come again",
    "transactions": "what a transaction left of each row, once: steps on the way are not there",
    "tombstones": "none: a compacted topic never drops a key",
}


def _of(dialect: str, aspect: str) -> str:
    return _BY_DIALECT[dialect].get(aspect) or _OF_TICDC[aspect]


def placement(move: Move, written: Sequence[WrittenProbe]) -> Iterator[dict[str, Any]]:
    """Each aspect before the move and after it; the aspect of keys has an example for each table."""
    for aspect in _ASPECTS:
        if aspect == "keys":
            examples = [one for one in map(_keys, written) if one is not None]
            same = all(one["before"] == one["after"] for one in examples)
            before, after = (_in_words([one[side] for one in examples]) for side in ("before", "after"))
            yield {"aspect": aspect, "before": before, "after": after, "same": same, "examples": examples}
        else:
            before, after = _of(move.origin, aspect), _of(move.target, aspect)
            yield {"aspect": aspect, "before": before, "after": after, "same": before == after, "examples": []}


def _in_words(keys: Sequence[str | None]) -> str:
    """Where messages have keys, from an example of each table; the report shows the examples below these words."""
    none = keys.count(None)
    if none == len(keys):
        return "none"
    return f"as below, none in {none} table{'s' if none > 1 else ''}" if none else "as below"


def _keys(one: WrittenProbe) -> dict[str, Any] | None:
    """The keys of the first insert into a table of the user."""
    if one.probe.column or not one.probe.places:
        return None
    first = one.steps[0]
    table = ".".join(one.probe.places[0][:2])
    return {"table": table, "before": _key(first.origin), "after": _key(first.target)}


def _key(records: tuple[Record, ...] | None) -> str | None:
    key = records[0].key if records else None
    if key is None:
        return None
    text = key.decode("utf-8", "backslashreplace")
    return text if text.isprintable() else key.hex(" ")
