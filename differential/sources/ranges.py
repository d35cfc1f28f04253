"""Splits captures of lines into byte ranges, each a task for a worker.

A range has the lines that begin in it, so every line belongs to exactly one range. The readers of captures interpret
the lines. A message without an offset gets its number on the side, so ranges are counted first. A compressed file is
one range.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from conformance.captures.files import capture_files, form_of_file, is_compressed, read_capture, read_file
from conformance.captures.lines import Line, split_lines
from conformance.captures.readers import is_ignored, read_lines
from differential.record_batches import record_batches
from differential.unread import message_of
from reference_impl.model import Record

__all__ = ["FILE_NOT_SEEN", "Range", "batches_of", "count_records", "ranges_of", "records_of"]

_BYTES = 16 * 2**20  # of a range
_CHUNK = 2**18  # bytes that are read at once
_ROWS = 4096  # of a batch

FILE_NOT_SEEN = -1
"""In place of a count, if a machine does not have the file of a range."""


@dataclass(frozen=True, slots=True)
class Range:
    """The lines of a file that begin in bytes `begin` to `end`."""

    file: str
    form: str | None  # the form of the capture
    protocol: str
    size: int  # bytes of the whole file, by which a worker checks that it has the same file
    begin: int = 0
    end: int | None = None  # exclusive; None for a compressed file, which is one range


def ranges_of(path: Path, protocol: str, most: int = _BYTES) -> list[Range]:
    """The ranges of a capture, of at most `most` bytes, in order.

    Raises `UsageError` as `read_capture` does.
    """
    next(read_capture(path, protocol), None)  # raises if no line is a message
    found = []
    for file in capture_files(path):
        form, size = form_of_file(file, protocol), file.stat().st_size
        if is_compressed(file):
            found.append(Range(str(file), form, protocol, size))
        elif form is not None:
            begins = range(0, size, most)
            found += [Range(str(file), form, protocol, size, begin, min(begin + most, size)) for begin in begins]
    return found


def _chunks(file: Any) -> Iterator[bytes]:
    while chunk := file.read(_CHUNK):
        yield chunk


def _lines(range_: Range) -> Iterator[Line]:
    """The lines that begin in a range of an uncompressed file."""
    assert range_.end is not None
    with Path(range_.file).open("rb") as file:
        at = range_.begin
        if at:
            # A line that reaches into the range belongs to the range before.
            file.seek(at - 1)
            at -= 1
            while chunk := file.read(_CHUNK):
                end = chunk.find(b"\n")
                at += len(chunk) if end < 0 else end + 1
                if end >= 0:
                    break
            file.seek(at)
        for line in split_lines(_chunks(file)):
            if at + line.offset >= range_.end:
                return
            yield replace(line, offset=at + line.offset)


def count_records(range_: Range) -> int:
    """The number of records in a range, with malformed ones.

    `FILE_NOT_SEEN` if this machine lacks the file.
    """
    file = Path(range_.file)
    if not file.is_file() or file.stat().st_size != range_.size:
        return FILE_NOT_SEEN
    if range_.end is None:
        return sum(1 for _ in read_file(file, range_.form, range_.protocol))
    return sum(1 for line in _lines(range_) if not is_ignored(str(range_.form), line))


def records_of(range_: Range, first: int) -> Iterator[Record]:
    """The records of a range; `first` is the number of the first one on its side."""
    whole = range_.end is None
    captured = (
        read_file(Path(range_.file), range_.form, range_.protocol)
        if whole
        else read_lines(str(range_.form), _lines(range_), range_.file)
    )
    for number, one in enumerate(captured, first):
        record = message_of(one.record, one.place.file, one.place.offset, one.problem)
        yield record if record.offset is not None else replace(record, offset=number)


def batches_of(range_: Range, first: int) -> Iterator[Any]:
    """The records of a range as batches with the columns of `RECORD_SCHEMA`; `first` as in `records_of`."""
    return record_batches(records_of(range_, first), _ROWS)
