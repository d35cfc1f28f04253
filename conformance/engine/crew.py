"""The worker processes that judge one implementation: each has its own session, and makes and judges its cases.

A case waits in a chunk until a worker gets it, which then owes its outcome. An outcome that has come is held until
those of all earlier cases are yielded. So outcomes have the order of the plan, and verdicts do not depend on the number
of processes. Every case has an outcome: a case that did not run is `not_run`, with the reason.

A worker that ends or cannot start is replaced, and its cases run elsewhere. Where the implementation is lost for good,
the outcomes of all later cases are dropped, since one session would not have come to them.
"""

from __future__ import annotations

import contextlib
import ctypes
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from multiprocessing import Pipe, Process
from multiprocessing.connection import Connection, wait
from multiprocessing.sharedctypes import RawValue
from typing import Any

from conformance.cases.model import Case, CaseHead, IndexedCase
from conformance.engine.executor import Patience, chunks, not_run
from conformance.engine.outcomes import Outcome
from conformance.engine.plan import Item
from conformance.engine.verdicts import Verdict
from conformance.engine.worker import STOP, WorkerSetup, work
from conformance.errors import SuiteError
from conformance.processes import Leash, signals_blocked
from conformance.transport.errors import HarnessLost

__all__ = ["Crew", "WorkerSetup"]

_LONGEST_QUEUE = 40
"""A worker that owes more cases than this gets no further chunk; so many are enough that it never waits for more."""
_GLANCE = 0.2
"""Seconds between two checks for a stop."""
_REPLACEMENTS = 3
"""Processes that a run starts at most in place of those that ended too early."""
_GRACE = 1.0
"""Seconds that a case in flight may take when the run is stopped."""


@dataclass(slots=True)
class _Worker:
    """A worker process, seen from the parent."""

    process: Process
    pipe: Connection
    begun: Any
    """The number of cases that it has begun, in memory that both share: it is right even if the worker dies."""
    reported: int = 0
    """The number of cases whose outcomes have come."""
    owes: deque[int] = field(default_factory=deque)
    """The positions in the plan of its cases whose outcomes have not come, in order."""
    takes_more: bool = True
    """It may get further cases."""


