"""Slices of the shipped recordings, as plain files: what one recording says of a few tables, and the truth of these."""

from __future__ import annotations

import base64
import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from conformance.catalogue.fixtures import fixtures_root
from conformance.catalogue.packing import files_of
from conformance.cli.main import main

Line = dict[str, Any]


@cache
def recorded(folder: str) -> Mapping[str, bytes]:
    """The files of a shipped folder."""
    return files_of(fixtures_root() / "recorded" / folder)


def _lines(data: bytes) -> list[Line]:
    return [json.loads(line) for line in data.splitlines()]


def _write(path: Path, lines: Iterable[Line]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")


def is_of(line: Line, tables: set[str]) -> bool:
    """Whether a recorded record is about the rows of one of these tables."""
    text = base64.b64decode(line["value"] or line["key"] or "").decode("utf-8")
    topic = str(line["topic"]).rpartition(".")[2]
    named = ((f'"table":"{name}"', f'"sql":"insert into {name} ') for name in tables)
    return topic in tables or ('"isDdl":false' in text and any(table in text or sql in text for table, sql in named))


def _transaction(line: Line) -> str | None:
    """The id of the transaction that a record is of, or tells of."""
    tree = json.loads(base64.b64decode(line["value"])) if line["value"] else {}
    found = (tree.get("transaction") or {}).get("id") if "op" in tree else tree.get("id")
    return found if isinstance(found, str) else None


def slice_of(
    folder: str, name: str, tables: set[str], into: Path, *, truth: str = "truth-mysql97.jsonl", sql: bool = False
) -> Path:
    """A folder with the records of some tables; their truth is in `workload` beside it, and the SQL if asked for."""
    files = recorded(folder)
    target = into / folder
    records = _lines(files[f"{name}.jsonl"])
    transactions = {_transaction(line) for line in records if is_of(line, tables)} - {None}
    borders = [line for line in records if str(line["topic"]).endswith(".transaction")]
    wanted = [line for line in borders if _transaction(line) in transactions]
    _write(target / f"{name}.jsonl", (line for line in records if line in wanted or is_of(line, tables)))
    (target / f"{name}.meta.json").write_bytes(files[f"{name}.meta.json"])
    lines = _lines(recorded("workload")[truth])
    kept = [line for line in lines if (line["table"]["name"] if line["kind"] == "table" else line["table"]) in tables]
    _write(into / "workload" / truth, kept)
    if sql:
        (into / "workload" / "workload.sql").write_bytes(recorded("workload")["workload.sql"])
    return target


def whole(folder: str, name: str, into: Path, *, truth: str = "truth-mysql97.jsonl") -> Path:
    """A folder with one recording from end to end, its truth and its SQL."""
    target = into / folder
    target.mkdir(parents=True)
    for file in (f"{name}.jsonl", f"{name}.meta.json"):
        (target / file).write_bytes(recorded(folder)[file])
    for file in (truth, "workload.sql"):
        (target / file).write_bytes(recorded("workload")[file])
    return target


def change_lines(path: Path, change: Callable[[list[Line]], object]) -> None:
    """Do something to the lines of a file of records."""
    lines = _lines(path.read_bytes())
    change(lines)
    _write(path, lines)


def change_bytes(line: Line, old: bytes, new: bytes, member: str = "value") -> None:
    """Put other bytes into a record, the first time that they are there."""
    data = base64.b64decode(line[member])
    assert old in data
    line[member] = base64.b64encode(data.replace(old, new, 1)).decode("ascii")


class Run:
    """A run over a folder of recordings: its status, its verdicts and its findings."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        out = folder.parent / "run.jsonl"
        asked = ["--iut", f"recorded:{folder}", "-q", "-n", "1", f"--report=jsonl={out}"]
        self.status = main(["run", *asked, *arguments])
        events = [json.loads(line) for line in out.read_bytes().splitlines()] if out.exists() else []
        self.verdicts = [e for e in events if e["event"] == "verdict"]
        self.counts = Counter(e["verdict"] for e in self.verdicts)
        self.end: dict[str, Any] = events[-1] if events else {}
        self.findings = [(e["case"], f) for e in self.verdicts for f in e["findings"]]

    def found(self, *members: str) -> tuple[int, list[tuple[str, ...]]]:
        """The status, and of each finding the case and these members."""
        return self.status, [(case, *(str(finding[name]) for name in members)) for case, finding in self.findings]
