"""Frames: requests to one running implementation and its answers, in the order of the life-cycle.

A conversation ends with the first fault, and the implementation with it; the session decides whether to restart.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from time import monotonic
from typing import Any

import orjson

from conformance.errors import ImplementationError, SuiteError
from conformance.transport.answers import Answer, BadShape, read_answer
from conformance.transport.channel import EndOfStream, LineTooLong, Silence
from conformance.transport.errors import Crashed, ProtocolError, TimedOut, shown
from conformance.transport.frames import BadFrame, read_frame
from conformance.transport.lifecycle import WORK, Lifecycle, Saw, Sent, State
from conformance.transport.peer import Peer, Trace

__all__ = ["Conversation"]

_OPS: Mapping[str, Sent] = {op.value: op for op in Sent}

_EXIT_PATIENCE = 0.5
"""Seconds in which a child that closed its output is expected to exit."""


class Conversation:
    """Requests and answers over one `peer`; `ids` gives increasing request ids.

    `send` and `receive` allow several requests in flight, `ask` is both of them for one. A fault ends the peer and
    raises a subclass of `ImplementationError`; a request out of order raises `SuiteError`.
    """

    def __init__(self, peer: Peer, ids: Iterator[int], trace: Trace | None = None) -> None:
        self._peer = peer
        self._ids = ids
        self._trace = trace
        self._life = Lifecycle()
        self._in_flight: dict[int, str] = {}
        self._first_id: int | None = None
        self._last_id = 0
        self._seconds = 0.0
        self._deadline = 0.0
        self.last_fault: ImplementationError | None = None
        """The fault that took the place of an answer to `bye`."""
        self._worked: int | None = None  # the last encode or decode with an answer
        self._rested = True  # whether another request was answered since

    def ask(self, op: str, members: Mapping[str, Any], seconds: float) -> Answer:
        """Send one request and wait at most `seconds` for its answer."""
        self.send(op, members, seconds)
        return self.receive()[1]

    def send(self, op: str, members: Mapping[str, Any], seconds: float) -> int:
        """Send a request; returns its id. The answer is due `seconds` after it, or after the answer before."""
        sent = _OPS.get(op)
        if sent is None:
            raise SuiteError(f"the harness protocol has no op {op!r}")
        request_id = next(self._ids)
        try:
            line = orjson.dumps({"id": request_id, "op": op, **members}, option=orjson.OPT_APPEND_NEWLINE)
        except TypeError as e:
            raise SuiteError(f"a request {op!r} cannot be written as JSON: {e}") from None
        self._life.step(sent)
        if self._first_id is None:
            self._first_id = request_id
        if not self._in_flight:
            self._seconds = seconds
            self._deadline = monotonic() + seconds
        self._last_id = request_id
        self._in_flight[request_id] = op
        if sent is Sent.RESET:
            self._peer.forget_stderr()
        if self._trace is not None:
            self._trace.sent(line)
        try:
            self._peer.send(line, self._deadline)
        except Silence as e:
            raise self._timed_out(e) from None
        except LineTooLong as e:
            raise self._protocol_error("it is too long", e.head, self._peer.lines_read + 1) from None
        return request_id

    def receive(self) -> tuple[int, Answer]:
        """The next answer and the id of its request."""
        try:
            line = self._peer.receive(self._deadline)
        except EndOfStream as e:
            raise self._crashed(e) from None
        except Silence as e:
            raise self._timed_out(e) from None
        except LineTooLong as e:
            raise self._protocol_error("it is too long", e.head, self._peer.lines_read + 1) from None
        if self._trace is not None:
            self._trace.received(line)
        request_id, op, frame = self._addressed(line)
        try:
            answer = read_answer(op, frame)
        except BadShape as e:
            raise self._protocol_error(f"no answer to {op}: {e}", line, request=request_id) from None
        del self._in_flight[request_id]
        self._rested = op not in WORK
        self._worked = self._worked if self._rested else request_id
        if self._in_flight:
            self._life.step(Saw.ANSWER)
            self._deadline = monotonic() + self._seconds
        else:
            extra = self._peer.waiting()
            if extra is not None:
                problem, stray = self._noise(extra)
                raise self._protocol_error(problem, extra, self._peer.lines_read + 1, stray)
            self._life.step(Saw.LAST_ANSWER)
        return request_id, answer

    def stderr(self) -> str:
        """The end of the implementation's stderr in this case."""
        return self._peer.stderr()

    def leave(self, patience: float, grace: float) -> str | None:
        """Say bye, wait, terminate, kill; leaves no process. Returns a complaint if that was needed.

        `patience` and `grace` are the seconds of `Peer.leave`. With a request in flight it is killed at once.
        """
        if not self._life.allows(Sent.BYE):
            self._peer.kill()
            return None
        start = monotonic()
        complaint = None
        try:
            self.ask(Sent.BYE, {}, patience)
        except ImplementationError as e:
            self.last_fault, complaint = e, str(e)
        later = self._peer.leave(max(0.0, start + patience - monotonic()), grace)
        return complaint or later

    def kill(self) -> None:
        """End the implementation at once."""
        self._peer.kill()

    def _addressed(self, line: bytes) -> tuple[int, str, dict[str, Any]]:
        """The request for the answer in a line: its id, its op, and the frame."""
        try:
            frame = read_frame(line)
        except BadFrame as e:
            raise self._protocol_error(str(e), line) from None
        request_id = frame.get("id")
        if type(request_id) is not int:
            raise self._protocol_error("it has no integer 'id'", line)
        op = self._in_flight.get(request_id)
        if op is None:
            problem, stray = self._stray(request_id)
            raise self._protocol_error(problem, line, request=stray)
        return request_id, op, frame

    def _stray(self, request_id: int) -> tuple[str, int | None]:
        first = self._first_id
        if first is not None and first <= request_id <= self._last_id:
            return f"a second answer to request {request_id}", request_id
        return f"an answer to request {request_id}, which was not asked", None

    def _noise(self, extra: bytes) -> tuple[str, int | None]:
        """The error for a line that arrived with no request in flight."""
        try:
            frame = read_frame(extra)
        except BadFrame:
            frame = {}
        if type(frame.get("id")) is int:
            return self._stray(frame["id"])
        return "output when no request is in flight", None

    def _asked(self) -> str:
        return ", ".join(f"{op} (request {request_id})" for request_id, op in self._in_flight.items())

    def _crashed(self, end: EndOfStream) -> ImplementationError:
        fate = self._peer.fate(_EXIT_PATIENCE)
        how = f"it {fate.text}" if fate else "it closed its output but kept running"
        rest = f", in the middle of a line: {shown(end.partial)}" if end.partial else ""
        status = fate.status if fate else None
        return self._ended(Crashed(f"{how} during {self._asked()}{rest}", status=status, stderr=self._peer.stderr()))

    def _timed_out(self, silence: Silence) -> ImplementationError:
        fate = self._peer.fate(0)
        if fate is not None:  # a child of its own holds its output open
            return self._crashed(EndOfStream(silence.partial))
        did = "it did not read" if silence.unread else "no answer to"
        rest = f"; of a line there came: {shown(silence.partial)}" if silence.partial else ""
        message = f"{did} {self._asked()} within {self._seconds:g} s{rest}"
        return self._ended(TimedOut(message, seconds=self._seconds, stderr=self._peer.stderr()))

    def _protocol_error(
        self, problem: str, line: bytes, number: int | None = None, request: int | None = None
    ) -> ImplementationError:
        number = self._peer.lines_read if number is None else number
        stderr = self._peer.stderr()
        return self._ended(ProtocolError(problem, line_number=number, line=line, stderr=stderr, request=request))

    def _is_belated(self, error: ImplementationError) -> bool:
        """Whether a fault belongs to the last case that was answered, not to the request in flight."""
        if not self._in_flight:  # it came together with the answer
            return False
        request = error.request if isinstance(error, ProtocolError) else None
        if request is not None:
            return request == self._worked
        is_death = isinstance(error, Crashed) and error.status != 0
        between = not self._rested and all(op not in WORK for op in self._in_flight.values())
        return between and (is_death or isinstance(error, ProtocolError))

    def _ended(self, error: ImplementationError) -> ImplementationError:
        error.belated = self._is_belated(error)
        leaving = self._life.state is State.LEAVING
        self._life.step(Saw.FAULT)
        if not leaving:  # `leave` ends it more gently
            self._peer.kill()
        return error
