"""Reads recordings of upstream producers: Kafka records, and meta data in a `.meta.json`.

A line of a file is a record: `n`, `topic`, `partition`, `key`, `value` (base64 of the exact bytes), `headers`. The meta
data name producer, version, server, Java, configuration and workload; they become the options of a dialect and the
facts of the session. The truth of a recording is that of its workload on its server (see `workload`).
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from conformance.catalogue.packing import files_of
from conformance.catalogue.producers import PRODUCERS, STATEMENT_FILTERS
from conformance.catalogue.workload import Truth, read_truth
from conformance.errors import UsageError
from reference_impl.errors import Rejected
from reference_impl.model import Record
from reference_impl.wire import record_from_json

__all__ = ["Captured", "Facts", "Recording", "Workloads", "has_recordings", "read_recordings"]

_META = ".meta.json"


@dataclass(frozen=True, slots=True)
class Captured:
    """A line of a recording."""

    n: int  # the number of the record
    record: Record | None  # None for a malformed line
    problem: str = ""  # why the line is malformed


@dataclass(frozen=True, slots=True)
class Facts:
    """Facts of a session that its messages do not show."""

    timezone: str  # the zone of the Java virtual machine
    topic: str  # the topic (Canal), or the prefix of topics (Debezium)
    snapshot: bool  # whether it recorded a snapshot only
    left_out: frozenset[str] = frozenset()  # columns that the configuration excludes: `schema.table.column`
    statements: bool = True  # False where a filter of Canal leaves out the messages of DDL statements


@dataclass(frozen=True, slots=True)
class Recording:
    """One file of records, with its meta data."""

    name: str
    protocol: str
    meta: Mapping[str, Any]
    records: tuple[Captured, ...]
    options: Mapping[str, str]  # of the dialect
    facts: Facts
    unknown: tuple[str, ...] = ()  # lines of the configuration whose effect is unknown

    @property
    def workload(self) -> str:
        """The name of the file of SQL that was run."""
        return str(self.meta.get("workload", "workload.sql"))

    @property
    def source(self) -> str:
        """Producer, version and server, for people."""
        meta = self.meta
        return (
            f"{meta['producer']} {meta['version']} on {meta.get('server', '')} {meta.get('server_version', '')}".strip()
        )


def has_recordings(folder: Path) -> bool:
    """Whether a folder holds recordings of upstream producers."""
    return folder.is_dir() and any(name.endswith(_META) for name in files_of(folder))


def read_recordings(folder: Path) -> list[Recording]:
    """The recordings of a folder, in the order of their names. Raises `UsageError` for malformed meta data."""
    files = files_of(folder)
    recordings = []
    for name in sorted(name for name in files if name.endswith(_META)):
        stem = name.removesuffix(_META)
        if f"{stem}.jsonl" not in files:
            raise UsageError(f"{folder / name}: there is no {stem}.jsonl beside it")
        try:
            meta = json.loads(files[name])
            recordings.append(_recording(stem, meta, _captured(files[f"{stem}.jsonl"])))
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as e:
            raise UsageError(f"{folder / name}: not the meta data of a recording: {e!r}") from None
    return recordings


def _captured(data: bytes) -> tuple[Captured, ...]:
    lines = [line for line in data.splitlines() if line.strip()]
    return tuple(_captured_line(number, line) for number, line in enumerate(lines))


def _captured_line(number: int, line: bytes) -> Captured:
    try:
        given = json.loads(line)
        n = given.get("n", number)
        return Captured(n if isinstance(n, int) else number, record_from_json(given))
    except Rejected as e:
        return Captured(number, None, e.message)
    except (ValueError, TypeError, AttributeError, RecursionError) as e:
        return Captured(number, None, f"not a line with a record: {e}")


def _recording(name: str, meta: Mapping[str, Any], records: tuple[Captured, ...]) -> Recording:
    producer = str(meta["producer"]).lower()
    protocol = next((name for name, known in PRODUCERS.items() if known.name_part in producer), None)
    if protocol is None:
        raise ValueError(f"unknown producer {meta['producer']!r}")
    config = dict(_setting(line) for line in meta.get("config") or ())
    notes = dict(word.partition("=")[::2] for word in str(meta.get("note", "")).split())
    options, unknown = PRODUCERS[protocol].options(meta, config)
    snapshot = config.get("end") == "snapshot" or notes.get("snapshot_only") == "1"
    left_out = frozenset(filter(None, config.get("column.exclude.list", "").split(",")))
    has_statements = "true" not in (config.get(name) for name in STATEMENT_FILTERS)
    facts = Facts(notes.get("jvm_zone") or "UTC", _topic(protocol, config, records), snapshot, left_out, has_statements)
    return Recording(name, protocol, meta, records, options, facts, unknown)


def _setting(line: str) -> tuple[str, str]:
    name, _, value = line.removeprefix("-D").partition("=")
    return name.removeprefix("cap."), value


def _topic(protocol: str, config: Mapping[str, str], records: Iterable[Captured]) -> str:
    if "topic.prefix" in config:
        return config["topic.prefix"]
    topics = Counter(c.record.topic for c in records if c.record is not None and c.record.topic)
    if not topics:
        return ""
    if PRODUCERS[protocol].one_topic:
        return topics.most_common(1)[0][0]
    return Counter(topic.partition(".")[0] for topic in topics.elements()).most_common(1)[0][0]


# -- truth -------------------------------------------------------------------------------------------------------------


class Workloads:
    """Finds the truth and the SQL of the workloads of recordings: in their folder, then in `../workload`."""

    def __init__(self, folder: Path) -> None:
        self._places: list[tuple[Path, Mapping[str, bytes]]] = []
        for place in (folder, folder.parent / "workload"):
            if place.is_dir():
                self._places.append((place, files_of(place)))
        self._looked_in = ", ".join(str(place) for place in (folder, folder.parent / "workload"))
        self._read: dict[tuple[Path, str], Truth] = {}

    def truth_of(self, recording: Recording) -> Truth:
        """The truth for a recording.

        Raises `UsageError`, naming the missing files, if there is none, or only one for other SQL.
        """
        names = _truth_names(recording)
        for place, files in self._places:
            for name in names:
                if name in files and not self._is_of_other_sql(recording, name, files):
                    return self._truth(place, name, files)
            for name in sorted(files):
                if _is_truth_of(recording, name, files):
                    return self._truth(place, name, files)
        missing = " or ".join(names)
        raise UsageError(
            f"{recording.name}: no truth of {recording.workload} on {_servers(recording)[0]}: "
            f"looked for {missing} in {self._looked_in}"
        )

    def _truth(self, place: Path, name: str, files: Mapping[str, bytes]) -> Truth:
        if (place, name) not in self._read:
            self._read[place, name] = read_truth(files[name], str(place / name))
        return self._read[place, name]

    @staticmethod
    def _is_of_other_sql(recording: Recording, name: str, files: Mapping[str, bytes]) -> bool:
        """Whether the truth called `name` is for other SQL than the recording's, as far as the files show."""
        digest = recording.meta.get("workload_sha256")
        written = next((sql for sql in (_sql_file_of(name), recording.workload) if sql in files), None)
        if written is None:
            return False
        if digest:
            return hashlib.sha256(files[written]).hexdigest() != str(digest)
        return written != recording.workload

    def sql_of(self, recording: Recording) -> str | None:
        """The SQL of the workload, if the file exists."""
        digest = recording.meta.get("workload_sha256")
        for _, files in self._places:
            data = files.get(recording.workload)
            if data is not None and (not digest or hashlib.sha256(data).hexdigest() == digest):
                return data.decode("utf-8", "replace")
        return None


