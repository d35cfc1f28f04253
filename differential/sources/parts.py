"""Splits the messages of a side into parts that workers on this machine read on their own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, islice
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any, Protocol, TypeAlias

import pyarrow

from conformance.captures.files import capture_files
from differential.record_batches import RECORD_SCHEMA, record_batches
from differential.sources.captures import parquet_files, read_source
from differential.sources.groups import Group, batches_of_group, tasks_of
from differential.sources.ranges import FILE_NOT_SEEN, Range, batches_of, count_records, ranges_of
from differential.sources.spec import Spec
from differential.sources.topics import is_topics
from reference_impl.model import Record

__all__ = ["FilePart", "Part", "file_parts", "in_memory", "messages_in", "parts_of"]

_SPOOLED = 20_000  # messages of a part in a spool file
_BATCH = 4096  # messages of a batch

Map: TypeAlias = Callable[[Callable[[Any], Any], Iterable[Any]], Iterable[Any]]
"""A function like `map` that may use other processes."""


class Part(Protocol):
    """A part of a side's messages; every reading returns the same messages."""

    def batches(self) -> Iterator[Any]:
        """Batches with the columns of `RECORD_SCHEMA`. Raises `UsageError` for a file that cannot be read."""
        ...


@dataclass(frozen=True, slots=True)
class _InMemory:
    """Messages in the driver's memory, which are sent to the worker."""

    records: Sequence[Record]

    def batches(self) -> Iterator[Any]:
        """Batches of a few thousand messages."""
        return record_batches(self.records, _BATCH)


@dataclass(frozen=True, slots=True)
class _Groups:
    """Row groups of parquet files."""

    groups: Sequence[Group]

    @property
    def messages(self) -> int:
        """The number of messages."""
        return sum(group.rows for group in self.groups)

    def batches(self) -> Iterator[Any]:
        for group in self.groups:
            yield from batches_of_group(group)


@dataclass(frozen=True, slots=True)
class _Lines:
    """Lines of a capture; `first` is the number of their first message on the side."""

    lines: Range
    first: int
    messages: int

    def batches(self) -> Iterator[Any]:
        return batches_of(self.lines, self.first)


def in_memory(records: Iterable[Record], size: int) -> Iterator[Part]:
    """Messages in parts of `size`."""
    rest = iter(records)
    while chunk := list(islice(rest, size)):
        yield _InMemory(chunk)


@dataclass(frozen=True, slots=True)
class _Spooled:
    """Messages of a source that can be read only once, stored in a file."""

    file: str

    def batches(self) -> Iterator[Any]:
        with pyarrow.memory_map(self.file) as file:
            yield from pyarrow.ipc.open_stream(file)


def _spooled(records: Iterable[Record], folder: str) -> Iterator[Part]:
    """Store messages that can be read only once in files of a folder."""
    for part in in_memory(records, _SPOOLED):
        with (
            NamedTemporaryFile(dir=folder, suffix=".messages", delete=False) as file,
            pyarrow.ipc.new_stream(
                file, RECORD_SCHEMA, options=pyarrow.ipc.IpcWriteOptions(compression="lz4")
            ) as writer,
        ):
            for batch in part.batches():
                writer.write_batch(batch)
        yield _Spooled(file.name)


FilePart: TypeAlias = _Groups | _Lines
"""A part of files, which a worker reads on its own; it has the number of its `messages`."""


def file_parts(spec: Spec, map_on_workers: Map) -> list[FilePart] | None:
    """The messages of a side, in order, as parts of files; None if workers cannot read them.

    Workers cannot read topics and pipes, and files that their machine does not have. Raises `UsageError` for a source
    that cannot be read.
    """
    if is_topics(spec.source):
        return None
    path = Path(spec.source)
    if files := parquet_files(path):
        return [_Groups(tuple(groups)) for groups in tasks_of(files)]
    if not all(file.is_file() for file in capture_files(path)):
        return None  # a pipe can be read only once
    ranges = ranges_of(path, spec.dialect)
    counts = list(map_on_workers(count_records, ranges))
    if FILE_NOT_SEEN in counts:
        return None
    ends = accumulate(counts)
    return [_Lines(lines, end - count, count) for lines, end, count in zip(ranges, ends, counts, strict=True)]


def parts_of(spec: Spec, map_on_workers: Map, folder: str) -> list[FilePart] | Iterator[Part]:
    """The messages of a side, in order. Raises `UsageError` for a source that cannot be read.

    The driver reads what workers cannot read, and stores its messages in `folder`.
    """
    parts = file_parts(spec, map_on_workers)
    return _spooled(read_source(spec), folder) if parts is None else parts


def messages_in(sides: Iterable[list[FilePart] | Iterator[Part]]) -> int | None:
    """The number of messages in the parts of all sides, None if unknown before they are read."""
    total = 0
    for parts in sides:
        if not isinstance(parts, list):  # reading the parts of a topic or pipe would consume them
            return None
        total += sum(part.messages for part in parts)
    return total
