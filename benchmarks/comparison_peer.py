"""The merge beside datacompy's SparkSQLCompare: the same decoded rows, the same session, the same differences.

Rows of TiCDC's side are decoded once. The other side has the same rows, some with one cell altered, so that pairing by
number, which is all that datacompy can do, finds what alignment finds. datacompy gets a frame a table with a column a
cell, in parquet. The merge is measured in its two ways:

* by fingerprints, which is how `compare` merges: it gets what reading leaves, fingerprints with the values beside them;
* by values, which is the exact way: it gets slim records, and asks every value whether two dialects write it otherwise.
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
from differential import rows
from differential.align.merging import Pair, pairs_of
from differential.batches import SLIM, decode, differences_of, merge, results
from differential.blocks import PLACES, read_blocks, write_blocks
from differential.classify.explaining import namer_of
from differential.counts import Counts
from differential.decode.slim import Kind, Slim, after_of
from differential.frames import frame_batch
from differential.prints.reading import PrintReader, tables_of
from differential.prints.settling import settle
from differential.prints.storing import STORED, Stored, store, store_others
from differential.sides import Side
from differential.sources.captures import read_source
from differential.sources.spec import parse_spec, side_of
from differential.spark.plan import ddl
from differential.spark.session import session
from reference_impl.model import Record

__all__ = ["Peers", "beside_datacompy"]

_ALTERED = 500  # one row of so many
_WARM = 2_000
_BATCH = 5_000
_PARTS = 16
_ROWS_OF_TASK = 50_000
_AS_DATACOMPY_LIKES_IT = {
    "spark.sql.adaptive.enabled": "true",
    "spark.sql.shuffle.partitions": str(_PARTS),
    "spark.driver.extraJavaOptions": "-XX:+UseParallelGC",  # both compilers: here the work is the JVM's
}


@dataclass(frozen=True, slots=True)
class Peers:
    """The seconds of each for `rows` of both sides; by name, the cells altered and those that each found."""

    rows: int
    by_fingerprints: float
    by_values: float
    datacompy: float
    cells: Mapping[str, int]


def _decoded(side: Side, records: Sequence[Record]) -> list[Slim]:
    found = pyarrow.Table.from_batches(decode(0, side, [frame_batch(records)]))
    rows = map(Slim._make, zip(*(column.to_pylist() for column in found.columns), strict=True))
    return [row for row in rows if row.kind == Kind.CHANGE]


def _altered(row: Slim) -> Slim:
    """A change with one altered cell in the row after it."""
    payload = row.payload or b""
    cells = orjson.loads(after_of(payload) or b"{}")
    name = next(n for n in reversed(cells) if isinstance(cells[n], str) and f'"{cells[n]}"'.encode() not in row.key)
    image = orjson.dumps({**cells, name: cells[name] + "1"})
    return row._replace(payload=payload.partition(b"\n")[0] + b"\n" + image)


def _sides(left: list[Slim]) -> tuple[list[Slim], int]:
    right, altered = [], 0
    for n, row in enumerate(left):
        change = n % _ALTERED == 0 and bool(after_of(row.payload))
        altered += change
        of = _altered(row) if change else row
        right.append(of._replace(side=1))
    return right, altered


def _cells(side: list[Slim]) -> dict[str, list[dict[str, Any]]]:
    """By table: rows with the key, the number of the change in its key, and a column for each cell of both images."""
    numbers: dict[tuple[str, bytes], Iterator[int]] = {}
    tables: dict[str, list[dict[str, Any]]] = {}
    for row in sorted(side, key=lambda row: row.order):
        number = next(numbers.setdefault((row.table, row.key), count()))
        found: dict[str, Any] = {"key": row.key.decode(), "number": number, "op": row.op}
        for of, image in zip(("before", "after"), (row.payload or b"").split(b"\n"), strict=True):
            for name, cell in (orjson.loads(image) if len(image) > 1 else {}).items():
                found[f"{of}_{name}".lower()] = cell if isinstance(cell, str | None) else orjson.dumps(cell).decode()
        tables.setdefault(row.table, []).append(found)
    return tables


def _store_messages(sides: tuple[list[Slim], list[Slim]], folder: Path) -> list[tuple[str, str]]:
    """Files of slim records, and of cells for each table; the latter's names."""
    folder.mkdir(parents=True, exist_ok=True)
    for number, side in enumerate(sides):
        arrays = [pyarrow.array(c, type=f.type) for c, f in zip(zip(*side, strict=True), SLIM, strict=True)]
        rows_of_side = pyarrow.Table.from_arrays(arrays, schema=SLIM)
        parquet.write_table(rows_of_side, folder / f"slim-{number}.parquet", row_group_size=_ROWS_OF_TASK)
    left, right = map(_cells, sides)
    files = []
    for table, found in left.items():
        names = dict.fromkeys(name for row in (*found, *right[table]) for name in row)
        schema = pyarrow.schema([(n, pyarrow.int64() if n == "number" else pyarrow.string()) for n in names])
        pair = folder / f"{table}-left.parquet", folder / f"{table}-right.parquet"
        for file, content in zip(pair, (found, right[table]), strict=True):
            parquet.write_table(pyarrow.Table.from_pylist(content, schema=schema), file)
        files.append((str(pair[0]), str(pair[1])))
    return files


