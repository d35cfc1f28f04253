"""Requests to one running implementation and its answers, in the order of the life-cycle.

The first fault ends the conversation and the implementation; the session decides whether to restart.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from time import monotonic
from typing import Any

import orjson

from conformance.errors import ImplementationError, SuiteError
from conformance.transport.answers import Answer, BadShape, read_answer
from conformance.transport.channel import EndOfStream, LineTooLong, Silence
from conformance.transport.connection import Connection, Trace
from conformance.transport.errors import Crashed, ProtocolError, TimedOut, shown
from conformance.transport.frames import BadFrame, read_frame
from conformance.transport.lifecycle import WORK, Lifecycle, Saw, Sent, State

__all__ = ["Conversation"]

_OPS: Mapping[str, Sent] = {op.value: op for op in Sent}

_EXIT_PATIENCE = 0.5
"""Seconds in which a child that closed its output is expected to exit."""


class Conversation:
    """Requests and answers over one `connection`; `ids` yields increasing request ids.

    `send` and `receive` allow several requests in flight; `ask` does both for one request. A fault ends the
    implementation and raises a subclass of `ImplementationError`; a request out of order raises `SuiteError`.
    """

    def __init__(self, connection: Connection, ids: Iterator[int], trace: Trace | None = None) -> None:
        self._connection = connection
        self._ids = ids
        self._trace = trace
        self._life = Lifecycle()
        self._in_flight: dict[int, str] = {}  # request id → op
        self._partitions = 1  # as configured
        self._first_id: int | None = None
        self._last_id = 0
        self._seconds = 0.0  # the limit for an answer
        self._deadline = 0.0
        self.last_fault: ImplementationError | None = None
        """The fault that took the place of an answer to `bye`."""
        self._last_work: int | None = None  # the id of the last encode or decode with an answer
        self._is_work_over = True  # another request was answered since

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
        if sent is Sent.CONFIGURE:
            self._partitions = members.get("partitions", 1)
        if sent is Sent.RESET:
            self._connection.forget_stderr()
        if self._trace is not None:
            self._trace.sent(line)
        try:
            self._connection.send(line, self._deadline)
        except Silence as e:
            raise self._timed_out(e) from None
        except LineTooLong as e:
            raise self._protocol_error("it is too long", e.head, self._connection.lines_read + 1) from None
        return request_id

    def receive(self) -> tuple[int, Answer]:
        """The next answer and the id of its request."""
        try:
            line = self._connection.receive(self._deadline)
        except EndOfStream as e:
            raise self._crashed(e) from None
        except Silence as e:
            raise self._timed_out(e) from None
        except LineTooLong as e:
            raise self._protocol_error("it is too long", e.head, self._connection.lines_read + 1) from None
        if self._trace is not None:
            self._trace.received(line)
        request_id, op, frame = self._addressed(line)
        try:
            answer = read_answer(op, frame, self._partitions)
        except BadShape as e:
            raise self._protocol_error(f"no answer to {op}: {e}", line, request=request_id) from None
        del self._in_flight[request_id]
        self._is_work_over = op not in WORK
        if not self._is_work_over:
            self._last_work = request_id
        if self._in_flight:
            self._life.step(Saw.ANSWER)
            self._deadline = monotonic() + self._seconds
        else:
            extra = self._connection.waiting()
            if extra is not None:
                problem, stray = self._noise(extra)
                raise self._protocol_error(problem, extra, self._connection.lines_read + 1, stray)
            self._life.step(Saw.LAST_ANSWER)
        return request_id, answer

    def stderr(self) -> str:
        """The end of the implementation's stderr in this case."""
        return self._connection.stderr()

    def leave(self, patience: float, grace: float) -> str | None:
        """Send `bye` and wait, else terminate or kill; leaves no process. Returns a complaint unless `bye` sufficed.

        `patience` and `grace` are the seconds of `Connection.leave`. With a request in flight the implementation is
        killed at once.
        """
        if not self._life.allows(Sent.BYE):
            self._connection.kill()
            return None
        start = monotonic()
        complaint = None
        try:
            self.ask(Sent.BYE, {}, patience)
        except ImplementationError as e:
            self.last_fault, complaint = e, str(e)
        complaint_at_exit = self._connection.leave(max(0.0, start + patience - monotonic()), grace)
        return complaint or complaint_at_exit

    def kill(self) -> None:
        """End the implementation at once."""
        self._connection.kill()

    def _addressed(self, line: bytes) -> tuple[int, str, dict[str, Any]]:
        """The id and the op of the request that a line answers, and the frame in the line."""
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
        """The problem with an answer to no request in flight, and the id of the request that it belongs to."""
        first = self._first_id
        if first is not None and first <= request_id <= self._last_id:
            return f"a second answer to request {request_id}", request_id
        return f"an answer to request {request_id}, which was not asked", None

    def _noise(self, extra: bytes) -> tuple[str, int | None]:
        """Like `_stray`, for a line that came with no request in flight and may hold anything."""
        try:
            frame = read_frame(extra)
        except BadFrame:
            frame = {}
        if type(frame.get("id")) is int:
            return self._stray(frame["id"])
        return "output when no request is in flight", None

    def _requests_in_flight(self) -> str:
        return ", ".join(f"{op} (request {request_id})" for request_id, op in self._in_flight.items())

    def _crashed(self, end: EndOfStream) -> ImplementationError:
        exited = self._connection.exit_within(_EXIT_PATIENCE)
        how = f"it {exited.text}" if exited else "it closed its output but kept running"
        rest = f", in the middle of a line: {shown(end.partial)}" if end.partial else ""
        status = exited.status if exited else None
        return self._ended(
            Crashed(f"{how} during {self._requests_in_flight()}{rest}", status=status, stderr=self._connection.stderr())
        )

    def _timed_out(self, silence: Silence) -> ImplementationError:
        exited = self._connection.exit_within(0)
        if exited is not None:  # a child of the implementation keeps the output open
            return self._crashed(EndOfStream(silence.partial))
        did = "it did not read" if silence.unread else "no answer to"
        rest = f"; of a line there came: {shown(silence.partial)}" if silence.partial else ""
        message = f"{did} {self._requests_in_flight()} within {self._seconds:g} s{rest}"
        return self._ended(TimedOut(message, stderr=self._connection.stderr()))

    def _protocol_error(
        self, problem: str, line: bytes, number: int | None = None, request: int | None = None
    ) -> ImplementationError:
        number = self._connection.lines_read if number is None else number
        stderr = self._connection.stderr()
        return self._ended(ProtocolError(problem, line_number=number, line=line, stderr=stderr, request=request))

    def _is_belated(self, error: ImplementationError) -> bool:
        """Whether a fault belongs to the last case that was answered, not to the request in flight."""
        if not self._in_flight:  # the offending line came together with the answer
            return False
        request = error.request if isinstance(error, ProtocolError) else None
        if request is not None:
            return request == self._last_work
        is_crash = isinstance(error, Crashed) and error.status != 0
        is_between = not self._is_work_over and all(op not in WORK for op in self._in_flight.values())
        return is_between and (is_crash or isinstance(error, ProtocolError))

    def _ended(self, error: ImplementationError) -> ImplementationError:
        error.belated = self._is_belated(error)
        is_leaving = self._life.state is State.LEAVING
        self._life.step(Saw.FAULT)
        if not is_leaving:  # `leave` ends the implementation more gently
            self._connection.kill()
        return error
