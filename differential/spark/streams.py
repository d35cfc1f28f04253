"""Reads growing streams with Spark: topics, and folders to which parquet files are added."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from functools import reduce
from pathlib import Path
from typing import Any

from conformance.captures.kafka_config import KafkaConfig, read_config
from conformance.captures.topics import LATEST, Topics, is_topics, parse_topics
from conformance.errors import UsageError
from differential.sources.spec import Spec
from differential.spark.kafka import connection
from differential.spark.stages import literal

__all__ = ["hidden", "stream_of"]

_NEEDED = ("value", "topic", "partition", "offset", "timestamp")


def stream_of(spark: Any, spec: Spec, config: Path | None = None) -> Any:
    """The messages of a side as a stream, with the columns of `record_batches.RECORD_SCHEMA` and `time`.

    `time` is in milliseconds since 1970.

    `config` is the file of Kafka's client properties. Raises `UsageError` for any other kind of source.
    """
    if is_topics(spec.source):
        topics = parse_topics(spec.source)
        options = connection(topics.servers, _config(topics, config)) | _topics(topics)
        return _columns(spark.readStream.format("kafka").options(**options).load())
    path = Path(spec.source)
    if not path.is_dir() or next(path.rglob("*.parquet"), None) is None:
        raise UsageError(f"{path}: --live reads topics, and folders that already hold a parquet file")
    files, place = {"recursiveFileLookup": "true", "pathGlobFilter": "*.parquet"}, literal(str(path))
    schema = spark.read.options(**files).parquet(place).schema
    if missing := [name for name in _NEEDED if name not in schema.names]:
        raise UsageError(f"{path}: --live needs Kafka's columns; missing: {', '.join(missing)}")
    return _columns(spark.readStream.schema(schema).options(**files).parquet(place))


def hidden(specs: Sequence[Spec], config: Path | None, text: str) -> str:
    """A text without the secrets in files of client properties."""
    configs = [_config(parse_topics(spec.source), config) for spec in specs if is_topics(spec.source)]
    return reduce(lambda so_far, one: one.hidden(so_far), configs, text)


def _config(topics: Topics, config: Path | None) -> KafkaConfig:
    return read_config(topics.config or config)


def _topics(topics: Topics) -> dict[str, str]:
    """The options for the topics to read, and for the offsets at which to begin."""
    if topics.end != LATEST:
        raise UsageError(f"{topics}: --live reads without an end, so `end` is not permitted")
    begin = topics.begin
    if isinstance(begin, datetime):
        start = {"startingTimestamp": str(int(begin.timestamp() * 1000))}
    else:
        start = {"startingOffsets": begin if isinstance(begin, str) else json.dumps(begin)}
    which = {"subscribe": ",".join(topics.names)}
    if topics.pattern:
        which = {"subscribePattern": f"(?!__)(?:{topics.pattern})"}
    return which | start | {"failOnDataLoss": "true"}


def _columns(frame: Any) -> Any:
    """The columns of a frame in our types; time stamps may be numbers of milliseconds."""
    from pyspark.sql import functions as f

    key = f.col("key") if "key" in frame.columns else f.lit(None)
    time = f.col("timestamp")
    if dict(frame.dtypes)["timestamp"].startswith("timestamp"):
        time = f.unix_millis(time.cast("timestamp"))
    return frame.select(
        key.cast("binary").alias("key"),
        f.col("value").cast("binary").alias("value"),
        f.coalesce(f.col("topic"), f.lit("")).alias("topic"),
        f.coalesce(f.col("partition").cast("int"), f.lit(0)).alias("partition"),
        f.col("offset").cast("long").alias("offset"),
        time.cast("long").alias("time"),
    )
