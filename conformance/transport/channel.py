"""Lines over file descriptors: bytes in, lines out, with a deadline for each answer; no threads.

It also drains the standard error of a child, so that a flood there never blocks the child, and keeps the end.
"""

from __future__ import annotations

import os
import select
from collections import deque
from time import monotonic

from conformance.signals import cuttable

__all__ = ["MAX_LINE", "Channel", "EndOfStream", "LineBuffer", "LineTooLong", "Silence", "Tail"]

MAX_LINE = 64 * 1024 * 1024
"""The longest answer line in bytes, by the harness protocol."""

_CHUNK = 64 * 1024
_TAIL = 16 * 1024
_DRAINS = 64  # reads of stderr in a row: bounds the work for a child that never stops writing


class EndOfStream(Exception):
    """The other side closed its output; `partial` is the beginning of a line that it left."""

    def __init__(self, partial: bytes) -> None:
        super().__init__("the stream has ended")
        self.partial = partial


class Silence(Exception):
    """The deadline passed; `partial` is the beginning of a line. `unread`: the request could not be sent."""

    def __init__(self, partial: bytes, *, unread: bool = False) -> None:
        super().__init__("the deadline has passed")
        self.partial = partial
        self.unread = unread


class LineTooLong(Exception):
    """A line is longer than the limit; `head` is its beginning."""

    def __init__(self, head: bytes) -> None:
        super().__init__("a line is too long")
        self.head = head


class LineBuffer:
    """Bytes in, lines out, however the bytes are cut. A line does not include its `\\n`."""

    __slots__ = ("_held", "_limit", "_partial", "_partial_size", "_ready", "taken")

    def __init__(self, limit: int = MAX_LINE) -> None:
        self._limit = limit
        self._ready: deque[bytes] = deque()
        self._partial: list[bytes] = []
        self._partial_size = 0
        self._held = 0
        self.taken = 0
        """The number of lines handed out."""

    def feed(self, data: bytes) -> None:
        """Take bytes as they come. Raises `LineTooLong`."""
        first, *more = data.split(b"\n")
        if more:
            if self._partial:
                first = b"".join([*self._partial, first])
                self._partial.clear()
                self._partial_size = 0
            last = more.pop()
            self._ready.append(first)
            self._ready.extend(more)
            self._held += len(first) + sum(map(len, more))
        else:
            last = first
        if last:
            self._partial.append(last)
            self._partial_size += len(last)
            if self._partial_size > self._limit:
                raise LineTooLong(self.partial[:_CHUNK])

    def take(self) -> bytes | None:
        """The next whole line, or None. Raises `LineTooLong`."""
        if not self._ready:
            return None
        line = self._ready.popleft()
        self._held -= len(line)
        if len(line) > self._limit:
            raise LineTooLong(line[:_CHUNK])
        self.taken += 1
        return line

    @property
    def partial(self) -> bytes:
        """The beginning of an incomplete line."""
        return b"".join(self._partial)

    @property
    def is_full(self) -> bool:
        """Whether the whole lines that wait exceed the limit, so that reading should pause."""
        return self._held > self._limit

    def waiting(self) -> bytes | None:
        """The data after the lines taken: the next line, or the beginning of one; None if there is none."""
        if self._ready:
            return self._ready[0]
        return self.partial if self._partial else None


class Tail:
    """The end of a stream of bytes, at most `size` of them."""

    __slots__ = ("_cut", "_data", "_size")

    def __init__(self, size: int = _TAIL) -> None:
        self._size = size
        self._data = bytearray()
        self._cut = False

    def feed(self, data: bytes) -> None:
        """Take bytes; the oldest are dropped."""
        self._data += data
        if len(self._data) > self._size:
            del self._data[: -self._size]
            self._cut = True

    def clear(self) -> None:
        """Forget everything."""
        self._data.clear()
        self._cut = False

    def text(self) -> str:
        """The bytes as text, marked where something is missing before them."""
        return ("…" if self._cut else "") + self._data.decode("utf-8", errors="replace")


