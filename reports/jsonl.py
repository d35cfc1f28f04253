"""The run record as JSON lines: written as the events come, read back leniently."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, TextIO

import orjson

from reports.forms import misfit
from reports.renderer import Event, Renderer

__all__ = ["JsonlRenderer", "json_document", "json_text", "read_record"]


def json_text(value: Any, **form: Any) -> str:
    """JSON that UTF-8 can hold: a lone surrogate is written by its escape."""
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
    """One event a line, flushed at once: a killed run leaves every line that it had written."""

    def __init__(self, out: TextIO) -> None:
        self._out = out

    def handle(self, event: Event) -> None:
        """Write the event."""
        self._out.write(json_text(event, separators=(",", ":")) + "\n")
        self._out.flush()

    def close(self) -> None:
        """Do nothing: a missing `end` shows by itself."""


def read_record(lines: Iterable[str | bytes], name: str = "the record") -> tuple[list[dict[str, Any]], list[str]]:
    """The events of a saved run, and the problems, each with the line's number.

    Broken lines, and events with members of another form, are left out and named. Unknown kinds of event and members
    are kept. A record whose last event is not `end` is incomplete: that is a problem, too, unless there is no record at
    all.
    """
    events: list[dict[str, Any]] = []
    problems: list[str] = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            event = _loaded(line)
        except (ValueError, RecursionError) as e:
            problems.append(f"{name}, line {number}: not JSON ({e})")
            continue
        if problem := _problem(event):
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
        return json.loads(line)  # more lenient, and with the message to show


def _problem(event: Any) -> str:
    if not isinstance(event, dict) or not isinstance(event.get("event"), str):
        return "not an event of a run record"
    mismatch = misfit(event)
    return f"an event {event['event']!r}{mismatch}" if mismatch else ""
