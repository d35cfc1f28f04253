"""Arrow batches in, arrow batches out: the decoding and the merging that every runner shares.

`decode` and `merge` know no Spark. The columns of a frame are Kafka's; those between the two are `slim.COLUMNS`; those
that come out are `rows.COLUMNS`, and one more row a part, of class `COUNTED`, which holds its counts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, pairwise, repeat
from typing import Any

import numpy
import orjson
import pyarrow

from differential import rows
from differential.align.columnar import differences_in
from differential.align.merging import Merge, Pair
from differential.counts import Counts
from differential.decode import slim
from differential.decode.quick import Found
from differential.decode.reader import SlimReader
from differential.sides import Side
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
    """From batches of frames to slim batches, and at the end rows with what was no change of a row."""
    read = SlimReader(number, side)
    counts, partitions = Counter[str](), Counter[tuple[str, int]]()
    for batch in batches:
        counts["messages"] += batch.num_rows
        if side.carries.broadcasts:
            partitions.update(_places(batch))
        keys, values = (_binaries(batch.column(place)) for place in range(2))
        found, rest = read.quickly(values, keys)
        if found:
            yield _found_batch(number, batch, found)
        if rest:
            records = (Record(k, v, topic=t, partition=p, offset=o) for k, v, t, p, o in _tuples(batch.take(rest)))
            yield _batch(SLIM, [row for record in records for row in read.thoroughly(record)])
    counts.update(read.counts)
    of_partitions = [slim.partition_row(number, *place, n) for place, n in sorted(partitions.items())]
    yield _batch(SLIM, [slim.counts_row(number, counts), *of_partitions])


def _places(batch: Any) -> dict[tuple[str, int], int]:
    """How many frames there are of each topic and partition."""
    columns = [batch.column("topic").fill_null(""), batch.column("partition").fill_null(0)]
    where = pyarrow.table(columns, ["topic", "partition"])
    found = where.group_by(["topic", "partition"]).aggregate([([], "count_all")])
    topics, partitions, counts = (found[name].to_pylist() for name in ("topic", "partition", "count_all"))
    return {(t, p): n for t, p, n in zip(topics, partitions, counts, strict=True)}


def _binaries(column: Any) -> list[bytes | None]:
    """The values of a binary column; faster than pyarrow where there is no NULL."""
    if column.null_count == len(column):
        return [None] * len(column)
    if column.null_count or column.type != pyarrow.binary():
        return list(column.to_pylist())
    _, offsets, data = column.buffers()
    ends = numpy.frombuffer(offsets, dtype=numpy.int32)[column.offset : column.offset + len(column) + 1]
    start = int(ends[0])
    whole = data.slice(start, int(ends[-1]) - start).to_pybytes()
    places = (ends - start).tolist()
    return [whole[a:b] for a, b in pairwise(places)]


def _found_batch(number: int, frames: Any, found: Sequence[Found]) -> Any:
    """Slim records that were found in columns, as a batch; their places are those of the frames."""

    def chained(name: str, columns: Iterable[Any]) -> Any:
        return pyarrow.array(list(chain.from_iterable(columns)), type=SLIM.field(name).type)

    def constant(name: str, values: Iterable[Any]) -> Any:
        kind = SLIM.field(name).type
        runs = zip(values, lengths, strict=True)
        return pyarrow.concat_arrays([pyarrow.repeat(pyarrow.scalar(value, type=kind), n) for value, n in runs])

    def placed(name: str, default: Any) -> Any:
        return frames.column(FRAME.get_field_index(name)).take(positions).fill_null(default)

    def times(name: str, columns: Sequence[Any], nothing: Any) -> Any:
        return chained(name, (repeat(nothing, n) if c is None else c for c, n in zip(columns, lengths, strict=True)))

    lengths = [len(one.positions) for one in found]
    positions = pyarrow.array(list(chain.from_iterable(one.positions for one in found)), type=pyarrow.int64())
    arrays = [
        chained("group", (one.groups for one in found)),
        constant("schema", (one.plan.schema for one in found)),
        constant("table", (one.plan.table for one in found)),
        chained("key", (one.keys for one in found)),
        constant("side", (number for _ in found)),
        placed("topic", ""),
        placed("partition", 0),
        placed("offset", 0),
        chained("step", (one.steps for one in found)),
        constant("kind", (slim.Kind.CHANGE for _ in found)),
        constant("op", (one.op for one in found)),
        constant("moved", (one.moved for one in found)),
        times("commit_ts", [one.commit_ts for one in found], None),
        times("instant", [one.instants for one in found], ""),
        chained("payload", (one.payloads for one in found)),
    ]
    return pyarrow.RecordBatch.from_arrays(arrays, schema=SLIM)


def _as_slim(batch: Any) -> Any:
    """Spark may know of a column that it is never NULL."""
    return batch if batch.schema == SLIM else pyarrow.RecordBatch.from_arrays(batch.columns, schema=SLIM)


def merge(pairs: Sequence[Pair], sides: int, batches: Iterable[Any]) -> Iterator[Any]:
    """From slim batches of one part of the keys to differences and, last, the counts of the part.

    The rows may come in any order; they are held in memory, so that there must be parts enough.
    """
    merging = Merge(pairs, sides)
    found: list[tuple[Any, ...]] = []
    for difference in differences_in(merging, pyarrow.Table.from_batches(map(_as_slim, batches), schema=SLIM)):
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