class Channel:
    """A line channel over non-blocking descriptors: one to read, one to write (never the same one), one for stderr.

    It owns its descriptors. Deadlines are readings of `time.monotonic`.
    """

    def __init__(self, read_fd: int, write_fd: int, stderr_fd: int | None = None, *, max_line: int = MAX_LINE) -> None:
        self._lines = LineBuffer(max_line)
        self._read_fd = read_fd
        self._write_fd = write_fd
        self._stderr_fd = stderr_fd
        self._open = {fd for fd in (read_fd, write_fd, stderr_fd) if fd is not None}
        self._ended = False
        self._poll = select.poll()
        self._tail = Tail()
        for fd in self._open:
            os.set_blocking(fd, False)
        for fd in self._open - {write_fd}:
            self._poll.register(fd, select.POLLIN)

    @property
    def lines_read(self) -> int:
        """The number of lines handed out."""
        return self._lines.taken

    def waiting(self) -> bytes | None:
        """The data after the last line: see `LineBuffer.waiting`."""
        return self._lines.waiting()

    def send(self, line: bytes, deadline: float) -> None:
        """Write a line with its `\\n`, reading meanwhile. Raises `Silence` if the other side does not read.

        If the other side has closed, the next `receive` reports that.
        """
        try:
            sent = os.write(self._write_fd, line)
        except BlockingIOError:
            sent = 0
        except OSError:
            return
        if sent < len(line):
            self._send_rest(memoryview(line)[sent:], deadline)

    @cuttable
    def receive(self, deadline: float) -> bytes:
        """The next line. Raises `EndOfStream`, `Silence` or `LineTooLong`."""
        line = self._lines.take()
        while line is None:
            if self._ended:
                raise EndOfStream(self._lines.partial)
            remaining = deadline - monotonic()
            if remaining <= 0:
                raise Silence(self._lines.partial)
            for fd, _ in self._poll.poll(remaining * 1000):
                self._read(fd)
            line = self._lines.take()
        return line

    def stderr(self) -> str:
        """The end of stderr since `forget_stderr`."""
        self._drain_stderr()
        return self._tail.text()

    def forget_stderr(self) -> None:
        """Begin a new case: earlier stderr belongs to the case before."""
        self._drain_stderr()
        self._tail.clear()

    def close_input(self) -> None:
        """Close the writing side."""
        self._close(self._write_fd)

    def close(self) -> None:
        """Close every descriptor."""
        for fd in tuple(self._open):
            self._close(fd)
        self._ended = True

    @cuttable
    def _send_rest(self, rest: memoryview, deadline: float) -> None:
        self._poll.register(self._write_fd, select.POLLOUT)
        try:
            while rest and not self._ended:
                remaining = deadline - monotonic()
                if remaining <= 0:
                    raise Silence(self._lines.partial, unread=True)
                for fd, _ in self._poll.poll(remaining * 1000):
                    if fd != self._write_fd:
                        self._read(fd)
                        continue
                    try:
                        rest = rest[os.write(fd, rest) :]
                    except BlockingIOError:
                        continue
                    except OSError:
                        return
                if self._lines.is_full:  # so much output before the request is read is noise, which `receive` reports
                    return
        finally:
            self._poll.unregister(self._write_fd)

    def _read(self, fd: int) -> None:
        try:
            data = os.read(fd, _CHUNK)
        except BlockingIOError:
            return
        except OSError:  # the connection was reset, which is an end
            data = b""
        if not data:
            self._poll.unregister(fd)
        if fd == self._read_fd:
            if data:
                self._lines.feed(data)
            else:
                self._ended = True
        elif data:
            self._tail.feed(data)
        else:
            self._close(fd)

    def _drain_stderr(self) -> None:
        for _ in range(_DRAINS):
            if self._stderr_fd not in self._open:
                return
            try:
                data = os.read(self._stderr_fd, _CHUNK)
            except OSError:
                return
            if not data:
                return
            self._tail.feed(data)

    def _close(self, fd: int) -> None:
        if fd in self._open:
            self._open.discard(fd)
            os.close(fd)
