"""Recorded vectors: the input of a real producer, and its answer.

A vector is a JSON line (`fixtures/schemas/vector.schema.json`); a file is `.jsonl` or `.jsonl.xz`. A line that is
malformed is a problem with a place; the rest of the file is still read.
"""

from __future__ import annotations

import json
import lzma
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, overload

from conformance.catalogue.fixtures import fixtures_root
from conformance.catalogue.members import reading
from conformance.catalogue.sealed import read_toml
from conformance.errors import SuiteError
from reference_impl import options as option_strings
from reference_impl.errors import Rejected, RejectionClass
from reference_impl.model import Claim, Event, Record, Table
from reference_impl.protocols import CODECS
from reference_impl.registry import RegisteredSchema
from reference_impl.settings import Settings
from reference_impl.wire import claim_from_json, events_from_json, record_from_json, table_from_json

__all__ = [
    "Producer",
    "ShippedVectors",
    "Vector",
    "load_producers",
    "read_vectors",
    "recorded_vectors",
    "vector_from_json",
]

SUFFIXES = (".jsonl", ".jsonl.xz")


@dataclass(frozen=True, slots=True)
class Vector:
    """One recorded input and its answer: exactly one of `records`, `rejected` and `crash` is set."""

    case: str
    protocol: str
    options: Mapping[str, str]
    settings: Settings
    tables: tuple[Table, ...]
    events: tuple[Event, ...]
    create_sql: tuple[str, ...] = ()  # creates the tables
    sql: tuple[str, ...] = ()  # makes the changes
    records: tuple[Record, ...] | None = None
    schemas: tuple[RegisteredSchema, ...] = ()  # those that the producer registered, in order
    claims: tuple[Claim, ...] = ()
    rejected: RejectionClass | None = None
    crash: str | None = None  # the kind of the crash
    note: str = ""
    volatile: tuple[str, ...] = ()  # names of the parts that differ from run to run


@dataclass(frozen=True, slots=True)
class Producer:
    """A recorded producer: a folder of `fixtures/recorded` with its `meta.toml`."""

    id: str
    profile: str
    module: str
    version: str
    date: str
    real: str
    stand_in: str
    licence: str
    folder: Path


def _settings(given: Mapping[str, Any]) -> Settings:
    now_ms = given.get("now_ms")
    return Settings(
        timezone=given.get("timezone", "UTC"),
        cluster_id=given.get("cluster_id", "default"),
        topic=given.get("topic", "{schema}_{table}"),
        partitions=given.get("partitions", 1),
        now_ms=None if now_ms is None else int(now_ms),
    )


def _outcome(given: Mapping[str, Any]) -> str:
    outcomes = [name for name in ("records", "rejected", "crash") if name in given]
    if len(outcomes) != 1:
        raise ValueError(f"one of records, rejected and crash is needed, there are {len(outcomes)}")
    return outcomes[0]


def vector_from_json(given: Mapping[str, Any]) -> Vector:
    """Parse a vector. Raises `Rejected`, ValueError, KeyError or TypeError for a malformed one."""
    if not isinstance(given, dict):
        raise TypeError("not an object")
    outcome = _outcome(given)
    tables = tuple(table_from_json(t) for t in given["tables"])
    return Vector(
        case=given["case"],
        protocol=given["protocol"],
        options=dict(given["options"]),
        settings=_settings(given),
        tables=tables,
        events=tuple(events_from_json(given["events"], tables)),
        create_sql=tuple(given.get("create_sql", ())),
        sql=tuple(given.get("sql", ())),
        records=tuple(record_from_json(r) for r in given["records"]) if outcome == "records" else None,
        schemas=tuple(RegisteredSchema(s["id"], s["subject"], s["schema"]) for s in given.get("schemas", ())),
        claims=tuple(claim_from_json(c) for c in given.get("claims", ())),
        rejected=RejectionClass(given["rejected"]["class"]) if outcome == "rejected" else None,
        crash=str(given["crash"]["kind"]) if outcome == "crash" else None,
        note=given.get("note", ""),
        volatile=tuple(given.get("volatile", ())),
    )


def _files(path: Path) -> Sequence[Path]:
    if path.is_dir():
        return [p for p in sorted(path.rglob("*")) if p.name.endswith(SUFFIXES)]
    return [path]


