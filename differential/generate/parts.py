"""Writes a stream as files: one part for each shard and dialect, and files that describe them.

    OUT/SIDE/part-00000.parquet   or .jsonl, with records in the form of the harness protocol
    OUT/SIDE.schemas.json         the registered schemas, for a dialect with a registry
    OUT/tables.json               the tables
    OUT/injected.jsonl            the faults that were injected
    OUT/generate.json             the parameters of the stream, and its parts

The result does not depend on the clock, on the machine, or on which worker computes which part.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from itertools import islice, repeat
from pathlib import Path
from typing import Any

import orjson

from conformance.errors import UsageError, missing_extra
from conformance.processes import processes
from differential.faults import Fault, Injected, Message, inject, row_keys
from differential.generate import boundaries
from differential.generate.alterations import versions
from differential.generate.draw import Draw
from differential.generate.messages import StreamWriter, Unwritable, schemas_of
from differential.generate.presets import PRESETS
from differential.generate.rows import Source, TableRows
from differential.generate.truth import Plan, shard
from differential.sides import Side, codec_of
from reference_impl.keys import handle_key
from reference_impl.model import Record, RowChange, Table
from reference_impl.wire import record_to_json, table_to_json

__all__ = [
    "FORMATS",
    "Job",
    "Part",
    "count_requested",
    "finish",
    "keys_of",
    "part_name",
    "prepare",
    "refusal",
    "with_faults",
    "write_injected",
    "write_json",
    "write_locally",
    "write_part",
    "writer_of",
]

FORMATS = ("parquet", "jsonl")
_ROWS = 5_000


@dataclass(frozen=True, slots=True)
class Job:
    """A stream to write: of a preset, or of tables."""

    preset: str  # "" for a stream of other tables
    tables: tuple[Table, ...]
    sides: tuple[Side, ...]  # their names are those of the folders
    seed: int
    changes: int  # the number of changes that upstream logs
    shards: int
    out: Path
    form: str = "parquet"  # one of `FORMATS`
    faults: tuple[Fault, ...] = ()
    statements: int = 0  # the number of statements that alter tables
    boundaries: bool = False  # half of the values are boundaries of their columns

    def plan(self) -> Plan:
        """The plan from which the stream is drawn."""
        preset = PRESETS.get(self.preset)
        sources = preset.sources() if preset else tuple(map(self._source, self.tables))
        return Plan(sources, self.seed, self.changes, self.shards, preset.hot if preset else 0.0, self.statements)

    def _source(self, table: Table) -> Source:
        return (
            Source(table, 1, boundaries.makers_of(table), boundaries.keys_of(table))
            if self.boundaries
            else Source(table)
        )


@dataclass(slots=True)
class Part:
    """The result of a shard."""

    number: int
    messages: dict[str, int] = field(default_factory=dict)  # by side
    digests: dict[str, str] = field(default_factory=dict)  # by side, the SHA-256 of the file
    requested: Counter[str] = field(default_factory=Counter)  # by kind, the number of requested faults
    injected: list[dict[str, Any]] = field(default_factory=list)  # the injected faults as JSON


def prepare(out: Path, sides: Iterable[str]) -> None:
    """Create empty folders, without the parts of an earlier stream and its list of faults.

    Raises `UsageError` if a folder holds other files.
    """
    earlier = [out / "injected.jsonl"]
    for side in sides:
        folder = out / side
        folder.mkdir(parents=True, exist_ok=True)
        for file in folder.iterdir():
            if not file.name.startswith("part-"):
                raise UsageError(f"--out {out}: {folder} holds {file.name}, which is not a part of a stream")
            earlier.append(file)
    for file in earlier:
        file.unlink(missing_ok=True)


def write_part(job: Job, number: int, plan: Plan | None = None) -> Part:
    """Write the part of a shard for every side; without a `plan` the job's own is used.

    Raises `Unwritable` for a change that a dialect cannot write.
    """
    plan, part = plan or job.plan(), Part(number)
    streams = [_stream_writer(job, plan, side, number) for side in job.sides]
    writers = [writer_of(job.out / part_name(side.name, number, job.form)) for side in job.sides]
    pending: list[list[Record]] = [[] for _ in job.sides]
    # Faults need the whole part, since they may reorder messages.
    limit = None if job.faults else _ROWS
    for transaction in shard(plan, number):
        for stream, records, writer in zip(streams, pending, writers, strict=True):
            records.extend(stream.records(transaction))
            if limit is not None and len(records) >= limit:
                writer.write(records)
                records.clear()
    keys, taken = keys_of(versions(job.tables, plan.alterations())), set[bytes]()
    for side, records, writer in zip(job.sides, pending, writers, strict=True):
        faults = [_of_part(fault, number, job.shards) for fault in job.faults if fault.side in ("", side.name)]
        seed = f"{job.seed}/{side.name}/{number}"
        broken, injected = with_faults(records, faults, seed=seed, keys=keys, taken=taken)
        writer.write(broken)
        writer.close()
        part.messages[side.name], part.digests[side.name] = writer.count, writer.digest()
        part.requested.update(count_requested(faults, len(records)))
        part.injected += [one.to_json(side.name) for one in injected]
    return part


def write_locally(job: Job, workers: int) -> Iterator[Part]:
    """The parts as they are written by processes of this machine, in order. Raises what `write_part` raises."""
    numbers = range(job.shards)
    if workers == 1 or job.shards == 1:
        yield from map(partial(write_part, job), numbers)
        return
    with processes(min(workers, job.shards)) as pool:
        yield from pool.map(write_part, repeat(job), numbers)


def keys_of(tables: Iterable[Table]) -> dict[tuple[str, str], tuple[str, ...]]:
    """The columns of the handle key by schema and name of the table."""
    return {table.id: handle_key(table) for table in tables}


def _stream_writer(job: Job, plan: Plan, side: Side, number: int) -> StreamWriter:
    writer = StreamWriter(side, number, job.shards)
    if codec_of(side.dialect).uses_registry:
        writer.register(_samples(job, plan))
    return writer


def _samples(job: Job, plan: Plan) -> Iterator[tuple[Table, RowChange]]:
    """A row of each version of each table."""
    for source in (*plan.sources, *(one.source for one in plan.alterations())):
        yield _sample(source, job.seed)


def _sample(source: Source, seed: int) -> tuple[Table, RowChange]:
    row = TableRows(source).new(Draw(seed, "sample", *source.table.id), 0, 0, datetime(2024, 2, 29, tzinfo=UTC))
    return source.table, RowChange("insert", source.table.schema, source.table.name, 1, None, row)


def refusal(sides: Iterable[Side], table: Table, seed: int) -> str:
    """The table and why a side can write none of its rows, as for a type that Canal stops at; "" if all sides can."""
    try:
        for side in sides:
            StreamWriter(replace(side, tables=(table,)), 0).register([_sample(Source(table), seed)])
    except Unwritable as e:
        return e.what
    return ""


# -- faults


def _message(record: Record) -> Message:
    return Message(
        record.key,
        record.value,
        record.topic or "",
        record.partition or 0,
        record.offset or 0,
        record.timestamp,
        record.headers,
    )


def _record(message: Message) -> Record:
    return Record(
        message.key,
        message.value,
        message.partition,
        message.topic,
        message.headers,
        message.offset,
        message.timestamp,
    )


def with_faults(
    records: Sequence[Record],
    faults: Sequence[Fault],
    *,
    seed: str,
    keys: Mapping[tuple[str, str], Sequence[str]],
    taken: set[bytes],
) -> tuple[list[Record], list[Injected]]:
    """The records with faults.

    `keys` are the key columns by table, `taken` the keys that have a fault already.
    """
    messages = [_message(record) for record in records]
    made, injected = inject(messages, faults, seed=seed, keys_of=lambda message: row_keys(message, keys), taken=taken)
    return [_record(message) for message in made], injected


def count_requested(faults: Iterable[Fault], messages: int) -> Counter[str]:
    """The number of requested faults of each kind; some may find no message to apply to."""
    requested: Counter[str] = Counter()
    for fault in faults:
        requested[fault.kind.value] += fault.count or round(fault.share * messages)
    return requested


def _of_part(fault: Fault, number: int, shards: int) -> Fault:
    even, rest = divmod(fault.count, shards)
    return Fault(fault.kind, even + (number < rest), fault.share, fault.side, fault.seed)


# -- files


class _JsonLines:
    def __init__(self, path: Path) -> None:
        self._path, self._file = path, path.open("wb")
        self.count = 0

    def write(self, records: Iterable[Record]) -> None:
        for record in records:
            self._file.write(orjson.dumps(record_to_json(record)) + b"\n")
            self.count += 1

    def close(self) -> None:
        self._file.close()

    def digest(self) -> str:
        return _digest(self._path)


class _Parquet:
    """Writes the columns of Spark's Kafka source."""

    def __init__(self, path: Path) -> None:
        try:
            import pyarrow
            from pyarrow import parquet
        except ImportError:
            raise missing_extra("--format parquet needs pyarrow; --format jsonl needs nothing", "compare") from None
        header = pyarrow.struct([("key", pyarrow.string()), ("value", pyarrow.binary())])
        self._schema: Any = pyarrow.schema(
            [
                ("key", pyarrow.binary()),
                ("value", pyarrow.binary()),
                ("topic", pyarrow.string()),
                ("partition", pyarrow.int32()),
                ("offset", pyarrow.int64()),
                ("timestamp", pyarrow.timestamp("ms", "UTC")),
                ("headers", pyarrow.list_(header)),
            ]
        )
        self._arrow, self._path, self.count = pyarrow, path, 0
        self._writer: Any = parquet.ParquetWriter(path, self._schema, compression="zstd")

    def write(self, records: Iterable[Record]) -> None:
        rest = iter(records)
        while rows := list(islice(rest, _ROWS)):
            columns = {name: [getattr(row, name) for row in rows] for name in self._schema.names}
            columns["headers"] = [[{"key": k, "value": v} for k, v in row.headers] or None for row in rows]
            arrays = [self._arrow.array(columns[f.name], type=f.type) for f in self._schema]
            self._writer.write_batch(self._arrow.RecordBatch.from_arrays(arrays, schema=self._schema))
            self.count += len(rows)

    def close(self) -> None:
        self._writer.close()

    def digest(self) -> str:
        return _digest(self._path)


