"""A live producer as an encoder of the harness protocol, driven by SQL against a server of its own.

    ticdc-conformance run --protocol debezium-connector --timeout 60 \
        --iut "cmd:python -m harnesses.producers.harness debezium"

The statements of a case run on MySQL; what the producer sends meanwhile is the answer. Where a case's records end says
a row of ours in a table of ours, which the answer leaves out. The clock is the server's (`"clock": "own"`).
What a server refuses to run, and input that no SQL makes, is answered with `unsupported`.
"""

from __future__ import annotations

import argparse
import base64
import json
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from harnesses.producers.programs import PROGRAMS, Program, command_of, java_of
from harnesses.producers.streams import Silent, Stream, streaming
from harnesses.providers import Database, ServiceError, Unavailable, mariadb, mysql
from reference_impl.protocols import CANAL

OWN = "ticdc_conformance"
"""The database of our table, whose rows end the records of a case."""
_MARKED = f"{OWN}.marker"
_SECONDS = 20
_SERVERS = {"mysql": mysql, "mariadb": mariadb}
_BEFORE_TABLES = ("SET ", "CREATE DATABASE IF NOT EXISTS ")
_TABLES = """\
SELECT HEX(table_schema), HEX(table_name) FROM information_schema.tables
WHERE table_type = 'BASE TABLE' AND table_schema IN ({})
"""
_PRODUCERS = {CANAL.name: CANAL.name, "debezium": "debezium24"}
"""The available producers, and the release that is used if the options name none: the dialect's default."""
_JDK = {"17": 17, "25": 25}


class Declined(Exception):
    """Raised for input that this producer, or its server, cannot have."""


class LiveEncoder:
    """Answers requests of the harness protocol.

    `program` is used where no option names another release.
    """

    def __init__(self, program: Program, folder: Path, services: ExitStack) -> None:
        self._program = program
        self._folder = folder
        self._services = services
        self._servers: dict[str, Database] = {}
        self._running = ExitStack()
        self._stream: Stream | None = None
        self._server: Database | None = None
        self._request: Mapping[str, Any] = {}
        self._marker = 0
        self._ended: set[str] = set()
        self._made: list[str] = []

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
        self._request = request
        self._started()
        return {}

    def _started(self) -> Stream:
        if self._stream is not None:
            return self._stream
        options: Mapping[str, str] = self._request.get("options", {})
        program, zone = _release(self._program, options), str(self._request.get("timezone", "UTC"))
        self._server = self._server_of(options.get("server", "mysql"))
        self._drop()
        self._server.run("flush binary logs")  # Canal begins earlier than configured, so nothing old may be there
        topic = str(self._request.get("topic", "")).partition("{")[0].rstrip(".-_")
        prefix = topic or str(self._request.get("cluster_id") or "default")
        properties = {
            name: options[option] for option, name in program.properties.items() if name and option in options
        }
        if program.is_prefixed:
            zone = "UTC"
            properties["topic.prefix"] = prefix
        command = command_of(
            program,
            program.settings(program, self._server, properties),
            zone=zone,
            release=_JDK[options.get("jdk", "17")],
        )
        self._stream = self._running.enter_context(streaming(program.words, command, self._folder / "producer.log"))
        self._stream.await_reading()
        self._until_marker()
        return self._stream

    def _server_of(self, kind: str) -> Database:
        if kind not in self._servers:
            server = self._services.enter_context(_SERVERS[kind](self._folder / kind))
            server.run(f"create database {OWN}; create table {_MARKED} (n bigint primary key)")
            self._servers[kind] = server
        return self._servers[kind]

    # -- cases ---------------------------------------------------------------------------------------------------------

    def _encode(self, request: Mapping[str, Any]) -> dict[str, Any]:
        sql: Sequence[str] = request.get("sql") or ()
        if not sql:
            raise Declined("no SQL makes this input")
        if any("rows_event" in (event.get("source") or {}) for event in request["events"]):
            raise Declined("each statement is a rows event of its own")
        try:
            return self._answered(request, sql)
        except Silent:  # perhaps it stopped at an event before this case; it restarts after that
            self.close()
            return self._answered(request, sql)

    def _answered(self, request: Mapping[str, Any], sql: Sequence[str]) -> dict[str, Any]:
        self._started()
        setup, events = _parts(sql, request["tables"])
        session = [text for text in setup if text.startswith("SET ")]
        image = self._request.get("options", {}).get("binlog_row_image")
        session += [f"SET SESSION binlog_row_image = '{image}'"] if image else []
        schemas = _schemas(request)
        made = [f"CREATE DATABASE IF NOT EXISTS {_name(schema)}" for schema in schemas]
        self._drop()
        self._made = [*schemas]
        self._run([*made, *setup])
        self._until_marker()
        records: list[Mapping[str, Any]] = []
        for step in self._steps(events):
            self._run([*session, *step])
            records += self._until_marker()
        return {"records": records}

    def _steps(self, statements: Sequence[str]) -> list[list[str]]:
        """Groups of statements that may run together: Canal without a history queries columns when it reads rows."""
        if self._request.get("options", {}).get("tsdb") != "false" or "BEGIN" in statements:
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
        if self._made and self._server is not None:
            listed = self._server.run(_TABLES.format(", ".join(map(_text, self._made)))).split()
            names = [_name(bytes.fromhex(name).decode()) for name in listed]
            tables = [f"DROP TABLE {schema}.{table}" for schema, table in zip(names[::2], names[1::2], strict=True)]
            self._server.run(_script([*tables, *(f"DROP DATABASE IF EXISTS {_name(one)}" for one in self._made)]))
        self._made = []

    def _run(self, statements: Sequence[str]) -> None:
        assert self._server is not None
        try:
            self._server.run(_script(statements))
        except ServiceError as e:
            raise Declined(f"the server does not run it: {e}") from None

    def _until_marker(self) -> list[Mapping[str, Any]]:
        """The records up to a marker row that is written now, without it."""
        assert self._server is not None
        assert self._stream is not None
        self._marker += 1
        self._server.run(f"insert into {_MARKED} values ({self._marker})")
        found: list[Mapping[str, Any]] = []
        while True:
            record = self._stream.next(_SECONDS)
            if not _is_marker(record):
                found.append(record)
            elif self._marker in _numbers(record):
                return found