def _servers(recording: Recording) -> Sequence[str]:
    """Names that the server may have in file names: `mysql97`, and the first word of the recording's name."""
    version = re.match(r"(\d+)\.(\d+)", str(recording.meta.get("server_version", "")))
    digits = f"{version[1]}{version[2]}" if version else ""
    return tuple(dict.fromkeys((f"{recording.meta.get('server', 'mysql')}{digits}", recording.name.split("_")[0])))


_NOT_WITHIN_A_NUMBER = r"(?:(?<!\d)|(?!\d))"


def _is_truth_of(recording: Recording, name: str, files: Mapping[str, bytes]) -> bool:
    """Whether a truth, under any name, is for the recording's server and exactly the SQL that was run."""
    sql = files.get(_sql_file_of(name))
    return (
        any(re.match(rf"truth-{re.escape(server)}{_NOT_WITHIN_A_NUMBER}", name) for server in _servers(recording))
        and sql is not None
        and hashlib.sha256(sql).hexdigest() == recording.meta.get("workload_sha256")
    )


_DEFAULT_WORKLOAD = "workload"


def _truth_names(recording: Recording) -> list[str]:
    stem = PurePosixPath(recording.workload).stem
    own = [f"truth-{server}-{stem}.jsonl" for server in _servers(recording)]
    return own + [f"truth-{server}.jsonl" for server in _servers(recording)]


def _sql_file_of(truth: str) -> str:
    """The file of SQL for a truth: `truth-mysql97.jsonl` is for `workload.sql`."""
    stem = truth.removeprefix("truth-").removesuffix(".jsonl").partition("-")[2]
    return f"{stem or _DEFAULT_WORKLOAD}.sql"
