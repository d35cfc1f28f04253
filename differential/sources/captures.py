"""Reads the messages of a side from captures of every form, parquet files, and topics."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

from conformance.captures.files import matching, read_capture
from conformance.errors import missing_extra
from differential.sources.spec import Spec
from differential.sources.topics import fixed_readings, is_topics, reading_of
from differential.unread import message_of
from reference_impl.model import Record

__all__ = ["fingerprint", "parquet_files", "read_source", "with_fixed_offsets"]

_ROWS = 4096
_PARQUET = ("value", "key", "topic", "partition", "offset", "timestamp")


def read_source(spec: Spec) -> Iterator[Record]:
    """The messages of a side, in order; a message without an offset gets its number on the side.

    A malformed line becomes a message that no dialect can read. Raises `UsageError` for a source that cannot be read.
    """
    if is_topics(spec.source):
        yield from (spec.reading or reading_of(spec.source)).records()
        return
    path = Path(spec.source)
    files = parquet_files(path)
    records = _parquet(files) if files else _captured(path, spec.dialect)
    for number, record in enumerate(records):
        yield record if record.offset is not None else replace(record, offset=number)


def with_fixed_offsets(specs: Sequence[Spec], config: Path | None = None, stage: Path | None = None) -> list[Spec]:
    """The specs with the current offsets of topics, or those of a run that is continued.

    Such a run stored its offsets in `stage`.

    `config` is the file of Kafka's client properties. Raises `UsageError` for topics that cannot be read.
    """
    readings = fixed_readings([spec.source for spec in specs], config, stage)
    return [replace(spec, reading=reading) for spec, reading in zip(specs, readings, strict=True)]


def fingerprint(spec: Spec) -> list[Any]:
    """A fingerprint of a side's messages: names, sizes and times of files, offsets of topics."""
    if spec.reading is not None:
        return [spec.reading.topics.servers, spec.reading.to_json()]
    below = ((path, *path.rglob("*")) if path.is_dir() else (path,) for path in matching(Path(spec.source)))
    files = sorted(file for file in chain.from_iterable(below) if file.is_file())
    return [[str(file), file.stat().st_size, file.stat().st_mtime_ns] for file in files]


def parquet_files(path: Path) -> list[Path]:
    """The parquet files of a path or pattern, sorted by name; empty if it means captures."""
    below = (sorted(one.rglob("*.parquet")) if one.is_dir() else [one] for one in matching(path))
    return [file for file in chain.from_iterable(below) if file.suffix == ".parquet"]


def _captured(path: Path, dialect: str) -> Iterator[Record]:
    for captured in read_capture(path, dialect):
        yield message_of(captured.record, captured.place.file, captured.place.offset, captured.problem)


def _parquet(files: list[Path]) -> Iterator[Record]:
    try:
        from differential.sources.parquets import as_record_batches, opened, readable
    except ImportError:
        raise missing_extra("parquet is read with pyarrow", "compare") from None
    for file in files:
        found = opened(file)
        columns = [name for name in _PARQUET if name in found.schema_arrow.names]
        for group in range(found.num_row_groups):  # one at a time, since some callers need only the first messages
            batches = found.iter_batches(_ROWS, row_groups=[group], columns=columns)
            while True:
                with readable(file):
                    batch = next(batches, None)
                if batch is None:
                    break
                for row in as_record_batches(file, batch).to_pylist():
                    yield Record(row.pop("key", None), row.pop("value"), **row)
