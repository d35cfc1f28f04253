"""A live producer as an encoder of the harness protocol, driven by SQL on its own server.

    ticdc-conformance run --protocol debezium-connector --timeout 60 \
        --iut "cmd:python -m harnesses.producers.harness debezium"

The statements of a case run on MySQL; the answer holds the records that the producer sends meanwhile. A marker, a row
in a table of the harness, ends the records of a case; the answer leaves it out. The clock is the server's
(`"clock": "own"`). Statements that the server refuses, and input that no SQL makes, are answered with `unsupported`.
"""

from __future__ import annotations

import argparse
import base64
import json
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from harnesses.producers.programs import PROGRAMS, Program, command_of, java_of
from harnesses.producers.streams import Silent, Stream, streaming
from harnesses.providers import Database, ServiceError, Unavailable, mysql
from reference_impl.protocols import CANAL

OWN = "ticdc_conformance"
"""The database of the marker table, whose rows end the records of a case."""
_MARKER_TABLE = f"{OWN}.marker"
_SECONDS = 20  # that a producer may take for the next record
_BEFORE_TABLES = ("SET ", "CREATE DATABASE IF NOT EXISTS ")
_TABLES = """\
SELECT HEX(table_schema), HEX(table_name) FROM information_schema.tables
WHERE table_type = 'BASE TABLE' AND table_schema IN ({})
"""
_PRODUCERS = {CANAL.name: CANAL.name, "debezium": "debezium24"}
"""Name of a producer → the release that is used if the options name none: the dialect's default."""
_JDK = {"17": 17, "25": 25}


class Declined(Exception):
    """Raised for input that this producer or its server does not support."""


