"""The result of a run in words: the sentence at the top, the caveats, and what was not judged and why."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from reports.causes import Cause, fails_gate, faults_of
from reports.gathering import Gathering, Iut
from reports.reasons import plan_notes
from reports.run.facts import did_not_start, name_of, unit_of
from reports.shortening import middle_out
from reports.texts import capitalised, counted, inconclusive_red_text
from reports.unjudged import Unjudged, merged
from reports.vocabulary import RED

__all__ = ["iut_colour", "iut_notes", "iut_sentence", "notes_of", "unjudged_of", "verdict_view"]

_MOST_NAMED = 3
_LONGEST_NOTE = 600
_PRESET = ("unsupported", "excluded")
"""The verdicts that a plan gives to cases that are not to run."""
_COLOURS = {"green": "good", "red": "bad"}

Json = dict[str, Any]


def verdict_view(gathering: Gathering) -> Json:
    """The sentence at the top and its colour: `good`, `bad` or `idle`."""
    iuts, end = list(gathering.iuts.values()), gathering.end
    sentence = iut_sentence(gathering, iuts[0]) if len(iuts) == 1 else _side_by_side(gathering, iuts)
    # A fault is shown as bad, however the run ended.
    is_broken = any(_failing(gathering, iut) for iut in iuts)
    if end is None:
        lead = "The record is cut: the run was ended, or still goes on. Until then"
        begins_with_name = any(sentence.startswith(f"{name_of(iut)}: ") for iut in iuts)
        rest = sentence if begins_with_name else f"{sentence[:1].lower()}{sentence[1:]}"
        return {"sentence": f"{lead}: {rest}.", "colour": "bad" if is_broken else "idle"}
    gate = end["gate"]["colour"]
    parts = [f"{sentence}."]
    if end.get("interrupted"):
        parts.append("The run was interrupted.")
    parts.append(f"Gate {gate}{inconclusive_red_text(end)}, exit status {end['exit']}.")
    if end.get("message"):
        parts.append(f"{capitalised(end['message'])}.")
    colour = "bad" if is_broken else _colour(gate, iuts)
    return {"sentence": " ".join(parts), "colour": colour}


def _colour(gate: str, iuts: Sequence[Iut]) -> str:
    """The colour of a gate; `idle` for a green one where nothing was judged."""
    if gate == "green" and not any(iut.executed for iut in iuts):
        return "idle"
    return _COLOURS.get(gate, "idle")


def _side_by_side(gathering: Gathering, iuts: Sequence[Iut]) -> str:
    """`Canal 1: 1 crash; of 2 nothing that counts is broken; of 1 nothing was judged`, of four implementations."""
    if not iuts:
        return "No implementation was judged"
    broken = [(iut, faults) for iut in iuts if (faults := faults_of(_failing(gathering, iut)))]
    idle = sum(not iut.executed for iut in iuts)
    good = len(iuts) - len(broken) - idle
    parts = [f"{name_of(iut)}: {faults}" for iut, faults in broken[:_MOST_NAMED]]
    if len(broken) > _MOST_NAMED:
        parts.append(f"{len(broken) - _MOST_NAMED} more are broken")
    if good and broken:
        parts.append(f"of {good} nothing that counts is broken")
    elif good:
        parts.append("Nothing that counts is broken")
    if idle == len(iuts):
        parts.append("Of all nothing was judged")
    elif idle:
        parts.append(f"of {idle} nothing was judged")
    return "; ".join(parts)


def _failing(gathering: Gathering, iut: Iut) -> list[Cause]:
    """The causes that fail the gate of the run."""
    return [cause for cause in iut.causes if fails_gate(cause, gathering.run.get("gate", ""))]


def iut_sentence(gathering: Gathering, iut: Iut) -> str:
    """The failures of one implementation, and how much was judged, without the last full stop."""
    if did_not_start(iut):
        return "It did not start: nothing was judged"
    if not iut.executed:
        return _nothing_judged(iut)
    red = _failing(gathering, iut)
    others = [cause for cause in iut.causes if not fails_gate(cause, gathering.run.get("gate", ""))]
    warnings = [cause for cause in others if cause.word == "warn"]
    suite_errors = sum(cause.cases for cause in others if cause.word == "suite_error")
    failing_verdicts = {*RED, "warn"} if gathering.run.get("gate") == "should" else RED
    counts = iut.counts
    failing = sum(counts.get(verdict, 0) for verdict in failing_verdicts)
    judged = _cases(iut, iut.executed)
    # Under the gate `regress`, failures of the earlier run are tolerated.
    tolerated = faults_of([cause for cause in others if cause.is_red])
    parts = [capitalised(faults_of(red)) or ("No new failure" if tolerated else "Nothing that counts is broken")]
    parts.append(f"{failing:,} of {judged} judged fail" if failing else f"{judged} judged")
    if tolerated:
        parts.append(f"failing as before: {tolerated}")
    if warnings:
        parts.append(f"besides, not held against it: {faults_of(warnings)}")
    if suite_errors:
        parts.append(f"the suite itself failed in {_cases(iut, suite_errors)}")
    if known := counts.get("xfail", 0):
        parts.append(f"{_cases(iut, known)} known to fail")
    if not_run := counts.get("not_run", 0) + _without_verdict(iut):
        parts.append(f"{not_run:,} of {iut.to_run:,} were not run")
    return "; ".join(parts)


def _nothing_judged(iut: Iut) -> str:
    planned = iut.plan.get("planned", 0)
    if iut.deselected and iut.deselected == planned:
        return f"Nothing was judged: none of {_cases(iut, planned)} is selected"
    why = ", ".join(f"{n:,} {verdict.replace('_', ' ')}" for verdict, n in iut.counts.items())
    return f"Nothing was judged{f': {why}' if why else ''}"


def _cases(iut: Iut, number: int) -> str:
    return counted(number, *unit_of(iut))


def _preset_without_verdict(iut: Iut, verdict: str) -> int:
    """The number of cases that have this verdict by the plan, but not in the record."""
    preset: int = sum(part[verdict] for part in iut.plan.get("by", ()))
    return max(0, preset - iut.counts.get(verdict, 0))


def _without_verdict(iut: Iut) -> int:
    """The number of cases that were to run, and that have no verdict in the record."""
    in_record = sum(iut.counts.values())
    preset = sum(_preset_without_verdict(iut, verdict) for verdict in _PRESET)
    planned: int = iut.plan.get("planned", in_record)
    return max(0, planned - in_record - preset)


def iut_colour(gathering: Gathering, iut: Iut) -> str:
    """The colour of one implementation by its own gate; `idle` in a record without it."""
    return _colour(str(gathering.end_of(iut).get("gate", "")), [iut])


def notes_of(gathering: Gathering) -> list[str]:
    """The caveats at the top of the page; those of an implementation only where it is the only one."""
    notes = [f"The record is damaged: {text}" for text in gathering.run.get("damage", ())]
    if "--redact" in gathering.run.get("command", ()):
        notes.append("The values of columns are left out (--redact): their type and length stand in their place")
    accounting = (gathering.end or {}).get("accounting", {})
    if accounting and not accounting.get("adds_up", True):
        notes.append("The verdicts do not add up to the cases that were planned")
    if len(gathering.iuts) == 1:
        [iut] = gathering.iuts.values()
        notes += iut_notes(iut)
    return notes


def iut_notes(iut: Iut) -> list[str]:
    """The caveats of one implementation's verdict."""
    notes = []
    if iut.event.get("message"):
        notes.append(middle_out(str(iut.event["message"]), _LONGEST_NOTE))
    if iut.deselected and iut.executed:
        notes.append(f"{iut.deselected:,} of {_cases(iut, iut.plan['planned'])} were not selected")
    if iut.restarts:
        times = counted(len(iut.restarts), "time", "times")
        notes.append(f"it was started again {times} after it crashed, fell silent or broke the protocol")
    if iut.undeclared:
        notes.append(f"it does not declare {', '.join(iut.undeclared)}")
    return [*notes, *plan_notes(iut.plan)]


