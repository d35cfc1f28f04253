"""Parses the name of topics as a source of messages; `broker` reads them.

    kafka://HOST:PORT[,HOST:PORT…]/TOPIC[,TOPIC…][?begin=…&end=…&config=FILE]
    kafka://HOST:PORT[,HOST:PORT…]/~PATTERN[?…]

Names of topics cannot have a `~`. A pattern is a regular expression that must match the whole name of a topic; it never
matches Kafka's own topics, which begin with two underscores. An IPv6 host stands in brackets.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TypeAlias
from urllib.parse import parse_qsl

from conformance.errors import UsageError, file_errors

__all__ = ["EARLIEST", "KAFKA", "LATEST", "Bound", "Offsets", "Span", "Topics", "is_topics", "parse_topics"]

KAFKA = "kafka://"
EARLIEST, LATEST = "earliest", "latest"

Offsets: TypeAlias = Mapping[str, Mapping[int, int]]
"""Topic → partition → offset, as Spark writes them; -2 is the earliest, -1 the latest."""
Bound: TypeAlias = "str | datetime | Offsets"
"""The start or end of reading: `earliest`, `latest`, a moment of Kafka's own time stamps, or offsets."""

_FORM = "kafka://HOST:PORT/TOPIC, with commas between hosts and between topics, or kafka://HOST:PORT/~PATTERN"
_SERVER = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9_.-]+):(\d{1,5})")
_TOPIC = re.compile(r"[A-Za-z0-9._-]{1,249}")
_QUERY = re.compile(r"\?(?=(?:begin|end|config)=)")
_MOMENT = re.compile(r"\d{4}-\d\d-\d\d[Tt ]")
_LAST_PORT = 65535


@dataclass(frozen=True, slots=True)
class Topics:
    """Topics of a cluster, given by either `names` or `pattern`."""

    servers: str
    """Kafka's `bootstrap.servers`."""
    names: tuple[str, ...] = ()
    pattern: str = ""
    begin: Bound = EARLIEST
    end: Bound = LATEST
    """The first offset, or moment, that is not read."""
    config: Path | None = None
    """A file of Kafka's client properties."""

    def __str__(self) -> str:
        return f"{KAFKA}{self.servers}/{'~' + self.pattern if self.pattern else ','.join(self.names)}"


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """The offsets of a partition from `begin` to before `end`."""

    topic: str
    partition: int
    begin: int
    end: int


def is_topics(source: str) -> bool:
    """Whether a source is written as topics."""
    return source.startswith(KAFKA)


def parse_topics(source: str) -> Topics:
    """The topics that a source names. Raises `UsageError` for a source of another form."""
    if "@" in source.partition("?")[0].removeprefix(KAFKA).partition("/")[0]:
        raise UsageError("a source kafka://… takes no user and password: put them into --kafka-config FILE")
    place, *query = _QUERY.split(source.removeprefix(KAFKA), maxsplit=1)
    servers, slash, named = place.partition("/")
    if not slash or not named or not servers:
        raise UsageError(f"{source}: it looks like {_FORM}")
    for server in servers.split(","):
        match = _SERVER.fullmatch(server)
        if match is None or not 0 < int(match[2]) <= _LAST_PORT:
            raise UsageError(f"{source}: {server!r} is no HOST:PORT, such as broker-1:9092 or [::1]:9092")
    options = _options(source, query[0]) if query else {}
    begin, end = (_bound(source, name, options.get(name, default)) for name, default in _BOUNDS.items())
    config = Path(options["config"]) if "config" in options else None
    if named.startswith("~"):
        return Topics(servers, pattern=_pattern(source, named[1:]), begin=begin, end=end, config=config)
    names = tuple(dict.fromkeys(named.split(",")))
    for name in names:
        if not _TOPIC.fullmatch(name) or name in (".", ".."):
            raise UsageError(f"{source}: {name!r} is no name of a topic (letters, digits, '.', '_', '-'); {_FORM}")
    return Topics(servers, names, begin=begin, end=end, config=config)


_BOUNDS = {"begin": EARLIEST, "end": LATEST}


def _options(source: str, query: str) -> dict[str, str]:
    pairs = parse_qsl(query, keep_blank_values=True, separator="&")
    unknown = [name for name, _ in pairs if name not in (*_BOUNDS, "config")]
    if unknown:
        raise UsageError(f"{source}: unknown option {unknown[0]!r} of a source; there are begin, end, config")
    if len(dict(pairs)) != len(pairs):
        raise UsageError(f"{source}: an option is given twice")
    return dict(pairs)


def _pattern(source: str, text: str) -> str:
    try:
        re.compile(text)
    except re.error as e:
        raise UsageError(f"{source}: the pattern is no regular expression: {e}") from None
    if not text:
        raise UsageError(f"{source}: the pattern is empty")
    return text


def _bound(source: str, name: str, text: str) -> Bound:
    """The parsed value of `begin` or `end`."""
    if text in (EARLIEST, LATEST):
        return text
    if _MOMENT.match(text):
        return _moment(source, name, text)
    if not text.endswith(".json"):
        raise UsageError(
            f"{source}: {name}={text} is neither earliest nor latest, no time (2026-01-31T12:00:00Z), "
            "and no file NAME.json with offsets"
        )
    try:
        with file_errors(f"{name}={text}: cannot be read"):
            tree = json.loads(Path(text).read_text(encoding="utf-8"))
        return {
            topic: {int(partition): _offset(offset) for partition, offset in partitions.items()}
            for topic, partitions in tree.items()
        }
    except (ValueError, TypeError, AttributeError, RecursionError):
        raise UsageError(
            f'{name}={text}: offsets look like {{"TOPIC": {{"0": 23, "1": -2}}}}; -2 is earliest'
        ) from None


def _offset(given: object) -> int:
    if type(given) is not int or given < -2:
        raise TypeError("an offset is a number")
    return given


def _moment(source: str, name: str, text: str) -> datetime:
    try:
        # A query turns the plus sign of a zone into a blank.
        moment = datetime.fromisoformat(re.sub(r" (?=\d\d:?\d\d$)", "+", text))
    except ValueError:
        raise UsageError(f"{source}: {name}={text} is no time; write 2026-01-31T12:00:00Z") from None
    if moment.tzinfo is None:
        raise UsageError(f"{source}: {name}={text} has no zone; write 2026-01-31T12:00:00Z or +08:00 behind it")
    return moment
