"""A session with a program that is started for every case: hello, configure, reset, one request, bye."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from conformance.errors import ImplementationError, SuiteError
from conformance.transport.answers import Answer
from conformance.transport.conversation import Conversation
from conformance.transport.errors import HarnessLost
from conformance.transport.lifecycle import Sent
from conformance.transport.session import Session, lost_at_start

__all__ = ["OneShotSession"]


class OneShotSession(Session):
    """A process for each case, started by `launch`.

    `reset` starts nothing: every case has a fresh process anyway. A fault in any step up to `bye` belongs to the case.
    The session ends with `HarnessLost` after too many cases in a row without an answer: the limit of restarts.
    """

    @property
    def window(self) -> int:
        """One: each process gets one case, whatever its hello says."""
        return 1

    def start(self) -> Mapping[str, Any]:
        """Start one process, say hello and bye."""
        try:
            self._with_process(lambda conversation: Answer("ok", {}))
        except ImplementationError as e:
            raise lost_at_start(e) from e
        return self.hello

    def ask(self, op: str, **members: Any) -> Answer:
        """Run a process for this request; see `Session.ask`."""
        self._check(op)
        if op == Sent.CONFIGURE:
            self._configured = None
            answer = self._run(lambda conversation: conversation.ask(op, members, self._limits.answer))
            self._configured = members
            return answer
        configured = self._configured
        if configured is None:
            raise SuiteError(f"the life-cycle of the harness protocol has no step {op!r} before 'configure'")
        if op == Sent.RESET:
            return Answer("ok", {})

        def case(conversation: Conversation) -> Answer:
            conversation.ask(Sent.CONFIGURE, configured, self._limits.answer)
            conversation.ask(Sent.RESET, {}, self._limits.answer)
            return conversation.ask(op, members, self._limits.answer)

        answer = self._run(case)
        self._budget.refund()
        return answer

    def stderr(self) -> str:
        """The end of the last process's stderr."""
        return self._stderr

    def close(self) -> str | None:
        """Close the trace; no process outlives its case."""
        if self._trace is not None:
            self._trace.close()
        return None

    def _run(self, talk: Callable[[Conversation], Answer]) -> Answer:
        """The answer that `talk` gets from a new process, which counts as a restart after a fault."""
        if self._fault is not None:
            self._budget.spend(self._fault)
            self.restarts += 1
        try:
            answer = self._with_process(talk)
        except HarnessLost:
            raise
        except ImplementationError as e:
            self._fault = e
            raise
        self._fault = None
        return answer

    def _with_process(self, talk: Callable[[Conversation], Answer]) -> Answer:
        """Start a process, say hello, call `talk` with the conversation, and end the process."""
        conversation: Conversation | None = None
        try:
            conversation, self.hello = self._greet()
            answer = talk(conversation)
            self._stderr = conversation.stderr()
        except ImplementationError as e:
            self._stderr = e.stderr
            raise
        finally:
            if conversation is not None:
                conversation.leave(self._limits.bye, self._limits.terminate)
        fault = conversation.last_fault
        if fault is not None and fault.belated:
            fault.belated = False  # only this case used the process
            raise fault
        return answer
