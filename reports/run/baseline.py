"""The list of known failures in a run: how much of it is left, what has gone, and what expires when."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, timedelta
from typing import Any

from reports.gathering import Gathering
from reports.run.facts import date_of
from reports.texts import case_count

__all__ = ["baseline_view"]

_SOON = timedelta(days=30)

Json = dict[str, Any]


def baseline_view(gathering: Gathering) -> Json | None:
    """The burn-down, and an entry a row; None for a run without a baseline, or one that was cut."""
    told: Mapping[str, Any] = (gathering.end or {}).get("baseline", {})
    if not told.get("known"):
        return None
    rows = [*_failing(gathering), *_stale(told)]
    names = {name for name, _ in _STALE}
    stale = {row["entry"] for row in rows if row["state"] in names}
    failing = {row["entry"] for row in rows if row["state"] not in names}
    expiring = sorted(row["expires"] for row in rows if row["expires"] and row["soon"])
    counts = [("entries", told["known"]), ("still failing", len(failing)), ("stale", len(stale))]
    return {
        "counts": [*counts, ("expire within 30 days", len(expiring))],
        "rows": rows,
        "next": min((row["expires"] for row in rows if row["expires"]), default=""),
    }


def _failing(gathering: Gathering) -> list[Json]:
    found: dict[str, tuple[Mapping[str, Any], int]] = {}
    for iut in gathering.iuts.values():
        for name, (known, cases) in iut.known.items():
            found[name] = known, found.get(name, (known, 0))[1] + cases
    today = _day(date_of(gathering)[:10])
    return [
        _row(
            name, "still failing" if cases else "fails in another way", case_count(cases) if cases else "", known, today
        )
        for name, (known, cases) in found.items()
    ]


_STALE = (
    ("gone", "no case shows {marks} any more"),
    ("passes now", "{cases}"),
    ("matches nothing", "no case has this name"),
    ("expired", ""),
)


def _stale(told: Mapping[str, Any]) -> list[Json]:
    """Entries to take out or to renew."""
    (gone, text), (passing, _), (unmatched, nothing), (expired, _) = _STALE
    rows = [_row(of["entry"], gone, text.format(marks=", ".join(of["fingerprints"]))) for of in told.get("gone", ())]
    rows += [_row(of["entry"], passing, case_count(of["cases"])) for of in told.get("passing", ())]
    rows += [_row(name, unmatched, nothing) for name in told.get("unmatched", ())]
    return rows + [_row(name, expired, "") for name in told.get("expired", ())]


def _row(
    entry: str, state: str, detail: str, known: Mapping[str, Any] | None = None, today: date | None = None
) -> Json:
    of = known or {}
    expires = str(of.get("expires") or "")
    day = _day(expires)
    return {
        "entry": str(entry),
        "state": state,
        "detail": detail,
        "reason": str(of.get("reason") or ""),
        "issue": str(of.get("issue") or ""),
        "owner": str(of.get("owner") or ""),
        "expires": expires,
        "soon": day is not None and today is not None and day - today <= _SOON,
    }


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None
