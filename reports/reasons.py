"""Why a run, or one implementation of it, proves nothing: one text for every report."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from reports.gathering import Gathering, Iut
from reports.renderer import Event
from reports.texts import case_count

__all__ = ["Unproven", "cut_text", "failed_before", "plan_notes", "reason_of", "unproven_of"]

_MOST_REASONS = 3

_OF_THE_RUN: Mapping[int, tuple[bool, str]] = {
    2: (True, "the run was interrupted"),
    5: (True, "nothing was judged"),
    6: (True, "the run is inconclusive"),
    7: (False, "the baseline is stale"),
}
"""Exit status → whether it is an error, and its meaning. For other statuses the cases are enough."""


@dataclass(frozen=True, slots=True)
class Unproven:
    """The entry about the run itself in a list of tests, where the run proves nothing."""

    name: str
    """The expectation of the run: `the run proves something`."""
    is_error: bool
    """Whether it ended without a result; else the result is a failure."""
    type: str
    """`exit 6`, or `truncated`."""
    text: str
    """The outcome, and the reason."""


def cut_text(gathering: Gathering) -> str:
    """The text for a record without an end: the run was cut off, or why the record counts as one that was."""
    damage = gathering.run.get("damage", ())
    return f"the run was cut, or its record is damaged: {'; '.join(map(str, damage))}" if damage else "the run was cut"


def unproven_of(gathering: Gathering) -> Unproven | None:
    """The entry for a run that proves nothing; None for one that does."""
    end = gathering.end
    if end is None:
        text = f"the record has no 'end' event: {cut_text(gathering)}"
        return Unproven("the run came to its end", is_error=True, type="truncated", text=text)
    if end["exit"] not in _OF_THE_RUN:
        return None
    is_error, text = _OF_THE_RUN[end["exit"]]
    reason = reason_of(gathering, list(gathering.iuts.values())) if is_error else str(end.get("message") or "")
    whole = f"{text}: {reason}" if reason else text
    return Unproven("the run proves something", is_error=is_error, type=f"exit {end['exit']}", text=whole)


def failed_before(verdict: Event, gate: object) -> bool:
    """Whether the compared run already had this failure; then it does not fail a run with the gate `regress`."""
    return gate == "regress" and verdict.get("new") is False and verdict["verdict"] != "suite_error"


def reason_of(gathering: Gathering, iuts: Sequence[Iut]) -> str:
    """Why these implementations were not judged, by the end, their `iut` and their `plan`; "" where none has a reason.

    A common reason is given once; different ones each with the name of the implementation.
    """
    by_label = {iut.label: "; ".join(dict.fromkeys(_of_iut(iut))) for iut in iuts}
    reasons = {label: text for label, text in by_label.items() if text}
    if len(set(reasons.values())) == 1 and len(reasons) == len(iuts):
        shown = list(reasons.values())[:1]
    else:
        shown = [f"{label}: {text}" if len(iuts) > 1 else text for label, text in reasons.items()]
    if len(shown) > _MOST_REASONS:
        shown = [*shown[:_MOST_REASONS], f"and {len(shown) - _MOST_REASONS:,} more implementations"]
    end = str((gathering.end or {}).get("message") or "")
    return "; ".join(filter(None, [end, *(text for text in shown if text != end)]))


def plan_notes(plan: Event) -> Iterator[str]:
    """The plan's remark on terms that leave no case: `no case matches 'decimla'; did you mean decimal?`."""
    for term in plan.get("unmatched", ()):
        near = " or ".join(plan.get("near", {}).get(term, ()))
        yield f"no case matches {term!r}" + (f"; did you mean {near}?" if near else "")
    yield from plan.get("notes", ())
    planned = plan.get("planned", 0)
    is_empty = 0 < planned == sum(part["excluded"] for part in plan.get("by", ()))
    if is_empty and not plan.get("unmatched") and not plan.get("notes"):
        if shard := plan.get("shard"):
            yield f"no selected case belongs to shard {shard['index']}/{shard['count']}"
        else:
            yield "each term alone leaves some cases; together with --level they leave none"


def _of_iut(iut: Iut) -> Iterator[str]:
    if iut.event.get("message") and not iut.event.get("started"):
        yield str(iut.event["message"])
    yield from map(str, iut.event.get("problems", ()))
    if 0 < iut.plan.get("planned", 0) == iut.deselected:
        yield from plan_notes(iut.plan)
    if iut.undeclared:
        yield f"it does not declare {', '.join(iut.undeclared)}"
    for cause in iut.causes_by_key.values():
        if cause.word == "suite_error" and cause.verdict.get("message"):
            yield f"{case_count(cause.cases)} with a fault of the suite: {cause.verdict['message']}"
            return
