"""A session with a long-lived implementation: restarts, replay of its configuration, several requests in flight."""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Mapping, Sequence
from typing import Any

from conformance.errors import ImplementationError
from conformance.transport.answers import Answer
from conformance.transport.connection import Launch, Trace
from conformance.transport.conversation import Conversation
from conformance.transport.errors import HarnessLost
from conformance.transport.lifecycle import WORK, Sent
from conformance.transport.limits import MAX_RESTARTS, Limits
from conformance.transport.session import AnswerOrFault, Session, lost_at_start

__all__ = ["PersistentSession"]

_UNSENT = -1  # in place of the id of a request that is being sent


class PersistentSession(Session):
    """One implementation that answers many requests. `launch` starts it, and starts it again after a fault.

    A good answer to `encode` or `decode` resets the count of restarts. Even without a limit of restarts, the session
    ends with `HarnessLost` if the implementation no longer starts.
    """

    def __init__(self, launch: Launch, limits: Limits | None = None, trace: Trace | None = None) -> None:
        super().__init__(launch, limits, trace)
        self._conversation: Conversation | None = None
        self._was_reset = False  # since the last `configure`
        self._lost: HarnessLost | None = None  # raised for every later request

    def start(self) -> Mapping[str, Any]:
        """Start the implementation; see `Session.start`."""
        try:
            self._conversation, self.hello = self._greet()
        except ImplementationError as e:
            self._lost = lost_at_start(e)
            raise self._lost from e
        return self.hello

    def ask(self, op: str, **members: Any) -> Answer:
        """Send a request and wait for its answer; see `Session.ask`."""
        self._check(op)
        conversation = self._ready_for(op)
        try:
            answer = conversation.ask(op, members, self._limits.answer)
        except ImplementationError as e:
            self._forget_conversation(e)
            if op == Sent.CONFIGURE:
                self._configured = None
            raise
        if op in WORK:
            self._budget.refund()
        elif op == Sent.CONFIGURE:
            self._configured, self._was_reset = members, False
        else:
            self._was_reset = True
        return answer

    def ask_many(self, requests: Sequence[Mapping[str, Any]]) -> list[AnswerOrFault]:
        """Outcomes of requests, several in flight if the implementation's window allows it; see `Session.ask_many`."""
        if self.window == 1:
            return super().ask_many(requests)
        outcomes: list[AnswerOrFault] = []
        for is_work, group in itertools.groupby(requests, lambda request: request["op"] in WORK):
            if is_work:
                outcomes += self._pipelined(list(group))
            else:
                outcomes += super().ask_many(list(group))
        return outcomes

    def stderr(self) -> str:
        """The end of the implementation's stderr since the last `reset`, even if the implementation has just ended."""
        return self._conversation.stderr() if self._conversation else self._stderr

    def close(self) -> str | None:
        """End the implementation; see `Session.close`."""
        conversation, self._conversation = self._conversation, None
        try:
            if conversation is None:
                return None
            complaint = conversation.leave(self._limits.bye, self._limits.terminate)
            self.last_fault = conversation.last_fault
            return complaint
        finally:
            if self._trace is not None:
                self._trace.close()

    def _forget_conversation(self, fault: ImplementationError) -> None:
        self._conversation = None
        self._fault = fault
        self._stderr = fault.stderr

    def _ready_for(self, op: str) -> Conversation:
        """The running conversation, or a new one with the same configuration. Raises `HarnessLost`."""
        if self._conversation is not None:
            return self._conversation
        if self._lost is None:
            try:
                return self._restarted(op)
            except HarnessLost as e:
                self._lost = e
        raise self._lost

    def _restarted(self, op: str) -> Conversation:
        """A new conversation in place of the one that ended by a fault. Raises `HarnessLost`."""
        # `_budget` applies the limit of restarts; without a limit, at most MAX_RESTARTS starts may fail in a row.
        for _ in range(self._limits.restarts or MAX_RESTARTS):
            self._budget.spend(self._fault)
            self.restarts += 1
            try:
                self._conversation, _ = self._greet()
                self._replay(self._conversation, op)
                return self._conversation
            except ImplementationError as e:
                self._forget_conversation(e)
        raise HarnessLost(f"it does not start any more; the last fault: {self._fault}", stderr=self._stderr)

    def _replay(self, conversation: Conversation, op: str) -> None:
        """Repeat the last `configure` and `reset`, unless `op` replaces them."""
        if self._configured is None or op == Sent.CONFIGURE:
            return
        conversation.ask(Sent.CONFIGURE, self._configured, self._limits.answer)
        if self._was_reset and op != Sent.RESET:
            conversation.ask(Sent.RESET, {}, self._limits.answer)

    def _pipelined(self, requests: Sequence[Mapping[str, Any]]) -> list[AnswerOrFault]:
        """Send `encode` and `decode` requests, at most `window` of them unanswered, and return their outcomes."""
        outcomes: dict[int, AnswerOrFault] = {}
        waiting = deque(range(len(requests)))
        while waiting:
            in_flight: dict[int, int] = {}
            try:
                self._exchange(requests, waiting, in_flight, outcomes)
            except HarnessLost as e:
                outcomes |= dict.fromkeys([*in_flight.values(), *waiting], e)
                waiting.clear()
            except ImplementationError as e:
                self._forget_conversation(e)
                self._blame(requests, sorted(in_flight.values()), e, outcomes)
        return [outcomes[i] for i in range(len(requests))]

    def _exchange(
        self,
        requests: Sequence[Mapping[str, Any]],
        waiting: deque[int],
        in_flight: dict[int, int],
        outcomes: dict[int, AnswerOrFault],
    ) -> None:
        """Send the `waiting` requests, as many at a time as the window allows, and put their outcomes in place.

        `waiting` and `outcomes` go by the position of a request in `requests`. `in_flight` maps the ids of requests
        without an answer to their positions.
        """
        conversation = self._ready_for(requests[waiting[0]]["op"])
        while waiting or in_flight:
            while waiting and len(in_flight) < self.window:
                sending = waiting.popleft()
                in_flight[_UNSENT] = sending  # it is a suspect, too, if sending fails
                members = {name: value for name, value in requests[sending].items() if name != "op"}
                request_id = conversation.send(requests[sending]["op"], members, self._limits.answer)
                del in_flight[_UNSENT]
                in_flight[request_id] = sending
            request_id, answer = conversation.receive()
            outcomes[in_flight.pop(request_id)] = answer
            self._budget.refund()

    def _blame(
        self,
        requests: Sequence[Mapping[str, Any]],
        suspects: Sequence[int],
        fault: ImplementationError,
        outcomes: dict[int, AnswerOrFault],
    ) -> None:
        """Send the suspects again one by one, each after a reset, and record their outcomes.

        If all are answered, the first suspect gets the blame: its outcome is `fault`.
        """
        if len(suspects) == 1:
            outcomes[suspects[0]] = fault
            return
        for i in suspects:
            # Without a conversation, `_outcome` starts one, and `_replay` resets it.
            if self._conversation is not None and self._was_reset:
                outcomes[i] = self._outcome({"op": Sent.RESET.value})
                if isinstance(outcomes[i], ImplementationError):
                    continue
            outcomes[i] = self._outcome(requests[i])
        if not any(isinstance(outcomes[i], ImplementationError) for i in suspects):
            outcomes[suspects[0]] = fault
