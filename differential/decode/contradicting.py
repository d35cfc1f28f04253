"""Finds contradictions of a message: within itself, or with an option of its side.

A contradiction within a message is a difference of its own. One that all messages of a topic may share (the record key
is missing, or an option has another value) is counted under one name instead: see `contradiction_name`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import orjson

from differential.decode.member_differences import MemberDifference
from differential.sides import Side
from reference_impl import exact_json
from reference_impl.model import Record, RowChange

__all__ = ["OPTIONS", "contradiction_in", "contradiction_name", "contradictions", "is_contradiction", "json_tree"]

_UNITS_PER_MS: Mapping[str, int] = {"ts_us": 1_000, "ts_ns": 1_000_000}
_SNAPSHOT_OP = "r"
_NO_SNAPSHOT = ("false", "none")


def contradictions(side: Side, record: Record, rows: Sequence[RowChange]) -> Iterator[MemberDifference]:
    """The contradictions within a message that holds these row changes: path from `value`, expected, got."""
    for row in rows:
        if side.traits.is_of_ticdc and row.commit_ts == 0:
            yield ("value", "commit_ts"), "a commit time stamp", "0"
            break
    if side.traits.has_log_positions and rows and record.value is not None:
        tree = json_tree(record.value)
        has_schema = "payload" in tree
        payload, path = (tree["payload"], ("value", "payload")) if has_schema else (tree, ("value",))
        yield from _contradicting_times(payload, path)
        yield from _contradicting_times(payload["source"], (*path, "source"))
        yield from _contradicting_snapshot(payload, path)


def json_tree(value: bytes) -> Any:
    """The JSON of a message that a decoder accepted, also with a number beyond a double; raises as `exact_json`."""
    try:
        return orjson.loads(value)
    except orjson.JSONDecodeError:
        return exact_json.loads(value)


def _contradicting_times(holder: Mapping[str, Any], path: tuple[str, ...]) -> Iterator[MemberDifference]:
    """Micro- and nanoseconds that contradict the milliseconds in the same object."""
    millis = holder.get("ts_ms")
    for name, factor in _UNITS_PER_MS.items():
        finer = holder.get(name)
        if isinstance(millis, int) and isinstance(finer, int) and finer // factor != millis:
            yield (*path, name), f"{millis * factor}", f"{finer}"


def _contradicting_snapshot(payload: Mapping[str, Any], path: tuple[str, ...]) -> Iterator[MemberDifference]:
    """A mark of a snapshot that contradicts the operation."""
    mark = payload["source"].get("snapshot")
    is_marked = mark is not None and str(mark).lower() not in _NO_SNAPSHOT
    of_snapshot = payload.get("op") == _SNAPSHOT_OP
    if is_marked is not of_snapshot:
        expected = f"the mark of a snapshot, since op is {payload['op']!r}" if of_snapshot else "false"
        yield (*path, "source", "snapshot"), expected, str(mark)


_PREFIX = "\0"  # of names of contradictions; no other name of counted messages begins with it
_KEY = ("key",)
OPTIONS: Mapping[tuple[str, ...], str] = {
    ("value", "payload", "source", "version"): "version",
    ("value", "source", "version"): "version",
}
"""By path from `key` or `value` of a message, the option of the side that determines its value."""

_MOST_CHARACTERS = 120  # of a value in a name


def contradiction_name(topic: str, path: tuple[str, ...], expected: str | None, got: str | None) -> str | None:
    """The name under which an odd member is counted; None if it is reported message by message."""
    if path == _KEY and (expected is None) is not (got is None):
        values: tuple[str | None, ...] = tuple("no key" if key is None else "a key" for key in (expected, got))
    elif path in OPTIONS:
        values = (_shortened(expected), _shortened(got))
    else:
        return None
    return _PREFIX + orjson.dumps([topic, ".".join(path), *values]).decode()


def _shortened(text: str | None) -> str | None:
    return text if text is None or len(text) <= _MOST_CHARACTERS else f"{text[:_MOST_CHARACTERS]}…"


def is_contradiction(name: str) -> bool:
    """Whether a name of counted messages comes from `contradiction_name`."""
    return name.startswith(_PREFIX)


def contradiction_in(name: str) -> tuple[str, str, str | None, str | None]:
    """The topic, member, expected and actual value in a name from `contradiction_name`."""
    topic, member, expected, got = orjson.loads(name.removeprefix(_PREFIX))
    return topic, member, expected, got