def _lines(path: Path) -> Iterator[bytes]:
    data = path.read_bytes()
    yield from (lzma.decompress(data) if path.name.endswith(".xz") else data).splitlines()


def _reason(error: Exception) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"not JSON: {error.msg} at column {error.colno}"
    if isinstance(error, UnicodeDecodeError):
        return "not UTF-8"
    if isinstance(error, KeyError):
        return f"no member {error.args[0]!r}"
    if isinstance(error, Rejected):
        return error.message
    return str(error)


def _check(given: Any) -> None:
    """Raise ValueError for what parsing lets pass: an unknown protocol, or an option that it lacks."""
    from conformance.catalogue.published_schemas import problem_of  # takes long to import

    if wrong := problem_of(given, "vector"):
        raise ValueError(wrong)
    known = option_strings.names(CODECS[given["protocol"]].options)
    if unknown := [name for name in given["options"] if name not in known]:
        raise ValueError(f"{given['protocol']} has no option {unknown[0]!r}")


def read_vectors(path: Path, *, checked: bool = True) -> tuple[list[Vector], list[str]]:
    """(vectors, problems) of a file, or of every `.jsonl` and `.jsonl.xz` below a folder.

    A problem reads `FILE, line N: what is wrong`; the other lines are still read. `checked`: lines are checked against
    the published schema; those that the suite ships are known to fit it.
    """
    vectors: list[Vector] = []
    problems: list[str] = []
    for file in _files(path):
        try:
            for number, line in enumerate(_lines(file), 1):
                if not line.strip():
                    continue
                try:
                    given = json.loads(line)
                    vector = vector_from_json(given)
                    if checked:
                        _check(given)
                    vectors.append(vector)
                except (Rejected, ValueError, KeyError, TypeError, AttributeError, RecursionError) as e:
                    problems.append(f"{file}, line {number}: {_reason(e)}")
        except (OSError, lzma.LZMAError, EOFError) as e:
            problems.append(f"{file}: cannot be read: {e}")
    return vectors, problems


class ShippedVectors(Sequence[Vector]):
    """The vectors of a folder whose every line is known to be one; a line is parsed when it is first asked for."""

    def __init__(self, folder: Path) -> None:
        self._lines = [line for file in _files(folder) for line in _lines(file) if line.strip()]
        self._parsed: dict[int, Vector] = {}

    def __len__(self) -> int:
        return len(self._lines)

    @overload
    def __getitem__(self, at: int) -> Vector: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[Vector]: ...
    def __getitem__(self, at: int | slice) -> Vector | Sequence[Vector]:
        if isinstance(at, slice):
            return [self[n] for n in range(*at.indices(len(self)))]
        line = self._lines[at]
        if at not in self._parsed:
            self._parsed[at] = vector_from_json(json.loads(line))
        return self._parsed[at]


def load_producers() -> Mapping[str, Producer]:
    """The shipped producers of vectors by id. Raises `SuiteError`, naming the file, for a malformed `meta.toml`."""
    producers = {}
    for path in sorted((fixtures_root() / "recorded").glob("*/meta.toml")):
        with reading(path, "a producer's meta data"):
            meta = read_toml(path)
            if "form" in meta:
                continue  # recordings of an upstream producer hold no vectors
            members = {m: meta[m] for m in ("profile", "module", "version", "date", "real", "stand_in", "licence")}
            producers[meta["producer"]] = Producer(id=meta["producer"], folder=path.parent, **members)
    return producers


def recorded_vectors(producer: Producer, protocol: str) -> Sequence[Vector]:
    """A shipped producer's vectors of a protocol, crashes included. Raises `SuiteError` for a malformed line."""
    return _recorded(producer.folder, protocol)


@lru_cache(maxsize=8)
def _recorded(folder: Path, protocol: str) -> Sequence[Vector]:
    vectors, problems = [], []
    for name in (protocol, "crashes"):
        path = folder / f"{name}.jsonl.xz"
        if path.exists():
            read, wrong = read_vectors(path, checked=False)
            vectors += [v for v in read if v.protocol == protocol]
            problems += wrong
    if problems:
        raise SuiteError(problems[0])
    return tuple(vectors)
