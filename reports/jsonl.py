"""The run record as JSON lines: written as the events come, read back with patience."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, TextIO

import orjson

from reports.renderer import Event, Renderer

__all__ = ["JsonlRenderer", "json_document", "json_text", "read_record"]


def json_text(value: Any, **form: Any) -> str:
    """JSON that can be written as UTF-8: a lone surrogate, which has none, is written by its escape."""
    text = json.dumps(value, ensure_ascii=False, **form)
    try:
        text.encode()
    except UnicodeEncodeError:
        return json.dumps(value, **form)
    return text


def json_document(record: Any) -> str:
    """A record as the text of a JSON file: indented, with a line break at its end."""
    return json_text(record, indent=1) + "\n"


class JsonlRenderer(Renderer):
    """One event a line, flushed at once: a run that is killed leaves every line that it had written."""

    def __init__(self, out: TextIO) -> None:
        self._out = out

    def handle(self, event: Event) -> None:
        """Write the event."""
        self._out.write(json_text(event, separators=(",", ":")) + "\n")
        self._out.flush()

    def close(self) -> None:
        """Nothing is left to write: a missing `end` shows by itself."""


# What a reader cannot do without, by kind of event. Whatever else is missing has a sense when it is empty.
_NEEDED: dict[str, tuple[str, ...]] = {
    "run": ("suite",),
    "iut": ("iut", "address"),
    "plan": ("iut", "planned"),
    "case": ("iut", "case", "role"),
    "verdict": ("iut", "case", "protocol", "role", "verdict", "level", "findings", "fingerprints"),
    "verdicts": ("iut", "protocol", "role", "verdict", "cases"),
    "restart": ("iut", "after"),
    "requirement": ("iut", "id", "standing"),
    "end": ("accounting", "gate", "exit"),
}


def read_record(lines: Iterable[str | bytes], name: str = "the record") -> tuple[list[dict[str, Any]], list[str]]:
    """The events of a saved run, and what was wrong, each with the line's number.

    Broken lines are left out and named. Kinds of event and members that are not known are kept. That the record was
    cut, because its last event is not `end`, is among the problems; of no record at all nothing was cut.
    """
    events: list[dict[str, Any]] = []
    problems: list[str] = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            event = _loaded(line)
        except ValueError as e:
            problems.append(f"{name}, line {number}: not JSON ({e})")
            continue
        problem = _problem(event)
        if problem:
            problems.append(f"{name}, line {number}: {problem}")
        else:
            events.append(event)
    if events and events[-1]["event"] != "end":
        problems.append(f"{name}: there is no 'end' event: the run was cut, or still goes on")
    return events, problems


def _loaded(line: str | bytes) -> Any:
    try:
        return orjson.loads(line)
    except ValueError:
        return json.loads(line)  # more patient, and its message is the one to show


def _problem(event: Any) -> str | None:
    if not isinstance(event, dict) or not isinstance(event.get("event"), str):
        return "not an event of a run record"
    missing = [member for member in _NEEDED.get(event["event"], ()) if member not in event]
    return f"a {event['event']!r} event without {', '.join(missing)}" if missing else None
