"""The coverage of the register by a run: requirements by protocol and group, and those that the page names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from reports.gathering import Iut
from reports.renderer import Event
from reports.shortening import middle_out
from reports.texts import ORACLES

__all__ = ["STATUSES", "coverage_view", "requirements_view"]

STATUSES = ("met", "broken", "advisory", "unsupported", "not asked")
"""Columns of the table of coverage; untestable requirements have one of their own."""

_JUDGED = frozenset({"met", "broken", "advisory"})
_LONGEST_RULE = 1000

Json = dict[str, Any]


def coverage_view(iut: Iut) -> list[Json]:
    """A row for each protocol: the number of requirements by status, and the same by group."""
    rows = []
    for protocol in dict.fromkeys(protocol for protocol, _ in iut.requirements):
        events = [event for (name, _), event in iut.requirements.items() if name == protocol]
        groups = dict.fromkeys(str(event.get("group", "")) for event in events)
        row = _counted(protocol, iut, events)
        row["groups"] = [_counted(name, iut, [e for e in events if e.get("group", "") == name]) for name in groups]
        # A group without testable requirements is left out.
        row["groups"] = [group for group in row["groups"] if group["testable"]]
        rows.append(row)
    return rows


def _counted(name: str, iut: Iut, events: Sequence[Event]) -> Json:
    statuses = [_status(iut, event) for event in events]
    counts = [(status, statuses.count(status)) for status in (*STATUSES, *_later(iut))]
    untestable = statuses.count("untestable")
    judged = any(n for status, n in counts if status in _JUDGED)
    testable = len(events) - untestable
    return {"name": name, "counts": counts, "untestable": untestable, "testable": testable, "judged": judged}


def _later(iut: Iut) -> list[str]:
    """A column for requirements later than the version that scores the run, where there are any."""
    return ["later"] if any(event["standing"] == "later" for event in iut.requirements.values()) else []


def _status(iut: Iut, event: Event) -> str:
    status = str(event["standing"])
    if status != "not evaluated":
        return status
    protocol, role = str(event.get("protocol", "")), event.get("role", "both")
    verdicts = [v for (p, r), of in iut.verdicts.items() if p == protocol and role in (r, "both") for v in of]
    declared = protocol not in iut.undeclared and not (verdicts and set(verdicts) == {"unsupported"})
    return "not asked" if declared and event["id"] not in iut.unsupported else "unsupported"


def requirements_view(iuts: Iterable[Iut], named: Iterable[str]) -> list[Json]:
    """The requirements that the page names, in the order of their ids: rule, place, and authority."""
    requested = {name for name in named if name}
    found: dict[str, Json] = {}
    for iut in iuts:
        for (_, name), event in iut.requirements.items():
            if name in requested:
                found.setdefault(name, _requirement(event))
        # An incomplete record has no events of requirements.
        for group in iut.groups.values():
            of = group.finding
            if of is not None and of["requirement"] in requested:
                found.setdefault(of["requirement"], _requirement({**of, "id": of["requirement"]}))
    return [found[name] for name in sorted(found)]


def _requirement(event: Event) -> Json:
    anchor = event.get("anchor") or event.get("oracle", {}).get("anchor") or ""
    return {
        "id": event["id"],
        "level": str(event.get("level", "")).upper(),
        "role": str(event.get("role", "")),
        "group": str(event.get("group", "")),
        "rule": middle_out(str(event.get("rule", "")), _LONGEST_RULE),
        "place": str(event.get("place", "")),
        "oracle": ORACLES.get(anchor, anchor),
    }
