"""The cost of the reference codecs relative to the bare library, in one process, best of several runs."""

from __future__ import annotations

import io
import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import fastavro
import orjson

from reference_impl.model import Record, RowChange
from reference_impl.options import parse
from reference_impl.protocols import CODECS
from reference_impl.registry import MemoryRegistry
from reference_impl.settings import Settings
from reference_impl.tso import compose
from reference_impl.wire import table_from_json

__all__ = ["LIMITS", "PEERS", "measure"]

# Protocol → at most this many times the bare library's time: encode, decode.
LIMITS: Mapping[str, tuple[float, float]] = {"canal-json": (4, 8), "debezium": (3, 8), "avro": (4, 4)}

_JSON = "json.dumps", "orjson.loads"
PEERS: Mapping[str, tuple[str, str]] = {
    "canal-json": _JSON,
    "debezium": _JSON,
    "avro": ("fastavro.schemaless_writer", "fastavro.schemaless_reader"),
}

_TABLE = table_from_json(
    {
        "schema": "test",
        "name": "t",
        "columns": [
            {"name": "id", "type": "int", "nullable": False},
            {"name": "a", "type": "varchar(20)"},
            {"name": "b", "type": "bigint"},
            {"name": "c", "type": "decimal(10,2)"},
            {"name": "d", "type": "datetime"},
            {"name": "e", "type": "int"},
        ],
        "primary_key": ["id"],
    }
)
_ROW = {"a": "some text", "b": "9223372036854775807", "c": "12.50", "d": "2024-02-29 12:34:56", "e": "7"}
_EXTENDED = {"enable-tidb-extension": "true"}


def _changes(count: int) -> list[RowChange]:
    """Rows of one table with six columns, each with a time stamp of its own."""
    return [
        RowChange("insert", "test", "t", compose(1_639_633_141_221 + i, i), after={"id": str(i), **_ROW})
        for i in range(count)
    ]


def _seconds(work: Callable[[], Any], rounds: int = 7) -> float:
    best = float("inf")
    for _ in range(rounds):
        begin = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - begin)
    return best


@dataclass(frozen=True, slots=True)
class _Peer:
    """The bare library on the same parts: `write` serialises the results of `read`."""

    read: Callable[[bytes], Any]
    write: Callable[[Any], bytes]


def _json_library(registry: MemoryRegistry, part: int) -> _Peer:
    return _Peer(orjson.loads, lambda tree: json.dumps(tree, separators=(",", ":")).encode())


def _avro_library(registry: MemoryRegistry, part: int) -> _Peer:
    schema = fastavro.parse_schema(json.loads(registry.schema(part + 1)), named_schemas={})

    def write(datum: Any) -> bytes:
        out = io.BytesIO()
        fastavro.schemaless_writer(out, schema, datum)
        return out.getvalue()

    return _Peer(lambda body: fastavro.schemaless_reader(io.BytesIO(body[5:]), schema, None), write)


def _parts(records: Sequence[Record]) -> list[list[bytes]]:
    """The existing keys and values."""
    found = [[record.key for record in records], [record.value for record in records]]
    return [[data for data in part if data is not None] for part in found]


def measure(protocol: str, count: int = 2000) -> dict[str, float]:
    """Ratios `encode` and `decode` to the bare library on keys and values, its microseconds, and `bytes` a value."""
    codec, registry = CODECS[protocol], MemoryRegistry()
    settings = Settings(now_ms=1_639_633_142_960, registry=registry)
    options = parse(codec.options, _EXTENDED)
    encoder, decoder = codec.encoder(options, settings=settings), codec.decoder(options, settings=settings)
    changes, tables = _changes(count), [_TABLE]
    records = encoder.encode(changes, tables).records
    reading = writing = 0.0
    bare_library_of = _avro_library if codec.uses_registry else _json_library
    for part, data in enumerate(_parts(records)):
        if data:
            library = bare_library_of(registry, part)
            trees = [library.read(one) for one in data]
            reading += _seconds(lambda library=library, data=data: [library.read(one) for one in data])  # type: ignore[misc]
            writing += _seconds(lambda library=library, trees=trees: [library.write(one) for one in trees])  # type: ignore[misc]
    return {
        "encode": _seconds(lambda: encoder.encode(changes, tables)) / writing,
        "decode": _seconds(lambda: decoder.decode(records, tables)) / reading,
        "write_us": 1e6 * writing / count,
        "read_us": 1e6 * reading / count,
        "bytes": sum(len(record.value or b"") for record in records) / count,
    }
