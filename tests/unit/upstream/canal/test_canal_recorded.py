"""Every record of Canal 1.1.7 that was recorded, written again from the truth of its workload, byte for byte.

Taken from a record are its position (`id`, `es`, `ts`, `gtid`), the time of the statement where a column holds that,
and how many rows are in it; everything else comes from the SQL.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from conformance.catalogue.recordings import Recording, Workloads, read_recordings
from conformance.catalogue.statements import binlog_settings, statements
from conformance.catalogue.workload import Change
from reference_impl import options as option_strings
from reference_impl.column_types import Family
from reference_impl.exact_json import loads
from reference_impl.model import DdlEvent, Record, Row, RowChange, Table
from reference_impl.upstream.canal import Decoder, Encoder, Options
from reference_impl.upstream.canal.ddl import message_of
from reference_impl.values import same_value
from reference_impl.zones import zone_of

_FOLDER = Path(__file__).resolve().parents[4] / "fixtures/recorded/canal"
_WORKLOADS = Workloads(_FOLDER)

# Rows, statements about tables, and statements behind rows that each recording has.
COUNTS = {
    "mariadb1011": (184, 100, 176), "mysql97": (186, 100, 0), "mysql97_extra": (12, 11, 1),
    "mysql97_gtid": (186, 98, 0), "mysql97_jdk25": (186, 100, 0), "mysql97_notsdb": (186, 98, 0),
    "mysql97_rowimage": (9, 6, 0), "mysql97_vector_fails": (1, 5, 0), "mysql97_zone8": (186, 100, 0),
}  # fmt: skip

# Columns whose value a message does not carry whole: text of another charset than UTF-8, JSON with a NUL or with a
# scalar of the database's own, and JSON that came as its difference.  [DV-55, CJ-454, DV-52]
_LOST = {
    *(("t_char", c) for c in ("vc_l1", "tx_l1", "c_gbk", "vc_gbk", "vc_u16", "vc_big5", "tx_ucs2")),
    ("d_all", "h2"),
    ("t_json", "j"),
    ("y_json", "j"),
}
_LOSSY_MESSAGES = {"mariadb1011": 3, "mysql97_extra": 1, "mysql97_rowimage": 1, "mysql97_vector_fails": 0}


@dataclass(frozen=True)
class _Message:
    """A recorded rows event and the changes behind it. `first`: it is the first of its statement."""

    tree: Any
    record: Record
    query: tuple[Any, Record] | None
    changes: Sequence[Change]
    events: Sequence[RowChange]
    first: bool

    @property
    def table(self) -> Table:
        return self.changes[0].table


@cache
def _recordings() -> Mapping[str, Recording]:
    return {recording.name: recording for recording in read_recordings(_FOLDER)}


@cache
def _records(name: str) -> Sequence[tuple[Any, Record]]:
    records = (captured.record for captured in _recordings()[name].records)
    return [(loads(r.value), r) for r in records if r is not None and r.value is not None]


def _options(name: str) -> Options:
    return option_strings.parse(Options, _recordings()[name].options)


def _sql(name: str) -> str:
    sql = _WORKLOADS.sql_of(_recordings()[name])
    assert sql is not None
    return sql


def _position(tree: Any) -> dict[str, object]:
    return {"id": str(tree["id"]), "es": str(tree["es"]), "ts": str(tree["ts"]), "gtid": tree["gtid"]}


def _times(change: Change, row: Mapping[str, str], zone: str) -> dict[tuple[str, str], datetime]:
    """What the columns hold that the clock of the statement filled."""

    def instant(name: str) -> datetime:
        column = change.table.column(name)
        local = zone if column is not None and column.type.family is Family.TIMESTAMP else "UTC"
        return datetime.fromisoformat(row[name]).replace(tzinfo=zone_of(local)).astimezone(UTC)

    return {(image, name): instant(name) for image, name in change.now}


@cache
def _messages(name: str) -> Sequence[_Message]:
    return list(_paired(name))


def _paired(name: str) -> Iterator[_Message]:
    recording = _recordings()[name]
    changes = list(_WORKLOADS.truth_of(recording).changes)
    sessions = dict(binlog_settings(_sql(name)))
    zone = recording.facts.timezone
    at, told = 0, -1
    before: tuple[Any, Record] | None = None
    for tree, record in _records(name):
        if tree["data"] is not None:
            mine = changes[at : at + len(tree["data"])]
            at += len(mine)
            assert len({(c.statement, c.table.id, c.op) for c in mine}) == 1
            source = {**_position(tree), "rows_event": "e", **sessions.get(mine[0].statement, {})}
            events = [
                c.event(source, _times(c, row, zone), zone_of(zone)) for c, row in zip(mine, tree["data"], strict=True)
            ]
            query = before if before and before[0]["type"] == "QUERY" and not before[0]["isDdl"] else None
            yield _Message(tree, record, query, mine, events, mine[0].statement != told)
            told = mine[0].statement
        before = tree, record
    # Canal stopped at the vector column of one workload.  [CJ-428]
    assert {c.table.name for c in changes[at:]} == ({"y_vec", "zz_end"} if name == "mysql97_vector_fails" else set())


def test_every_recording_is_counted() -> None:
    assert COUNTS.keys() == _recordings().keys()
    assert sum(rows for rows, _, _ in COUNTS.values()) == 1136


@pytest.mark.parametrize("name", COUNTS)
def test_every_rows_event_comes_out_byte_for_byte(name: str) -> None:
    encoder = Encoder(_options(name))
    messages = _messages(name)
    assert len(messages) == COUNTS[name][0]
    for message in messages:
        assert encoder.encode(message.events, [message.table]).records[0].value == message.record.value


@pytest.mark.parametrize("name", COUNTS)
def test_the_statement_behind_rows_comes_out_byte_for_byte(name: str) -> None:
    encoder = Encoder(_options(name))
    texts = statements(_sql(name))
    told = [(message, message.query) for message in _messages(name) if message.query is not None]
    assert len(told) == COUNTS[name][2]
    for message, (tree, record) in told:
        assert message.first
        change = message.changes[0]
        source = {**_position(tree), "query": texts[change.statement]}
        [query, _] = encoder.encode([change.event(source)], [message.table]).records
        assert query.value == record.value


# Texts that a server or its client made of a statement of the workload; the first two are the set-up's.
_SERVER_MADE = re.compile(
    r"drop database if exists cap(_other)?\Z|DROP TABLE .* /\* generated by server \*/\Z|CREATE TABLE `d_ctas(_pk)?` \("
    r"|ALTER ALGORITHM=UNDEFINED DEFINER=`root`@`localhost` SQL SECURITY DEFINER VIEW `v_one`|/\* leading comment \*/",
    re.DOTALL,
)
_NAME = r"(?:`((?:[^`]|``)+)`|([^\s`.,;()]+))"
_PAIR = rf"{_NAME}(?:\.{_NAME})?"
_TABLE_OF = [
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"create\s+table\s+(?:if\s+not\s+exists\s+)?{_PAIR}",
        rf"drop\s+table\s+(?:if\s+exists\s+)?{_PAIR}",
        rf"truncate\s+(?:table\s+)?{_PAIR}",
        rf"alter\s+table\s+\S+\s+rename\s+(?:to\s+)?{_PAIR}\s*$",
        rf"rename\s+table\s+\S+\s+to\s+{_PAIR}",
        rf"alter\s+table\s+{_PAIR}",
        rf"(?:create|drop)\s+(?:unique\s+)?index\s+\S+\s+on\s+{_PAIR}",
    )
]
_SCHEMA_OF = re.compile(
    rf"(?:create|drop)\s+(?:database|schema)\s+(?:if\s+(?:not\s+)?exists\s+)?{_NAME}", re.IGNORECASE
)


def _names(text: str) -> tuple[str, str]:
    """Schema and table that a statement of the workload is about, after a rename the new name."""
    text = re.sub(r"/\*.*?\*/", " ", text).strip()
    if found := _SCHEMA_OF.match(text):
        return found[1] or found[2], ""
    match = next((found for pattern in _TABLE_OF if (found := pattern.match(text))), None)
    if match is None:
        return "cap", ""
    first, second = match[1] or match[2], match[3] or match[4]
    return (first, second) if second else ("cap", first)


@pytest.mark.parametrize("name", COUNTS)
def test_every_statement_about_tables_comes_out_byte_for_byte(name: str) -> None:
    encoder, sql = Encoder(_options(name)), _sql(name)
    ddl = [(tree, record) for tree, record in _records(name) if tree["isDdl"]]
    assert len(ddl) == COUNTS[name][1]
    for tree, record in ddl:
        text = tree["sql"]
        assert text in sql or _SERVER_MADE.match(text)
        [written] = encoder.encode([DdlEvent(*_names(text), text, source=_position(tree))]).records
        assert written.value == record.value


@pytest.mark.parametrize("name", COUNTS)
def test_a_statement_without_a_message_was_never_recorded(name: str) -> None:
    recorded = {tree["sql"] for tree, _ in _records(name)}
    about_rows = re.compile(r"insert|update|delete|replace|set|use|start|commit|rollback|savepoint|xa", re.IGNORECASE)
    others = [text for text in statements(_sql(name)) if not about_rows.match(text)]
    assert not {text for text in others if message_of(text) is None} & recorded


def _differs(table: Table, sent: Row | None, got: Row | None) -> set[str]:
    if sent is None or got is None:
        return set() if sent is got else {"image"}
    return {n for n, v in got.items() if (c := table.column(n)) is None or not same_value(c.type, sent[n], v)}


@pytest.mark.parametrize("name", COUNTS)
def test_recorded_rows_are_read_as_the_rows_of_the_truth(name: str) -> None:
    lossy = 0
    for message in _messages(name):
        if (message.changes[0].op, message.table.name, name) == ("update", "y_json", "mysql97_rowimage"):
            lossy += 1  # JSON by its difference is no JSON, which a decoder refuses
            continue
        events = Decoder(_options(name)).decode([message.record], [message.table])
        assert len(events) == len(message.events)
        lost: set[str] = set()
        for sent, got in zip(message.events, events, strict=True):
            assert isinstance(got, RowChange)
            assert (got.op, got.schema, got.table) == (sent.op, sent.schema, sent.table)
            lost |= _differs(message.table, sent.before, got.before) | _differs(message.table, sent.after, got.after)
        assert {(message.table.name, column) for column in lost} <= _LOST
        lossy += bool(lost)
    assert lossy == _LOSSY_MESSAGES.get(name, 4)


@pytest.mark.parametrize("name", sorted(COUNTS.keys() - {"mysql97_rowimage"}))
def test_a_whole_recording_is_read_without_tables(name: str) -> None:
    events = Decoder(_options(name)).decode(record for _, record in _records(name))
    assert sum(isinstance(event, DdlEvent) for event in events) == COUNTS[name][1]
