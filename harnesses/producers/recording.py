"""Makes recordings: runs a workload on a server, and writes down the records of a producer.

A file `NAME.jsonl` has a record a line, and `NAME.meta.json` beside it says how it was made; both are as those in
`fixtures/recorded`.
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
_SECONDS = 60
_SILENT = 8
"""The seconds without a record after which a stopping producer counts as finished."""
_CLEAN = "drop database if exists cap; drop database if exists cap_other; drop user if exists 'cap_u1'@'%'"
_DEFINES = ("create", "alter", "drop", "rename", "truncate", "/*")


def record(
    producer: str,
    workloads: Mapping[str, bytes],
    out: Path,
    report: Report,
    *,
    names: frozenset[str] = frozenset(),
    version: str = "",
) -> list[str]:
    """Record a producer into a folder.

    `workloads` are the files of SQL by name, `version` another release.

    Returns the recorded names. `report` gets a line for each recording, also for those that cannot be made here.
    Raises `Unavailable` where none can be made.
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
    """Make one recording. Returns the number of its records."""
    server.run(_CLEAN, force=True)
    if planned.snapshot:
        server.run(sql.decode(), force=True)
    requested = {**planned.config, **program.recorded}
    settings = program.settings(program, server, requested)
    command = command_of(program, settings, zone=planned.zone, release=planned.java)
    (out / "logs").mkdir(exist_ok=True)  # apart: the folder itself is shipped as it is
    with streaming(program.words, command, out / "logs" / f"{planned.name}.log") as stream:
        begun = []
        if not planned.snapshot:
            stream.await_reading()
            if planned.stops:  # records read together with the fatal statement would be lost
                begun.append(stream.next(_SECONDS))
            server.run(_paced(sql.decode(), planned.pause), force=True)
        records = list(_until_end(stream, planned, begun))
    lines = [_line(n, found) for n, found in enumerate(records)]
    (out / f"{planned.name}.jsonl").write_text("".join(lines), encoding="utf-8")
    about = _about(program, planned, server, sql, records)
    (out / f"{planned.name}.meta.json").write_text(json.dumps(about, indent=1, ensure_ascii=False), encoding="utf-8")
    return len(records)


def _paced(sql: str, pause: float) -> str:
    """The script with a pause of the server around each statement that defines something."""
    if not pause:
        return sql
    wait, found, defines = f"do sleep({pause:g});", list[str](), False
    for line in sql.splitlines():
        if line.lower().startswith(_DEFINES):
            found.append(wait)
            defines = True
        found.append(line)
        if defines and line.endswith(";"):
            found.append(wait)
            defines = False
    return "\n".join(found) + "\n"


def _until_end(stream: Stream, planned: Planned, begun: Sequence[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    """The records, those `begun` first, up to the row that ends the workload, or to the last row of a snapshot.

    Of a producer that stops before it, those that it sent until then. Raises `ServiceError` for any other.
    """
    yield from begun
    while True:
        try:
            found = stream.next(_SILENT if planned.stops else _SECONDS)
        except Silent:
            if planned.stops:
                return
            raise
        yield found
        if _is_end(found, snapshot=planned.snapshot):
            return


def _is_end(found: Mapping[str, Any], *, snapshot: bool) -> bool:
    tree = json.loads(base64.b64decode(found["value"])) if found["value"] else {}
    payload = tree.get("payload", tree)
    source = payload.get("source") or {}
    if snapshot:
        return payload.get("op") == "r" and source.get("snapshot") == "last"
    is_insert = payload.get("type") == "INSERT" or payload.get("op") == "c"
    return is_insert and _END in (payload.get("table"), source.get("table"))


def _line(n: int, found: Mapping[str, Any]) -> str:
    return json.dumps({"n": n, **found}, ensure_ascii=False, separators=(",", ":")) + "\n"


def _about(
    program: Program, planned: Planned, server: Database, sql: bytes, records: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    """The metadata of a recording; it does not depend on when, where or how fast it was made."""
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