def unjudged_of(iut: Iut) -> list[Json]:
    """A row for each reason why cases were not judged; their numbers and that of the judged ones add up to the plan."""
    return [
        {"word": one.verdict.replace("_", " "), "cases": one.cases, "why": one.why, "first": list(one.first)}
        for one in _unjudged(iut)
        if one.cases > 0
    ]


def _unjudged(iut: Iut) -> Iterator[Unjudged]:
    """Every reason why cases may not be judged, also those without cases."""
    yield Unjudged("not selected", "left out by -k or --level, or other cases were named", iut.deselected)
    for protocol, cases in iut.undeclared.items():
        yield Unjudged("unsupported", f"the implementation does not declare {protocol}", cases)
    yield from merged(iut.unjudged.values())
    # A record that was cut lacks verdicts.
    yield Unjudged("not run", "the record has no verdict of them", _without_verdict(iut))
    for verdict in _PRESET:
        missing = _preset_without_verdict(iut, verdict)
        yield Unjudged(verdict, "known from the plan; the record has no verdict of them", missing)
    # Places of a capture that could not be judged, the most frequent reason first.
    for why, places in sorted(iut.left_out.items(), key=lambda reason: -reason[1]):
        yield Unjudged("excluded", why, places)
    without_reason = iut.counts.get("excluded", 0) - iut.deselected - sum(iut.left_out.values())
    yield Unjudged("excluded", "nothing of them could be judged", without_reason)
