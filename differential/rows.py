"""The rows of differences as parquet, one row a difference, columns as the command line promises them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from conformance.errors import UsageError
from differential.model import Difference, Place

__all__ = ["COLUMNS", "row_of", "write_parquet"]

COLUMNS = (
    ("pair", "string"),
    ("class", "string"),
    ("divergence", "string"),
    ("status", "string"),
    ("schema", "string"),
    ("table", "string"),
    ("column", "string"),
    ("key", "string"),
    ("commit_ts", "string"),
    *((f"{side}_{part}", kind) for side in ("left", "right") for part, kind in
      (("topic", "string"), ("partition", "int32"), ("offset", "int64"))),
    ("left_value", "string"),
    ("right_value", "string"),
)  # fmt: skip


def _place(place: Place | None) -> tuple[str | None, int | None, int | None]:
    return (None, None, None) if place is None else (place.topic, place.partition, place.offset)


def row_of(d: Difference) -> tuple[Any, ...]:
    """A difference in the order of `COLUMNS`."""
    commit_ts = None if d.commit_ts is None else str(d.commit_ts)
    return (
        d.pair, d.kind.value, d.divergence, d.status.value, d.schema, d.table, d.column, d.key, commit_ts,
        *_place(d.left), *_place(d.right), d.left_value, d.right_value,
    )  # fmt: skip


def write_parquet(differences: Sequence[Difference], folder: Path) -> None:
    """Write `folder/part-00000.parquet`; there is a file, with its columns, where nothing differs, too."""
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise UsageError("differences are written with pyarrow: install ticdc-conformance[spark]") from None
    schema = pyarrow.schema([(name, pyarrow.type_for_alias(kind)) for name, kind in COLUMNS])
    rows = [row_of(difference) for difference in differences]
    columns = [[row[place] for row in rows] for place in range(len(COLUMNS))]
    arrays = [pyarrow.array(column, type=field.type) for column, field in zip(columns, schema, strict=True)]
    folder.mkdir(parents=True, exist_ok=True)
    parquet.write_table(pyarrow.table(arrays, schema=schema), folder / "part-00000.parquet", compression="zstd")
