"""A Spark session for a comparison: local by default, any master or Spark Connect by its address."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from conformance.errors import UsageError
from differential.spark.java import java_home

__all__ = ["session"]

_CONNECT = "sc://"

_ALWAYS = {
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.execution.arrow.maxRecordsPerBatch": "8192",
    "spark.sql.adaptive.enabled": "false",  # the parts are chosen once, by the hash of the key
    "spark.sql.parquet.compression.codec": "zstd",
}
_LOCALLY = {
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.files.maxPartitionBytes": str(24 * 2**20),
    "spark.driver.memory": "2g",
}


@contextmanager
def session(master: str = "local[*]", more: Mapping[str, str] | None = None) -> Iterator[Any]:
    """A session of our own, stopped at the end. Raises `UsageError` without Spark, or where it does not start."""
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        raise UsageError("--runner spark needs PySpark: install ticdc-conformance[spark]") from None
    builder: Any = SparkSession.builder.appName("ticdc-conformance compare")
    if master.startswith(_CONNECT):
        builder, configured = builder.remote(master), dict(_ALWAYS)
    else:
        _surroundings()
        builder, configured = builder.master(master), _ALWAYS | _LOCALLY
    for name, value in (configured | dict(more or {})).items():
        builder = builder.config(name, value)
    try:
        spark = builder.getOrCreate()
    except Exception as e:  # noqa: BLE001 - whatever the gateway raises, a person reads one message
        first = (str(e).strip().splitlines() or [type(e).__name__])[0]
        raise UsageError(f"--master {master}: Spark does not start: {first}") from None
    try:
        yield spark
    finally:
        spark.stop()


def _surroundings() -> None:
    """What a JVM on this machine and its Python workers find in their environment."""
    home = java_home()
    if home is not None:
        os.environ["JAVA_HOME"] = str(home)
    os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    ours = str(Path(__file__).resolve().parents[2])
    others = [part for part in os.environ.get("PYTHONPATH", "").split(os.pathsep) if part and part != ours]
    os.environ["PYTHONPATH"] = os.pathsep.join([ours, *others])
