"""Reports Spark's progress by tasks.

It polls the classic context, or registers a handler with Spark Connect.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from threading import Event, Thread
from typing import Any, TypeAlias

__all__ = ["OnProgress", "report_tasks"]

OnProgress: TypeAlias = Callable[[int, int], object]
"""A function that takes the numbers of finished and of known tasks."""

_EVERY_SECONDS = 0.25


class _Tasks:
    """Tasks by stage; stages that Spark no longer reports stay counted."""

    def __init__(self, report: OnProgress) -> None:
        self._report = report
        self._stages: dict[int, tuple[int, int]] = {}

    def __call__(self, stages: Iterable[tuple[int, int, int]]) -> None:
        """`stages` are number, tasks done, tasks."""
        self._stages.update({number: (done, tasks) for number, done, tasks in stages})
        self._report(sum(done for done, _ in self._stages.values()), sum(tasks for _, tasks in self._stages.values()))


@contextmanager
def report_tasks(spark: Any, report: OnProgress | None) -> Iterator[None]:
    """A context in which `report`, unless it is None, is called with the tasks of a session."""
    if report is None:
        yield
    elif not _is_connect(spark):
        with _polled(spark.sparkContext.statusTracker(), _Tasks(report)):
            yield
    else:
        with _handled(spark, _Tasks(report)):
            yield


def _is_connect(spark: Any) -> bool:
    return type(spark).__module__.startswith("pyspark.sql.connect")


@contextmanager
def _handled(spark: Any, tasks: _Tasks) -> Iterator[None]:
    def handler(stages: Any, **_: Any) -> None:
        tasks((stage.stage_id, stage.num_completed_tasks, stage.num_tasks) for stage in stages or ())

    spark.registerProgressHandler(handler)
    try:
        yield
    finally:
        spark.removeProgressHandler(handler)


@contextmanager
def _polled(tracker: Any, tasks: _Tasks) -> Iterator[None]:
    ended = Event()

    def poll() -> None:
        known: set[int] = set()
        while not ended.wait(_EVERY_SECONDS):
            try:
                known.update(stage for job in tracker.getActiveJobsIds() for stage in _stages_of(tracker, job))
                found = [(number, tracker.getStageInfo(number)) for number in sorted(known)]
            except Exception:  # noqa: BLE001 - a session that is interrupted closes under its reader, in many ways
                return
            tasks((number, info.numCompletedTasks, info.numTasks) for number, info in found if info is not None)

    poller = Thread(target=poll, name="progress", daemon=True)
    poller.start()
    try:
        yield
    finally:
        ended.set()
        poller.join()


def _stages_of(tracker: Any, job: int) -> list[int]:
    info = tracker.getJobInfo(job)
    return [] if info is None else list(info.stageIds)
