"""The cost of decoding for a comparison relative to `orjson.loads` on the same messages.

All figures are processor time of this process.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import orjson
import pyarrow

from differential.batches import decode
from differential.generate.messages import StreamWriter
from differential.generate.presets import PRESETS
from differential.generate.truth import Plan, Transaction, shard
from differential.record_batches import RECORD_SCHEMA
from differential.sides import Side
from reference_impl.model import Record

__all__ = ["DIALECTS", "LIMIT", "measure", "seconds_of_loads"]

LIMIT = 4.0
"""The allowed multiple of the time of `orjson.loads`, on the preset `shop`."""

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
    seconds = []
    for _ in range(times):
        begin = time.process_time()
        run()
        seconds.append(time.process_time() - begin)
    return min(seconds)


def seconds_of_loads(values: Sequence[bytes], times: int) -> float:
    """The least processor time of several runs of `orjson.loads` on all values, in seconds."""

    def load() -> None:
        for value in values:
            orjson.loads(value)

    return _least(load, times)


def _frames(records: Sequence[Record]) -> list[Any]:
    columns = [
        [getattr(record, name) for record in records] for name in ("key", "value", "topic", "partition", "offset")
    ]
    arrays = [pyarrow.array(column, type=field.type) for column, field in zip(columns, RECORD_SCHEMA, strict=True)]
    whole = pyarrow.RecordBatch.from_arrays(arrays, schema=RECORD_SCHEMA)
    return [whole.slice(start, _BATCH) for start in range(0, len(records), _BATCH)]


def _figures(side: Side, records: Sequence[Record], times: int) -> dict[str, float]:
    """The number of messages, their mean bytes, the microseconds a message of both ways, and their ratio."""
    values = [record.value for record in records if record.value is not None]
    frames = _frames(records)

    def read() -> None:
        for _ in decode(0, side, frames):
            pass

    loads, decoded = seconds_of_loads(values, times), _least(read, times)
    return {
        "messages": len(values),
        "bytes": sum(map(len, values)) / len(values),
        "loads_us": loads / len(values) * 1e6,
        "decode_us": decoded / len(values) * 1e6,
        "ratio": decoded / loads,
    }


def measure(
    preset: str = "shop", changes: int = 60_000, dialects: Iterable[str] = tuple(DIALECTS), times: int = 3
) -> dict[str, dict[str, float]]:
    """Dialect → the figures of a stream (`_figures`).

    The first of the `times` compiles the patterns of the process; no run keeps values for the next one. `ratio` is
    that of the processor time of `decode`, Arrow batches in and out, to that of `orjson.loads`.
    """
    chosen = PRESETS[preset]
    sources = chosen.sources()
    stream = shard(Plan(sources, _SEED, changes, 1, chosen.hot), 0)
    transactions = [one for one in stream if isinstance(one, Transaction)]
    tables = tuple(source.table for source in sources)
    figures = {}
    for name in dialects:
        dialect, options = DIALECTS[name]
        side = Side("left", dialect, options, tables=tables)
        writer = StreamWriter(side, 0)
        records = [record for transaction in transactions for record in writer.records(transaction)]
        figures[name] = _figures(side, records, times)
    return figures
