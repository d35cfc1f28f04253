"""The life-cycle of one conversation with an implementation, as a table.

A restart is a new conversation. The session decides about restarts; `conversation` sends and receives.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import TypeAlias

from conformance.errors import SuiteError

__all__ = ["TRANSITIONS", "WORK", "Lifecycle", "Saw", "Sent", "State"]


class State(StrEnum):
    """The states of a conversation."""

    LAUNCHED = "launched"
    STARTING = "starting"
    GREETED = "greeted"
    CONFIGURING = "configuring"
    CONFIGURED = "configured"
    RESETTING = "resetting"
    READY = "ready"
    BUSY = "busy"
    LEAVING = "leaving"
    ENDED = "ended"


class Sent(StrEnum):
    """The requests: the ops of the harness protocol."""

    HELLO = "hello"
    CONFIGURE = "configure"
    RESET = "reset"
    ENCODE = "encode"
    DECODE = "decode"
    BYE = "bye"


class Saw(StrEnum):
    """The reactions of the implementation."""

    ANSWER = "an answer"
    LAST_ANSWER = "the last answer in flight"
    FAULT = "a fault"


Step: TypeAlias = Sent | Saw

WORK = frozenset({Sent.ENCODE, Sent.DECODE})
"""The ops of which several may be in flight. Every other op is a barrier."""

_STEPS: Mapping[State, Mapping[Step, State]] = {
    State.LAUNCHED: {Sent.HELLO: State.STARTING},
    State.STARTING: {Saw.LAST_ANSWER: State.GREETED},
    State.GREETED: {Sent.CONFIGURE: State.CONFIGURING, Sent.BYE: State.LEAVING},
    State.CONFIGURING: {Saw.LAST_ANSWER: State.CONFIGURED},
    State.CONFIGURED: {Sent.CONFIGURE: State.CONFIGURING, Sent.RESET: State.RESETTING, Sent.BYE: State.LEAVING},
    State.RESETTING: {Saw.LAST_ANSWER: State.READY},
    State.READY: {
        Sent.CONFIGURE: State.CONFIGURING,
        Sent.RESET: State.RESETTING,
        Sent.ENCODE: State.BUSY,
        Sent.DECODE: State.BUSY,
        Sent.BYE: State.LEAVING,
    },
    State.BUSY: {
        Sent.ENCODE: State.BUSY,
        Sent.DECODE: State.BUSY,
        Saw.ANSWER: State.BUSY,
        Saw.LAST_ANSWER: State.READY,
    },
    State.LEAVING: {Saw.LAST_ANSWER: State.ENDED},
}

TRANSITIONS: Mapping[State, Mapping[Step, State]] = {
    State.ENDED: {},
    **{state: {**steps, Saw.FAULT: State.ENDED} for state, steps in _STEPS.items()},
}
"""The state after each step that is allowed in a state. A fault ends the conversation, whatever its state."""


class Lifecycle:
    """The state of one conversation. `step` is the only way to change it."""

    __slots__ = ("state",)

    def __init__(self) -> None:
        self.state = State.LAUNCHED

    def step(self, step: Step) -> None:
        """Take a step. Raises `SuiteError` for one that the table lacks: the suite's request is out of order."""
        following = TRANSITIONS[self.state].get(step)
        if following is None:
            raise SuiteError(f"the life-cycle of the harness protocol has no step {str(step)!r} when {self.state}")
        self.state = following

    def allows(self, step: Step) -> bool:
        """Whether the table has this step from here."""
        return step in TRANSITIONS[self.state]