class LiveEncoder:
    """Answers requests of the harness protocol.

    `program` is the release that runs unless the options name another one.
    """

    def __init__(self, program: Program, folder: Path, services: ExitStack) -> None:
        self._program = program
        self._folder = folder
        # Ends the server.
        self._services = services
        # Ends the producer.
        self._running = ExitStack()
        # The records of the running producer; None before the first case and after a failure.
        self._stream: Stream | None = None
        # The server that the producer reads; None before the first `configure`.
        self._server: Database | None = None
        # The last `configure`.
        self._configured: Mapping[str, Any] = {}
        # The number of the last marker row.
        self._marker = 0
        # The databases of the current case.
        self._schemas: list[str] = []

    def close(self) -> None:
        """End the producer."""
        self._running.close()
        self._stream = None

    def answer(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """The answer to a request, without its id."""
        try:
            return {"ok": getattr(self, f"_{request['op']}")(request)}
        except Declined as e:
            return {"unsupported": str(e)}
        except (ServiceError, Unavailable) as e:
            self.close()
            return {"error": str(e)}

    def _hello(self, request: Mapping[str, Any]) -> dict[str, Any]:
        has_javas = all(map(java_of, _JDK.values()))
        declared = [option for option in self._program.properties if has_javas or option != "jdk"]
        return {
            "harness": 1,
            "name": f"live {self._program.words}",
            "version": self._program.version,
            "language": "Java",
            "clock": "own",
            "protocols": {self._program.protocol: {"roles": ["encode"], "options": declared}},
        }

    def _reset(self, request: Mapping[str, Any]) -> dict[str, Any]:
        return {}

    def _bye(self, request: Mapping[str, Any]) -> dict[str, Any]:
        return {}

    # -- configuration -------------------------------------------------------------------------------------------------

    def _configure(self, request: Mapping[str, Any]) -> dict[str, Any]:
        self.close()
        self._configured = request
        self._start()
        return {}

    def _start(self) -> None:
        """Start the configured producer unless it runs, and wait until it reads."""
        if self._stream is not None:
            return
        options: Mapping[str, str] = self._configured.get("options", {})
        program, zone = _release(self._program, options), str(self._configured.get("timezone", "UTC"))
        if self._server is None:
            server = self._services.enter_context(mysql(self._folder / "mysql"))
            server.run(f"create database {OWN}; create table {_MARKER_TABLE} (n bigint primary key)")
            self._server = server
        self._drop()
        # Canal begins before the configured position, so the current log must hold nothing old.
        self._server.run("flush binary logs")
        topic = str(self._configured.get("topic", "")).partition("{")[0].rstrip(".-_")
        prefix = topic or str(self._configured.get("cluster_id") or "default")
        properties = {
            name: options[option] for option, name in program.properties.items() if name and option in options
        }
        if program.is_prefixed:
            zone = "UTC"
            properties["topic.prefix"] = prefix
        settings = program.settings(program, self._server, properties)
        command = command_of(program, settings, zone=zone, release=_JDK[options.get("jdk", "17")])
        self._stream = self._running.enter_context(streaming(program.words, command, self._folder / "producer.log"))
        self._stream.await_reading()
        self._until_marker()

    # -- cases ---------------------------------------------------------------------------------------------------------

    def _encode(self, request: Mapping[str, Any]) -> dict[str, Any]:
        sql: Sequence[str] = request.get("sql") or ()
        if not sql:
            raise Declined("no SQL makes this input")
        if any("rows_event" in (event.get("source") or {}) for event in request["events"]):
            raise Declined("each statement is a rows event of its own")
        try:
            return {"records": self._records_of(request, sql)}
        except Silent:  # perhaps the producer stopped at an event before this case; a new one begins after that event
            self.close()
            return {"records": self._records_of(request, sql)}

    def _records_of(self, request: Mapping[str, Any], sql: Sequence[str]) -> list[Mapping[str, Any]]:
        """Run the statements of a case, and return the records that the producer sends for them."""
        self._start()
        setup, events = _parts(sql, request["tables"])
        session = [text for text in setup if text.startswith("SET ")]
        image = self._configured.get("options", {}).get("binlog_row_image")
        session += [f"SET SESSION binlog_row_image = '{image}'"] if image else []
        self._drop()
        self._schemas = _schemas(request)
        self._run([*(f"CREATE DATABASE IF NOT EXISTS {_name(schema)}" for schema in self._schemas), *setup])
        self._until_marker()
        records: list[Mapping[str, Any]] = []
        for step in self._steps(events):
            self._run([*session, *step])
            records += self._until_marker()
        return records

    def _steps(self, statements: Sequence[str]) -> list[list[str]]:
        """Groups of statements that may run before their records are read.

        Canal without a history of statements (`tsdb=false`) queries the columns of a table when it reads its rows, so
        each statement must wait for the records of the one before it.
        """
        if self._configured.get("options", {}).get("tsdb") != "false" or "BEGIN" in statements:
            return [[*statements]]
        steps, use = list[list[str]](), list[str]()
        for text in statements:
            if text.startswith("USE "):
                use = [text]
            else:
                steps.append([*use, text])
        return steps

    def _drop(self) -> None:
        """Remove everything of the previous case.

        A producer may not notice that tables vanish with a database.
        """
        if self._schemas and self._server is not None:
            listed = self._server.run(_TABLES.format(", ".join(map(_text, self._schemas)))).split()
            names = [_name(bytes.fromhex(name).decode()) for name in listed]
            tables = [f"DROP TABLE {schema}.{table}" for schema, table in zip(names[::2], names[1::2], strict=True)]
            self._server.run(_script([*tables, *(f"DROP DATABASE IF EXISTS {_name(one)}" for one in self._schemas)]))
        self._schemas = []

    def _run(self, statements: Sequence[str]) -> None:
        assert self._server is not None
        try:
            self._server.run(_script(statements))
        except ServiceError as e:
            raise Declined(f"the server does not run it: {e}") from None

    def _until_marker(self) -> list[Mapping[str, Any]]:
        """Write a marker row, and return the records before it."""
        assert self._server is not None
        assert self._stream is not None
        self._marker += 1
        self._server.run(f"insert into {_MARKER_TABLE} values ({self._marker})")
        records: list[Mapping[str, Any]] = []
        while True:
            record = self._stream.next(_SECONDS)
            if not _is_marker(record):
                records.append(record)
            elif self._marker in _numbers(record):
                return records


def _release(program: Program, options: Mapping[str, str]) -> Program:
    """The release in the options, or else `program`. Raises `Declined` for an unknown release."""
    version = options.get("version")
    if version is None:
        return program
    releases = [one for one in PROGRAMS.values() if one.protocol == program.protocol]
    for one in releases:
        if one.version.removesuffix(".Final") == version:
            return one
    raise Declined(f"version {version}: there are {', '.join(one.version for one in releases)}")


def _parts(sql: Sequence[str], tables: Sequence[Mapping[str, Any]]) -> tuple[list[str], list[str]]:
    """The statements before the first event (settings, databases, tables), and those that make the events."""
    first_table = next((n for n, text in enumerate(sql) if not text.startswith(_BEFORE_TABLES)), len(sql))
    first_event = first_table + len(tables)
    return list(sql[:first_event]), list(sql[first_event:])


def _schemas(request: Mapping[str, Any]) -> list[str]:
    """The databases of a case, without those that an event creates."""
    schemas = [table["schema"] for table in request["tables"]]
    created = {e["schema"] for e in request["events"] if e["kind"] == "ddl" and e.get("action") == "create schema"}
    schemas += [e["schema"] for e in request["events"] if e.get("schema") and e["schema"] not in created]
    return list(dict.fromkeys(schemas))


def _name(name: str) -> str:
    """A name as SQL."""
    return "`" + name.replace("`", "``") + "`"


def _text(text: str) -> str:
    """A text as SQL."""
    return "'" + text.replace("\\", "\\\\").replace("'", "''") + "'"


def _script(statements: Sequence[str]) -> str:
    return "".join(f"{text}\n;\n" for text in statements)


def _tree(record: Mapping[str, Any]) -> Any:
    """The JSON of a record's value, without the envelope of a schema; None for a tombstone."""
    value = record.get("value")
    tree = json.loads(base64.b64decode(value)) if value else None
    return tree.get("payload", tree) if isinstance(tree, dict) else None


def _is_marker(record: Mapping[str, Any]) -> bool:
    """Whether a record is about the marker's database; a tombstone shows it only by its topic."""
    if f".{_MARKER_TABLE}" in str(record.get("topic")):
        return True
    tree = _tree(record)
    return isinstance(tree, dict) and OWN in (tree.get("database"), tree.get("databaseName"))


def _numbers(record: Mapping[str, Any]) -> list[int]:
    """The marker numbers in a record's rows."""
    tree = _tree(record)
    if not isinstance(tree, dict):
        return []
    rows = tree.get("data") or [tree.get("after")]
    return [int(row["n"]) for row in rows if isinstance(row, dict) and "n" in row]


def main() -> None:
    """Answer requests on stdin until `bye`."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("producer", choices=sorted(_PRODUCERS))
    program = PROGRAMS[_PRODUCERS[parser.parse_args().producer]]
    with tempfile.TemporaryDirectory(prefix="live") as folder, ExitStack() as services:
        encoder = LiveEncoder(program, Path(folder), services)
        services.callback(encoder.close)
        for line in sys.stdin:
            request = json.loads(line)
            print(json.dumps({"id": request["id"], **encoder.answer(request)}), flush=True)
            if request["op"] == "bye":
                break


if __name__ == "__main__":
    main()
