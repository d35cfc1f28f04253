"""Earlier recordings, of 3.0.7 and 3.6.3, as JSON: what is read of them is written again as it was.

There is no truth behind them, and the files keep no headers.
"""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from connector_messages import BARE, options

from conformance.catalogue.packing import files_of
from reference_impl.model import Event, Record, RowChange
from reference_impl.settings import Settings
from reference_impl.upstream.debezium import Decoder, Encoder

_FOLDER = Path(__file__).resolve().parents[4] / "fixtures/recorded/debezium"
_NEW, _OLD = {"version": "3.6.3"}, {"version": "3.0.7"}
_STRING = {
    "decimal.handling.mode": "string",
    "bigint.unsigned.handling.mode": "precise",
    "binary.handling.mode": "base64",
}

_TOLD = {"provide.transaction.metadata": "true", "tombstones.on.delete": "false"}

# Options of each, and how many of its records are of rows or transactions.
FILES: dict[str, tuple[dict[str, str], int]] = {
    "mariadb1011_dbz307_noschema": ({**_OLD, **BARE, "server": "mariadb"}, 24),
    "mysql97_dbz307_default": (_OLD, 24),
    "mysql97_dbz307_noschema": ({**_OLD, **BARE}, 24),
    "mysql97_dbz307_snapshot": ({**_OLD, **BARE}, 6),
    "mysql97_dbz363_decdouble": ({**_NEW, **BARE, "decimal.handling.mode": "double"}, 24),
    "mysql97_dbz363_decstring": ({**_NEW, **BARE, **_STRING}, 24),
    "mysql97_dbz363_default": (_NEW, 24),
    "mysql97_dbz363_noschema": ({**_NEW, **BARE}, 24),
    "mysql97_dbz363_snapshot": ({**_NEW, **BARE}, 6),
    "mysql97_dbz363_snapshot_schema": (_NEW, 6),
    "mysql97_dbz363_txmeta": ({**_NEW, **BARE, **_TOLD}, 51),
    "mysql97_dbz363_timeconnect": (
        {**_NEW, **BARE, "time.precision.mode": "connect", "binary.handling.mode": "hex"},
        24,
    ),
}


@cache
def _lines(name: str) -> list[Any]:
    lines = [json.loads(line) for line in files_of(_FOLDER)[f"{name}.jsonl"].splitlines()]
    return [line for line in lines if not _is_left_out(line["value"])]


def _is_left_out(value: Any) -> bool:
    payload = value if value is None or "payload" not in value else value["payload"]
    return payload is not None and payload.get("op") == "t"


def _record(line: Any) -> Record:
    key, value = (None if line[n] is None else json.dumps(line[n]).encode() for n in ("key", "value"))
    return Record(key, value, None, line["topic"])


@pytest.mark.parametrize("name", FILES)
def test_what_is_read_is_written_again(name: str) -> None:
    given, rows = FILES[name]
    events = Decoder(options(given)).decode(map(_record, _lines(name)))
    written = Encoder(options(given), settings=Settings(topic="dbz")).encode(_apart(events)).records
    again = [
        {
            "topic": record.topic,
            "key": None if record.key is None else json.loads(record.key),
            "value": None if record.value is None else json.loads(record.value),
        }
        for record in written
    ]
    assert again == [{n: line[n] for n in ("topic", "key", "value")} for line in _lines(name)]
    assert sum(line["topic"] != "dbz" for line in again) == rows


def _apart(events: list[Event]) -> list[Event]:
    """The events, each with a rows event of its own where a change of a key came as two, since nothing tells that."""
    apart: list[Event] = []
    for number, event in enumerate(events):
        if isinstance(event, RowChange) and event.op != "read":
            before = events[number - 1]
            follows = isinstance(before, RowChange) and before.op == "delete" and event.op == "insert"
            if follows:
                apart.append(replace(event, source={**(event.source or {}), "rows_event": number}))
                continue
        apart.append(event)
    return apart
