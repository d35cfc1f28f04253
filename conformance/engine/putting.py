"""Putting planned cases to an implementation, over one session or several: outcomes in the order of the plan.

Whatever happens on the way, every planned case has an outcome: what was not put is `not_run`, with the reason.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace

from conformance.engine.judging import Contact, Outcome
from conformance.engine.plan import Item
from conformance.engine.verdicts import Verdict
from conformance.errors import ImplementationError

__all__ = ["Putting"]

_CHUNK = 40
"""Cases that one of several sessions takes at a time."""


@dataclass(slots=True)
class Putting:
    """How cases are put. `stop`, once set, ends it after the cases in flight; `is_flaky` says what is tried twice.

    `lost` and `interrupted` say afterwards why it ended early.
    """

    open: Callable[[], Contact]
    is_flaky: Callable[[Item], bool]
    clock: Callable[[], float]
    stop: threading.Event
    sessions: int = 1
    lost: str = ""
    interrupted: bool = False
    _spare: list[Contact] = field(default_factory=list)

    def outcomes(self, items: Sequence[Item], first: Contact) -> Iterator[tuple[Item, Outcome]]:
        """Each case with its outcome. `first` is a session that has been started; it is not closed here."""
        source = self._in_parallel(items, first) if self.sessions > 1 else self._in_turn(items, first)
        done = 0
        try:
            for outcome in source:
                yield items[done], outcome
                done += 1
        except KeyboardInterrupt:
            self.interrupted = True
        for item in items[done:]:
            yield item, self._not_put(item)

    def _not_put(self, item: Item) -> Outcome:
        if item.preset is not None:
            return Outcome(item.preset, message=item.reason)
        return Outcome(Verdict.NOT_RUN, message=self.lost or "interrupted")

    def _in_turn(self, items: Sequence[Item], contact: Contact) -> Iterator[Outcome]:
        for item in items:
            if item.preset is not None or self.lost or self.interrupted:
                yield self._not_put(item)
            else:
                yield self._put(item, contact)

    def _put(self, item: Item, contact: Contact) -> Outcome:
        if self.stop.is_set():
            self.interrupted = True
            return self._not_put(item)
        start = self.clock()
        try:
            outcome = contact.put(item)
            if outcome.verdict is not Verdict.PASS and self.is_flaky(item):
                outcome = self._again(item, contact, outcome)
        except ImplementationError as e:
            self.lost = str(e)
            return self._not_put(item)
        return replace(outcome, seconds=self.clock() - start)

    def _again(self, item: Item, contact: Contact, first: Outcome) -> Outcome:
        second = contact.put(item)
        if second.verdict is Verdict.PASS:
            message = f"{first.verdict} at first, pass when put again"
            return replace(first, verdict=Verdict.FLAKY, message=first.message or message, attempts=2)
        return replace(second, attempts=2)

    # -- several sessions ------------------------------------------------------------------------------------------

    def _in_parallel(self, items: Sequence[Item], first: Contact) -> Iterator[Outcome]:
        local = threading.local()
        contacts = [first]
        lock = threading.Lock()

        def own() -> Contact:
            if not hasattr(local, "contact"):
                with lock:
                    local.contact = self._spare.pop() if self._spare else None
                if local.contact is None:
                    local.contact = self.open()
                    with lock:
                        contacts.append(local.contact)
                    local.contact.start()
            contact: Contact = local.contact
            return contact

        def work(chunk: Sequence[Item]) -> list[Outcome]:
            try:
                contact = own()
            except ImplementationError as e:
                self.lost = self.lost or str(e)
                return [self._not_put(item) for item in chunk]
            return list(self._in_turn(chunk, contact))

        self._spare.append(first)
        pool = ThreadPoolExecutor(self.sessions, thread_name_prefix="session")
        try:
            for chunk in pool.map(work, _chunks(items)):
                yield from chunk
        except KeyboardInterrupt:
            self.interrupted = True
            raise
        finally:
            pool.shutdown(wait=True, cancel_futures=True)
            for contact in contacts[1:]:
                contact.close()


def _chunks(items: Sequence[Item]) -> list[Sequence[Item]]:
    """The items in order, cut where the configuration changes and where a piece grows long."""
    pieces: list[Sequence[Item]] = []
    start = 0
    for end in range(1, len(items) + 1):
        last = end == len(items)
        if last or end - start == _CHUNK or items[end].configuration != items[start].configuration:
            pieces.append(items[start:end])
            start = end
    return pieces
