"""A plain callable as an implementation: no pipe, process or time-out. For mutants and tests of the engine.

Requests and answers still travel as lines of JSON, so that the same checks see the same values as over a pipe.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable
from typing import Any, TypeAlias

import orjson

from conformance.transport.channel import EndOfStream, LineBuffer
from conformance.transport.connection import Exit, Trace
from conformance.transport.limits import Limits
from conformance.transport.persistent import PersistentSession

__all__ = ["Answering", "CallableConnection", "InProcessSession", "answer_line"]

Answering: TypeAlias = Callable[[dict[str, Any]], Any]
"""Answers a request; both are frames of the harness protocol as Python values."""


def answer_line(answering: Answering, request: dict[str, Any]) -> tuple[bytes, str]:
    """The answer line with its `\\n`, and a traceback: an exception of the callable becomes an `error` answer."""
    try:
        return orjson.dumps(answering(request), option=orjson.OPT_APPEND_NEWLINE), ""
    except Exception as e:  # noqa: BLE001 - an exception of hosted code is its own fault, and the answer says so
        text = "".join(traceback.format_exception_only(e)).strip()
        frame = {"id": request.get("id"), "error": text.encode(errors="backslashreplace").decode()}
        return orjson.dumps(frame, option=orjson.OPT_APPEND_NEWLINE), traceback.format_exc()


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
