"""How far Spark is, as classic Spark and Spark Connect tell it."""

from __future__ import annotations

from collections.abc import Callable
from threading import Event
from types import SimpleNamespace

import pytest

from differential.spark import progress
from differential.spark.progress import report_tasks


class Tracker:
    """Two jobs, one after the other; the first is no longer active when the second is."""

    def __init__(self) -> None:
        self.asked = 0

    def getActiveJobsIds(self) -> list[int]:
        self.asked += 1
        return [min(self.asked, 2)]

    def getJobInfo(self, job: int) -> SimpleNamespace | None:
        return {1: SimpleNamespace(stageIds=[10]), 2: SimpleNamespace(stageIds=[20, 21])}[job]

    def getStageInfo(self, stage: int) -> SimpleNamespace | None:
        done = {10: (4, 4), 20: (1, 3)}.get(stage)
        return None if done is None else SimpleNamespace(numCompletedTasks=done[0], numTasks=done[1])


def test_tasks_of_all_jobs_so_far_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "_EVERY_SECONDS", 0.001)
    spark = SimpleNamespace(sparkContext=SimpleNamespace(statusTracker=Tracker))
    heard, enough = [], Event()

    def told(done: int, total: int) -> None:
        heard.append((done, total))
        if len(heard) == 3:
            enough.set()

    with report_tasks(spark, told):
        assert enough.wait(10)
    assert heard[:2] == [(4, 4), (5, 7)]


@pytest.mark.filterwarnings("error::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_session_that_closes_while_its_progress_is_read_ends_it_without_a_word(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(progress, "_EVERY_SECONDS", 0.001)
    closed = Event()

    class Closing(Tracker):
        def getActiveJobsIds(self) -> list[int]:
            closed.set()
            raise ConnectionRefusedError(111, "Connection refused")

    heard: list[tuple[int, int]] = []
    spark = SimpleNamespace(sparkContext=SimpleNamespace(statusTracker=Closing))
    with report_tasks(spark, lambda done, total: heard.append((done, total))):
        assert closed.wait(10)
    assert heard == []


def test_a_session_of_connect_is_listened_to_as_long_as_it_works() -> None:
    handlers: list[Callable[..., None]] = []
    members = {
        "__module__": "pyspark.sql.connect.session",
        "registerProgressHandler": lambda self, handler: handlers.append(handler),
        "removeProgressHandler": lambda self, handler: handlers.remove(handler),
    }
    heard: list[tuple[int, int]] = []
    stage = SimpleNamespace(stage_id=1, num_tasks=8, num_completed_tasks=3)
    with report_tasks(type("SparkSession", (), members)(), lambda done, total: heard.append((done, total))):
        handlers[0](stages=[stage], inflight_tasks=2, operation_id="x", done=False)
        handlers[0](stages=None, inflight_tasks=0, operation_id="x", done=True)
    assert heard == [(3, 8), (3, 8)]
    assert handlers == []
