"""Runs a comparison on Spark, from its SPECs to its differences."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import reduce
from pathlib import Path
from typing import Any

from pyarrow import Table, parquet

from conformance.errors import SuiteError, UsageError
from differential.align.pairs import Pair
from differential.batches import RESULT, differences_of
from differential.counts import Counts
from differential.model import Difference
from differential.rows import difference_of
from differential.sides import Side
from differential.sources.captures import fingerprint
from differential.sources.spec import Spec
from differential.spark.frames import messages_of
from differential.spark.kafka import session_with_topics
from differential.spark.messages import Messages
from differential.spark.progress import OnProgress, report_tasks
from differential.spark.runner import Stage, Stages, compare_on_spark
from differential.spark.session import in_one_line, is_here, is_one_machine, session
from differential.spark.stages import is_local

__all__ = ["SparkComparison", "in_one_line"]

_ROWS = 4096


class SparkComparison:
    """Compares on Spark, with stages below `out/stage`, or at `place` if the workers cannot reach that.

    Stages exist until `close`, so that an interrupted run can be continued.
    """

    def __init__(
        self,
        sides: Sequence[Side],
        specs: Sequence[Spec],
        pairs: Sequence[Pair],
        out: Path,
        version: str,
        *,
        plan: str = "auto",
        place: str = "",
    ) -> None:
        self._sides, self._specs, self._pairs, self._plan = sides, [_absolute(spec) for spec in specs], pairs, plan
        self._given: list[Messages] = []
        self._folder = out.resolve() / "stage"
        made_of = {
            "version": version,
            "sides": repr(sides),
            "schemas": [repr(side.settings.registry) for side in sides],
            "sources": [fingerprint(spec) for spec in specs],
        }
        self._place = place = str(Path(place).absolute()) if place and is_local(place) else place
        self.stages = Stages.below(self._folder, made_of, plan, place)
        self.counts = Counts()

    @contextmanager
    def running(
        self, master: str, partitions: int, jars: str | None = None, report: OnProgress | None = None
    ) -> Iterator[Iterable[Difference]]:
        """Compute the stages and yield the differences, part by part.

        `counts` is complete after the last one.

        `jars` locates Spark's source for topics, as `connector` takes it. `report` is called as Spark finishes tasks.
        Raises `UsageError` if Spark does not start or a source cannot be read, `SuiteError` if messages were lost.
        """
        merged = self.stages.merged
        with ExitStack() as opened:
            spark = None
            if not merged.complete() or not is_local(merged.place):
                spark = opened.enter_context(self._session(master, jars))
            if spark is not None and not merged.complete():
                with report_tasks(spark, report):
                    self._compute(spark, master, partitions)
            found = _read_here(merged) if is_local(merged.place) else _read_there(spark, merged)
            yield self._differences(found)

    def _session(self, master: str, jars: str | None) -> Any:
        self._folder.mkdir(parents=True, exist_ok=True)
        if any(spec.reading is not None for spec in self._specs):
            return session_with_topics(master, jars)
        return session(master, log=self._folder / "spark.log")

    def _compute(self, spark: Any, master: str, partitions: int) -> None:
        readings = [spec.reading for spec in self._specs if spec.reading is not None]
        try:
            self._given = [
                messages_of(spark, spec, self._folder / side.name, one_machine=is_one_machine(master))
                for side, spec in zip(self._sides, self._specs, strict=True)
            ]
            compare_on_spark(
                self._sides,
                self._given,
                self._pairs,
                self.stages,
                partitions=partitions,
                plan=self._plan,
                one_machine=is_one_machine(master),
                shared=is_here(master) or (bool(self._place) and is_local(self._place)),
            )
        except UsageError:
            raise
        except Exception as e:
            why = reduce(lambda text, reading: reading.config.hidden(text), readings, in_one_line(e))
            raise UsageError(f"--master {master}: the comparison failed on Spark: {why}") from e

    def _differences(self, found: Iterable[Table]) -> Iterator[Difference]:
        for part in found:
            table, counts = differences_of(part)
            self.counts.add(counts)
            for batch in table.to_batches():
                for row in zip(*(column.to_pylist() for column in batch.columns), strict=True):
                    yield difference_of(row)
        self._check()

    def _check(self) -> None:
        """Raise `SuiteError` if the number of counted messages differs from the number that Spark read.

        After the loss of an executor Spark reads, and observes, messages again; the frame is counted in that case.
        """
        for number, (side, observed) in enumerate(zip(self._sides, self.notes.get("observed", ()), strict=False)):
            counted = self.counts.control[number, "messages"]
            if counted != observed and not (self._given and self._given[number].plain().count() == counted):
                raise SuiteError(f"{side.name}: Spark read {observed:,} messages, of which {counted:,} were counted")

    @property
    def notes(self) -> dict[str, Any]:
        """The `plan` of the comparison, `why` it was chosen, and the `observed` messages by side."""
        return self.stages.merged.notes

    def close(self) -> None:
        """Remove the stages."""
        self.stages.forget()
        shutil.rmtree(self._folder, ignore_errors=True)


def _absolute(spec: Spec) -> Spec:
    """The SPEC with absolute paths, which a server elsewhere on this machine also finds."""
    if spec.reading is not None or not is_local(spec.source):
        return spec
    return replace(spec, source=str(Path(spec.source).absolute()))


def _read_here(stage: Stage) -> Iterator[Table]:
    files = sorted(Path(stage.place).glob("*.parquet"))
    if not files:
        raise UsageError(
            f"{stage.place}: Spark's workers wrote elsewhere: --stage must be a place that all of them can reach"
        )
    for file in files:
        yield parquet.read_table(file)


def _read_there(spark: Any, stage: Stage) -> Iterator[Table]:
    rows: list[Any] = []
    for row in stage.read(spark).toLocalIterator():
        rows.append(row.asDict())
        if len(rows) == _ROWS:
            yield Table.from_pylist(rows, schema=RESULT)
            rows = []
    yield Table.from_pylist(rows, schema=RESULT)
