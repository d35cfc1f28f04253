"""Writes differences as parquet, one row each, with the columns that the documentation promises."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from heapq import nsmallest
from pathlib import Path
from typing import Any

from conformance.errors import missing_extra
from differential.model import Class, Difference, Place, Status
from differential.result.tally import order_of

__all__ = ["COLUMNS", "difference_of", "row_of", "write_parquet"]

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
_ROWS = 50_000


def _place(place: Place | None) -> tuple[str | None, int | None, int | None]:
    return (None, None, None) if place is None else (place.topic, place.partition, place.offset)


def row_of(d: Difference) -> tuple[Any, ...]:
    """A difference in the order of `COLUMNS`."""
    commit_ts = None if d.commit_ts is None else str(d.commit_ts)
    return (
        d.pair, d.kind.value, d.divergence, d.status.value, d.schema, d.table, d.column, d.key, commit_ts,
        *_place(d.left), *_place(d.right), d.left_value, d.right_value,
    )  # fmt: skip


def difference_of(row: tuple[Any, ...]) -> Difference:
    """The difference that a row in the order of `COLUMNS` holds."""
    pair, kind, divergence, status, schema, table, column, key, commit_ts, *places, left_value, right_value = row
    left, right = (None if place[0] is None else Place(*place) for place in (places[:3], places[3:]))
    return Difference(
        pair, Class(kind), schema, table, column, key, None if commit_ts is None else int(commit_ts),
        left, right, left_value, right_value, divergence, Status(status),
    )  # fmt: skip


def write_parquet(
    differences: Iterable[Difference], folder: Path, *, most: int | None, on_omitted: Callable[[], object]
) -> None:
    """Write `folder/part-00000.parquet`, even without any differences.

    At most `most` rows are written, the first by `order_of`; `on_omitted` is called for each further difference.
    """
    try:
        import pyarrow
        from pyarrow import parquet

        from differential.record_batches import row_batches
    except ImportError:
        raise missing_extra("differences are written with pyarrow", "compare") from None
    schema = pyarrow.schema([(name, pyarrow.type_for_alias(kind)) for name, kind in COLUMNS])
    folder.mkdir(parents=True, exist_ok=True)
    kept = differences if most is None else _first(differences, most, on_omitted)
    with parquet.ParquetWriter(folder / "part-00000.parquet", schema, compression="zstd") as writer:
        for batch in row_batches(schema, map(row_of, kept), _ROWS):
            writer.write_batch(batch)


def _first(differences: Iterable[Difference], most: int, on_omitted: Callable[[], object]) -> list[Difference]:
    """The first `most` differences by `order_of`, whatever order they come in."""
    count = 0

    def counted() -> Iterator[Difference]:
        nonlocal count
        for difference in differences:
            count += 1
            yield difference

    rest = counted()
    kept = nsmallest(most, rest, key=order_of)
    for _ in rest:  # counts the remaining ones, which is all of them if `most` is 0
        pass
    for _ in range(count - len(kept)):
        on_omitted()
    return kept
