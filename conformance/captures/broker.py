"""Looks up the offsets of topics, and reads the records between them.

The same offsets always give the same records in the same order: partitions are assigned one by one, and read in the
order of topics and partitions, or merged by time. The client commits nothing and joins no group. By default it skips
aborted transactions.
"""

from __future__ import annotations

import heapq
import re
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from typing import Any

from conformance.captures.kafka_config import KafkaConfig
from conformance.captures.model import Captured, Place
from conformance.captures.topics import EARLIEST, LATEST, Bound, Span, Topics
from conformance.errors import UsageError, missing_extra
from reference_impl.model import Record

__all__ = ["TopicLost", "read_by_time", "read_spans", "spans_of"]


class TopicLost(UsageError):
    """Reading failed after the offsets were known: the brokers are gone, or refuse the client."""


_PATIENCE = 30.0  # seconds without any answer, after which reading fails
_POLL_SECONDS = 3.0
_BATCH = 5_000
_EARLIEST, _LATEST = -2, -1
# At the end of a partition the broker answers soon, instead of waiting for new records.
_SHORT_FETCH = {"fetch.wait.max.ms": "20"}
_SMALL_BUFFER = {"queued.max.messages.kbytes": "2048"}
_NO_PROPERTIES: Mapping[str, str] = {}


class _Client:
    """A Kafka consumer and the errors that it reported; messages hide secrets."""

    def __init__(self, servers: str, config: KafkaConfig, more: Mapping[str, str]) -> None:
        try:
            import confluent_kafka
        except ImportError:
            raise missing_extra("topics are read with confluent-kafka", "live") from None
        self.kafka: Any = confluent_kafka
        self._servers, self._config = servers, config
        self._problem: Any = None
        self._is_hopeless = False
        fixed = {
            "bootstrap.servers": servers,
            "group.id": "ticdc-conformance",  # a consumer must name a group; this one never joins it
            "enable.auto.commit": False,
            "enable.partition.eof": True,
            "auto.offset.reset": "error",
            "allow.auto.create.topics": False,
            "log_level": 0,
            "error_cb": self._on_error,
        }
        try:
            self.consumer: Any = confluent_kafka.Consumer({**_SHORT_FETCH, **config.for_librdkafka(), **more, **fixed})
        except confluent_kafka.KafkaException as e:
            raise UsageError(f"--kafka-config {config.file}: {config.hidden(e.args[0].str())}") from None

    def _on_error(self, error: Any) -> None:
        codes = self.kafka.KafkaError
        if error.code() == codes._ALL_BROKERS_DOWN:
            self._is_hopeless = True
        else:
            self._problem = error
            self._is_hopeless |= error.code() in (codes._AUTHENTICATION, codes._SSL)

    def failed(self, where: str = "", error: Any = None, kind: type[UsageError] = UsageError) -> UsageError:
        """The error as a message for the user; without `error`, the last one that the client reported."""
        reported = error or self._problem
        if reported is not None:
            why = self._config.hidden(reported.str())
        elif self._is_hopeless:
            why = "no broker answers: if they need TLS or SASL, give --kafka-config FILE"
        else:
            why = "no answer"
        return kind(f"kafka://{self._servers}: {where}{why}")

    def metadata(self, topic: str | None) -> Any:
        """The cluster's metadata for a topic, or for all. Raises `UsageError` if no broker answers."""
        until = time.monotonic() + _PATIENCE
        which = {} if topic is None else {"topic": topic}
        while True:
            try:
                return self.consumer.list_topics(**which, timeout=_POLL_SECONDS)
            except self.kafka.KafkaException:
                self.consumer.poll(0)  # lets the client report its errors
                if self._is_hopeless or time.monotonic() > until:
                    raise self.failed() from None


@contextmanager
def _client(servers: str, config: KafkaConfig, more: Mapping[str, str] = _NO_PROPERTIES) -> Iterator[_Client]:
    client = _Client(servers, config, more)
    try:
        yield client
    except client.kafka.KafkaException as e:
        raise client.failed(error=e.args[0]) from None
    finally:
        client.consumer.close()


def spans_of(topics: Topics, config: KafkaConfig) -> tuple[Span, ...]:
    """The offsets of `topics.begin` and `topics.end` in each partition, as they are now, in order.

    Raises `UsageError` for brokers that do not answer, missing topics, and deleted offsets.
    """
    with _client(topics.servers, config) as client:
        partitions = [(name, number) for name in _names(client, topics) for number in _partitions(client, topics, name)]
        existing = [
            client.consumer.get_watermark_offsets(client.kafka.TopicPartition(*partition), timeout=_PATIENCE)
            for partition in partitions
        ]
        begins = _bounds(client, topics, "begin", topics.begin, partitions, existing)
        ends = _bounds(client, topics, "end", topics.end, partitions, existing)
    spans = tuple(Span(*partition, begin, end) for partition, begin, end in zip(partitions, begins, ends, strict=True))
    for span in spans:
        if span.end < span.begin:
            where = f"{topics}: topic {span.topic}, partition {span.partition}"
            raise UsageError(f"{where}: the end, offset {span.end}, is before the beginning, offset {span.begin}")
    return spans


def _names(client: _Client, topics: Topics) -> list[str]:
    if topics.names:
        return sorted(topics.names)
    names = [name for name in client.metadata(None).topics if not name.startswith("__")]
    matching = sorted(name for name in names if re.fullmatch(topics.pattern, name))
    if not matching:
        raise UsageError(f"{topics}: no topic matches; there are {_listed(names)}")
    return matching


