"""The known failures in a run: how many are left, which have gone, and which expire when."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, timedelta
from typing import Any

from reports.gathering import Gathering
from reports.run.facts import date_of
from reports.texts import case_count

__all__ = ["baseline_view"]

_SOON = timedelta(days=30)
_STATES: Mapping[str, tuple[str, str, str]] = {
    "failing": ("still failing", "idle", ""),
    "changed": ("fails in another way", "bad", "look at it: what it describes is gone"),
    "gone": ("gone", "good", "take it out: baseline prune"),
    "unmatched": ("no such case", "bad", "take it out: baseline prune"),
    "not judged": ("not judged", "idle", "this run says nothing of it, or not all"),
    "flaky": ("flaky", "idle", ""),
}
"""The state of an entry → its name on the page, its colour, and what to do."""

Json = dict[str, Any]


def baseline_view(gathering: Gathering) -> Json | None:
    """The burn-down, and an entry a row; None for a run without a baseline, and for an incomplete one."""
    summary: Mapping[str, Any] = (gathering.end or {}).get("baseline", {})
    if not summary.get("known"):
        return None
    today = _day(date_of(gathering)[:10])
    rows = [_row(entry, today) for entry in summary.get("entries", ())]
    states = {_STATES[name][0]: n for name, n in summary.get("standings", {}).items() if name in _STATES}
    expired, soon = (sum(row["when"] == when for row in rows) for when in ("expired", "soon"))
    return {
        "counts": [
            ("entries", summary["known"]),
            *states.items(),
            *([("expired", expired)] if expired else []),
            *([("expire within 30 days", soon)] if soon else []),
        ],
        "rows": rows,
        "is_stale": bool(summary.get("stale")),
        "next": min((row["expires"] for row in rows if row["expires"] and row["when"] != "expired"), default=""),
    }


def _row(entry: Mapping[str, Any], today: date | None) -> Json:
    name, colour, advice = _STATES.get(entry.get("standing", ""), (str(entry.get("standing", "")), "idle", ""))
    counts = [("failing", "fail as it says"), ("changed", "fail in another way"), ("passing", "pass now")]
    seen = [f"{case_count(n)} {text}" for member, text in counts if (n := entry.get(member, 0))]
    return {
        "entry": str(entry.get("entry", "")),
        "state": name,
        "colour": colour,
        "seen": ", ".join(seen),
        "advice": advice or ("some pass: baseline prune narrows it" if entry.get("passing") else ""),
        "reason": str(entry.get("reason") or ""),
        "issue": str(entry.get("issue") or ""),
        "owner": str(entry.get("owner") or ""),
        "expires": str(entry.get("expires") or ""),
        "when": _when(entry, today),
    }


def _when(entry: Mapping[str, Any], today: date | None) -> str:
    """`expired`, `soon`, or nothing; as of the day of the run."""
    if entry.get("expired"):
        return "expired"
    day = _day(str(entry.get("expires") or ""))
    return "soon" if day is not None and today is not None and day - today <= _SOON else ""


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None
