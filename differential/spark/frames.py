"""Reads the messages of a side on Spark: topics by Spark itself, captures by its workers.

Workers read files if they see the same files as this process; if not, Spark reads parquet files, and the driver reads
captures once, into a stage.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial, reduce
from pathlib import Path
from typing import Any

from pyarrow import parquet

from conformance.errors import UsageError
from differential.record_batches import RECORD_SCHEMA, record_batches
from differential.sources.captures import parquet_files, read_source
from differential.sources.parts import file_parts
from differential.sources.spec import Spec
from differential.spark.kafka import topics_frame
from differential.spark.messages import Messages, map_on_workers, messages_of_parts, spark_type
from differential.spark.stages import literal

__all__ = ["messages_of"]

_ROWS = 20_000


def messages_of(spark: Any, spec: Spec, stage: Path, *, one_machine: bool = True) -> Messages:
    """The messages of a side; `stage` is a folder for captures that workers cannot reach.

    `one_machine`: the workers see the files that this process sees. Raises `UsageError` if a source cannot be read.
    """
    if spec.reading is not None:
        return Messages(_columns(topics_frame(spark, spec.reading)))
    path = Path(spec.source)
    files = parquet_files(path)
    only_spark_sees = path.suffix == ".parquet" and not files
    workers_do_not_see = bool(files) and not one_machine
    if only_spark_sees or workers_do_not_see:
        reader, places = spark.read.option("recursiveFileLookup", "true"), [literal(str(file)) for file in files]
        if _lacks_offsets(files):  # Spark itself takes large files first
            frames = [reader.parquet(place) for place in places]
        else:
            frames = [reader.parquet(*places or [spec.source])]
        if not all("value" in frame.columns for frame in frames):
            raise UsageError(f"{spec.source}: has no column `value`; the columns must be those of Kafka's records")
        return Messages(_numbered(reduce(lambda a, b: a.unionAll(b), map(_columns, frames))))
    parts = file_parts(spec, partial(map_on_workers, spark))
    if parts is not None:  # None: the workers do not see the files, or it is a pipe
        return messages_of_parts(spark, parts)
    stage.mkdir(parents=True, exist_ok=True)
    file = stage / "messages.parquet"
    _store_messages(spec, file)
    return messages_of(spark, Spec(spec.dialect, str(file)), stage, one_machine=one_machine)


def _lacks_offsets(files: Sequence[Path]) -> bool:
    """Whether one of several files has no column of offsets, so that the order of the files counts."""
    return len(files) > 1 and any("offset" not in parquet.read_schema(file).names for file in files)


def _numbered(frame: Any) -> Any:
    """The columns of messages, with a number for each message that has no offset in the column of offsets."""
    from pyspark.sql import functions as f

    # A column of its own: inside `coalesce` the id would count only messages without an offset.
    number = "number of a message"
    numbered = frame.withColumn(number, f.monotonically_increasing_id())
    return numbered.withColumn("offset", f.coalesce(f.col("offset"), f.col(number))).select(RECORD_SCHEMA.names)


def _columns(frame: Any) -> Any:
    """The columns of a frame in our types; missing ones are empty, as in captures."""
    from pyspark.sql import functions as f

    missing = {
        "key": f.lit(None).cast("binary"),
        "topic": f.lit(""),
        "partition": f.lit(0),
        "offset": f.lit(None),
    }
    return frame.select(
        *(
            (f.col(field.name) if field.name in frame.columns else missing[field.name])
            .cast(spark_type(field))
            .alias(field.name)
            for field in RECORD_SCHEMA
        )
    )


def _store_messages(spec: Spec, file: Path) -> None:
    with parquet.ParquetWriter(file, RECORD_SCHEMA, compression="zstd") as writer:
        for batch in record_batches(read_source(spec), _ROWS):
            writer.write_batch(batch)