def _listed(names: Iterable[str]) -> str:
    shown = sorted(names)
    return ", ".join(shown[:8]) + (f" and {len(shown) - 8} more" if len(shown) > 8 else "") or "none"


def _partitions(client: _Client, topics: Topics, name: str) -> list[int]:
    topic = client.metadata(name).topics[name]
    if topic.error is not None:
        if topic.error.code() == client.kafka.KafkaError.UNKNOWN_TOPIC_OR_PART:
            there = _listed(n for n in client.metadata(None).topics if not n.startswith("__"))
            raise UsageError(f"{topics}: there is no topic {name!r}; there are {there}")
        raise UsageError(f"{topics}: topic {name!r}: {topic.error.str()}")
    return sorted(topic.partitions)


def _bounds(
    client: _Client,
    topics: Topics,
    name: str,
    bound: Bound,
    partitions: list[tuple[str, int]],
    existing: list[tuple[int, int]],
) -> list[int]:
    """The offset of a bound in each partition, which is a topic and a number.

    `name` is `begin` or `end`; `existing` has for each partition its first offset and the offset of the next record.
    """
    if bound in (EARLIEST, LATEST):
        return [low if bound == EARLIEST else high for low, high in existing]
    if isinstance(bound, datetime):
        ms = int(bound.timestamp() * 1000)
        times = [client.kafka.TopicPartition(topic, number, ms) for topic, number in partitions]
        offsets = client.consumer.offsets_for_times(times, timeout=_PATIENCE)
        # A negative offset means that no record has this time or a later one.
        return [high if one.offset < 0 else one.offset for one, (_, high) in zip(offsets, existing, strict=True)]
    assert not isinstance(bound, str)
    known = set(partitions)
    for topic, by_partition in bound.items():
        for number in by_partition:
            if (topic, number) not in known:
                raise UsageError(f"{topics}: {name} names topic {topic!r}, partition {number}, which is not read")
    return [
        _offset(topics, name, bound, *partition, *offsets)
        for partition, offsets in zip(partitions, existing, strict=True)
    ]


def _offset(topics: Topics, name: str, bound: Any, topic: str, number: int, low: int, high: int) -> int:
    """The offset of a partition in `bound`. Raises `UsageError` for one outside of `low` to `high`."""
    where = f"{topics}: topic {topic}, partition {number}"
    given = bound.get(topic, {}).get(number)
    if given is None:
        raise UsageError(f"{where}: {name} has no offset for it; -2 is the earliest, -1 the latest")
    offset = {_EARLIEST: low, _LATEST: high}.get(given, given)
    if offset < low:
        raise UsageError(f"{where}: offset {offset} is gone: retention has kept offsets from {low} on")
    if offset > high:
        raise UsageError(f"{where}: {name} is offset {offset}, and the partition ends at {high}")
    return int(offset)


def read_by_time(servers: str, config: KafkaConfig, spans: Iterable[Span]) -> Iterator[Captured]:
    """The records of all spans, merged by Kafka's time stamps; each span keeps its order.

    Each span has a client of its own, with a small buffer. Raises as `read_spans` does.
    """
    streams = [read_spans(servers, config, [span], _SMALL_BUFFER) for span in spans]
    return heapq.merge(*streams, key=lambda one: (one.record.timestamp if one.record else None) or 0)


def read_spans(
    servers: str, config: KafkaConfig, spans: Iterable[Span], more: Mapping[str, str] = _NO_PROPERTIES
) -> Iterator[Captured]:
    """The records of the spans, one span after the other. Raises `TopicLost` if a span cannot be read to its end.

    `more` are additional properties of librdkafka.
    """
    with _client(servers, config, more) as client:
        for span in spans:
            if span.begin < span.end:
                yield from _span(client, span)


def _span(client: _Client, span: Span) -> Iterator[Captured]:
    client.consumer.assign([client.kafka.TopicPartition(span.topic, span.partition, span.begin)])
    where = f"topic {span.topic}, partition {span.partition}, from offset {span.begin} to {span.end}: "
    last_message = time.monotonic()
    while True:
        first = client.consumer.poll(_POLL_SECONDS)
        if first is None:
            if time.monotonic() - last_message > _PATIENCE:
                raise client.failed(where, kind=TopicLost)
            continue
        last_message = time.monotonic()
        # With a time-out above 0, `consume` would wait for all requested records.
        for message in (first, *client.consumer.consume(_BATCH, timeout=0)):
            error = message.error()
            if error is None:
                if message.offset() >= span.end:
                    return
                yield _captured(message)
                if message.offset() == span.end - 1:
                    return
            elif error.code() != client.kafka.KafkaError._PARTITION_EOF:
                raise client.failed(where, error, TopicLost)
            # The last offsets may be markers of transactions, which are not delivered as messages.
            elif message.offset() >= span.end:
                return


def _captured(message: Any) -> Captured:
    topic, partition, offset = message.topic(), message.partition(), message.offset()
    kind, ms = message.timestamp()
    record = Record(
        message.key(),
        message.value(),
        partition=partition,
        topic=topic,
        headers=tuple(message.headers() or ()),
        offset=offset,
        timestamp=ms if kind else None,
    )
    return Captured(record, Place(f"topic {topic}, partition {partition}, offset {offset}"))
