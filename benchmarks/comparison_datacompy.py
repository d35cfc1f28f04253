"""The merge compared with datacompy's SparkSQLCompare: the same decoded rows, session and differences for both.

Rows of TiCDC's side are decoded once. The other side has the same rows, some with one altered cell, so that pairing by
number, which is all that datacompy can do, finds the same as alignment. datacompy gets a frame for each table with a
column for each cell, in parquet. The input of the merge are the files of the reading step, fingerprints with their
values.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, count, groupby, islice
from operator import itemgetter
from pathlib import Path
from typing import Any

import orjson
import pyarrow
from pyarrow import parquet

from benchmarks.comparison_streams import Streams
from conformance.cli.inputs import read_tables
from differential.align.pairs import Pair, pairs_of
from differential.batches import RESULT, decode, differences_of, results
from differential.classify.explaining import namer_of
from differential.decode.slim import Kind, Slim, images_of
from differential.prints.layout import tables_of
from differential.prints.reading import PrintReader
from differential.prints.settling import settle
from differential.prints.storing import STORED, Stored, store, store_others
from differential.record_batches import record_batch
from differential.sides import Side
from differential.sources.captures import read_source
from differential.sources.spec import parse_spec, side_of
from differential.spark.messages import spark_columns
from differential.spark.session import session
from reference_impl.model import Record

__all__ = ["Timings", "compare_with_datacompy"]

_ALTERED = 500  # one row in this many has an altered cell
_WARM = 2_000
_BATCH = 5_000
_PARTS = 16
_SPARK_FOR_DATACOMPY = {
    "spark.sql.adaptive.enabled": "true",
    "spark.sql.shuffle.partitions": str(_PARTS),
    "spark.driver.extraJavaOptions": "-XX:+UseParallelGC",  # both compilers: here the work is the JVM's
}


@dataclass(frozen=True, slots=True)
class Timings:
    """The seconds of the merge by fingerprints, and of datacompy.

    `rows` is the number of rows of both sides. `cells` counts by name: the altered cells, and those that each found.
    """

    rows: int
    by_fingerprints: float
    datacompy: float
    cells: Mapping[str, int]


def _decoded(side: Side, records: Sequence[Record]) -> list[Slim]:
    """The slim records of the changes."""
    decoded = pyarrow.Table.from_batches(decode(0, side, [record_batch(records)]))
    slim = map(Slim._make, zip(*(column.to_pylist() for column in decoded.columns), strict=True))
    return [row for row in slim if row.kind == Kind.CHANGE]


def _altered(row: Slim) -> Slim:
    """A change with one altered cell in the row after it."""
    payload = row.payload or b""
    cells = orjson.loads(images_of(payload)[1] or b"{}")
    name = next(n for n in reversed(cells) if isinstance(cells[n], str) and f'"{cells[n]}"'.encode() not in row.key)
    image = orjson.dumps({**cells, name: cells[name] + "1"})
    return row._replace(payload=payload.partition(b"\n")[0] + b"\n" + image)


def _right_side(left: list[Slim]) -> tuple[list[Slim], int]:
    """The rows of the other side, and the number of altered cells in them."""
    right, altered = [], 0
    for n, row in enumerate(left):
        is_altered = n % _ALTERED == 0 and bool(images_of(row.payload or b"")[1])
        altered += is_altered
        right.append((_altered(row) if is_altered else row)._replace(side=1))
    return right, altered


def _cells(side: list[Slim]) -> dict[str, list[dict[str, Any]]]:
    """Table → rows with the key, the number of the change within its key, and a column for each cell of both images."""
    numbers: dict[tuple[str, bytes], Iterator[int]] = {}
    tables: dict[str, list[dict[str, Any]]] = {}
    for row in sorted(side, key=lambda row: row.order):
        number = next(numbers.setdefault((row.table, row.key), count()))
        columns: dict[str, Any] = {"key": row.key.decode(), "number": number, "op": row.op}
        for name_of_image, image in zip(("before", "after"), (row.payload or b"").split(b"\n"), strict=True):
            for name, cell in (orjson.loads(image) if len(image) > 1 else {}).items():
                text = cell if isinstance(cell, str | None) else orjson.dumps(cell).decode()
                columns[f"{name_of_image}_{name}".lower()] = text
        tables.setdefault(row.table, []).append(columns)
    return tables


def _write_cells(sides: tuple[list[Slim], list[Slim]], folder: Path) -> list[tuple[str, str]]:
    """Write files of cells; returns those of each table, left and right."""
    folder.mkdir(parents=True, exist_ok=True)
    left, right = map(_cells, sides)
    files = []
    for table, left_rows in left.items():
        names = dict.fromkeys(name for row in (*left_rows, *right[table]) for name in row)
        schema = pyarrow.schema([(n, pyarrow.int64() if n == "number" else pyarrow.string()) for n in names])
        pair = folder / f"{table}-left.parquet", folder / f"{table}-right.parquet"
        for file, content in zip(pair, (left_rows, right[table]), strict=True):
            parquet.write_table(pyarrow.Table.from_pylist(content, schema=schema), file)
        files.append((str(pair[0]), str(pair[1])))
    return files


def _altered_message(record: Record) -> Record:
    """An insert with one altered text in its row; any other message, and one without such a text, stays as it is."""
    message = orjson.loads(record.value or b"{}")
    rows = message.get("data") or []
    texts = [name for name, kind in (message.get("mysqlType") or {}).items() if kind.startswith(("varchar", "text"))]
    texts = [name for name in texts if rows and rows[0].get(name) and name not in message["pkNames"]]
    if message.get("type") != "INSERT" or not texts:
        return record
    text = rows[0][texts[-1]]
    rows[0][texts[-1]] = text[:-1] + ("2" if text.endswith("1") else "1")
    return replace(record, value=orjson.dumps(message))


def _write_prints(side: Side, records: Sequence[Record], pair: Pair, folder: Path) -> tuple[list[Stored], int]:
    """Read two sides into files of fingerprints, the second with altered texts.

    Returns the places in the files, and the number of altered texts.
    """
    folder.mkdir(parents=True)
    others = [_altered_message(record) if n % _ALTERED == 0 else record for n, record in enumerate(records)]
    places: list[Stored] = []
    for number, messages in enumerate((records, others)):
        reader = PrintReader(number, (side, side), (pair,))
        batches = (record_batch(messages[n : n + _BATCH]) for n in range(0, len(messages), _BATCH))
        places += store(str(folder), 4 * _PARTS, reader.read(batches), reader.names)
        places += store_others(str(folder), 4 * _PARTS, reader.others)
    return places, sum(a is not b for a, b in zip(records, others, strict=True))


def _settle(side: Side, pair: Pair, batches: Iterable[Any]) -> Iterator[Any]:
    rows_of = chain.from_iterable(batch.to_pylist() for batch in batches)
    places = sorted(tuple(row[name] for name in STORED.names) for row in rows_of)
    for _, of_part in groupby(places, itemgetter(0)):
        yield from results(*settle((pair,), 2, tables_of((side,)), list(of_part)))


def _merge_prints(spark: Any, side: Side, pair: Pair, places: Sequence[Stored], folder: Path) -> int:
    """Merge by fingerprints; returns the number of differences."""
    given = spark.createDataFrame(list(places), spark_columns(STORED)).repartition(_PARTS, "part")
    settled = given.mapInArrow(partial(_settle, side, pair), spark_columns(RESULT))
    settled.write.mode("overwrite").parquet(str(folder))
    found, _ = differences_of(parquet.read_table(folder))
    return int(found.num_rows)


def _compare_by_datacompy(spark: Any, files: list[tuple[str, str]]) -> int:
    """Compare the files of each table; returns the number of cells that differ."""
    from datacompy.spark import SparkSQLCompare

    found = 0
    for left, right in files:
        mine, other = (spark.read.parquet(file) for file in (left, right))
        compared = SparkSQLCompare(spark, mine, other, join_columns=["key", "number"])
        found += sum(column["unequal_cnt"] for column in compared.column_stats)
        spark.catalog.clearCache()
    return found


def _timed(work: Callable[[], int]) -> tuple[float, int]:
    """The seconds of some work, and its result."""
    begin = time.monotonic()
    found = work()
    return time.monotonic() - begin, found


def compare_with_datacompy(streams: Streams, out: Path, master: str, most: int) -> Timings:
    """Measure the merge and datacompy on the first `most` rows. Raises `ImportError` without datacompy."""
    specs = [parse_spec(text) for text in streams.specs]
    tables = read_tables(streams.tables)
    side = side_of("left", specs[0], tables)
    types = {(table.schema, table.name, column.name): column.type for table in tables for column in table.columns}
    (alike,) = pairs_of((side, replace(side, name="right")), types, {"left-right": namer_of(side, side)})
    records = list(islice(read_source(specs[0]), most))
    left = _decoded(side, records)
    right, altered = _right_side(left)
    shutil.rmtree(out, ignore_errors=True)
    files = _write_cells((left, right), out / "all")
    few = _write_cells((left[:_WARM], right[:_WARM]), out / "few")
    prints, altered_texts = _write_prints(side, records, alike, out / "prints")
    few_prints, _ = _write_prints(side, records[:_WARM], alike, out / "few-prints")
    with session(master, _SPARK_FOR_DATACOMPY) as spark:
        for _ in range(2):  # the first starts the workers
            _merge_prints(spark, side, alike, few_prints, out / "merged")
        by_prints, found_by_prints = _timed(lambda: _merge_prints(spark, side, alike, prints, out / "merged"))
        _compare_by_datacompy(spark, few)
        by_datacompy, found_by_datacompy = _timed(lambda: _compare_by_datacompy(spark, files))
    cells = {
        "cells altered": altered,
        "found by datacompy": found_by_datacompy,
        "texts altered": altered_texts,
        "found by fingerprints": found_by_prints,
    }
    return Timings(2 * len(left), by_prints, by_datacompy, cells)
