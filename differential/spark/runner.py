"""The comparison on Spark: decode each side, bring together what may differ, merge.

    merge     frame → mapInArrow(decode, pack) → union → repartition by part of the keys → mapInArrow(merge) → parquet
    two-pass  frame → mapInArrow(decode) → union → parquet, of which only what may differ is merged; see `plan`

Both find the same. `auto` is `merge` where the shuffle stays on one machine; elsewhere a sample of the keys decides.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial, reduce
from pathlib import Path
from typing import Any

from differential import rows, slim
from differential.batches import BLOCKS, decode, merge, pack
from differential.merging import Pair
from differential.sides import Side
from differential.spark.plan import counted, ddl, differing, sampled, to_merge
from differential.spark.stages import Stage

__all__ = ["Stage", "Stages", "compare_on_spark"]

_BLOCKS = tuple((field.name, str(field.type)) for field in BLOCKS)
_PARTS_OF_A_TASK = 4  # the hash that brings parts to tasks spreads many of them better than few


@dataclass(frozen=True, slots=True)
class Stages:
    """What a comparison puts down: the result, and in two passes what was decoded, which groups differ, and counts."""

    merged: Stage
    decoded: Stage
    differing: Stage
    alike: Stage

    @classmethod
    def below(cls, folder: Path, made_of: Mapping[str, Any], plan: str = "merge", place: str = "") -> Stages:
        """The stages of a comparison by its plan; their files are at `place` where that is not the folder."""
        names = ("merged", "decoded", "differing", "alike")
        of: tuple[dict[str, str], ...] = ({"plan": plan}, {}, {}, {})
        return cls(
            *(
                Stage(folder / name, {**made_of, **more}, f"{place.rstrip('/')}/{name}" if place else "")
                for name, more in zip(names, of, strict=True)
            )
        )

    def forget(self) -> None:
        """Let go of all of them."""
        for stage in (self.merged, self.decoded, self.differing, self.alike):
            stage.forget()


def _packed(number: int, side: Side, parts: int, batches: Iterator[Any]) -> Iterator[Any]:
    return pack(parts, decode(number, side, batches))


def _union(frames: Iterable[Any]) -> Any:
    return reduce(lambda a, b: a.unionAll(b), frames)


class _Observed:
    """The frames of the sides, and how many messages went through each of them when they were read."""

    def __init__(self, frames: Sequence[Any]) -> None:
        from pyspark.sql import Observation
        from pyspark.sql import functions as f

        self._seen = [Observation() for _ in frames]
        count = f.count(f.lit(1)).alias("messages")
        self.frames = [frame.observe(seen, count) for frame, seen in zip(frames, self._seen, strict=True)]

    def told(self) -> dict[str, Any]:
        return {"observed": [int(seen.get["messages"]) for seen in self._seen]}


def compare_on_spark(
    sides: Sequence[Side],
    frames: Sequence[Any],
    pairs: Sequence[Pair],
    stages: Stages,
    *,
    partitions: int,
    plan: str = "merge",
    one_machine: bool = True,
) -> None:
    """Write the differences, and the counts of each part, into the stage `merged`, unless it is complete.

    `frames` have the columns of `batches.FRAME`. The stage tells which `plan` was followed, `why`, and how many
    messages were `observed` a side.
    """
    if stages.merged.complete():
        return
    if plan == "merge" or (plan == "auto" and one_machine):
        why = "asked for" if plan == "merge" else "the sides meet on one machine"
        _compare_at_once(sides, frames, pairs, stages.merged, partitions, {"plan": "merge", "why": why})
        return
    if not stages.decoded.complete():
        seen = _Observed(frames)
        slims = [
            frame.mapInArrow(partial(decode, number, side), ddl(slim.COLUMNS))
            for number, (side, frame) in enumerate(zip(sides, seen.frames, strict=True))
        ]
        stages.decoded.write(_union(slims), seen.told)
    spark = frames[0].sparkSession
    spark.conf.set("spark.sql.shuffle.partitions", str(partitions))
    decoded = spark.read.parquet(stages.decoded.place)
    told = {"plan": "two-pass", "why": "asked for"}
    if plan == "auto":
        sample = sampled(decoded, sides, partitions)
        told = {"plan": sample.plan, "why": str(sample)}
    if told["plan"] == "two-pass":
        result = _in_two_passes(decoded, sides, pairs, stages, partitions)
    else:
        result = _merged(decoded.repartition(partitions, "group"), len(sides), pairs)
    stages.merged.write(result, lambda: told | stages.decoded.told)


def _compare_at_once(
    sides: Sequence[Side],
    frames: Sequence[Any],
    pairs: Sequence[Pair],
    merged: Stage,
    partitions: int,
    told: Mapping[str, str],
) -> None:
    seen = _Observed(frames)
    parts = partitions * _PARTS_OF_A_TASK
    blocks = [
        frame.mapInArrow(partial(_packed, number, side, parts), ddl(_BLOCKS))
        for number, (side, frame) in enumerate(zip(sides, seen.frames, strict=True))
    ]
    together = _union(blocks).repartition(partitions, "part")
    merged.write(_merged(together, len(sides), pairs), lambda: {**told, **seen.told()})


def _in_two_passes(decoded: Any, sides: Sequence[Side], pairs: Sequence[Pair], stages: Stages, partitions: int) -> Any:
    """The result, with the images of keys that are alike left where they are."""
    if not stages.differing.complete():
        stages.differing.write(differing(decoded, sides, partitions))
    different = decoded.sparkSession.read.parquet(stages.differing.place)
    some = to_merge(decoded, different).repartition(partitions, "group")
    return _merged(some, len(sides), pairs).unionAll(counted(decoded, different, len(sides), pairs, stages.alike))


def _merged(parts: Any, sides: int, pairs: Sequence[Pair]) -> Any:
    return parts.mapInArrow(partial(merge, tuple(pairs), sides), ddl(rows.COLUMNS))
