"""Compares growing streams on Spark, in batches that a later run can continue.

    new messages → mapInArrow(decode) ∪ waiting → repartition by key → sort within the parts → mapInArrow(settle)

Each round is a query of Structured Streaming that reads the available messages and ends. Its checkpoint records what
was read, and the `Journal` records the results.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial, reduce
from pathlib import Path
from threading import Event
from typing import Any

from conformance.errors import UsageError
from differential.align.pairs import Pair
from differential.decode import slim
from differential.live.batches import PIECES, TIMED, WAITING, decode_timed, settle
from differential.live.journal import Journal, Progress
from differential.live.rounds import EVERYTHING
from differential.record_batches import RECORD_SCHEMA
from differential.sides import Side
from differential.sources.spec import Spec
from differential.spark.gateway import java_ended
from differential.spark.messages import spark_columns
from differential.spark.session import in_one_line
from differential.spark.stages import literal
from differential.spark.streams import hidden, stream_of

__all__ = ["LiveComparison", "ending_with_java"]

_SIDE = "of_side"
_SIGNAL_WITHIN_S = 1.0
_OURS = __name__.partition(".")[0]
_ON_CONNECT = "; where a server of Spark Connect runs, ticdc-conformance itself must be installed for --live"


@dataclass(frozen=True, slots=True)
class LiveComparison:
    """Compares growing streams."""

    sides: Sequence[Side]
    pairs: Sequence[Pair]
    journal: Journal
    patience: float  # seconds: a change is reported as missing once the slower side has messages so much newer
    partitions: int

    def rounds(
        self, spark: Any, specs: Sequence[Spec], *, config: Path | None, more: Callable[[], bool], to_the_end: bool
    ) -> Iterator[Progress]:
        """The progress after each round, and after the last settling of changes.

        Rounds continue as long as `more`, which may wait, returns True. The last settling takes due changes, or, with
        `to_the_end`, all changes, since no message will follow. Raises `UsageError` if a source cannot be read, or if
        Spark fails.
        """
        with _errors_in_one_line(specs, config):
            streams = [stream_of(spark, spec, config) for spec in specs]
            numbered = [_numbered(stream, number) for number, stream in enumerate(streams)]
            writer = reduce(lambda a, b: a.unionAll(b), numbered).writeStream.foreachBatch(self._take)
            writer = writer.option("checkpointLocation", str(self.journal.checkpoint)).trigger(availableNow=True)
        before, goes_on = -1, True
        while goes_on:
            with _errors_in_one_line(specs, config):
                writer.start().awaitTermination()
                if self.journal.progress().number == before:  # a new batch settles due changes itself
                    self._settle(spark, self._due(self.journal.progress()))
            progress = self.journal.progress()
            before = progress.number
            yield progress
            goes_on = more()
        with _errors_in_one_line(specs, config):
            self._settle(spark, EVERYTHING if to_the_end else self._due(progress))
        yield self.journal.progress()

    def _due(self, progress: Progress) -> float | None:
        """The time up to which changes are due; None while a side is silent."""
        if len(progress.newest) < len(self.sides):
            return None
        return min(progress.newest.values()) - self.patience * 1000

    def _take(self, frame: Any, number: int) -> None:
        """Process a batch of new messages; Spark repeats the last one after a run was killed."""
        progress = self.journal.progress()
        if number > progress.taken:
            self._complete(frame.sparkSession, frame, progress, number, self._due(progress))

    def _settle(self, spark: Any, due: float | None) -> None:
        """Settle the changes that have become due without a new message."""
        progress = self.journal.progress()
        if due is None or not (progress.waiting or progress.check_rows):
            return
        is_due = progress.oldest is not None and progress.oldest <= due
        if due == EVERYTHING or (is_due and (progress.due is None or due > progress.due)):
            self._complete(spark, None, progress, progress.taken, due)

    def _complete(self, spark: Any, frame: Any, progress: Progress, taken: int, due: float | None) -> None:
        parts = [] if frame is None else [self._decoded(frame, number) for number in range(len(self.sides))]
        if progress.waiting or progress.check_rows:
            place = literal(str(self.journal.pieces(progress.number)))
            waiting = spark.read.schema(spark_columns(PIECES)).parquet(place)
            parts.append(waiting.where(f"what = '{WAITING}'").select(*TIMED.names))
        together = reduce(lambda a, b: a.unionAll(b), parts).repartition(self.partitions, "group")
        ordered = together.sortWithinPartitions(*slim.ORDERING)
        settled = ordered.mapInArrow(partial(settle, tuple(self.pairs), len(self.sides), due), spark_columns(PIECES))
        settled.write.mode("overwrite").parquet(str(self.journal.pieces(progress.number + 1)))
        self.journal.complete(progress, taken, None if due == EVERYTHING else due)

    def _decoded(self, frame: Any, number: int) -> Any:
        of_side = frame.where(f"{_SIDE} = {number}").select(*RECORD_SCHEMA.names, "time")
        return of_side.mapInArrow(partial(decode_timed, number, self.sides[number]), spark_columns(TIMED))


@contextmanager
def ending_with_java(stopped: Event) -> Iterator[None]:
    """Ignore failures caused by the end of the JVM if `stopped` is set.

    A signal to all processes of a container or service also reaches the JVM, which may end before this process.
    """
    try:
        yield
    except Exception:
        if not (stopped.wait(_SIGNAL_WITHIN_S) and java_ended()):
            raise


@contextmanager
def _errors_in_one_line(specs: Sequence[Spec], config: Path | None) -> Iterator[None]:
    try:
        yield
    except UsageError:
        raise
    except Exception as e:
        why = hidden(specs, config, in_one_line(e))
        more = _ON_CONNECT if repr(_OURS) in why else ""
        raise UsageError(f"the comparison failed on Spark: {why}{more}") from e


def _numbered(stream: Any, number: int) -> Any:
    from pyspark.sql import functions as f

    return stream.withColumn(_SIDE, f.lit(number))
