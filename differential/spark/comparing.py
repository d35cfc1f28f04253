"""A comparison on Spark from its SPECs to its differences."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from functools import reduce
from pathlib import Path

from pyarrow import dataset

from conformance.errors import UsageError
from differential.batches import differences_of
from differential.counts import Counts
from differential.merging import Pair
from differential.model import Difference
from differential.rows import difference_of
from differential.sides import Side
from differential.sources import fingerprint
from differential.spark.frames import frame_of
from differential.spark.kafka import session_with_topics
from differential.spark.runner import Stage, compare_on_spark
from differential.spark.session import session
from differential.spec import Spec

__all__ = ["SparkComparison", "in_one_line"]


class SparkComparison:
    """Compares on Spark, below `out/stage`, which is there until `close`; a run that was killed is taken up again."""

    def __init__(
        self, sides: Sequence[Side], specs: Sequence[Spec], pairs: Sequence[Pair], out: Path, version: str
    ) -> None:
        self._sides, self._specs, self._pairs = sides, specs, pairs
        self._folder = out / "stage"
        made_of = {"version": version, "sides": repr(sides), "sources": [fingerprint(spec) for spec in specs]}
        self._merged = Stage(self._folder / "merged", made_of)
        self.counts = Counts()

    def run(self, master: str, partitions: int, jars: str | None = None) -> None:
        """Compute the stage; `jars` says where Spark's source of topics is, as `connector` takes it.

        Raises `UsageError` where Spark does not start or a source cannot be read.
        """
        if self._merged.complete():
            return
        readings = [spec.reading for spec in self._specs if spec.reading is not None]
        with session_with_topics(master, jars) if readings else session(master) as spark:
            frames = [
                frame_of(spark, spec, self._folder / side.name)
                for side, spec in zip(self._sides, self._specs, strict=True)
            ]
            try:
                compare_on_spark(self._sides, frames, self._pairs, self._merged, partitions=partitions)
            except Exception as e:
                why = reduce(lambda text, reading: reading.config.hidden(text), readings, in_one_line(e))
                raise UsageError(f"--master {master}: the comparison failed on Spark: {why}") from e

    def differences(self) -> Iterator[Difference]:
        """The differences, part by part; `counts` are complete at the end."""
        for fragment in dataset.dataset(self._merged.folder, format="parquet").get_fragments():
            table, counts = differences_of(fragment.to_table())
            self.counts.add(counts)
            for batch in table.to_batches():
                for row in zip(*(column.to_pylist() for column in batch.columns), strict=True):
                    yield difference_of(row)

    def close(self) -> None:
        """Remove what lies below `out/stage`."""
        shutil.rmtree(self._folder, ignore_errors=True)


def in_one_line(error: Exception) -> str:
    """What went wrong: the last line of a worker's traceback, where there is one."""
    lines = [line for line in str(error).splitlines() if line.strip()]
    begins = next((n for n, line in enumerate(lines) if line.startswith("Traceback")), None)
    if begins is not None:
        ended = (line for line in lines[begins + 1 :] if not line[0].isspace())
        return next(ended, lines[begins])
    return lines[0] if lines else type(error).__name__