def _read(tasks: Sequence[tuple[str, int]], batches: Iterable[Any]) -> Iterator[Any]:
    """Groups of rows, read by the worker that stores them, like messages on one machine."""
    for batch in batches:
        for task in batch.column(0).to_pylist():
            file, group = tasks[task]
            yield from parquet.ParquetFile(file).read_row_group(group, use_threads=False).cast(SLIM).to_batches()


def _altered_message(record: Record) -> Record:
    """A message with one altered text in the row after its change; the same message if it has none."""
    message = orjson.loads(record.value or b"{}")
    rows = message.get("data") or []
    texts = [name for name, kind in (message.get("mysqlType") or {}).items() if kind.startswith(("varchar", "text"))]
    texts = [name for name in texts if rows and rows[0].get(name) and name not in message["pkNames"]]
    if message.get("type") != "INSERT" or not texts:
        return record
    text = rows[0][texts[-1]]
    rows[0][texts[-1]] = text[:-1] + ("2" if text.endswith("1") else "1")
    return replace(record, value=orjson.dumps(message))


def _put_prints(side: Side, records: Sequence[Record], pair: Pair, folder: Path) -> tuple[list[Stored], int]:
    """What reading leaves of two sides in a folder, the second with altered cells; the number of these."""
    folder.mkdir(parents=True)
    others = [_altered_message(record) if n % _ALTERED == 0 else record for n, record in enumerate(records)]
    places: list[Stored] = []
    for number, messages in enumerate((records, others)):
        reader = PrintReader(number, (side, side), (pair,))
        batches = (frame_batch(messages[n : n + _BATCH]) for n in range(0, len(messages), _BATCH))
        places += store(str(folder), 4 * _PARTS, reader.read(batches), reader.names)
        places += store_others(str(folder), 4 * _PARTS, reader.others)
    return places, sum(a is not b for a, b in zip(records, others, strict=True))


def _settle(side: Side, pair: Pair, batches: Iterable[Any]) -> Iterator[Any]:
    rows_of = chain.from_iterable(batch.to_pylist() for batch in batches)
    places = sorted(tuple(row[name] for name in STORED.names) for row in rows_of)
    for _, of_part in groupby(places, itemgetter(0)):
        differences, counts = settle((pair,), 2, tables_of((side,)), list(of_part))
        yield from results(differences, partial(_as_it_is, counts))


def _as_it_is(counts: Counts) -> Counts:
    return counts


def _merge_prints(spark: Any, side: Side, pair: Pair, places: Sequence[Stored], folder: Path) -> int:
    columns = ddl([(field.name, str(field.type)) for field in STORED])
    given = spark.createDataFrame(list(places), columns).repartition(_PARTS, "part")
    given.mapInArrow(partial(_settle, side, pair), ddl(rows.COLUMNS)).write.mode("overwrite").parquet(str(folder))
    found, _ = differences_of(parquet.read_table(folder))
    return int(found.num_rows)


