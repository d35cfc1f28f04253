"""The table of the life-cycle against the harness protocol: hello, (configure, (reset, work)*)*, bye."""

from __future__ import annotations

import re
from itertools import product

import pytest

from conformance.errors import SuiteError
from conformance.transport.lifecycle import TRANSITIONS, Lifecycle, Saw, Sent, State

LETTERS = {Sent.HELLO: "h", Sent.CONFIGURE: "c", Sent.RESET: "r", Sent.ENCODE: "w", Sent.DECODE: "w", Sent.BYE: "b"}
# after a reset several requests may follow: with a window above 1 they are in flight together
ALLOWED = re.compile("h(c(rw*)*)*b?")


def walk(ops: tuple[Sent, ...]) -> Lifecycle:
    life = Lifecycle()
    for op in ops:
        life.step(op)
        life.step(Saw.LAST_ANSWER)
    return life


@pytest.mark.parametrize("length", range(1, 6))
def test_the_table_allows_what_the_protocol_allows_and_nothing_else(length: int) -> None:
    for ops in product(Sent, repeat=length):
        word = "".join(LETTERS[op] for op in ops)
        try:
            walk(ops)
            taken = True
        except SuiteError:
            taken = False
        assert taken == bool(ALLOWED.fullmatch(word)), word


@pytest.mark.parametrize("state", [state for state in State if state is not State.ENDED], ids=str)
def test_a_fault_ends_every_conversation(state: State) -> None:
    life = Lifecycle()
    life.state = state
    life.step(Saw.FAULT)
    assert not any(life.allows(step) for step in (*Sent, *Saw))


@pytest.mark.parametrize("op", [Sent.CONFIGURE, Sent.RESET, Sent.BYE])
def test_a_barrier_waits_for_all_in_flight(op: Sent) -> None:
    life = walk((Sent.HELLO, Sent.CONFIGURE, Sent.RESET))
    life.step(Sent.ENCODE)
    life.step(Sent.DECODE)
    life.step(Saw.ANSWER)
    assert not life.allows(op)
    life.step(Saw.LAST_ANSWER)
    assert life.allows(op)


def test_every_state_can_be_reached() -> None:
    reached = {State.LAUNCHED}.union(*(set(steps.values()) for steps in TRANSITIONS.values()))
    assert reached == set(State) == set(TRANSITIONS)
