"""What the reference codecs cost beside the bare JSON library on the same messages. One process, best of several."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any

import orjson

from reference_impl import canal_json
from reference_impl.model import RowChange
from reference_impl.options import parse
from reference_impl.settings import Settings
from reference_impl.tso import compose
from reference_impl.wire import table_from_json

__all__ = ["measure"]

_TABLE = table_from_json(
    {
        "schema": "test",
        "name": "tp_int",
        "columns": [
            {"name": "id", "type": "int", "nullable": False},
            *({"name": f"c_{t}", "type": t} for t in ("tinyint", "smallint", "mediumint", "int", "bigint")),
        ],
        "primary_key": ["id"],
    }
)


def _changes(count: int) -> list[RowChange]:
    """Rows of one table, about 330 bytes a message, each with a time stamp of its own."""
    row = {"c_tinyint": "127", "c_smallint": "32767", "c_mediumint": "8388607", "c_int": "2147483647"}
    return [
        RowChange(
            "insert",
            "test",
            "tp_int",
            compose(1_639_633_141_221 + i, i),
            after={"id": str(i), **row, "c_bigint": "9223372036854775807"},
        )
        for i in range(count)
    ]


def _seconds(work: Callable[[], Any], rounds: int = 7) -> float:
    best = float("inf")
    for _ in range(rounds):
        begin = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - begin)
    return best


def measure(count: int = 3000) -> dict[str, float]:
    """Ratios: `decode` to `orjson.loads`, `encode` to `json.dumps`, and the peers' microseconds a message."""
    options = parse(canal_json.Options, {"enable-tidb-extension": "true"})
    encoder = canal_json.Encoder(options, settings=Settings(now_ms=1_639_633_142_960))
    decoder = canal_json.Decoder(options)
    changes, tables = _changes(count), [_TABLE]
    records = encoder.encode(changes, tables).records
    values = [record.value or b"" for record in records]
    trees = [json.loads(value) for value in values]
    loads = _seconds(lambda: [orjson.loads(value) for value in values])
    dumps = _seconds(lambda: [json.dumps(tree, separators=(",", ":")) for tree in trees])
    return {
        "decode": _seconds(lambda: decoder.decode(records, tables)) / loads,
        "encode": _seconds(lambda: encoder.encode(changes, tables)) / dumps,
        "loads_us": 1e6 * loads / count,
        "dumps_us": 1e6 * dumps / count,
        "bytes": sum(map(len, values)) / count,
    }
