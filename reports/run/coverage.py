"""The requirements on a run's page: how many have which status, and the rules of those that the page names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from reports.gathering import Iut
from reports.renderer import Event
from reports.shortening import middle_out
from reports.texts import ORACLES

__all__ = ["coverage_view", "requirements_view"]

_STATUSES = ("met", "broken", "advisory", "unsupported", "not asked")
"""Columns of the table of coverage; `untestable` is a column apart, and so is `later` where it occurs."""
_JUDGED = frozenset({"met", "broken", "advisory"})
_LONGEST_RULE = 1000

Json = dict[str, Any]


def coverage_view(iut: Iut) -> list[Json]:
    """A row for each protocol with its requirements by status, and in `groups` such a row for each group.

    A group without testable requirements is left out.
    """
    # Requirements that are newer than the version that scores the run.
    has_later = any(event["standing"] == "later" for event in iut.requirements.values())
    columns = (*_STATUSES, "later") if has_later else _STATUSES
    by_protocol: dict[str, dict[str, list[str]]] = {}
    for (protocol, _), event in iut.requirements.items():
        by_group = by_protocol.setdefault(protocol, {})
        by_group.setdefault(str(event.get("group", "")), []).append(_status(iut, event))
    rows = []
    for protocol, by_group in by_protocol.items():
        groups = [_row(group, statuses, columns) for group, statuses in by_group.items()]
        whole = _row(protocol, [status for statuses in by_group.values() for status in statuses], columns)
        rows.append(whole | {"groups": [group for group in groups if group["testable"]]})
    return rows


def _row(name: str, statuses: Sequence[str], columns: Sequence[str]) -> Json:
    untestable = statuses.count("untestable")
    return {
        "name": name,
        "counts": [(status, statuses.count(status)) for status in columns],
        "untestable": untestable,
        "testable": len(statuses) - untestable,
        "judged": not _JUDGED.isdisjoint(statuses),
    }


def _status(iut: Iut, event: Event) -> str:
    """A status of the table; one that was not evaluated is `unsupported`, or `not asked`: no case of it was run."""
    status = str(event["standing"])
    if status != "not evaluated":
        return status
    protocol, role = str(event.get("protocol", "")), event.get("role", "both")
    verdicts: set[str] = set()
    for (judged_protocol, judged_role), found in iut.verdicts.items():
        if judged_protocol == protocol and role in (judged_role, "both"):
            verdicts.update(found)
    is_unsupported = protocol in iut.undeclared or verdicts == {"unsupported"} or event["id"] in iut.unsupported
    return "unsupported" if is_unsupported else "not asked"


def requirements_view(iuts: Iterable[Iut], named: Iterable[str]) -> list[Json]:
    """The requirements with the ids `named` (empty ones are ignored), sorted by id."""
    requested = {name for name in named if name}
    found: dict[str, Json] = {}
    for iut in iuts:
        for (_, name), event in iut.requirements.items():
            if name in requested:
                found.setdefault(name, _requirement(event))
        # A cut record has no `requirement` events, but its findings say the same of theirs.
        for cause in iut.causes_by_key.values():
            if cause.finding is not None and (name := cause.finding["requirement"]) in requested:
                found.setdefault(name, _requirement({**cause.finding, "id": name}))
    return [found[name] for name in sorted(found)]


def _requirement(event: Event) -> Json:
    anchor = event.get("anchor") or event.get("oracle", {}).get("anchor") or ""
    return {
        "id": event["id"],
        "level": str(event.get("level", "")).upper(),
        "rule": middle_out(str(event.get("rule", "")), _LONGEST_RULE),
        "place": str(event.get("place", "")),
        "oracle": ORACLES.get(anchor, anchor),
    }
