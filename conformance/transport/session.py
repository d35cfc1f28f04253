"""A session with an implementation, whatever its address: the interface, and what all sessions share."""

from __future__ import annotations

import itertools
import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from types import MappingProxyType, TracebackType
from typing import Any, Self, TypeAlias

from conformance import __version__
from conformance.errors import ImplementationError, SuiteError
from conformance.transport.answers import Answer
from conformance.transport.connection import Launch, Trace
from conformance.transport.conversation import Conversation
from conformance.transport.errors import HarnessLost
from conformance.transport.lifecycle import WORK, Sent
from conformance.transport.limits import Limits

__all__ = ["AnswerOrFault", "RestartBudget", "Session", "lost_at_start"]

AnswerOrFault: TypeAlias = Answer | ImplementationError
"""The outcome of one request of several: its answer, or the fault in its place."""

_OPS = WORK | {Sent.CONFIGURE, Sent.RESET}
_NOT_STARTED: Mapping[str, Any] = MappingProxyType({})
_LONGEST_LINE = 200
"""Characters of a line of stderr in messages."""
_NAMES_AN_ERROR = re.compile(r"(?=\S).*(error|exception|panic|fatal)", re.IGNORECASE)


class Session(ABC):
    """A session that survives failures of the implementation. A context manager: leaving it closes it.

    The order of requests is `configure`, then `reset` and `encode` or `decode` for every case. A request without a
    proper answer raises `Crashed`, `TimedOut` or `ProtocolError`; before the next request the session starts the
    implementation again and repeats the last `configure` and `reset`. `HarnessLost` means that no more requests are
    possible. A request out of order raises `SuiteError`.
    """

    def __init__(self, launch: Launch, limits: Limits | None = None, trace: Trace | None = None) -> None:
        self._launch = launch
        self._limits = limits or Limits()
        self._trace = trace
        self._ids = itertools.count(1)
        self._budget = RestartBudget(self._limits.restarts)
        self._configured: Mapping[str, Any] | None = None  # the members of the last `configure`
        self._fault: ImplementationError | None = None  # the reason for the next restart
        self._stderr = ""  # of the last implementation that has ended
        self.hello: Mapping[str, Any] = _NOT_STARTED
        """The result of `hello`, once `start` has returned."""
        self.restarts = 0
        """The number of restarts."""
        self.last_fault: ImplementationError | None = None
        """The fault that took the place of an answer to `bye`."""

    @property
    def window(self) -> int:
        """The number of `encode` and `decode` requests that the implementation allows in flight."""
        return int(self.hello.get("window", 1))

    @abstractmethod
    def start(self) -> Mapping[str, Any]:
        """Start the implementation; returns the result of `hello`. Raises `HarnessLost` if it does not answer."""

    def configure(self, request: Mapping[str, Any]) -> Answer:
        """Send `configure` with these members (`protocol`, `options`, …)."""
        return self.ask(Sent.CONFIGURE, **request)

    @abstractmethod
    def ask(self, op: str, **members: Any) -> Answer:
        """Send a `configure`, `reset`, `encode` or `decode` request and wait for its answer."""

    def ask_many(self, requests: Sequence[Mapping[str, Any]]) -> list[AnswerOrFault]:
        """The outcomes of requests, each a mapping of `op` and its members, in the order of the requests.

        With a window above 1, consecutive `encode` and `decode` requests are in flight together. An
        `ImplementationError` is not raised: it is the outcome of the request to blame, and of all later requests if the
        implementation is lost.
        """
        return [self._outcome(request) for request in requests]

    @abstractmethod
    def stderr(self) -> str:
        """The end of the implementation's stderr since the last `reset`."""

    @abstractmethod
    def close(self) -> str | None:
        """Send `bye` and wait, else terminate or kill; leaves no process. Returns a complaint unless `bye` sufficed."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _greet(self) -> tuple[Conversation, Mapping[str, Any]]:
        """Start an implementation: the conversation, and the result of `hello`. A fault leaves no process."""
        if self._trace is not None:
            self._trace.launched()
        conversation = Conversation(self._launch(), self._ids, self._trace)
        try:
            answer = conversation.ask(Sent.HELLO, {"harness": 1, "suite": __version__}, self._limits.start)
            return conversation, _hello_result(answer)
        except BaseException:
            conversation.kill()
            raise

    def _outcome(self, request: Mapping[str, Any]) -> AnswerOrFault:
        try:
            return self.ask(**request)
        except ImplementationError as e:
            return e

    def _check(self, op: str) -> None:
        """Check that a session can send this now. Raises `SuiteError`."""
        if op not in _OPS:
            raise SuiteError(f"a session sends {', '.join(sorted(_OPS))}, not {op!r}")
        if self.hello is _NOT_STARTED:
            raise SuiteError("a request before the session was started")


class RestartBudget:
    """Counts restarts without a good answer in between. `limit` None allows any number."""

    def __init__(self, limit: int | None) -> None:
        self._limit = limit
        self._spent = 0

    def spend(self, last: ImplementationError | None) -> None:
        """Count a restart. Raises `HarnessLost` once the limit is reached; `last` is the reason for the restart."""
        if self._limit is not None and self._spent >= self._limit:
            why = f"; the last fault: {last}" if last else ""
            raise HarnessLost(f"given up after {self._limit} restarts without a good answer in between{why}")
        self._spent += 1

    def refund(self) -> None:
        """Begin to count anew, after a good answer to `encode` or `decode`."""
        self._spent = 0


def lost_at_start(error: ImplementationError) -> HarnessLost:
    """The error for a fault before the first `hello` was answered."""
    if isinstance(error, HarnessLost):
        return error
    lines = [line for line in error.stderr.splitlines() if line.strip()]
    # Node.js, Go and Java name the error above the stack; the lines of the stack are indented.
    telling = [line for line in lines if _NAMES_AN_ERROR.match(line)] or lines or [""]
    shown = "".join(c if c.isprintable() else "?" for c in telling[-1].strip()[:_LONGEST_LINE])
    why = f"; its stderr says: {shown}" if shown else ""
    return HarnessLost(f"it did not start: {error}{why}", stderr=error.stderr)


def _hello_result(answer: Answer) -> Mapping[str, Any]:
    """The result in an answer to `hello`. Raises `HarnessLost` for any answer but `ok`."""
    if answer.kind != "ok":
        text = answer.payload["message"] if answer.kind == "rejected" else answer.payload
        raise HarnessLost(f"it did not start: it answered hello with {answer.kind}: {text}")
    return MappingProxyType(answer.payload)
