"""Topics read by Spark, between offsets that were fixed before: options of its Kafka source, and where its jars are."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from conformance.captures.kafka_config import KafkaConfig
from conformance.errors import UsageError
from differential.topics import Reading, offsets_of

__all__ = ["connection", "connector", "topics_frame"]

_PACKAGE = "org.apache.spark:spark-sql-kafka-0-10_2.13"
_ROWS_OF_A_TASK = 250_000


def connection(servers: str, config: KafkaConfig) -> dict[str, str]:
    """The options that tell Spark's source where the brokers are and how it is let in."""
    return {"kafka.bootstrap.servers": servers} | {f"kafka.{name}": value for name, value in config.for_java().items()}


def connector(master: str, jars: Path | None = None) -> dict[str, str]:
    """What a session is configured with, so that it has Spark's source: jars of a folder, else the package.

    The package is fetched from Maven Central by Spark; a server of Spark Connect has its own jars. Raises `UsageError`
    for a folder without the jar.
    """
    if jars is None:
        from pyspark import __version__

        return {} if master.startswith("sc://") else {"spark.jars.packages": f"{_PACKAGE}:{__version__}"}
    found = sorted(map(str, jars.glob("*.jar"))) if jars.is_dir() else [str(jars)] if jars.suffix == ".jar" else []
    if not any("spark-sql-kafka" in name for name in found):
        raise UsageError(f"--spark-jars {jars}: there is no jar spark-sql-kafka-0-10_2.13-….jar")
    return {"spark.jars": ",".join(found)}


def topics_frame(spark: Any, reading: Reading) -> Any:
    """The messages of a reading, with Kafka's columns. Raises `UsageError` for offsets that are no longer there."""
    reading.check()
    try:
        return spark.read.format("kafka").options(**_options(reading)).load()
    except Exception as e:  # what Spark raises differs with Connect, and it says one thing
        raise UsageError(f"{reading.topics}: Spark cannot read topics without {_PACKAGE}: give --spark-jars DIR") from e


def _options(reading: Reading) -> Mapping[str, str]:
    parts: dict[str, list[int]] = {}
    for span in reading.spans:
        parts.setdefault(span.topic, []).append(span.partition)
    messages = sum(span.end - span.begin for span in reading.spans)
    return connection(reading.topics.servers, reading.config) | {
        "assign": json.dumps(parts),
        "startingOffsets": json.dumps(offsets_of(reading.spans, "begin")),
        "endingOffsets": json.dumps(offsets_of(reading.spans, "end")),
        "minPartitions": str(max(len(reading.spans), messages // _ROWS_OF_A_TASK)),
        "failOnDataLoss": "true",
    }
