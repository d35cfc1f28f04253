"""Runs planned cases against an implementation over one session: outcomes in the order of the plan.

`crew` runs several sessions, each in a process of its own. Every planned case has an outcome: a case that did not run
is `not_run`, with the reason.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from conformance.engine.case_session import CaseSession
from conformance.engine.outcomes import Outcome
from conformance.engine.plan import Item
from conformance.engine.verdicts import Verdict
from conformance.errors import ImplementationError

__all__ = ["CaseExecutor", "Patience", "chunks", "not_run"]

_CHUNK = 40
"""Cases that one of several processes takes at a time."""

_REPLACEABLE = frozenset({Verdict.PASS, Verdict.FLAKY, Verdict.WARN, Verdict.UNSUPPORTED, Verdict.EXCLUDED})
"""Verdicts that a crash after the answer replaces; a red verdict stays."""

_KEPT = ("evaluated", "restart", "seconds", "attempts", "answered", "answer", "answer_text")
"""Members of the outcome that such a crash leaves as they are."""


@dataclass(slots=True)
class Patience:
    """Counts the cases without an answer, in the order of the plan, over all sessions.

    `restarts` is the limit of restarts without a good answer in between; None allows any number.
    """

    restarts: int | None = None
    _silent: int = 0

    def reason_to_give_up(self, outcome: Outcome) -> str:
        """Count an outcome; why the implementation is given up after it, or ""."""
        if outcome.answered is not None:
            self._silent = 0 if outcome.answered else self._silent + 1
        if self.restarts is None or self._silent <= self.restarts:
            return ""
        why = f"given up after {self.restarts} restarts without a good answer in between"
        return f"{why}; the last fault: {outcome.message}"


@dataclass(slots=True)
class CaseExecutor:
    """Runs the cases of a plan over one session, flaky ones up to twice."""

    session: CaseSession
    is_flaky: Callable[[Item], bool]
    clock: Callable[[], float]
    stop: threading.Event
    """Once set, it ends the work after the case in flight."""
    patience: Patience = field(default_factory=Patience)
    lost: str = ""
    """Why the implementation was given up; empty as long as it was not."""
    interrupted: bool = False

    def start(self) -> Mapping[str, Any]:
        """Start the session; returns the result of `hello`. Raises `HarnessLost`."""
        return self.session.start()

    def close(self) -> None:
        """End the session."""
        self.session.close()

    def outcomes(self, items: Sequence[Item]) -> Iterator[tuple[Item, Outcome]]:
        """Each case with its outcome; call `start` before."""
        last_to_run = max((i for i, item in enumerate(items) if item.preset is None), default=-1)
        done, given_up = 0, ""
        try:
            for item, outcome in self.one_by_one(items):
                # Cases that ran after the implementation was given up do not count.
                yield item, not_run(item, given_up) if given_up else outcome
                if not given_up and done < last_to_run:
                    given_up = self.patience.reason_to_give_up(outcome)
                    self.lost = given_up or self.lost
                done += 1
        except KeyboardInterrupt:
            self.interrupted = True
        for item in items[done:]:
            yield item, not_run(item, self.lost)

    def one_by_one(self, items: Iterable[Item]) -> Iterator[tuple[Item, Outcome]]:
        """Each case with its outcome, once the next case has run: a late crash is known by then.

        The cases may arrive one by one. Ends the session after them.
        """
        held: list[tuple[Item, Outcome]] = []  # the last case that ran, then cases that did not run
        previous: Item | None = None
        try:
            for item in items:
                if item.preset is None and not self.lost and self.stop.is_set():
                    self.interrupted = True
                if item.preset is not None or self.lost or self.interrupted:
                    held.append((item, not_run(item, self.lost)))
                    continue
                outcome = self._run(item, previous)
                yield from _with_belated(held, self.session.belated())
                held, previous = [(item, outcome)], item
            self.session.close()
        except KeyboardInterrupt:
            yield from held
            raise
        yield from _with_belated(held, self.session.belated() if previous is not None else None)

    def _run(self, item: Item, previous: Item | None) -> Outcome:
        start = self.clock()
        try:
            outcome = self.session.execute(item, previous)
            if outcome.verdict is not Verdict.PASS and self.is_flaky(item):
                outcome = self._run_again(item, outcome)
        except ImplementationError as e:
            self.lost = str(e)
            return not_run(item, self.lost)
        return replace(outcome, seconds=self.clock() - start)

    def _run_again(self, item: Item, first: Outcome) -> Outcome:
        second = self.session.execute(item)
        if second.verdict is Verdict.PASS:
            message = f"{first.verdict} at first, pass when run again"
            return replace(first, verdict=Verdict.FLAKY, message=first.message or message, attempts=2)
        return replace(second, attempts=2, restart=first.restart or second.restart)


def _with_belated(held: Sequence[tuple[Item, Outcome]], belated: Outcome | None) -> Iterator[tuple[Item, Outcome]]:
    """The cases held back; a crash after the answer replaces the outcome of the first, unless that is a failure."""
    for i, (item, outcome) in enumerate(held):
        if belated is None or i > 0 or outcome.verdict not in _REPLACEABLE:
            yield item, outcome
        else:
            yield item, replace(belated, **{name: getattr(outcome, name) for name in _KEPT})


def not_run(item: Item, lost: str) -> Outcome:
    """The outcome of a case that did not run: preset by the plan, or `not_run` after the implementation was lost."""
    if item.preset is not None:
        return Outcome(item.preset, message=item.reason)
    return Outcome(Verdict.NOT_RUN, message=lost or "interrupted")


def chunks(items: Sequence[Item], positions: Sequence[int]) -> list[Sequence[int]]:
    """The positions in order, cut where the configuration changes and after `_CHUNK` cases."""
    cut: list[Sequence[int]] = []
    start = 0
    for end in range(1, len(positions) + 1):
        if (
            end == len(positions)
            or end - start == _CHUNK
            or items[positions[end]].configuration != items[positions[start]].configuration
        ):
            cut.append(positions[start:end])
            start = end
    return cut