def _release(program: Program, options: Mapping[str, str]) -> Program:
    """The release in the options, or the default release."""
    version = options.get("version")
    releases = [one for one in PROGRAMS.values() if one.protocol == program.protocol]
    if version is None:
        return program
    for one in releases:
        if one.version.removesuffix(".Final") == version:
            return one
    raise Declined(f"version {version}: there are {', '.join(one.version for one in releases)}")


def _parts(sql: Sequence[str], tables: Sequence[Mapping[str, Any]]) -> tuple[list[str], list[str]]:
    """The statements before the first event (settings, databases, tables), and those that make the events."""
    at = next((n for n, text in enumerate(sql) if not text.startswith(_BEFORE_TABLES)), len(sql)) + len(tables)
    return list(sql[:at]), list(sql[at:])


def _schemas(request: Mapping[str, Any]) -> list[str]:
    """The databases of a case, without those that an event creates."""
    schemas = [table["schema"] for table in request["tables"]]
    made = {e["schema"] for e in request["events"] if e["kind"] == "ddl" and e.get("action") == "create schema"}
    schemas += [e["schema"] for e in request["events"] if e.get("schema") and e["schema"] not in made]
    return list(dict.fromkeys(schemas))


def _name(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


def _text(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "''") + "'"


def _script(statements: Iterator[str] | Sequence[str]) -> str:
    return "".join(f"{text}\n;\n" for text in statements)


def _tree(record: Mapping[str, Any]) -> Any:
    value = record.get("value")
    tree = json.loads(base64.b64decode(value)) if value else None
    return tree.get("payload", tree) if isinstance(tree, dict) else None


def _is_marker(record: Mapping[str, Any]) -> bool:
    """Whether a record is about our own database; a tombstone is of its topic."""
    if f".{_MARKED}" in str(record.get("topic")):
        return True
    tree = _tree(record)
    return isinstance(tree, dict) and OWN in (tree.get("database"), tree.get("databaseName"))


def _numbers(record: Mapping[str, Any]) -> list[int]:
    """The numbers in a record's rows of our own table."""
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
