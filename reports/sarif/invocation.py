"""The invocation of the suite and its end, in the words of SARIF."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from decimal import Decimal, InvalidOperation
from typing import Any

from reports.gathering import Gathering
from reports.reasons import cut_text
from reports.texts import inconclusive_red_text

__all__ = ["invocation_of", "notification"]

_JUDGED = frozenset({0, 1, 7})
"""Exit statuses of a run that came to its end and judged: green, red and stale."""


def notification(level: str, text: str) -> dict[str, Any]:
    """Something about the run itself; `level` is error, warning or note."""
    return {"level": level, "message": {"text": text}}


def invocation_of(gathering: Gathering, notifications: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The one invocation of a run.

    A record without an `end` event is incomplete: it was not successful, and says so.
    """
    run, end = gathering.run, gathering.end
    command = [str(part) for part in run.get("command", ())]
    notes = list(notifications)
    if end is None:
        notes.insert(0, notification("error", f"the record has no 'end' event: {cut_text(gathering)}"))
    elif end.get("message"):
        notes.insert(0, notification("error" if end["exit"] not in _JUDGED else "note", str(end["message"])))
    found: dict[str, Any] = {"executionSuccessful": end is not None and end["exit"] in _JUDGED}
    if command:
        found |= {"commandLine": shlex.join(command), "arguments": command[1:]}
    if end is not None:
        description = f"{end['gate']['colour']}{inconclusive_red_text(end)}"
        found |= {"exitCode": end["exit"], "exitCodeDescription": description}
    found |= _times(str(run.get("started", "")), None if end is None else end.get("seconds", 0))
    return found | {"toolExecutionNotifications": notes}


def _times(started: str, seconds: float | None) -> dict[str, str]:
    """Start and end, where they are known; the end of a run that was cut is not."""
    try:
        begin = datetime.fromisoformat(started).astimezone(UTC)
        if seconds is None:
            return {"startTimeUtc": _utc(begin)}
        end = begin + timedelta(milliseconds=int(Decimal(str(seconds)) * 1000))
    except (ValueError, OverflowError, InvalidOperation):
        return {}  # an old record, or one made by hand
    return {"startTimeUtc": _utc(begin), "endTimeUtc": _utc(end)}


def _utc(at: datetime) -> str:
    return at.replace(tzinfo=None).isoformat(timespec="milliseconds") + "Z"
