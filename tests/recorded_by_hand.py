"""Recordings of a few records that are written here by hand, with the SQL and the truth of what was run.

A record is what the producers were recorded to write for such rows; only what a test is about is its own.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

__all__ = [
    "COLUMNS",
    "SECOND",
    "Line",
    "canal",
    "canal_ddl",
    "column",
    "connector",
    "ddl",
    "rows",
    "statement",
    "table",
    "tombstone",
    "written",
]

Line = dict[str, Any]
SERVER = "mysql97"
SECOND = 1700000000
_PRODUCERS = {"canal": ("alibaba canal", "1.1.7"), "debezium-connector": ("debezium", "2.4.0.Final")}


# -- the truth ------------------------------------------------------------------------------------------------


def column(name: str, kind: str, **members: Any) -> Line:
    """A column of a truth's table."""
    return {"name": name, "type": kind, "nullable": True, **members}


COLUMNS = (column("id", "int", nullable=False), column("v", "int"))


def table(version: int, key: Sequence[str] = ("id",), columns: Sequence[Line] = COLUMNS, **members: Any) -> Line:
    """The line of a version of the table `cap.t`."""
    made = {"schema": "cap", "name": "t", "columns": list(columns), "primary_key": list(key), "unique_keys": []}
    return {"kind": "table", "version": version, "table": made | {"charset": "utf8mb4"} | members}


def rows(statement: int, version: int, *images: tuple[Line | None, Line | None]) -> Line:
    """The line of a statement that changes rows of the table: (before, after) of each."""
    before, after = images[0]
    op = "I" if before is None else "D" if after is None else "U"
    told = [{"before": one, "after": other} for one, other in images]
    where = {"statement": statement, "transaction": statement, "schema": "cap", "table": "t", "table_version": version}
    return {"kind": "rows", **where, "op": op, "rows": told}


# -- the records ----------------------------------------------------------------------------------------------


def _line(topic: str, key: Any, value: Any, headers: Sequence[Any] = ()) -> Line:
    def data(tree: Any) -> str | None:
        if tree is None:
            return None
        text = json.dumps(tree, ensure_ascii=False, separators=(",", ":"))
        return base64.b64encode(text.encode()).decode("ascii")

    return {"topic": topic, "partition": 0, "key": data(key), "value": data(value), "headers": list(headers)}


def _canal(number: int, **members: Any) -> Line:
    tree: Line = {
        "data": None,
        "database": "cap",
        "es": SECOND * 1000,
        "gtid": "",
        "id": number,
        "isDdl": False,
        "mysqlType": None,
        "old": None,
        "pkNames": None,
        "sql": "",
        "sqlType": None,
        "table": "t",
        "ts": SECOND * 1000 + 7,
        "type": "INSERT",
    }
    return _line("cap", None, tree | members)


def canal(number: int, data: Sequence[Mapping[str, str | None]], keys: Sequence[str] | None, **members: Any) -> Line:
    """A flat message that inserts rows of integers."""
    names = list(data[0])
    types: Line = {"mysqlType": dict.fromkeys(names, "int"), "sqlType": dict.fromkeys(names, 4)}
    return _canal(number, data=list(data), pkNames=keys and list(keys), **types, **members)


def canal_ddl(number: int, kind: str, sql: str, **members: Any) -> Line:
    """The flat message of a statement."""
    return _canal(number, isDdl=True, type=kind, sql=sql, **members)


def _source(pos: int, **members: Any) -> Line:
    source: Line = {
        "version": "2.4.0.Final",
        "connector": "mysql",
        "name": "cap",
        "ts_ms": SECOND * 1000,
        "snapshot": "false",
        "db": "cap",
        "sequence": None,
        "table": "t",
        "server_id": 1,
        "gtid": None,
        "file": "binlog.000001",
        "pos": pos,
        "row": 0,
        "thread": 9,
        "query": None,
    }
    return source | members


def connector(pos: int, op: str, key: Line | None, before: Line | None, after: Line | None, **source: Any) -> Line:
    """A record of a row, without schemas, as release 2.4.0 writes it."""
    tree = {"before": before, "after": after, "source": _source(pos, **source), "op": op, "ts_ms": SECOND * 1000 + 7}
    return _line("cap.cap.t", key, tree | {"transaction": None})


def tombstone(key: Line) -> Line:
    """The tombstone behind a deletion."""
    return _line("cap.cap.t", key, None)


def statement(pos: int, sql: str, changes: Sequence[Line] = (), **source: Any) -> Line:
    """A record of a statement, without schemas."""
    tree = {
        "source": _source(pos, **source),
        "ts_ms": SECOND * 1000 + 7,
        "databaseName": "cap",
        "schemaName": None,
        "ddl": sql,
        "tableChanges": list(changes),
    }
    return _line("cap", {"databaseName": "cap"}, tree)


def ddl(protocol: str, number: int, kind: str, sql: str) -> Line:
    """A record of a statement in a dialect; `kind` is Canal's word for it."""
    return canal_ddl(number, kind, sql) if protocol == "canal" else statement(number, sql)


# -- the folder -----------------------------------------------------------------------------------------------


def written(
    into: Path,
    protocol: str,
    sql: str,
    truth: Sequence[Line],
    records: Sequence[Line],
    *,
    config: Sequence[str] = (),
    **meta: Any,
) -> Path:
    """A folder with a recording, its SQL and its truth."""
    producer, version = _PRODUCERS[protocol]
    folder = into / "recording"
    folder.mkdir(parents=True)
    plain = ["topic.prefix=cap", "converter.schemas.enable=false", *config]
    told: Line = {
        "producer": producer,
        "version": version,
        "server": "mysql",
        "server_version": "9.7.4",
        "java": 'openjdk version "17.0.15"',
        "config": list(config) if protocol == "canal" else plain,
        "note": "jvm_zone=UTC",
        "workload": "workload.sql",
        "complete": True,
    }
    numbered = [{"n": n, **record} for n, record in enumerate(records)]
    (folder / "hand.meta.json").write_text(json.dumps(told | meta), encoding="utf-8")
    (folder / "hand.jsonl").write_text("".join(json.dumps(line) + "\n" for line in numbered), encoding="utf-8")
    (folder / "workload.sql").write_text(sql, encoding="utf-8")
    text = "".join(json.dumps(line) + "\n" for line in truth)
    (folder / f"truth-{SERVER}.jsonl").write_text(text, encoding="utf-8")
    return folder
