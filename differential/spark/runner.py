"""Compares on Spark: decodes each side, collects what may differ, and merges it.

    merge     messages → mapInArrow(decode, pack) → union → repartition by parts of keys → mapInArrow(merge) → parquet;
              if the workers share a folder, it holds files of fingerprints and values: Spark moves only their places,
              and values are read only where they differ
    two-pass  messages → mapInArrow(decode) → union → parquet; only keys that may differ are merged; see `plan`

Both give the same result. `auto` means `merge` if the workers share a folder; if not, a sample of the keys decides.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial, reduce
from itertools import chain, groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

import pyarrow

from differential import rows
from differential.align.merging import Pair
from differential.batches import decode, merge, results
from differential.blocks import BLOCKS, pack, unpack
from differential.counts import Counts
from differential.decode import slim
from differential.decode.quick import FEW
from differential.prints.reading import PrintReader, tables_of
from differential.prints.settling import settle
from differential.prints.storing import STORED, store, store_others
from differential.sides import Side
from differential.spark.messages import Messages
from differential.spark.plan import counted, differing, sampled, spark_schema, to_merge
from differential.spark.stages import Stage, is_local
from differential.workers import collect_garbage_rarely

__all__ = ["Stage", "Stages", "compare_on_spark"]

_PARTS_OF_A_TASK = 4  # hashing spreads many parts over tasks more evenly than few
_MESSAGES_OF_A_PART, _MOST_PARTS = 15_000, 512  # small parts are merged in less memory; blocks must not be too small


@dataclass(frozen=True, slots=True)
class Stages:
    """The stored stages: the result, and in two passes decoded messages, differing groups and counts."""

    merged: Stage
    decoded: Stage
    differing: Stage
    alike: Stage

    @classmethod
    def below(cls, folder: Path, made_of: Mapping[str, Any], plan: str = "merge", place: str = "") -> Stages:
        """The stages of a comparison by its plan, with their files at `place` or, by default, in `folder`."""
        names = ("merged", "decoded", "differing", "alike")
        differs_by: tuple[dict[str, str], ...] = ({"plan": plan}, {}, {}, {})
        return cls(
            *(
                Stage(folder / name, {**made_of, **more}, f"{place.rstrip('/')}/{name}" if place else "")
                for name, more in zip(names, differs_by, strict=True)
            )
        )

    @property
    def blocks(self) -> Path:
        """The folder on this machine for blocks until they are merged."""
        return (Path(self.merged.place) if is_local(self.merged.place) else self.merged.folder).with_name("blocks")

    def forget(self) -> None:
        """Discard all stages."""
        for stage in (self.merged, self.decoded, self.differing, self.alike):
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


def _store_prints(
    folder: str, number: int, sides: Sequence[Side], pairs: Sequence[Pair], parts: int, batches: Iterable[Any]
) -> Iterator[Any]:
    """Store the fingerprints of messages in a folder, and yield their places as batches of `STORED`."""
    collect_garbage_rarely("decode")
    if not Path(folder).is_dir():
        raise FileNotFoundError(
            f"{folder}: a worker does not see this folder; --stage must be a folder that all workers see"
        )
    reader = PrintReader(number, sides, pairs, few=FEW)
    places = [*store(folder, parts, reader.read(batches), reader.names)]
    places += store_others(folder, parts, reader.others)
    yield pyarrow.RecordBatch.from_pylist([dict(zip(STORED.names, row, strict=True)) for row in places], schema=STORED)


def _settle_parts(sides: Sequence[Side], pairs: Sequence[Pair], batches: Iterable[Any]) -> Iterator[Any]:
    """The results of parts of the keys, given the places of their fingerprints."""
    collect_garbage_rarely("merge")
    rows_of = (zip(*(column.to_pylist() for column in batch.columns), strict=True) for batch in batches)
    for _, places in groupby(sorted(chain.from_iterable(rows_of)), itemgetter(0)):
        differences, counts = settle(pairs, len(sides), tables_of(sides), list(places))
        yield from results(differences, partial(_same_counts, counts))


def _same_counts(counts: Counts) -> Counts:
    return counts


def _decode_and_pack(number: int, side: Side, parts: int, batches: Iterable[Any]) -> Iterator[Any]:
    return pack(parts, decode(number, side, batches))


def _unpack_and_merge(pairs: Sequence[Pair], sides: int, batches: Iterable[Any]) -> Iterator[Any]:
    for part in unpack(batches):
        yield from merge(pairs, sides, part)


def _number_of_parts(partitions: int, messages: int) -> int:
    return max(partitions * _PARTS_OF_A_TASK, min(messages // _MESSAGES_OF_A_PART, _MOST_PARTS))


def _union(frames: Iterable[Any]) -> Any:
    return reduce(lambda a, b: a.unionAll(b), frames)


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
    if plan == "merge" or (plan == "auto" and shared):
        reason = "the sides meet on one machine" if one_machine else "the workers share a folder"
        notes = {"plan": "merge", "why": "asked for" if plan == "merge" else reason}
        if shared:
            with _emptied(stages.blocks) as folder:
                _compare_here(sides, given, pairs, stages.merged, partitions, folder, notes)
        else:
            _compare_at_once(sides, given, pairs, stages.merged, partitions, notes)
        return
    if not stages.decoded.complete():
        observed = _MessageCounts(given)
        slims = [
            one.through(partial(decode, number, side), spark_schema(slim.COLUMNS))
            for number, (side, one) in enumerate(zip(sides, observed.given, strict=True))
        ]
        stages.decoded.write(_union(slims), observed.notes)
    spark = given[0].frame.sparkSession
    spark.conf.set("spark.sql.shuffle.partitions", str(partitions))
    decoded = stages.decoded.read(spark)
    notes = {"plan": "two-pass", "why": "asked for"}
    if plan == "auto":
        sample = sampled(decoded, sides, partitions)
        notes = {"plan": sample.plan, "why": str(sample)}
    if notes["plan"] == "two-pass":
        result = _in_two_passes(decoded, sides, pairs, stages, partitions)
    else:
        result = _merged(decoded.repartition(partitions, "group"), len(sides), pairs)
    stages.merged.write(result, lambda: notes | stages.decoded.notes)


def _compare_here(
    sides: Sequence[Side],
    given: Sequence[Messages],
    pairs: Sequence[Pair],
    merged: Stage,
    partitions: int,
    folder: str,
    notes: Mapping[str, str],
) -> None:
    """Compare by fingerprints in files of `folder`; Spark moves only their places."""
    observed = _MessageCounts(given)
    parts = _number_of_parts(partitions, sum(one.count for one in given))
    columns = spark_schema([(field.name, str(field.type)) for field in STORED])
    sides, pairs = tuple(sides), tuple(pairs)
    places = [
        one.through(partial(_store_prints, folder, number, sides, pairs, parts), columns)
        for number, one in enumerate(observed.given)
    ]
    together = _union(places).repartition(partitions, "part")
    result = together.mapInArrow(partial(_settle_parts, sides, pairs), spark_schema(rows.COLUMNS))
    merged.write(result, lambda: {**notes, **observed.notes()})


def _compare_at_once(
    sides: Sequence[Side],
    given: Sequence[Messages],
    pairs: Sequence[Pair],
    merged: Stage,
    partitions: int,
    notes: Mapping[str, str],
) -> None:
    """Compare by values, which Spark moves in blocks."""
    observed = _MessageCounts(given)
    parts = _number_of_parts(partitions, sum(one.count for one in given))
    columns = spark_schema([(field.name, str(field.type)) for field in BLOCKS])
    blocks = [
        one.through(partial(_decode_and_pack, number, side, parts), columns)
        for number, (side, one) in enumerate(zip(sides, observed.given, strict=True))
    ]
    together = _union(blocks).repartition(partitions, "part")
    result = together.mapInArrow(partial(_unpack_and_merge, tuple(pairs), len(sides)), spark_schema(rows.COLUMNS))
    merged.write(result, lambda: {**notes, **observed.notes()})


def _in_two_passes(decoded: Any, sides: Sequence[Side], pairs: Sequence[Pair], stages: Stages, partitions: int) -> Any:
    """The result of the two-pass plan, which does not move the images of keys that are alike."""
    if not stages.differing.complete():
        stages.differing.write(differing(decoded, sides, partitions))
    different = stages.differing.read(decoded.sparkSession)
    some = to_merge(decoded, different).repartition(partitions, "group")
    return _merged(some, len(sides), pairs).unionAll(counted(decoded, different, len(sides), pairs, stages.alike))


def _merged(parts: Any, sides: int, pairs: Sequence[Pair]) -> Any:
    return parts.mapInArrow(partial(merge, tuple(pairs), sides), spark_schema(rows.COLUMNS))
