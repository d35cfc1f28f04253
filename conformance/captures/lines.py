"""Splits a stream of bytes into lines, in bounded memory. LF and CRLF both end a line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

__all__ = ["LONGEST_LINE", "Line", "split_lines"]

LONGEST_LINE = 64 * 2**20  # bytes without the end of the line
_SHOWN = 200  # bytes kept of a longer line


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the stream; of a line that is too long, `data` is only the beginning."""

    number: int
    """Counted from 1."""
    offset: int
    """The position of its first byte in the stream."""
    data: bytes
    """The bytes without the end of the line."""
    ending: bytes
    r"""`\r\n` or `\n`; empty if the stream ends without one."""
    length: int
    """The number of bytes that `data` has, or had before it was cut."""

    @property
    def is_whole(self) -> bool:
        """Whether `data` is the whole line."""
        return len(self.data) == self.length


def _line(number: int, offset: int, data: bytes, cut: int, *, ended: bool) -> Line:
    """A line from its bytes up to the LF; `cut` is the number of bytes left out after `data`."""
    ending = b"\n" if ended else b""
    if ended and not cut and data.endswith(b"\r"):
        data, ending = data[:-1], b"\r\n"
    return Line(number, offset, data, ending, len(data) + cut)


def split_lines(chunks: Iterable[bytes], longest: int = LONGEST_LINE) -> Iterator[Line]:
    """The lines of `chunks`; memory is bounded by `longest` bytes and the largest chunk."""
    number, offset, pending, cut = 1, 0, bytearray(), 0
    for chunk in chunks:
        start = 0
        while (end := chunk.find(b"\n", start)) >= 0:
            part = chunk[start:end]
            if cut:
                line = _line(number, offset, bytes(pending), cut + len(part), ended=True)
            else:
                line = _line(number, offset, bytes(pending) + part, 0, ended=True)
            yield line
            offset += line.length + len(line.ending)
            number, pending, cut, start = number + 1, bytearray(), 0, end + 1
        rest = chunk[start:]
        if cut:
            cut += len(rest)
        elif len(pending) + len(rest) > longest:
            length = len(pending) + len(rest)
            pending = (pending + rest[:_SHOWN])[:_SHOWN]
            cut = length - len(pending)
        else:
            pending += rest
    if pending:
        yield _line(number, offset, bytes(pending), cut, ended=False)
