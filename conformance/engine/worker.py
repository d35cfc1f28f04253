"""One of several processes that judge an implementation: it has a session of its own, makes its cases and judges them.

Which cases it is handed, and what becomes of the outcomes, is the parent's matter: see `crew`.
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
from conformance.engine.implementation import Target, Umpire
from conformance.engine.judging import Contact, Outcome
from conformance.engine.plan import Item
from conformance.engine.putting import Putting
from conformance.processes import Leash
from conformance.transport.errors import HarnessLost

if TYPE_CHECKING:
    from conformance.registry import CaseRegistry

__all__ = ["STOP", "Errand", "work"]

# Rows and options of cases are read-only views of dicts, which do not travel by themselves.
copyreg.pickle(MappingProxyType, lambda view: (_view, (dict(view),)))

_BATCH = 20
"""Outcomes that a worker sends at a time, while it has more to do."""
STOP = "stop"
"""What the parent says to have nothing more put."""


@dataclass(frozen=True, slots=True)
class Errand:
    """What a worker needs to know, in a form that travels: how target, registers, judges and registry are made there.

    `target` takes the number of the worker, from 1. With `keeps_answers` the outcomes bring the answers along.
    """

    target: Callable[[int], Target]
    registers: Callable[[], Mapping[str, Register]]
    umpires: Callable[[Mapping[str, Register], Target], Mapping[str, Umpire]]
    registry: Callable[[], CaseRegistry]
    keeps_answers: bool = False


class _Told(threading.Event):
    """What the parent has said: the cases to put, in order; and, as an event, whether to stop.

    A thread of its own takes it from the pipe, so that parent and worker never wait for each other to read.
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
        threading.Thread(target=self._read, name="told", daemon=True).start()

    def _read(self) -> None:
        told = None
        while told != STOP:
            try:
                told = self._pipe.recv()
            except (EOFError, OSError):
                told = STOP
            self._messages.put(told)

    def is_set(self) -> bool:
        """Whether to put no more cases."""
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
        told = self._messages.get()
        if told == STOP:
            self.set()
        self._ended = self._ended or not told or told == STOP
        for item, is_flaky in told if not self._ended else ():
            self._given.append(item)
            if is_flaky:
                self._flaky.add((item.case.role, item.case.id))


def work(leash: Leash, pipe: Connection, errand: Errand, number: int, begun: Any) -> None:
    """In a new process: judge what comes through the pipe, and tell the outcomes.

    It says `hello` with the result, or `lost` with the reason and stderr; then `outcomes`, each with whether its
    requirements are those of a perfect answer, and why the implementation was lost, if it was; or that it is `broken`,
    and by what. It counts in `begun` the cases that it has begun.
    """
    leash.tie()
    try:
        _judge(pipe, errand, number, begun)
    except Exception as e:  # noqa: BLE001 - whatever it is, it is ours: the parent says so
        with contextlib.suppress(OSError):
            pipe.send(("broken", f"{type(e).__name__}: {e}"))


def _judge(pipe: Connection, errand: Errand, number: int, begun: Any) -> None:
    target, registers = errand.target(number), errand.registers()
    registry = None if target.contact == "recorded" else errand.registry
    contact = Contact(
        target.open(),
        errand.umpires(registers, target),
        registers,
        registry,
        _maker(target),
        keeps_answers=errand.keeps_answers,
    )
    batch: list[tuple[Outcome, bool]] = []
    is_lost_told = False

    def send() -> None:
        nonlocal is_lost_told
        if batch or (putting.lost and not is_lost_told):
            is_lost_told = bool(putting.lost)
            pipe.send(("outcomes", batch, putting.lost))
            batch.clear()

    told = _Told(pipe, begun, send)
    putting = Putting(lambda: contact, told.is_flaky, time.monotonic, told)
    try:
        try:
            pipe.send(("hello", contact.start()))
        except HarnessLost as e:
            pipe.send(("lost", str(e), e.stderr))
            return
        for item, outcome in putting.one_by_one(told.items(), contact):
            is_perfect = isinstance(item.case, IndexedCase) and outcome.evaluated == item.case.perfect
            batch.append((replace(outcome, evaluated=frozenset()) if is_perfect else outcome, is_perfect))
            if len(batch) >= _BATCH or outcome.answered is False:
                send()
        send()
    finally:
        contact.close()


def _view(content: dict[Any, Any]) -> MappingProxyType[Any, Any]:
    return MappingProxyType(content)


def _maker(target: Target) -> Callable[[CaseHead], Case]:
    """How a worker makes the cases that it is handed: those that the target itself holds are looked up there."""
    held: dict[str, dict[tuple[str, str], CaseHead]] = {}

    def made(head: CaseHead) -> Case:
        if isinstance(head, IndexedCase):
            return target.made(head)
        if head.protocol not in held:
            cases = target.cases(head.protocol, target.profile)
            held[head.protocol] = {(case.role, case.id): case for case in cases}
        return target.made(held[head.protocol][head.role, head.id])

    return made
