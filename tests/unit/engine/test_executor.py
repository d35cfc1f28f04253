"""One session after another case: late faults, restarts, and the end of a run that is stopped."""

from __future__ import annotations

import threading
from typing import Any, cast

from conformance.cases.model import CaseHead
from conformance.engine.case_session import CaseSession
from conformance.engine.executor import CaseExecutor
from conformance.engine.outcomes import Outcome
from conformance.engine.plan import Item, make_plan
from conformance.engine.selection import Selection
from conformance.engine.verdicts import Verdict
from reference_impl.profiles import NEWARCH
from tests.toy import PROTOCOL, REGISTER, case

PASS, CRASH = Outcome(Verdict.PASS), Outcome(Verdict.CRASH, message="late")
RESTART: tuple[CaseHead, str] = case("before"), "it crashed"


class Session:
    """Gives each attempt its outcome; `late` is the belated one after the end. The run is stopped in the last case."""

    def __init__(self, *outcomes: Outcome, late: Outcome | None = None, stop: threading.Event | None = None) -> None:
        self._outcomes, self._late, self._stop = list(outcomes), late, stop
        self._is_closed = False

    def start(self) -> dict[str, Any]:
        return {}

    def execute(self, item: Item, previous: Item | None = None) -> Outcome:
        outcome = self._outcomes.pop(0)
        if self._stop is not None and not self._outcomes:
            self._stop.set()
        return outcome

    def belated(self) -> Outcome | None:
        return self._late if self._is_closed else None

    def close(self) -> None:
        self._is_closed = True


def outcomes(session: Session, *names: str, stop: threading.Event | None = None, flaky: bool = False) -> list[Outcome]:
    items = make_plan([[case(name) for name in names]], {PROTOCOL: REGISTER}, NEWARCH, Selection()).items
    opened = cast(CaseSession, session)
    executor = CaseExecutor(opened, lambda item: flaky, lambda: 0.0, stop or threading.Event())
    executor.start()
    return [outcome for _, outcome in executor.outcomes(items)]


def test_a_late_crash_keeps_the_restart_before_its_case() -> None:
    [outcome] = outcomes(Session(Outcome(Verdict.PASS, restart=RESTART), late=CRASH), "a")
    assert (outcome.verdict, outcome.restart) == (Verdict.CRASH, RESTART)


def test_a_second_attempt_keeps_the_restart_before_the_first() -> None:
    fail = Outcome(Verdict.FAIL)
    [outcome] = outcomes(Session(Outcome(Verdict.FAIL, restart=RESTART), fail), "a", flaky=True)
    assert (outcome.attempts, outcome.restart) == (2, RESTART)


def test_a_late_crash_counts_for_the_last_case_before_a_stop() -> None:
    stop = threading.Event()
    found = outcomes(Session(PASS, PASS, late=CRASH, stop=stop), "a", "b", "c", stop=stop)
    assert [outcome.verdict for outcome in found] == [Verdict.PASS, Verdict.CRASH, Verdict.NOT_RUN]
