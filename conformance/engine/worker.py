"""A worker process: it makes and judges cases of an implementation, over a session of its own.

The parent sends the cases and takes the outcomes: see `crew`.
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

__all__ = ["STOP", "WorkerSetup", "work"]

# Rows and options of cases are read-only views of dicts, which pickle does not know.
copyreg.pickle(MappingProxyType, lambda view: (_view, (dict(view),)))

_BATCH = 20
"""Outcomes that a worker sends at a time, while it has more cases."""
STOP = "stop"
"""The message by which the parent ends the work after the case in flight."""


@dataclass(frozen=True, slots=True)
class WorkerSetup:
    """The setup of a worker, which can be pickled: how to make implementation, registers, judges and schema registry.

    `target` takes the number of the worker, from 1. With `keeps_answers` the outcomes have the texts of the answers.
    """

    target: Callable[[int], Target]
    registers: Callable[[], Mapping[str, Register]]
    judges: Callable[[Mapping[str, Register], Target], Mapping[str, AnswerJudge]]
    registry: Callable[[], CaseRegistry]
    keeps_answers: bool = False


class _Inbox(threading.Event):
    """The messages of the parent: the cases to run, in order, and whether to stop.

    It is the `stop` event of the executor, which calls `is_set` before each case: so `STOP` counts before cases that
    arrived earlier. A thread reads the pipe, so that parent and worker never wait for each other to read.
    `before_waiting` is called before `items` waits for more cases.
    """

    def __init__(self, pipe: Connection, begun: Any, before_waiting: Callable[[], None]) -> None:
        super().__init__()
        self._pipe = pipe
        self._begun = begun
        self._messages: SimpleQueue[Any] = SimpleQueue()
        self._before_waiting = before_waiting
        self._waiting: deque[Item] = deque()
        self._flaky: set[tuple[str, str]] = set()
        self._has_all = False
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
        """Whether to stop before the next case: takes the messages that are there, without waiting."""
        while not super().is_set() and not self._has_all and not self._messages.empty():
            self._take_message()
        return super().is_set()

    def items(self) -> Iterator[Item]:
        """The cases, as they arrive, until there are no more."""
        while True:
            while self._waiting:
                self._begun.value += 1
                yield self._waiting.popleft()
            if self._has_all:
                return
            self._before_waiting()
            self._take_message()

    def is_flaky(self, item: Item) -> bool:
        """Whether a case is in the flaky list."""
        return (item.case.role, item.case.id) in self._flaky

    def _take_message(self) -> None:
        """Take the next message, once it is there: cases, `STOP`, or None after the last cases."""
        message = self._messages.get()
        if message is None or message == STOP:
            self._has_all = True
            if message == STOP:
                self.set()
            return
        for item, is_flaky in message:
            self._waiting.append(item)
            if is_flaky:
                self._flaky.add((item.case.role, item.case.id))


def work(leash: Leash, pipe: Connection, setup: WorkerSetup, number: int, begun: Any) -> None:
    """Judge the cases that arrive through the pipe, and send the outcomes; runs in a new process.

    It sends tuples. The first is `("hello", result)` or `("lost", reason, stderr)`. Then `("outcomes", pairs, lost)`:
    pairs of an outcome and whether it evaluated the requirements of a perfect answer, which it then leaves out; `lost`
    is the reason if the implementation was lost. An error of the suite is `("broken", text)`. `begun` is a shared
    counter of the cases that the worker has begun.
    """
    leash.tie()
    try:
        _judge(pipe, setup, number, begun)
    except Exception as e:  # noqa: BLE001 - any error here is one of the suite: the parent reports it
        with contextlib.suppress(OSError):
            pipe.send(("broken", f"{type(e).__name__}: {e}"))


def _judge(pipe: Connection, setup: WorkerSetup, number: int, begun: Any) -> None:
    target, registers = setup.target(number), setup.registers()
    judges = setup.judges(registers, target)
    making = replace(target, make_case=_maker(target))
    session = CaseSession(making, judges, registers, setup.registry, keeps_answers=setup.keeps_answers)
    batch: list[tuple[Outcome, bool]] = []
    is_loss_reported = False

    def send() -> None:
        """Send the outcomes of the batch, and whether the implementation is lost.

        After a loss the executor holds all outcomes until there are no more cases. The parent must learn of the loss
        before, since it may have cases for a long time.
        """
        nonlocal is_loss_reported
        if batch or (executor.lost and not is_loss_reported):
            is_loss_reported = bool(executor.lost)
            pipe.send(("outcomes", batch, executor.lost))
            batch.clear()

    inbox = _Inbox(pipe, begun, send)
    executor = CaseExecutor(session, inbox.is_flaky, time.monotonic, inbox)
    try:
        try:
            pipe.send(("hello", session.start()))
        except HarnessLost as e:
            pipe.send(("lost", str(e), e.stderr))
            return
        for item, outcome in executor.one_by_one(inbox.items()):
            is_perfect = isinstance(item.case, IndexedCase) and outcome.evaluated == item.case.perfect
            batch.append((replace(outcome, evaluated=frozenset()) if is_perfect else outcome, is_perfect))
            # The parent learns at once of a case without an answer: after too many it gives the implementation up.
            # None stands for a case that the implementation did not get, which does not count.
            if len(batch) >= _BATCH or outcome.answered is False:
                send()
        send()
    finally:
        session.close()


def _view(content: dict[Any, Any]) -> MappingProxyType[Any, Any]:
    return MappingProxyType(content)


def _maker(target: Target) -> Callable[[CaseHead], Case]:
    """A function that makes the cases of a worker; those outside of the index are looked up by id."""
    by_id: dict[str, dict[tuple[str, str], CaseHead]] = {}

    def make_case(head: CaseHead) -> Case:
        if isinstance(head, IndexedCase):
            return target.make_case(head)
        if head.protocol not in by_id:
            cases = target.cases(head.protocol, target.profile)
            by_id[head.protocol] = {(case.role, case.id): case for case in cases}
        return target.make_case(by_id[head.protocol][head.role, head.id])

    return make_case