class Crew:
    """The processes that judge one implementation; `lost` and `interrupted` say afterwards why they ended early.

    `make_shared` makes what the workers inherit, in this process and before it starts them. `note`, after `start`, is a
    remark on the start for the report.
    """

    def __init__(
        self,
        setup: WorkerSetup,
        make_shared: Callable[[], None],
        number: int,
        is_flaky: Callable[[Item], bool],
        stop: threading.Event,
        patience: Patience,
    ) -> None:
        self.lost = ""
        self.interrupted = False
        self.note = ""
        self._setup = setup
        self._make_shared = make_shared
        self._patience = patience
        self._first_uncounted = 0  # outcomes of cases from this position on do not count
        self._last_loss = ""  # why the last worker was lost
        self._is_flaky = is_flaky
        self._stop = stop
        self._deadline: float | None = None  # for the cases in flight, once the run is stopped
        self._leash = Leash()
        self._ready: dict[int, Outcome] = {}  # outcomes by position
        self._waiting: deque[Sequence[int]] = deque()  # chunks of positions that no worker has
        self._items: Sequence[Item] = ()
        self._queue_length = 0
        self._number = number
        self._workers: list[_Worker] = []

    def _start_worker(self) -> None:
        ours, theirs = Pipe()
        begun = RawValue(ctypes.c_ulong, 0)
        arguments = (self._leash, theirs, self._setup, len(self._workers) + 1, begun)
        process = Process(target=work, args=arguments, daemon=False)
        with signals_blocked():
            process.start()
        theirs.close()
        self._workers.append(_Worker(process, ours, begun))

    def start(self) -> Mapping[str, Any]:
        """Start all sessions, and return the result of the first `hello`.

        If only some sessions start, they share the cases. Raises `HarnessLost` if none starts.
        """
        self._make_shared()
        for _ in range(self._number):
            self._start_worker()
        answers = []
        for worker in self._workers:
            while not worker.pipe.poll(_GLANCE):
                if self._stop.is_set():
                    raise KeyboardInterrupt
            answers.append(self._greeting(worker))
        hellos = [rest[0] for kind, *rest in answers if kind == "hello"]
        lost = [rest for kind, *rest in answers if kind == "lost"]
        if not hellos:
            raise HarnessLost(lost[0][0], stderr=lost[0][1])
        if lost:
            self.note = f"{len(answers)} sessions were asked for, {len(hellos)} could be started: {lost[0][0]}"
        hello: Mapping[str, Any] = hellos[0]
        return hello

    @staticmethod
    def _greeting(worker: _Worker) -> Any:
        """The first message of a worker, `hello` or `lost`: see `worker.work`."""
        try:
            message = worker.pipe.recv()
        except (EOFError, OSError):
            raise SuiteError(_ending(worker)) from None
        if message[0] == "broken":
            raise SuiteError(message[1])
        worker.takes_more = message[0] == "hello"
        return message

    def close(self) -> None:
        """End the processes that still run, at once."""
        self._leash.let_go()
        for worker in self._workers:
            worker.process.join()
            worker.pipe.close()

    # -- outcomes ------------------------------------------------------------------------------------------------------

    def outcomes(self, items: Sequence[Item]) -> Iterator[tuple[Item, Outcome]]:
        """Each case with its outcome, in the order of the plan."""
        self._items, self._first_uncounted = items, len(items)
        if not self.lost:
            waiting = [i for i, item in enumerate(items) if item.preset is None]
            # A worker sends an outcome once its next case has run, so it may wait for a case while it owes one outcome.
            self._queue_length = max(1, min(_LONGEST_QUEUE, len(waiting) // (4 * self._number)))
            self._waiting.extend(chunks(items, waiting))
            self._send_chunks()
        given_up = ""
        for position, item in enumerate(items):
            if item.preset is not None:
                yield item, not_run(item, self.lost)
                continue
            if given_up:  # only now: without a further case to run nothing was lost
                self._lose(position, given_up)
            outcome = self._awaited(position)
            if outcome is not None and not given_up:
                given_up = self._patience.reason_to_give_up(outcome)
            yield item, not_run(item, self.lost) if outcome is None else outcome

    def _awaited(self, position: int) -> Outcome | None:
        """The outcome of a case, once it has come; None if it does not count, or will not come."""
        try:
            while position not in self._ready and self._is_coming(position):
                self._receive()
        except KeyboardInterrupt:  # the user insists: see `signals`
            self._give_up()
        return self._ready.pop(position, None) if position < self._first_uncounted else None

    def _is_coming(self, position: int) -> bool:
        """Whether a worker has the case, or may get it."""
        if position >= self._first_uncounted:
            return False
        return bool(self._waiting) or any(position in worker.owes for worker in self._workers)

    def _send_chunks(self) -> None:
        for worker in self._workers:
            self._fill_queue(worker)

    def _fill_queue(self, worker: _Worker) -> None:
        """Send a worker the chunks that fill its queue, or the message that there are no more."""
        while worker.takes_more and len(worker.owes) <= self._queue_length:
            if not self._waiting:
                worker.takes_more = False
                self._send(worker, None)
                return
            chunk = self._waiting.popleft()
            worker.owes.extend(chunk)
            items = [self._items[i] for i in chunk]
            self._send(worker, [(replace(item, case=_portable(item.case)), self._is_flaky(item)) for item in items])

    @staticmethod
    def _send(worker: _Worker, message: Any) -> None:
        with contextlib.suppress(OSError):  # the worker is gone, which the next `recv` reports
            worker.pipe.send(message)

    def _receive(self) -> None:
        """Take the messages that arrive within `_GLANCE` seconds; end early if the run is stopped."""
        if self._stop.is_set():
            self._end_early()
        busy = {worker.pipe: worker for worker in self._workers if worker.owes}
        for pipe in wait(list(busy), _GLANCE):
            worker = busy[pipe]  # type: ignore[index]
            try:
                kind, *rest = worker.pipe.recv()
            except (EOFError, OSError):
                kind, rest = "broken", [_ending(worker)]
            if kind == "broken":
                self._replace(worker, rest[0])
            elif kind == "lost":  # of a replacement that could not start its session
                self._take_back(worker, rest[0])
            elif kind == "outcomes":
                self._take(worker, rest[0], rest[1])
        if self._waiting and not any(worker.takes_more for worker in self._workers):  # nobody is left to run them
            self._lose(min(self._waiting[0]), self._last_loss)

    def _take(self, worker: _Worker, outcomes: Sequence[tuple[Outcome, bool]], lost: str) -> None:
        """Take a message `outcomes`; see `worker.work`."""
        for outcome, is_perfect in outcomes:
            position = worker.owes.popleft()
            worker.reported += 1
            case = self._items[position].case
            if outcome.verdict is Verdict.NOT_RUN:
                if lost:  # else we stopped the worker ourselves
                    self._lose(position, lost)
                continue
            if is_perfect and isinstance(case, IndexedCase) and case.perfect is not None:
                outcome = replace(outcome, evaluated=case.perfect)
            self._ready[position] = outcome
        if lost:
            self._dismiss(worker)
        self._fill_queue(worker)

    def _replace(self, worker: _Worker, why: str) -> None:
        """Handle a worker that ended too early: its current case is a suite error, the others run elsewhere."""
        current = worker.begun.value - worker.reported - 1  # outcomes of cases before it may have been lost with it
        if 0 <= current < len(worker.owes):
            position = worker.owes[current]
            del worker.owes[current]
            self._ready[position] = Outcome(Verdict.SUITE_ERROR, message=f"{why} while it judged this case")
        self._take_back(worker, f"{why}, as did others before it")

    def _take_back(self, worker: _Worker, why: str) -> None:
        """Give the cases that a lost worker owes to the others and, `_REPLACEMENTS` times in a run, to a new one."""
        worker.takes_more = False
        rest = [position for position in worker.owes if position < self._first_uncounted]
        worker.owes.clear()
        if not rest or self.interrupted:
            return
        self._last_loss = why
        self._waiting.appendleft(rest)
        if len(self._workers) < self._number + _REPLACEMENTS:
            self._start_worker()
        self._send_chunks()

    def _lose(self, position: int, why: str) -> None:
        """The implementation is lost: outcomes from this position on do not count, whichever worker ran the case."""
        if position >= self._first_uncounted:
            return
        self.lost, self._first_uncounted = why, position
        kept = ([i for i in chunk if i < position] for chunk in self._waiting)
        self._waiting = deque(chunk for chunk in kept if chunk)
        for worker in self._workers:
            if all(i >= position for i in worker.owes):
                self._dismiss(worker)

    def _end_early(self) -> None:
        """The run is stopped: let the cases in flight end, for a limited time."""
        if self._deadline is None:
            self.interrupted = True
            self._deadline = time.monotonic() + _GRACE
            self._waiting.clear()
            for worker in self._workers:
                self._dismiss(worker)
        elif time.monotonic() > self._deadline:
            self._give_up()

    def _dismiss(self, worker: _Worker) -> None:
        """Let a worker end after its current case."""
        worker.takes_more = False
        self._send(worker, STOP)

    def _give_up(self) -> None:
        """Wait for no further outcome."""
        self.interrupted = True
        self._waiting.clear()
        for worker in self._workers:
            worker.owes.clear()


def _ending(worker: _Worker) -> str:
    """The message about a worker that ended with work left."""
    worker.process.join()
    code = worker.process.exitcode or 0
    how = f"signal {-code}" if code < 0 else f"exit status {code}"
    return f"a process of the suite ended with {how}"


def _portable(case: CaseHead) -> CaseHead:
    """The part of a case that travels to a worker, which makes the case itself."""
    if not isinstance(case, Case):
        return case
    return CaseHead(**{f.name: getattr(case, f.name) for f in fields(CaseHead)})
