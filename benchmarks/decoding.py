"""What decoding for a comparison costs beside `orjson.loads` on the same messages.

One process, processor time.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import orjson
import pyarrow

from differential.batches import FRAME, decode
from differential.generate.messages import StreamWriter
from differential.generate.presets import PRESETS
from differential.generate.truth import Plan, Transaction, shard
from differential.sides import Side
from reference_impl.model import Record

__all__ = ["DIALECTS", "LIMIT", "measure"]

LIMIT = 4.0
"""At most this many times `orjson.loads`, on the preset `shop`."""

DIALECTS: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "canal-json": ("canal-json", {"enable-tidb-extension": "true"}),
    "canal": ("canal", {}),
    "debezium": ("debezium", {}),
    "debezium without schemas": ("debezium", {"debezium-disable-schema": "true"}),
    "debezium-connector": ("debezium-connector", {}),
    "debezium-connector without schemas": ("debezium-connector", {"schemas.enable": "false"}),
}
_BATCH = 8192
_SEED = 7


def _least(run: Callable[[], object], times: int) -> float:
    """The least processor time of several runs, in seconds."""
    found = []
    for _ in range(times):
        begin = time.process_time()
        run()
        found.append(time.process_time() - begin)
    return min(found)


def _frames(records: Sequence[Record]) -> list[Any]:
    columns = [
        [getattr(record, name) for record in records] for name in ("key", "value", "topic", "partition", "offset")
    ]
    arrays = [pyarrow.array(column, type=field.type) for column, field in zip(columns, FRAME, strict=True)]
    whole = pyarrow.RecordBatch.from_arrays(arrays, schema=FRAME)
    return [whole.slice(start, _BATCH) for start in range(0, len(records), _BATCH)]


def _figures(side: Side, records: Sequence[Record], times: int) -> dict[str, float]:
    values = [record.value for record in records if record.value is not None]
    frames = _frames(records)

    def load() -> None:
        for value in values:
            orjson.loads(value)

    def read() -> None:
        for _ in decode(0, side, frames):
            pass

    loads, decoded = _least(load, times), _least(read, times)
    return {
        "messages": len(values),
        "bytes": sum(map(len, values)) / len(values),
        "loads_us": loads / len(values) * 1e6,
        "decode_us": decoded / len(values) * 1e6,
        "ratio": decoded / loads,
    }


def measure(
    preset: str = "shop", changes: int = 60_000, dialects: Iterable[str] = tuple(DIALECTS), times: int = 3
) -> dict[str, dict[str, Any]]:
    """For each dialect the figures of a stream, and in `tables` those of each table's messages alone.

    The patterns of a process are compiled in the first of the `times`; every run starts with nothing remembered of the
    values. A ratio is of the processor time of `decode`, Arrow batches in and out, to that of `orjson.loads`.
    """
    found = PRESETS[preset]
    sources = found.sources()
    stream = shard(Plan(sources, _SEED, changes, 1, found.hot), 0)
    transactions = [one for one in stream if isinstance(one, Transaction)]
    tables = tuple(source.table for source in sources)
    figures: dict[str, dict[str, Any]] = {}
    for name in dialects:
        dialect, options = DIALECTS[name]
        side = Side("left", dialect, options, tables=tables)
        writer = StreamWriter(side, 0)
        records: list[Record] = []
        of_table: dict[str, list[Record]] = {table.name: [] for table in tables}
        for transaction in transactions:
            for record in writer.records(transaction):
                records.append(record)
                for table in tables:
                    if f'"table":"{table.name}"'.encode() in (record.value or b""):
                        of_table[table.name].append(record)
        whole = _figures(side, records, times)
        alone = {table: _figures(side, theirs, times) for table, theirs in of_table.items() if theirs}
        figures[name] = {**whole, "tables": alone}
    return figures
