"""Fixes the offsets up to which a side's topics are read; they are stored with the result.

`conformance.captures.topics` parses the names of topics, `conformance.captures.broker` reads them, and
`differential.spark.kafka` reads them with Spark.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from conformance.captures.broker import read_spans, spans_of
from conformance.captures.kafka_config import KafkaConfig, read_config
from conformance.captures.topics import Offsets, Span, Topics, is_topics, parse_topics
from conformance.errors import UsageError
from reference_impl.model import Record

__all__ = ["OFFSETS", "Reading", "fixed_readings", "is_topics", "offsets_of", "reading_of"]

OFFSETS = "offsets.json"
"""The file in a stage with the offsets to read, so that a continued run reads the same messages."""


@dataclass(frozen=True, slots=True)
class Reading:
    """Topics with the offsets to read of each partition."""

    topics: Topics
    config: KafkaConfig
    spans: tuple[Span, ...]

    def records(self) -> Iterator[Record]:
        """The messages, partition by partition.

        Raises `UsageError` if they cannot be read to the end.
        """
        for captured in read_spans(self.topics.servers, self.config, self.spans):
            assert captured.record is not None
            yield captured.record

    def check(self) -> None:
        """Raises `UsageError` if offsets no longer exist."""
        begin, end = (offsets_of(self.spans, name) for name in ("begin", "end"))
        spans_of(replace(self.topics, names=tuple(begin), pattern="", begin=begin, end=end), self.config)

    def to_json(self) -> dict[str, Any]:
        """The begin and end in each partition, in the form of files for `begin=` and `end=`."""
        return {
            name: {
                topic: {str(number): offset for number, offset in partitions.items()}
                for topic, partitions in offsets_of(self.spans, name).items()
            }
            for name in ("begin", "end")
        }


def offsets_of(spans: Sequence[Span], name: str) -> Offsets:
    """The `begin` or `end` of spans, by topic and partition."""
    found: dict[str, dict[int, int]] = {}
    for span in spans:
        found.setdefault(span.topic, {})[span.partition] = getattr(span, name)
    return found


def reading_of(source: str, config: Path | None = None) -> Reading:
    """The current offsets of a source.

    `config` is the file of properties if the source names none.

    Raises `UsageError` for a malformed source, and for topics and offsets that cannot be read.
    """
    topics = parse_topics(source)
    read = read_config(topics.config or config)
    return Reading(topics, read, spans_of(topics, read))


def fixed_readings(
    sources: Sequence[str], config: Path | None = None, stage: Path | None = None
) -> list[Reading | None]:
    """The reading of each source, None for sources that are not topics.

    With a `stage`, the offsets that an earlier run stored there are used again. Raises as `reading_of` does.
    """
    file = stage / OFFSETS if stage is not None and any(map(is_topics, sources)) else None
    kept = _stored_offsets(file) if file is not None else {}
    readings = {source: _reading(source, config, kept) for source in filter(is_topics, dict.fromkeys(sources))}
    if file is not None:
        file.parent.mkdir(parents=True, exist_ok=True)
        spans = {source: reading.to_json() for source, reading in readings.items()}
        draft = file.with_suffix(".draft")
        draft.write_text(json.dumps(spans, indent=1), encoding="utf-8")
        draft.replace(file)
    return [readings.get(source) for source in sources]


def _stored_offsets(file: Path) -> dict[str, Any]:
    try:
        kept: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (ValueError, RecursionError):
        raise UsageError(f"{file}: not a file of this program: remove the folder to begin anew") from None
    return kept


def _reading(source: str, config: Path | None, kept: dict[str, Any]) -> Reading:
    if source not in kept:
        return reading_of(source, config)
    topics, span = parse_topics(source), kept[source]
    spans = tuple(
        Span(topic, int(number), begin, span["end"][topic][number])
        for topic, partitions in span["begin"].items()
        for number, begin in partitions.items()
    )
    return Reading(topics, read_config(topics.config or config), spans)
