"""Where Spark reads the messages of a side: parquet and topics by itself, captures by its workers line by line.

Captures that the workers cannot reach are read once on the driver, into a stage of their own.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from pyarrow import parquet

from differential.batches import FRAME
from differential.sources import read_source
from differential.spark.kafka import topics_frame
from differential.spark.lines import frame_batch, lines_frame
from differential.spec import Spec

__all__ = ["frame_of"]

_ROWS = 20_000


def frame_of(spark: Any, spec: Spec, stage: Path) -> Any:
    """The messages of a side as a frame with the columns of `FRAME`; `stage` is a folder for what must be put down."""
    if spec.reading is not None:
        return _columns(topics_frame(spark, spec.reading))
    path = Path(spec.source)
    if path.suffix == ".parquet" or (path.is_dir() and any(path.rglob("*.parquet"))):
        return _columns(spark.read.option("recursiveFileLookup", "true").parquet(spec.source))
    frame = lines_frame(spark, path, spec.dialect)
    if frame is not None:
        return frame
    stage.mkdir(parents=True, exist_ok=True)
    file = stage / "messages.parquet"
    _put_down(spec, file)
    return spark.read.parquet(str(file))


def _columns(frame: Any) -> Any:
    """The columns of a frame in our types; those that are not there are empty, as the reader of captures has them."""
    from pyspark.sql import functions as f

    missing = {
        "key": f.lit(None).cast("binary"),
        "topic": f.lit(""),
        "partition": f.lit(0),
        "offset": f.monotonically_increasing_id(),
    }
    types = {"key": "binary", "value": "binary", "topic": "string", "partition": "int", "offset": "long"}
    return frame.select(
        *((f.col(name) if name in frame.columns else missing[name]).cast(types[name]).alias(name) for name in types)
    )


def _put_down(spec: Spec, file: Path) -> None:
    records: Iterator[Any] = read_source(spec)
    with parquet.ParquetWriter(file, FRAME, compression="zstd") as writer:
        while chunk := list(islice(records, _ROWS)):
            writer.write_batch(frame_batch(chunk))
