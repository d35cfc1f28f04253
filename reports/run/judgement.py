"""The result of a run in words: the sentence at the top, the caveats, and what was not judged and why."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from reports.causes import Cause, causes_of, fails_gate, faults_of
from reports.gathering import Gathering, Iut
from reports.reasons import plan_notes
from reports.run.facts import did_not_start, name_of, unit_of
from reports.shortening import middle_out
from reports.texts import counted, red_text
from reports.unjudged import merged
from reports.vocabulary import RED

__all__ = ["colour_of", "iut_notes", "notes_of", "sentence_of_run", "unjudged_of", "verdict_view"]

_MOST_NAMED = 3
_LONGEST_NOTE = 600
_PRESET = ("unsupported", "excluded")
"""The verdicts that a plan gives to cases that are not run."""
_COLOURS = {"green": "good", "red": "bad"}

Json = dict[str, Any]


def verdict_view(gathering: Gathering) -> Json:
    """The sentence at the top and its colour: `good`, `bad` or `idle`."""
    iuts, end = list(gathering.iuts.values()), gathering.end
    sentence = sentence_of_run(gathering, iuts[0]) if len(iuts) == 1 else _side_by_side(gathering, iuts)
    # A fault stays a fault, however the run ended.
    is_broken = any(_red(gathering, causes_of(iut)) for iut in iuts)
    if end is None:
        lead = "The record is cut: the run was ended, or still goes on. Until then"
        has_name = any(sentence.startswith(f"{name_of(iut)}: ") for iut in iuts)
        rest = sentence if has_name else f"{sentence[:1].lower()}{sentence[1:]}"
        return {"sentence": f"{lead}: {rest}.", "colour": "bad" if is_broken else "idle"}
    colour = end["gate"]["colour"]
    gate = f"Gate {colour}{red_text(end)}, exit status {end['exit']}."
    if end.get("interrupted"):
        gate = f"The run was interrupted. {gate}"
    if end.get("message"):
        gate = f"{gate} {_capital(end['message'])}."
    # A run that judged nothing is never shown as good.
    is_good = colour == "green" and any(iut.executed for iut in iuts)
    shown = "bad" if colour == "red" or is_broken else "good" if is_good else "idle"
    return {"sentence": f"{sentence}. {gate}", "colour": shown}


def _side_by_side(gathering: Gathering, iuts: Sequence[Iut]) -> str:
    """The broken ones of several implementations by name, the others by their number.

    Of four: `Canal 1: 1 crash; of 2 nothing that counts is broken; of 1 nothing was judged`.
    """
    if not iuts:
        return "No implementation was judged"
    broken = [(iut, faults) for iut in iuts if (faults := faults_of(_red(gathering, causes_of(iut))))]
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


def _red(gathering: Gathering, causes: Sequence[Cause]) -> list[Cause]:
    """The causes that fail the gate of the run."""
    return [cause for cause in causes if fails_gate(cause, gathering.run.get("gate", ""))]


def sentence_of_run(gathering: Gathering, iut: Iut) -> str:
    """The failures of one implementation, and how much was judged, without the last full stop."""
    if did_not_start(iut):
        return "It did not start: nothing was judged"
    if not iut.executed:
        return _nothing(iut)
    causes = causes_of(iut)
    red = _red(gathering, causes)
    warnings = [cause for cause in causes if cause.word == "warn" and cause not in red]
    suite_errors = sum(cause.cases for cause in causes if cause.word == "suite_error")
    failing_words = {*RED, "warn"} if gathering.run.get("gate") == "should" else RED
    failing = sum(iut.counts.get(word, 0) for word in failing_words)
    # Under the gate `regress`, failures of the earlier run are tolerated.
    tolerated = faults_of([cause for cause in causes if cause.is_red and cause not in red])
    parts = [_capital(faults_of(red)) or ("No new failure" if tolerated else "Nothing that counts is broken")]
    parts += [
        f"{failing:,} of {_cases(iut, iut.executed)} judged fail" if failing else f"{_cases(iut, iut.executed)} judged"
    ]
    parts += [f"failing as before: {tolerated}"] if tolerated else []
    parts += [f"besides, not held against it: {faults_of(warnings)}"] if warnings else []
    parts += [f"the suite itself failed in {_cases(iut, suite_errors)}"] if suite_errors else []
    known = iut.counts.get("xfail", 0)
    parts += [f"{_cases(iut, known)} known to fail"] if known else []
    not_run = iut.counts.get("not_run", 0) + _without_verdict(iut)
    parts += [f"{not_run:,} of {iut.to_run:,} were not run"] if not_run else []
    return "; ".join(parts)


def _nothing(iut: Iut) -> str:
    planned = iut.plan.get("planned", 0)
    if iut.deselected and iut.deselected == planned:
        return f"Nothing was judged: none of {_cases(iut, planned)} is selected"
    counts = iut.counts
    why = ", ".join(f"{n:,} {word.replace('_', ' ')}" for word, n in counts.items())
    return f"Nothing was judged{f': {why}' if why else ''}"


def _cases(iut: Iut, number: int) -> str:
    return counted(number, *unit_of(iut))


def _preset_without_verdict(iut: Iut, word: str) -> int:
    """The number of cases that the plan gives the verdict `word`, and whose verdict the record does not have."""
    preset: int = sum(part[word] for part in iut.plan.get("by", ()))
    return max(0, preset - iut.counts.get(word, 0))


def _without_verdict(iut: Iut) -> int:
    """The number of cases that were to run, and that have no verdict in the record."""
    counts = iut.counts
    in_record = sum(counts.values())
    preset = sum(_preset_without_verdict(iut, word) for word in _PRESET)
    planned: int = iut.plan.get("planned", in_record)
    return max(0, planned - in_record - preset)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def colour_of(gathering: Gathering, iut: Iut) -> str:
    """The colour of one implementation by its own gate; `idle` if that is unknown, or green with nothing judged."""
    rows = (gathering.end or {}).get("accounting", {}).get("iuts", ())
    gate = next((str(row.get("gate", "")) for row in rows if row.get("iut") == iut.label), "")
    if gate == "green" and not iut.executed:
        return "idle"
    return _COLOURS.get(gate, "idle")


def notes_of(gathering: Gathering) -> list[str]:
    """The caveats of the page; each of several implementations has its own."""
    notes = [f"The record is damaged: {text}" for text in gathering.run.get("damage", ())]
    if "--redact" in gathering.run.get("command", ()):
        notes.append("The values of columns are left out (--redact): their type and length stand in their place")
    accounting = (gathering.end or {}).get("accounting", {})
    if accounting and not accounting.get("adds_up", True):
        notes.append("The verdicts do not add up to the cases that were planned")
    if len(gathering.iuts) == 1:
        notes += iut_notes(next(iter(gathering.iuts.values())))
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
    """What was not judged: a row for each reason, with the number of cases and the first of them.

    The numbers and that of the judged cases add up to the plan.
    """
    return [
        {"word": word.replace("_", " "), "cases": cases, "why": why, "first": list(first)}
        for word, cases, why, first in _unjudged(iut)
        if cases > 0
    ]


def _unjudged(iut: Iut) -> Iterator[tuple[str, int, str, Sequence[str]]]:
    """A verdict, the number of cases that have it for one reason, perhaps 0, that reason, and the first cases."""
    yield "not selected", iut.deselected, "left out by -k or --level, or other cases were named", ()
    for protocol, cases in iut.undeclared.items():
        yield "unsupported", cases, f"the implementation does not declare {protocol}", ()
    for reason in merged(iut.unjudged.values()):
        yield reason.verdict, reason.cases, reason.why, reason.first
    # A record that was cut lacks verdicts.
    yield "not run", _without_verdict(iut), "the record has no verdict of them", ()
    for word in _PRESET:
        yield word, _preset_without_verdict(iut, word), "known from the plan; the record has no verdict of them", ()
    # Places of a capture that could not be judged, the most frequent reason first.
    for why, cases in sorted(iut.left_out.items(), key=lambda reason: -reason[1]):
        yield "excluded", cases, why, ()
    without_reason = iut.counts.get("excluded", 0) - iut.deselected - sum(iut.left_out.values())
    yield "excluded", without_reason, "nothing of them could be judged", ()
