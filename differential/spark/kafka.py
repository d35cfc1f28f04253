"""Reads topics with Spark between fixed offsets: the options and jars of its Kafka source."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from conformance.captures.kafka_config import KafkaConfig
from conformance.errors import UsageError
from differential.sources.topics import Reading, offsets_of
from differential.spark.session import session

__all__ = ["connection", "connector", "session_with_topics", "source_options", "topics_frame"]

_PACKAGE = "org.apache.spark:spark-sql-kafka-0-10_2.13"
_COORDINATES = re.compile(r"[\w.-]+:[\w.-]+:[\w.-]+(,[\w.-]+:[\w.-]+:[\w.-]+)*")
_HINT = (
    f"(topics need {_PACKAGE} of the release of Spark: where it cannot be fetched, give --spark-jars with a folder of "
    "jars or with packages)"
)
_ROWS_OF_A_TASK = 250_000


def connection(servers: str, config: KafkaConfig) -> dict[str, str]:
    """The options of Spark's source for the addresses of brokers and for authentication."""
    return {"kafka.bootstrap.servers": servers} | {f"kafka.{name}": value for name, value in config.for_java().items()}


def connector(given: str | None = None) -> dict[str, str]:
    """The configuration with which a session has Spark's Kafka source.

    `given` is a folder of jars, a jar, or packages (GROUP:NAME:VERSION[,…]); without it, it is the package of the
    release of PySpark. Spark fetches packages. Raises `UsageError` if a folder lacks the jar.
    """
    if given is None:
        from pyspark import __version__

        return {"spark.jars.packages": f"{_PACKAGE}:{__version__}"}
    if _COORDINATES.fullmatch(given) and not Path(given).exists():
        return {"spark.jars.packages": given}
    jars = sorted(map(str, Path(given).glob("*.jar"))) if Path(given).is_dir() else [given]
    if not all(Path(jar).is_file() for jar in jars) or not any("spark-sql-kafka" in jar for jar in jars):
        raise UsageError(f"--spark-jars {given}: there is no jar spark-sql-kafka-0-10_2.13-….jar")
    return {"spark.jars": ",".join(jars)}


@contextmanager
def session_with_topics(master: str, given: str | None = None) -> Iterator[Any]:
    """A session with Spark's Kafka source; a server of Spark Connect has its own jars.

    Raises `UsageError` as `session` and `connector` do.
    """
    configured = {} if master.startswith("sc://") else connector(given)
    with ExitStack() as opened:
        try:
            spark = opened.enter_context(session(master, configured))
        except UsageError as e:
            raise UsageError(f"{e} {_HINT}") from None
        yield spark


def topics_frame(spark: Any, reading: Reading) -> Any:
    """The messages of a reading, with Kafka's columns.

    Raises `UsageError` if offsets no longer exist.
    """
    reading.check()
    try:
        return spark.read.format("kafka").options(**source_options(reading)).load()
    except Exception as e:  # the type of the exception differs with Connect; the cause is the same
        raise UsageError(f"{reading.topics}: Spark cannot read topics without {_PACKAGE}. {_HINT}") from e


def source_options(reading: Reading) -> Mapping[str, str]:
    """The options of Spark's source: the offsets of each partition, and several tasks for large ones."""
    parts: dict[str, list[int]] = {}
    for span in reading.spans:
        parts.setdefault(span.topic, []).append(span.partition)
    tasks = sum(-(-(span.end - span.begin) // _ROWS_OF_A_TASK) for span in reading.spans)
    return connection(reading.topics.servers, reading.config) | {
        "assign": json.dumps(parts),
        "startingOffsets": json.dumps(offsets_of(reading.spans, "begin")),
        "endingOffsets": json.dumps(offsets_of(reading.spans, "end")),
        "minPartitions": str(max(1, tasks)),
        "failOnDataLoss": "true",
    }
