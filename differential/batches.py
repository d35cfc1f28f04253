"""Arrow batches in, arrow batches out: the decoding and the merging that every runner shares.

`decode` and `merge` know no Spark. The columns of a frame are Kafka's; those between the two are `slim.COLUMNS`; those
that come out are `rows.COLUMNS`, and one more row a part, of class `COUNTED`, which holds its counts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import orjson
import pyarrow

from differential import rows, slim
from differential.counts import Counts
from differential.decoding import SlimReader
from differential.merging import Merge, Pair
from differential.sides import Side
from differential.slim import Slim
from reference_impl.model import Record

__all__ = ["COUNTED", "FRAME", "RESULT", "SLIM", "decode", "differences_of", "merge"]

COUNTED = "~counts"
_BATCH = 4096


def _schema(columns: Iterable[tuple[str, str]]) -> Any:
    return pyarrow.schema([(name, pyarrow.type_for_alias(kind)) for name, kind in columns])


FRAME = _schema(
    (
        ("key", "binary"),
        ("value", "binary"),
        ("topic", "string"),
        ("partition", "int32"),
        ("offset", "int64"),
    )
)
SLIM = _schema(slim.COLUMNS)
RESULT = _schema(rows.COLUMNS)


def _batch(schema: Any, found: Sequence[Sequence[Any]]) -> Any:
    columns = zip(*found, strict=True) if found else ([] for _ in schema)
    arrays = [pyarrow.array(column, type=field.type) for column, field in zip(columns, schema, strict=True)]
    return pyarrow.RecordBatch.from_arrays(arrays, schema=schema)


def _tuples(batch: Any) -> Iterator[tuple[Any, ...]]:
    return zip(*(column.to_pylist() for column in batch.columns), strict=True)


def decode(number: int, side: Side, batches: Iterable[Any]) -> Iterator[Any]:
    """From batches of frames to slim batches, and at the end one row with what was no change of a row."""
    read = SlimReader(number, side)
    counts: Counter[str] = Counter()
    for batch in batches:
        found: list[Slim] = []
        counts["messages"] += batch.num_rows
        for key, value, topic, partition, offset in _tuples(batch):
            found += read(Record(key, value, topic=topic, partition=partition, offset=offset))
        yield _batch(SLIM, found)
    counts.update(read.counts)
    yield _batch(SLIM, [slim.counts_row(number, counts)])


def merge(pairs: Sequence[Pair], sides: int, batches: Iterable[Any]) -> Iterator[Any]:
    """From sorted slim batches of one part of the keys to differences and, last, the counts of the part."""
    merging = Merge(pairs, sides)
    found: list[tuple[Any, ...]] = []
    for difference in merging.differences(row for batch in batches for row in _tuples(batch)):
        found.append(rows.row_of(difference))
        if len(found) == _BATCH:
            yield _batch(RESULT, found)
            found = []
    counts = orjson.dumps(merging.counts.to_json()).decode()
    found.append((None, COUNTED, *(None for _ in RESULT.names[3:]), counts))
    yield _batch(RESULT, found)


def differences_of(table: Any) -> tuple[Any, Counts]:
    """A table of results as its rows of differences, and the counts of all parts together."""
    counts = Counts()
    is_counts = pyarrow.compute.equal(table["class"], COUNTED)
    for text in table.filter(is_counts)["right_value"].to_pylist():
        counts.add(Counts.from_json(orjson.loads(text)))
    return table.filter(pyarrow.compute.invert(is_counts)), counts
