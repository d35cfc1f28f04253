"""What real producers upstream wrote of one workload, and the tables of their server."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache

from conformance.catalogue.fixtures import fixtures_root
from conformance.catalogue.packing import files_of
from conformance.catalogue.workload import read_truth
from reference_impl.model import Record, Table
from reference_impl.settings import Settings
from reference_impl.wire import record_from_json

TOPICS = Settings(topic="dbz.{schema}.{table}")
RECORDED = {
    "canal/mysql97": ("canal", {}, Settings()),
    "debezium24/mysql97_noschema": ("debezium-connector", {"version": "2.4.0", "schemas.enable": "false"}, TOPICS),
    "debezium36/mysql97_noschema": ("debezium-connector", {"version": "3.6.1", "schemas.enable": "false"}, TOPICS),
}


@cache
def records_of(name: str) -> tuple[Record, ...]:
    """The messages of a recording, each with the number of its line."""
    folder, _, of = name.partition("/")
    lines = files_of(fixtures_root() / "recorded" / folder)[f"{of}.jsonl"].splitlines()
    return tuple(replace(record_from_json(json.loads(line)), offset=number) for number, line in enumerate(lines))


@cache
def tables_of(name: str) -> tuple[Table, ...]:
    """The tables of the server of a recording, in all their versions."""
    truth = files_of(fixtures_root() / "recorded" / "workload")["truth-mysql97.jsonl"]
    return tuple(read_truth(truth, name.partition("/")[2]).tables.values())


def recorded(name: str) -> tuple[list[Record], tuple[Table, ...]]:
    """The messages of a recording but for truncations, which are no events of rows, and its tables."""
    return [r for r in records_of(name) if b'"op":"t"' not in (r.value or b"")], tables_of(name)
