"""The entries of the baseline on a run's page: which still fail, which are gone, and when they expire."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from datetime import date, timedelta
from typing import Any, NamedTuple

from reports.gathering import Gathering
from reports.run.facts import date_of
from reports.texts import case_count

__all__ = ["baseline_view"]

_SOON = timedelta(days=30)


class _State(NamedTuple):
    name: str
    colour: str
    advice: str = ""


_STATES: Mapping[str, _State] = {
    "failing": _State("still failing", "idle"),
    "changed": _State("fails in another way", "bad", "look at it: what it describes is gone"),
    "gone": _State("gone", "good", "take it out: baseline prune"),
    "unmatched": _State("no such case", "bad", "take it out: baseline prune"),
    "not judged": _State("not judged", "idle", "this run says nothing of it, or not all"),
    "flaky": _State("flaky", "idle"),
}
"""`standing` of an entry in the record → what the page says of it."""
_SEEN = {"failing": "fail as it says", "changed": "fail in another way", "passing": "pass now"}
_EXPIRY = {"expired": "expired", "soon": "expire within 30 days"}

Json = dict[str, Any]


def baseline_view(gathering: Gathering) -> Json | None:
    """The numbers of entries by state, and a row for each entry; None without a baseline, and for a cut record."""
    summary: Mapping[str, Any] = (gathering.end or {}).get("baseline", {})
    if not summary.get("known"):
        return None
    today = _day(date_of(gathering)[:10])
    rows = [_row(entry, today) for entry in summary.get("entries", ())]
    by_expiry = Counter(row["when"] for row in rows)
    counts = [("entries", summary["known"])]
    counts += [(_STATES[name].name, n) for name, n in summary.get("standings", {}).items() if name in _STATES]
    counts += [(text, by_expiry[when]) for when, text in _EXPIRY.items() if by_expiry[when]]
    return {
        "counts": counts,
        "rows": rows,
        "is_stale": bool(summary.get("stale")),
        "next": min((row["expires"] for row in rows if row["expires"] and row["when"] != "expired"), default=""),
    }


def _row(entry: Mapping[str, Any], today: date | None) -> Json:
    standing = str(entry.get("standing", ""))
    state = _STATES.get(standing, _State(standing, "idle"))
    return {
        "entry": str(entry.get("entry", "")),
        "state": state.name,
        "colour": state.colour,
        "seen": ", ".join(f"{case_count(entry[name])} {text}" for name, text in _SEEN.items() if entry.get(name)),
        "advice": state.advice or ("some pass: baseline prune narrows it" if entry.get("passing") else ""),
        "reason": str(entry.get("reason") or ""),
        "issue": str(entry.get("issue") or ""),
        "owner": str(entry.get("owner") or ""),
        "expires": str(entry.get("expires") or ""),
        "when": _when(entry, today),
    }


def _when(entry: Mapping[str, Any], today: date | None) -> str:
    """A key of `_EXPIRY`, as of the day of the run; empty for an entry that expires later or never."""
    if entry.get("expired"):
        return "expired"
    day = _day(str(entry.get("expires") or ""))
    return "soon" if day is not None and today is not None and day - today <= _SOON else ""


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None
