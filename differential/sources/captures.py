"""Where the messages of a side come from: captures of every form that the suite reads, parquet, and topics."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from conformance.captures.files import read_capture
from conformance.errors import UsageError
from differential.sources.spec import Spec
from differential.sources.topics import fixed, is_topics, reading_of
from reference_impl.model import Record

__all__ = ["fingerprint", "located", "read_source"]

_PARQUET = ("value", "key", "topic", "partition", "offset", "timestamp")


def read_source(spec: Spec) -> Iterator[Record]:
    """The messages of a side, in order; one without an offset has its number on the side as offset.

    What is no message at all is one with an empty value, which no dialect can read. Raises `UsageError` for a source
    that cannot be read.
    """
    if is_topics(spec.source):
        yield from (spec.reading or reading_of(spec.source)).records()
        return
    path = Path(spec.source)
    files = sorted(path.rglob("*.parquet")) if path.is_dir() else [path] if path.suffix == ".parquet" else []
    records = _parquet(files) if files else _captured(path, spec.dialect)
    for number, record in enumerate(records):
        yield record if record.offset is not None else replace(record, offset=number)


def located(specs: Sequence[Spec], config: Path | None = None, stage: Path | None = None) -> list[Spec]:
    """The specs with what topics hold now, or held when a run that is taken up again put it into `stage`.

    `config` is the file of Kafka's client properties. Raises `UsageError` for topics that cannot be had.
    """
    readings = fixed([spec.source for spec in specs], config, stage)
    return [replace(spec, reading=reading) for spec, reading in zip(specs, readings, strict=True)]


def fingerprint(spec: Spec) -> list[Any]:
    """What tells the messages of a side from others: names, sizes and times of files, offsets of topics."""
    if spec.reading is not None:
        return [spec.reading.topics.servers, spec.reading.to_json()]
    path = Path(spec.source)
    files = sorted(file for file in path.rglob("*") if file.is_file()) if path.is_dir() else [path]
    return [[str(file), file.stat().st_size, file.stat().st_mtime_ns] for file in files if file.exists()]


def _captured(path: Path, dialect: str) -> Iterator[Record]:
    for captured in read_capture(path, dialect):
        yield captured.record or Record(None, b"")


def _parquet(files: list[Path]) -> Iterator[Record]:
    try:
        from pyarrow import parquet
    except ImportError:
        raise UsageError("parquet is read with pyarrow: install ticdc-conformance[spark]") from None
    for file in files:
        opened: Any = parquet.ParquetFile(file)
        missing = {"value"} - set(opened.schema_arrow.names)
        if missing:
            raise UsageError(f"{file}: there is no column `value`; the columns are those of Kafka's frames")
        columns = [name for name in _PARQUET if name in opened.schema_arrow.names]
        for batch in opened.iter_batches(columns=columns):
            for row in batch.to_pylist():
                time = row.pop("timestamp", None)
                ms = int(time.timestamp() * 1000) if hasattr(time, "timestamp") else time
                yield Record(row.pop("key", None), row.pop("value"), timestamp=ms, **row)
