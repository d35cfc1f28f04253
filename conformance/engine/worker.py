"""One of several processes that judge an implementation: it has its own session, and makes and judges its cases.

The parent decides which cases it gets, and uses the outcomes: see `crew`.
"""

from __future__ import annotations

import contextlib
import copyreg
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection
from queue import SimpleQueue
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from conformance.cases.model import Case, CaseHead, IndexedCase
from conformance.catalogue.register import Register
from conformance.engine.case_session import CaseSession
from conformance.engine.executor import CaseExecutor
from conformance.engine.implementation import AnswerJudge, Target
from conformance.engine.outcomes import Outcome
from conformance.engine.plan import Item
from conformance.processes import Leash
from conformance.transport.errors import HarnessLost

if TYPE_CHECKING:
    from conformance.registry import CaseRegistry

__all__ = ["STOP", "Errand", "work"]

# Rows and options of cases are read-only views of dicts, which cannot be pickled as they are.
copyreg.pickle(MappingProxyType, lambda view: (_view, (dict(view),)))

_BATCH = 20
"""Outcomes that a worker sends at a time, while it has more to do."""
STOP = "stop"
"""The parent's message to run no more cases."""


@dataclass(frozen=True, slots=True)
class Errand:
    """The instructions for a worker, in a form that can be pickled: how to make target, registers, judges and registry.

    `target` takes the number of the worker, from 1. With `keeps_answers` the outcomes bring the answers along.
    """

    target: Callable[[int], Target]
    registers: Callable[[], Mapping[str, Register]]
    judges: Callable[[Mapping[str, Register], Target], Mapping[str, AnswerJudge]]
    registry: Callable[[], CaseRegistry]
    keeps_answers: bool = False


class _Inbox(threading.Event):
    """The messages of the parent: the cases to run, in order; and, as an event, whether to stop.

    A thread reads the pipe, so that parent and worker never wait for each other to read.
    """

    def __init__(self, pipe: Connection, begun: Any, before_waiting: Callable[[], None]) -> None:
        super().__init__()
        self._pipe = pipe
        self._begun = begun
        self._messages: SimpleQueue[Any] = SimpleQueue()
        self._before_waiting = before_waiting
        self._given: deque[Item] = deque()
        self._flaky: set[tuple[str, str]] = set()
        self._ended = False
        threading.Thread(target=self._read, name="inbox", daemon=True).start()

    def _read(self) -> None:
        message = None
        while message != STOP:
            try:
                message = self._pipe.recv()
            except (EOFError, OSError):
                message = STOP
            self._messages.put(message)

    def is_set(self) -> bool:
        """Whether to stop before the next case."""
        while not super().is_set() and not self._ended and not self._messages.empty():
            self._listen()
        return super().is_set()

    def items(self) -> Iterator[Item]:
        """The cases handed out, until there are no more."""
        while True:
            while self._given:
                self._begun.value += 1
                yield self._given.popleft()
            if self._ended:
                return
            self._before_waiting()
            self._listen()

    def is_flaky(self, item: Item) -> bool:
        """Whether a case is in the flaky list."""
        return (item.case.role, item.case.id) in self._flaky

    def _listen(self) -> None:
        message = self._messages.get()
        if message == STOP:
            self.set()
        self._ended = self._ended or not message or message == STOP
        for item, is_flaky in message if not self._ended else ():
            self._given.append(item)
            if is_flaky:
                self._flaky.add((item.case.role, item.case.id))


def work(leash: Leash, pipe: Connection, errand: Errand, number: int, begun: Any) -> None:
    """Judge the cases that come through the pipe, in a new process, and send the outcomes.

    The messages are `hello` with the result, or `lost` with the reason and stderr; then `outcomes`: each with whether
    its requirements are those of a perfect answer, and with the reason if the implementation was lost; or `broken` with
    an error of the suite. `begun` counts the cases that it has begun.
    """
    leash.tie()
    try:
        _judge(pipe, errand, number, begun)
    except Exception as e:  # noqa: BLE001 - any error here is one of the suite: the parent reports it
        with contextlib.suppress(OSError):
            pipe.send(("broken", f"{type(e).__name__}: {e}"))


def _judge(pipe: Connection, errand: Errand, number: int, begun: Any) -> None:
    target, registers = errand.target(number), errand.registers()
    registry = None if target.contact == "recorded" else errand.registry
    session = CaseSession(
        target.open(),
        errand.judges(registers, target),
        registers,
        registry,
        _maker(target),
        keeps_answers=errand.keeps_answers,
    )
    batch: list[tuple[Outcome, bool]] = []
    is_loss_reported = False

    def send() -> None:
        nonlocal is_loss_reported
        if batch or (executor.lost and not is_loss_reported):
            is_loss_reported = bool(executor.lost)
            pipe.send(("outcomes", batch, executor.lost))
            batch.clear()

    inbox = _Inbox(pipe, begun, send)
    executor = CaseExecutor(lambda: session, inbox.is_flaky, time.monotonic, inbox)
    try:
        try:
            pipe.send(("hello", session.start()))
        except HarnessLost as e:
            pipe.send(("lost", str(e), e.stderr))
            return
        for item, outcome in executor.one_by_one(inbox.items(), session):
            is_perfect = isinstance(item.case, IndexedCase) and outcome.evaluated == item.case.perfect
            batch.append((replace(outcome, evaluated=frozenset()) if is_perfect else outcome, is_perfect))
            if len(batch) >= _BATCH or outcome.answered is False:
                send()
        send()
    finally:
        session.close()


def _view(content: dict[Any, Any]) -> MappingProxyType[Any, Any]:
    return MappingProxyType(content)


def _maker(target: Target) -> Callable[[CaseHead], Case]:
    """A function that makes the cases of a worker; cases that the target itself holds are looked up there."""
    held: dict[str, dict[tuple[str, str], CaseHead]] = {}

    def made(head: CaseHead) -> Case:
        if isinstance(head, IndexedCase):
            return target.made(head)
        if head.protocol not in held:
            cases = target.cases(head.protocol, target.profile)
            held[head.protocol] = {(case.role, case.id): case for case in cases}
        return target.made(held[head.protocol][head.role, head.id])

    return made
