"""The load of `bench`: rows of one table as requests, and the times of an implementation for them.

Throughput is measured with requests of many rows, in rounds; times of answers with requests of one row each. Times are
nanoseconds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil
from statistics import median_low
from time import perf_counter_ns
from typing import Any

from conformance.cases.model import Case
from conformance.cases.requests import case_request, configure_request
from conformance.errors import ImplementationError
from conformance.registry import ServedRegistry
from conformance.transport.session import Session
from reference_impl import options as option_strings
from reference_impl.model import Record, RowChange
from reference_impl.protocols import CODECS
from reference_impl.registry import MemoryRegistry
from reference_impl.settings import Settings
from reference_impl.tso import compose
from reference_impl.wire import record_from_json, table_from_json

__all__ = ["ROWS", "Load", "Measured", "Refused", "load_of", "measure"]

ROWS = 100
"""Rows of a request for throughput."""
_ONE_BY_ONE = 500
"""Requests of one row, whose times are the percentiles."""
_START_MS = 1_700_000_000_000
# Name, type and value.
_COLUMNS: Sequence[tuple[str, str, str]] = (
    ("a", "varchar(20)", "some text"),
    ("b", "bigint", "9223372036854775807"),
    ("c", "decimal(10,2)", "12.50"),
    ("d", "datetime", "2024-02-29 12:34:56"),
    ("e", "int", "7"),
)


class Refused(Exception):
    """An answer without a result, in one sentence."""


@dataclass(frozen=True, slots=True)
class Load:
    """The requests of one protocol and role."""

    case: Case
    """The case to configure."""
    many: Mapping[str, Any]
    """The members of a request of `ROWS` rows."""
    one: Mapping[str, Any]
    """The members of a request of one row."""
    registry: ServedRegistry | None
    schemas: Sequence[Any]
    """The schemas of the records to decode, for the registry."""
    bytes: int
    """Bytes of keys and values of the records to decode; 0 where rows are encoded."""


@dataclass(frozen=True, slots=True)
class Measured:
    """The measurements of one implementation."""

    messages: int
    """Messages of a round."""
    bytes: int
    """Bytes of their keys and values."""
    rounds: tuple[int, ...]
    """Nanoseconds of each round."""
    times: tuple[int, ...]
    """Nanoseconds of the answers to requests of one row, sorted."""

    @property
    def round(self) -> int:
        """Nanoseconds of the median round."""
        return max(1, median_low(self.rounds))

    @property
    def per_second(self) -> int:
        """Messages a second, by the median round."""
        return self.messages * 1_000_000_000 // self.round

    @property
    def bytes_per_second(self) -> int:
        """Bytes a second, by the median round."""
        return self.bytes * 1_000_000_000 // self.round

    def percentile(self, share: int) -> int:
        """The time within which `share` percent of the answers came, the nearest measured one."""
        return self.times[max(1, ceil(share * len(self.times) / 100)) - 1]


def load_of(protocol: str, role: str, declared: Mapping[str, Any], registry: ServedRegistry | None) -> Load:
    """The load: rows with an int key and the columns whose types are declared; the TiDB extension is on if declared."""
    types = declared.get("column_types")
    columns = [column for column in _COLUMNS if types is None or column[1].partition("(")[0] in types]
    table = table_from_json(
        {
            "schema": "test",
            "name": "bench",
            "columns": [
                {"name": "id", "type": "int", "nullable": False},
                *({"name": name, "type": text, "nullable": True} for name, text, _ in columns),
            ],
            "primary_key": ["id"],
        }
    )
    row = {name: value for name, _, value in columns}
    changes = tuple(
        RowChange("insert", "test", "bench", compose(_START_MS + n, n), after={"id": str(n), **row})
        for n in range(ROWS)
    )
    codec = CODECS[protocol]
    known_options = option_strings.names(codec.options)
    name = "enable-tidb-extension"
    options = {name: "true"} if name in known_options and name in declared.get("options", known_options) else {}
    settings = Settings() if registry is None else Settings(registry_url=registry.url)
    case = Case("bench", protocol, "encode", (table,), changes, options=options, settings=settings)
    if role == "encode":
        first = replace(case, events=changes[:1])
        return Load(case, case_request(case), case_request(first), registry, (), 0)
    schemas = MemoryRegistry()
    encoder = codec.encoder(option_strings.parse(codec.options, options), settings=Settings(registry=schemas))
    records = encoder.encode(changes, (table,)).records
    many = replace(case, role="decode", events=(), records=records)
    first = replace(many, records=records[:1])
    return Load(many, case_request(many), case_request(first), registry, schemas.requests, _size(records))


def measure(sessions: Sequence[Session], load: Load, messages: int, rounds: int) -> list[Measured]:
    """Run the load over started sessions, in turns. Raises `Refused` where one answers without a result.

    The order of the sessions reverses from round to round, so that none always comes first.
    """
    op = load.case.role
    requests = [{"op": op, **load.many}] * max(1, messages // ROWS)
    if load.registry is not None:
        load.registry.begin(load.schemas)
    sizes = [_ready(session, load) for session in sessions]
    spent: list[list[int]] = [[] for _ in sessions]
    times: list[list[int]] = [[] for _ in sessions]
    for turn in range(rounds):
        for number in _turns(len(sessions), turn):
            begin = perf_counter_ns()
            outcomes = sessions[number].ask_many(requests)
            spent[number].append(perf_counter_ns() - begin)
            for outcome in outcomes:
                _result(outcome)
    for turn in range(_ONE_BY_ONE):
        for number in _turns(len(sessions), turn):
            begin = perf_counter_ns()
            answer = _answer_or_error(sessions[number], op, load.one)
            times[number].append(perf_counter_ns() - begin)
            _result(answer)
    return [
        Measured(len(requests) * ROWS, len(requests) * size, tuple(spent[number]), tuple(sorted(times[number])))
        for number, size in enumerate(sizes)
    ]


def _turns(count: int, turn: int) -> Sequence[int]:
    """The numbers of the sessions, in the order of a round."""
    return range(count) if turn % 2 == 0 else range(count - 1, -1, -1)


def _ready(session: Session, load: Load) -> int:
    """Configure, and run the load once. Returns the bytes of keys and values of its messages.

    Raises `Refused` also for an empty answer, whose speed would say nothing.
    """
    try:
        _result(session.configure(configure_request(load.case)))
        _result(session.ask("reset"))
    except ImplementationError as e:
        raise Refused(str(e)) from None
    result = _result(_answer_or_error(session, load.case.role, load.many))
    content = "records" if load.case.role == "encode" else "events"
    if not result[content]:
        raise Refused(f"answered with no {content}")
    return load.bytes or _size([record_from_json(record) for record in result["records"]])


def _answer_or_error(session: Session, op: str, members: Mapping[str, Any]) -> Any:
    try:
        return session.ask(op, **members)
    except ImplementationError as e:
        return e


def _result(answer: Any) -> Mapping[str, Any]:
    """The result in an answer. Raises `Refused` for an answer without one, and for an error in its place."""
    if isinstance(answer, ImplementationError):
        raise Refused(str(answer))
    if answer.kind != "ok":
        raise Refused(f"answered with {answer.kind}: {answer.payload}")
    result: Mapping[str, Any] = answer.payload or {}
    return result


def _size(records: Sequence[Record]) -> int:
    """The bytes of keys and values."""
    return sum(len(record.key or b"") + len(record.value or b"") for record in records)
