"""A plain callable as an implementation: no pipe, process or time-out.

Requests and answers still travel as lines of JSON, so that the same checks see the same values as over a pipe.
"""

from __future__ import annotations

from collections.abc import Callable

import orjson

from conformance.transport.channel import EndOfStream, LineBuffer
from conformance.transport.connection import Exit, Trace
from conformance.transport.hosting import Answering, answer_line
from conformance.transport.limits import Limits
from conformance.transport.persistent import PersistentSession

__all__ = ["InProcessSession"]


class CallableConnection:
    """A connection to a callable, which is called by `send`."""

    def __init__(self, answering: Answering) -> None:
        self._answering = answering
        self._lines = LineBuffer()
        self._stderr = ""

    @property
    def lines_read(self) -> int:
        """The number of lines handed out."""
        return self._lines.taken

    def send(self, line: bytes, deadline: float) -> None:
        """Call the callable, and keep its answer for `receive`; no deadline is observed."""
        answer, complaint = answer_line(self._answering, orjson.loads(line))
        self._stderr += complaint
        self._lines.feed(answer)

    def receive(self, deadline: float) -> bytes:
        """The next line. Raises `EndOfStream` if there is none."""
        line = self._lines.take()
        if line is None:
            raise EndOfStream(b"")
        return line

    def waiting(self) -> bytes | None:
        """See `LineBuffer.waiting`."""
        return self._lines.waiting()

    def stderr(self) -> str:
        """The tracebacks of this case."""
        return self._stderr

    def forget_stderr(self) -> None:
        """Begin a new case."""
        self._stderr = ""

    def exit_within(self, patience: float) -> Exit | None:
        """None: a callable does not end."""
        return None

    def kill(self) -> None:
        """Do nothing: there is no process."""

    def leave(self, patience: float, grace: float) -> str | None:
        """Do nothing: there is no process."""
        return None


class InProcessSession(PersistentSession):
    """A session with the callable that `make()` returns; `make` is called at every start, as for a `py:` address."""

    def __init__(self, make: Callable[[], Answering], limits: Limits | None = None, trace: Trace | None = None) -> None:
        super().__init__(lambda: CallableConnection(make()), limits, trace)
