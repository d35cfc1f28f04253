"""Makes recordings: runs a workload on a server, and writes the records of a producer into a file.

The file `NAME.jsonl` has a record a line, and `NAME.meta.json` beside it says how it was made; both have the form of
the files in `fixtures/recorded`.
"""

from __future__ import annotations

import base64
import hashlib
import json
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

from harnesses.producers.matrix import Planned, planned_of
from harnesses.producers.programs import PROGRAMS, Program, command_of, java_of, needs_new_driver
from harnesses.producers.streams import Silent, Stream, streaming
from harnesses.providers import Database, ServiceError, Unavailable, mariadb, mysql

__all__ = ["record"]

Report = Callable[[str], None]
_SERVERS = {"mysql": mysql, "mariadb": mariadb}
_END = "zz_end"
_FORM = (
    "one record a line: n, topic, [partition], key and value as base64 of the exact bytes (null = no bytes), headers as"
    " [name, base64] pairs"
)
_SECONDS = 60  # that a producer may take for the next record
_SILENT = 8
"""The seconds without a record after which a stopping producer counts as finished."""
_CLEAN = "drop database if exists cap; drop database if exists cap_other; drop user if exists 'cap_u1'@'%'"
_DDL = ("create", "alter", "drop", "rename", "truncate", "/*")


def record(
    producer: str,
    workloads: Mapping[str, bytes],
    out: Path,
    report: Report,
    *,
    names: frozenset[str] = frozenset(),
    version: str = "",
) -> list[str]:
    """Record a producer into a folder, and return the names of the recordings.

    `workloads` are the files of SQL by name, `names` limits the recordings, `version` is another release. `report`
    gets a line for each recording, also for those that cannot be made here. Raises `Unavailable` if none can be made.
    """
    program = PROGRAMS[producer]
    program = replace(program, version=version) if version else program
    done, missing = [], []
    out.mkdir(parents=True, exist_ok=True)
    out = out.resolve()
    with tempfile.TemporaryDirectory(prefix="record") as scratch, ExitStack() as services:
        servers: dict[str, Database] = {}
        for planned in planned_of(producer, names):
            if java_of(planned.java) is None:
                missing.append(f"{planned.name}: not recorded, for there is no Java {planned.java}")
                report(missing[-1])
                continue
            try:
                if planned.server not in servers:
                    server = _SERVERS[planned.server](Path(scratch) / planned.server)
                    servers[planned.server] = services.enter_context(server)
                records = _recorded(program, planned, servers[planned.server], workloads[planned.workload], out)
            except (Unavailable, ServiceError) as e:
                missing.append(f"{planned.name}: not recorded: {e}")
                report(missing[-1])
                continue
            done.append(planned.name)
            report(f"{planned.name}: {records} records")
    if not done:
        raise Unavailable("; ".join(missing) or f"{producer} has no recording of that name")
    return done


def _recorded(program: Program, planned: Planned, server: Database, sql: bytes, out: Path) -> int:
    """Make one recording, and return the number of its records."""
    server.run(_CLEAN, force=True)
    if planned.snapshot:
        server.run(sql.decode(), force=True)
    settings = program.settings(program, server, {**planned.config, **program.recorded})
    command = command_of(program, settings, zone=planned.zone, release=planned.java)
    logs = out / "logs"  # another folder: `out` itself is shipped as it is
    logs.mkdir(exist_ok=True)
    with streaming(program.words, command, logs / f"{planned.name}.log") as stream:
        first = []
        if not planned.snapshot:
            stream.await_reading()
            if planned.stops:  # records read together with the fatal statement would be lost
                first.append(stream.next(_SECONDS))
            server.run(_paced(sql.decode(), planned.pause), force=True)
        records = list(_until_end(stream, planned, first))
    lines = [_line(n, record) for n, record in enumerate(records)]
    (out / f"{planned.name}.jsonl").write_text("".join(lines), encoding="utf-8")
    about = _about(program, planned, server, sql, records)
    (out / f"{planned.name}.meta.json").write_text(json.dumps(about, indent=1, ensure_ascii=False), encoding="utf-8")
    return len(records)


def _paced(sql: str, pause: float) -> str:
    """The script with a pause of the server before and after each DDL statement."""
    if not pause:
        return sql
    wait, lines, in_ddl = f"do sleep({pause:g});", list[str](), False
    for line in sql.splitlines():
        if line.lower().startswith(_DDL):
            lines.append(wait)
            in_ddl = True
        lines.append(line)
        if in_ddl and line.endswith(";"):
            lines.append(wait)
            in_ddl = False
    return "\n".join(lines) + "\n"


def _until_end(stream: Stream, planned: Planned, first: Sequence[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    """The records `first` and all further ones, up to the row that ends the workload or the snapshot.

    For a producer that stops earlier, all records that it sends. Raises `ServiceError` if any other producer ends or
    sends nothing.
    """
    yield from first
    while True:
        try:
            record = stream.next(_SILENT if planned.stops else _SECONDS)
        except Silent:
            if planned.stops:
                return
            raise
        yield record
        if _is_end(record, snapshot=planned.snapshot):
            return


def _is_end(record: Mapping[str, Any], *, snapshot: bool) -> bool:
    tree = json.loads(base64.b64decode(record["value"])) if record["value"] else {}
    payload = tree.get("payload", tree)
    source = payload.get("source") or {}
    if snapshot:
        return payload.get("op") == "r" and source.get("snapshot") == "last"
    is_insert = payload.get("type") == "INSERT" or payload.get("op") == "c"
    return is_insert and _END in (payload.get("table"), source.get("table"))


def _line(n: int, record: Mapping[str, Any]) -> str:
    return json.dumps({"n": n, **record}, ensure_ascii=False, separators=(",", ":")) + "\n"


def _about(
    program: Program, planned: Planned, server: Database, sql: bytes, records: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    """The metadata of a recording; they do not depend on when, where or how fast it was made."""
    driver = {"database.jdbc.driver": "NewServerDriver"} if needs_new_driver(program, server.kind) else {}
    config = {**driver, **({"end": "snapshot"} if planned.snapshot else {}), **planned.config}
    java = subprocess.run([str(java_of(planned.java)), "-version"], capture_output=True, text=True, check=True)
    return {
        "producer": program.words,
        "version": program.version,
        "maven": program.artefacts,
        "server": server.kind,
        "server_version": server.version,
        "java": java.stderr.splitlines()[0],
        "config": [f"{name}={value}" for name, value in config.items()],
        "note": planned.note,
        "workload": planned.workload,
        "workload_sha256": hashlib.sha256(sql).hexdigest(),
        "records": len(records),
        "complete": not planned.stops,
        "form": _FORM,
    }