def part_name(side: str, number: int, form: str) -> str:
    """The file of a part, below the folder of the stream."""
    return f"{side}/part-{number:05}.{form}"


def writer_of(path: Path) -> _JsonLines | _Parquet:
    """A writer of records in the format of the file's name."""
    return _Parquet(path) if path.suffix == ".parquet" else _JsonLines(path)


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def write_injected(out: Path, lines: Iterable[Mapping[str, Any]]) -> None:
    """Write `injected.jsonl`."""
    text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    (out / "injected.jsonl").write_text(text, encoding="utf-8")


def write_json(path: Path, given: object) -> None:
    """Write indented JSON."""
    path.write_text(json.dumps(given, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def finish(job: Job, parts: Iterable[Part], version: str) -> dict[str, Any]:
    """Write the files that describe the parts. Returns the content of `generate.json`."""
    parts = sorted(parts, key=lambda part: part.number)
    plan = job.plan()
    write_json(job.out / "tables.json", [table_to_json(t) for t in versions(job.tables, plan.alterations())])
    for side in job.sides:
        if codec_of(side.dialect).uses_registry:
            listed = schemas_of(_stream_writer(job, plan, side, 0).registry)
            schemas = [{"id": one.id, "subject": one.subject, "schema": one.schema} for one in listed]
            write_json(job.out / f"{side.name}.schemas.json", schemas)
    injected = [line for part in parts for line in part.injected]
    if job.faults:
        write_injected(job.out, injected)
    found = {
        "format": 1,
        "version": version,
        "preset": job.preset or None,
        "tables": [f"{table.schema}.{table.name}" for table in job.tables],
        "seed": job.seed,
        "changes": job.changes,
        "statements": job.statements,
        "shards": job.shards,
        "hot": plan.hot,
        "boundaries": job.boundaries,
        "faults": len(injected),
        "asked": dict(sorted(sum((part.requested for part in parts), Counter[str]()).items())),
        "put_in": dict(sorted(Counter(line["kind"] for line in injected).items())),
        "sides": [
            {
                "name": side.name,
                "dialect": side.dialect,
                "options": dict(sorted(side.options.items())),
                "messages": sum(part.messages[side.name] for part in parts),
                "parts": [
                    {
                        "file": part_name(side.name, part.number, job.form),
                        "messages": part.messages[side.name],
                        "sha256": part.digests[side.name],
                    }
                    for part in parts
                ],
            }
            for side in job.sides
        ],
    }
    write_json(job.out / "generate.json", found)
    return found