def _given(tasks: Sequence[tuple[str, int]], folder: str, batches: Iterable[Any]) -> Iterator[Any]:
    return write_blocks(folder, 4 * _PARTS, _read(tasks, batches))


def _meet(pairs: tuple[Pair, ...], batches: Iterable[Any]) -> Iterator[Any]:
    for part in read_blocks(batches):
        yield from merge(pairs, 2, part)


def _merge(spark: Any, pairs: tuple[Pair, ...], folder: Path) -> int:
    places = ddl([(field.name, str(field.type)) for field in PLACES])
    blocks = folder / "blocks"
    blocks.mkdir(exist_ok=True)
    files = [str(folder / f"slim-{number}.parquet") for number in range(2)]
    tasks = [(file, n) for file in files for n in range(parquet.read_metadata(file).num_row_groups)]
    numbers = spark.range(0, len(tasks), 1, len(tasks))
    parts = numbers.mapInArrow(partial(_given, tasks, str(blocks)), places).repartition(_PARTS, "part")
    merged = parts.mapInArrow(partial(_meet, pairs), ddl(rows.COLUMNS))
    merged.write.mode("overwrite").parquet(str(folder / "merged"))
    found, _ = differences_of(parquet.read_table(folder / "merged"))
    return int(found.num_rows)


def _datacompy(spark: Any, files: list[tuple[str, str]]) -> int:
    from datacompy.spark import SparkSQLCompare

    found = 0
    for left, right in files:
        mine, other = (spark.read.parquet(file) for file in (left, right))
        compared = SparkSQLCompare(spark, mine, other, join_columns=["key", "number"])
        found += sum(column["unequal_cnt"] for column in compared.column_stats)
        spark.catalog.clearCache()
    return found


def _timed(work: Callable[[], int]) -> tuple[float, int]:
    begin = time.monotonic()
    found = work()
    return time.monotonic() - begin, found


def beside_datacompy(streams: Streams, out: Path, master: str, most: int) -> Peers:
    """Compare the first `most` rows with themselves. Raises ImportError without datacompy."""
    specs = [parse_spec(text) for text in streams.specs]
    tables = read_tables(streams.tables)
    sides = [side_of(name, spec, tables) for name, spec in zip(("left", "right"), specs, strict=True)]
    types = {(table.schema, table.name, column.name): column.type for table in tables for column in table.columns}
    pairs = pairs_of(sides, types, {"left-right": namer_of(*sides)})
    (alike,) = pairs_of(
        (sides[0], replace(sides[0], name="right")), types, {"left-right": namer_of(sides[0], sides[0])}
    )
    records = list(islice(read_source(specs[0]), most))
    left = _decoded(sides[0], records)
    right, altered = _sides(left)
    shutil.rmtree(out, ignore_errors=True)
    files = _store_messages((left, right), out / "all")
    few = _store_messages((left[:_WARM], right[:_WARM]), out / "few")
    prints, altered_texts = _put_prints(sides[0], records, alike, out / "prints")
    few_prints, _ = _put_prints(sides[0], records[:_WARM], alike, out / "few-prints")
    with session(master, _AS_DATACOMPY_LIKES_IT) as spark:
        for _ in range(2):  # the first starts the workers
            _merge_prints(spark, sides[0], alike, few_prints, out / "merged")
        by_prints, found = _timed(lambda: _merge_prints(spark, sides[0], alike, prints, out / "merged"))
        _merge(spark, pairs, out / "few")
        by_values, here = _timed(lambda: _merge(spark, pairs, out / "all"))
        _datacompy(spark, few)
        theirs, there = _timed(lambda: _datacompy(spark, files))
    cells = {
        "cells altered": altered,
        "found by values": here,
        "found by datacompy": there,
        "texts altered": altered_texts,
        "found by fingerprints": found,
    }
    return Peers(2 * len(left), by_prints, by_values, theirs, cells)
