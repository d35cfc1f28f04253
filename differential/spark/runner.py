"""The plan on Spark: decode each side, bring the changes of a key together, merge.

    frame → mapInArrow(decode) → union → repartition by key → sort within the parts → mapInArrow(merge) → parquet

Each stage leaves its files and a manifest of what made them; a run that finds the manifest it would write takes the
files as they are.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Mapping, Sequence
from functools import partial, reduce
from pathlib import Path
from typing import Any

from differential import rows, slim
from differential.batches import decode, merge
from differential.merging import Pair
from differential.sides import Side

__all__ = ["Stage", "compare_on_spark"]

_SPARK = {"bool": "boolean", "int8": "byte", "int32": "int", "int64": "long", "string": "string", "binary": "binary"}
_SORTED = [name for name, _ in slim.COLUMNS[:9]]


def _ddl(columns: Sequence[tuple[str, str]]) -> str:
    return ", ".join(f"`{name}` {_SPARK[kind]}" for name, kind in columns)


class Stage:
    """A folder of parquet files that is complete when its manifest is there and says what it should."""

    def __init__(self, folder: Path, made_of: Mapping[str, Any]) -> None:
        self.folder, self._made_of = folder, json.dumps(made_of, sort_keys=True)

    @property
    def _manifest(self) -> Path:
        return self.folder.with_name(self.folder.name + ".manifest.json")

    @property
    def digest(self) -> str:
        """Names what the stage is made of."""
        return hashlib.sha256(self._made_of.encode()).hexdigest()

    def complete(self) -> bool:
        """Whether a run before this one finished the same stage."""
        return self._manifest.is_file() and self._manifest.read_text(encoding="utf-8") == self._made_of

    def write(self, frame: Any) -> None:
        """Compute the frame into the folder; what an interrupted run left there goes first."""
        self._manifest.unlink(missing_ok=True)
        shutil.rmtree(self.folder, ignore_errors=True)
        frame.write.mode("overwrite").parquet(str(self.folder))
        draft = self._manifest.with_suffix(".draft")
        draft.write_text(self._made_of, encoding="utf-8")
        draft.replace(self._manifest)


def compare_on_spark(
    sides: Sequence[Side], frames: Sequence[Any], pairs: Sequence[Pair], merged: Stage, *, partitions: int
) -> None:
    """Write the differences, and the counts of each part, into the stage `merged`, unless it is complete.

    `frames` have the columns of `batches.FRAME`.
    """
    if merged.complete():
        return
    decoded = [
        frame.mapInArrow(partial(decode, number, side), _ddl(slim.COLUMNS))
        for number, (side, frame) in enumerate(zip(sides, frames, strict=True))
    ]
    together = reduce(lambda a, b: a.unionAll(b), decoded).repartition(partitions, "group")
    result = together.sortWithinPartitions(*_SORTED).mapInArrow(
        partial(merge, tuple(pairs), len(sides)), _ddl(rows.COLUMNS)
    )
    merged.write(result)
