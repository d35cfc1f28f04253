"""The coverage of the register by a run: statuses by protocol and group, and the requirements that a page names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from reports.gathering import Iut
from reports.renderer import Event
from reports.shortening import middle_out
from reports.texts import ORACLES

__all__ = ["STATUSES", "coverage_view", "requirements_view"]

STATUSES = ("met", "broken", "advisory", "unsupported", "not asked")
"""Columns of the table of coverage; untestable requirements have another column, later ones too if there are any."""

_JUDGED = frozenset({"met", "broken", "advisory"})
_LONGEST_RULE = 1000

Json = dict[str, Any]


def coverage_view(iut: Iut) -> list[Json]:
    """A row for each protocol: the number of requirements by status, and the same by group.

    A group without testable requirements is left out.
    """
    rows = []
    for protocol in dict.fromkeys(protocol for protocol, _ in iut.requirements):
        events = [event for (of, _), event in iut.requirements.items() if of == protocol]
        names = dict.fromkeys(str(event.get("group", "")) for event in events)
        groups = [_counted(name, iut, [e for e in events if e.get("group", "") == name]) for name in names]
        rows.append(_counted(protocol, iut, events) | {"groups": [group for group in groups if group["testable"]]})
    return rows


def _counted(name: str, iut: Iut, events: Sequence[Event]) -> Json:
    statuses = [_status(iut, event) for event in events]
    counts = [(status, statuses.count(status)) for status in (*STATUSES, *_later(iut))]
    untestable = statuses.count("untestable")
    judged = any(n for status, n in counts if status in _JUDGED)
    testable = len(events) - untestable
    return {"name": name, "counts": counts, "untestable": untestable, "testable": testable, "judged": judged}


def _later(iut: Iut) -> list[str]:
    """The status of requirements that are newer than the version by which the run is scored, if there are any."""
    return ["later"] if any(event["standing"] == "later" for event in iut.requirements.values()) else []


def _status(iut: Iut, event: Event) -> str:
    """The status of a requirement; one that was not evaluated was `unsupported`, or no case of it was asked."""
    status = str(event["standing"])
    if status != "not evaluated":
        return status
    protocol, role = str(event.get("protocol", "")), event.get("role", "both")
    verdicts = {
        verdict
        for (judged_protocol, judged_role), found in iut.verdicts.items()
        if judged_protocol == protocol and role in (judged_role, "both")
        for verdict in found
    }
    is_unsupported = protocol in iut.undeclared or verdicts == {"unsupported"} or event["id"] in iut.unsupported
    return "unsupported" if is_unsupported else "not asked"


def requirements_view(iuts: Iterable[Iut], named: Iterable[str]) -> list[Json]:
    """The requirements that a page names, in the order of their ids: level, rule, place, oracle and so on."""
    requested = {name for name in named if name}
    found: dict[str, Json] = {}
    for iut in iuts:
        for (_, name), event in iut.requirements.items():
            if name in requested:
                found.setdefault(name, _requirement(event))
        # A record that broke off has no events of requirements, but findings.
        for group in iut.groups.values():
            finding = group.finding
            if finding is not None and finding["requirement"] in requested:
                found.setdefault(finding["requirement"], _requirement({**finding, "id": finding["requirement"]}))
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
