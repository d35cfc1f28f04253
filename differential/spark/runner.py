"""Compares on Spark by fingerprints, as on one machine, with Spark's shuffle between reading and settling.

    in a shared folder  messages → mapInArrow(store) → repartition by parts of the keys → mapInArrow(settle) → parquet;
                        Spark moves only the places of blocks in files
    merge               the same without a shared folder: Spark moves the blocks, with all values
    two-pass            messages → mapInArrow(store) → parquet; Spark moves the fingerprints of all changes, and then
                        the blocks of the keys whose values are needed

All give the same result. Plan `merge` uses a shared folder if there is one; so does `auto`, which is `two-pass` without
one.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial, reduce
from itertools import chain, groupby
from operator import itemgetter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow

from differential.align.pairs import Pair
from differential.batches import RESULT, results
from differential.decode.quick import FEW
from differential.prints.layout import tables_of
from differential.prints.moving import BLOCK_BYTES, BLOCKS, GROUPS, only_groups, packed, unpacked
from differential.prints.reading import PrintReader
from differential.prints.settling import settle, settle_prints
from differential.prints.storing import FILE_BYTES, STORED, Stored, store, store_others
from differential.sides import Side
from differential.spark.messages import Messages, spark_columns
from differential.spark.stages import Stage, is_local
from differential.workers import collect_garbage_rarely

__all__ = ["Stage", "Stages", "compare_on_spark"]

SETTLED = pyarrow.schema([*RESULT, ("part", pyarrow.int32()), ("groups", pyarrow.binary())])
"""Rows of results, and a row for each part with the groups of keys whose values are needed (`moving.GROUPS`)."""

_MOST_SENT_BYTES = 256 * 2**20  # of groups that are sent to every worker: 32 million keys
_PARTS_OF_A_TASK = 4  # hashing spreads many parts over tasks more evenly than few
_MESSAGES_OF_A_PART, _MOST_PARTS = 15_000, 512  # small parts are merged in less memory; blocks must not be too small


@dataclass(frozen=True, slots=True)
class Stages:
    """The stored stages: the result, and in two passes the blocks of all messages and what fingerprints settled."""

    merged: Stage
    decoded: Stage
    settled: Stage

    @classmethod
    def below(cls, folder: Path, made_of: Mapping[str, Any], plan: str = "merge", place: str = "") -> Stages:
        """The stages of a comparison by its plan, with their files at `place` or, by default, in `folder`."""

        def stage(name: str, **more: str) -> Stage:
            return Stage(folder / name, {**made_of, **more}, f"{place.rstrip('/')}/{name}" if place else "")

        return cls(stage("merged", plan=plan), stage("decoded"), stage("settled"))

    @property
    def blocks(self) -> Path:
        """The folder on this machine for blocks until they are merged."""
        return (Path(self.merged.place) if is_local(self.merged.place) else self.merged.folder).with_name("blocks")

    def forget(self) -> None:
        """Discard all stages."""
        for stage in (self.merged, self.decoded, self.settled):
            stage.forget()


@contextmanager
def _emptied(folder: Path) -> Iterator[str]:
    """An empty folder that is removed at the end."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    try:
        yield str(folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@dataclass(frozen=True, slots=True)
class _Work:
    """What workers do, and what they need for it."""

    sides: tuple[Side, ...]
    pairs: tuple[Pair, ...]
    parts: int = 0  # the number of parts of the keys; settling does not need it

    def store_in(self, folder: str, number: int, batches: Iterable[Any]) -> Iterator[Any]:
        """Store the messages of a side in a shared folder, and yield the places of their blocks."""
        if not Path(folder).is_dir():
            raise FileNotFoundError(
                f"{folder}: a worker does not see this folder; --stage must be a folder that all workers see"
            )
        stored = self._store(folder, number, batches)
        yield pyarrow.RecordBatch.from_pylist([dict(zip(STORED.names, one, strict=True)) for one in stored], STORED)

    def pack(self, number: int, batches: Iterable[Any]) -> Iterator[Any]:
        """Store the messages of a side, and yield the blocks."""
        with TemporaryDirectory() as folder:
            yield from packed(self._store(folder, number, batches, BLOCK_BYTES))

    def _store(self, folder: str, number: int, batches: Iterable[Any], most_bytes: int = FILE_BYTES) -> list[Stored]:
        collect_garbage_rarely("decode")
        reader = PrintReader(number, self.sides, self.pairs, few=FEW)
        places = [*store(folder, self.parts, reader.read(batches), reader.names, most_bytes=most_bytes)]
        return [*places, *store_others(folder, self.parts, reader.others)]

    def settle_places(self, batches: Iterable[Any]) -> Iterator[Any]:
        """The results of parts of the keys, given the places of their blocks."""
        rows = (zip(*(column.to_pylist() for column in batch.columns), strict=True) for batch in batches)
        return self._settle(sorted(chain.from_iterable(rows)))

    def settle_blocks(self, batches: Iterable[Any]) -> Iterator[Any]:
        """The results of parts of the keys, given their blocks."""
        with TemporaryDirectory() as folder:
            yield from self._settle(unpacked(folder, batches))

    def _settle(self, places: Iterable[Stored]) -> Iterator[Any]:
        collect_garbage_rarely("merge")
        for _, of_part in groupby(places, itemgetter(0)):
            yield from results(*settle(self.pairs, len(self.sides), tables_of(self.sides), list(of_part)))

    def settle_prints(self, batches: Iterable[Any]) -> Iterator[Any]:
        """What fingerprints settle in parts of the keys, given their blocks without values, as rows of `SETTLED`."""
        collect_garbage_rarely("merge")
        with TemporaryDirectory() as folder:
            for part, of_part in groupby(unpacked(folder, batches), itemgetter(0)):
                differences, counts, left_out = settle_prints(
                    self.pairs, len(self.sides), tables_of(self.sides), list(of_part)
                )
                for batch in results(differences, counts):
                    nothing = [pyarrow.nulls(batch.num_rows, type_) for type_ in SETTLED.types[-2:]]
                    yield pyarrow.RecordBatch.from_arrays([*batch.columns, *nothing], schema=SETTLED)
                if len(left_out):
                    row = {"part": part, "groups": left_out.astype(GROUPS).tobytes()}
                    yield pyarrow.RecordBatch.from_pylist([row], schema=SETTLED)


def _number_of_parts(partitions: int, messages: int) -> int:
    return max(partitions * _PARTS_OF_A_TASK, min(messages // _MESSAGES_OF_A_PART, _MOST_PARTS))


class _MessageCounts:
    """The number of messages of each side: known before they are read, or observed by Spark."""

    def __init__(self, given: Sequence[Messages]) -> None:
        from pyspark.sql import Observation
        from pyspark.sql import functions as f

        count = f.count(f.lit(1)).alias("messages")
        self._counts = [Observation() if one.read is None else one.count for one in given]
        self.given = [
            one if isinstance(observed, int) else Messages(one.frame.observe(observed, count))
            for one, observed in zip(given, self._counts, strict=True)
        ]

    def notes(self) -> dict[str, Any]:
        return {"observed": [one if isinstance(one, int) else int(one.get["messages"]) for one in self._counts]}


def compare_on_spark(
    sides: Sequence[Side],
    given: Sequence[Messages],
    pairs: Sequence[Pair],
    stages: Stages,
    *,
    partitions: int,
    plan: str = "merge",
    one_machine: bool = True,
    shared: bool = False,
) -> None:
    """Write the differences and counts into the stage `merged`, unless it is complete.

    `given` are the messages of the sides. `shared`: the workers of a cluster see the folder of the blocks, as those of
    one machine do. The notes of the stage have the `plan`, `why` it was chosen, and the numbers of messages
    `observed`.
    """
    if stages.merged.complete():
        return
    shared = shared or one_machine
    why = "asked for"
    if plan == "auto":
        plan = "merge" if shared else "two-pass"
        why = "the workers share no folder"
        if shared:
            why = "the sides meet on one machine" if one_machine else "the workers share a folder"
    notes = {"plan": plan, "why": why}
    observed = _MessageCounts(given)
    parts = _number_of_parts(partitions, sum(one.count for one in given))
    work = _Work(tuple(sides), tuple(pairs), parts)
    if plan == "two-pass":
        if not stages.decoded.complete():
            stages.decoded.write(_through(observed.given, work.pack, BLOCKS), observed.notes)
        result = _in_two_passes(given[0].frame.sparkSession, work, stages, partitions)
        stages.merged.write(result, lambda: notes | stages.decoded.notes)
    elif shared:
        with _emptied(stages.blocks) as folder:
            places = _through(observed.given, partial(work.store_in, folder), STORED).repartition(partitions, "part")
            result = places.mapInArrow(work.settle_places, spark_columns(RESULT))
            stages.merged.write(result, lambda: notes | observed.notes())
    else:
        blocks = _through(observed.given, work.pack, BLOCKS).repartition(partitions, "part")
        stages.merged.write(
            blocks.mapInArrow(work.settle_blocks, spark_columns(RESULT)), lambda: notes | observed.notes()
        )


def _through(given: Sequence[Messages], work: Callable[[int, Iterable[Any]], Iterator[Any]], schema: Any) -> Any:
    """The frame of the results of `work` on the messages of all sides, which are numbered."""
    frames = (one.through(partial(work, number), schema) for number, one in enumerate(given))
    return reduce(lambda a, b: a.unionAll(b), frames)


def _in_two_passes(spark: Any, work: _Work, stages: Stages, partitions: int) -> Any:
    """The result from the stage of blocks; values are moved only for the keys that fingerprints do not settle."""
    from pyspark.sql import functions as f

    decoded = stages.decoded.read(spark)
    if not stages.settled.complete():
        prints = decoded.select("part", "is_of_others", "prints", f.lit(b"").alias("values"))
        moved = prints.repartition(partitions, "part")
        stages.settled.write(moved.mapInArrow(work.settle_prints, spark_columns(SETTLED)))
    settled = stages.settled.read(spark)
    left_out = settled.where("groups IS NOT NULL").select("part", "groups")
    size = settled.selectExpr("coalesce(sum(length(groups)), 0)").first()[0]
    if size <= _MOST_SENT_BYTES:
        left_out = f.broadcast(left_out)  # otherwise Spark moves all blocks to join them with their groups
    needed = decoded.where("NOT is_of_others").join(left_out, "part").select(*BLOCKS.names, "groups")
    blocks = needed.mapInArrow(only_groups, spark_columns(BLOCKS)).repartition(partitions, "part")
    of_values = blocks.mapInArrow(work.settle_blocks, spark_columns(RESULT))
    return settled.where("groups IS NULL").select(*RESULT.names).unionAll(of_values)
