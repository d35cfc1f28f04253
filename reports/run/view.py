"""The content of a run's page: the variables of its template, from the gathered events."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from reports.causes import Cause, fails_gate
from reports.frame.filters import anchor
from reports.gathering import Gathering, Iut
from reports.run.baseline import baseline_view
from reports.run.coverage import coverage_view, requirements_view
from reports.run.entry import Entries
from reports.run.facts import iut_facts, name_of, run_facts, unit_of
from reports.run.heat import Heat
from reports.run.judgement import iut_colour, iut_notes, iut_sentence, notes_of, unjudged_of, verdict_view
from reports.vocabulary import HARM_TEXTS, HARMS, NEVER_RUN

__all__ = ["MOST_ENTRIES", "MOST_LINES", "view_of"]

MOST_ENTRIES = 120
"""Causes of an implementation that are shown in full, worst first."""
MOST_LINES = 1500
"""Further causes that are shown on a line each."""
_MOST_OPEN = 3
"""Entries that fail the gate and are unfolded at first."""
_MOST_WORST = 5
"""Causes in the list at the top of an implementation."""

_FILTER = {"example": "decimal encode CJ-388", "only": "only what fails the gate"}
_SECTIONS = {
    "coverage": "Coverage",
    "heat": "By type and operation",
    "causes": "Causes",
    "known": "Known failures",
    "unjudged": "Not judged",
}
"""Name of a section → its title; the member of that name in the view of an implementation has the content."""

Json = dict[str, Any]


def view_of(gathering: Gathering, heats: Mapping[str, Heat]) -> Json:
    """The variables of `run.html`. `heats` are by the label of an implementation."""
    iuts = list(gathering.iuts.values())
    parts = [_part(gathering, iut, number, heats.get(iut.label)) for number, iut in enumerate(iuts, 1)]
    requirements = requirements_view(iuts, [entry["requirement"] for part in parts for entry in part["listed"]])
    baseline = baseline_view(gathering)
    # The sections of a single implementation, else each implementation as a section.
    sections = list(parts[0]["sections"]) if len(parts) == 1 else [(part["id"], part["name"]) for part in parts]
    if baseline:
        sections.append(("baseline", "Baseline"))
    if requirements:
        sections.append(("requirements", "Requirements"))
    return {
        "title": _title(iuts),
        "verdict": verdict_view(gathering),
        "notes": notes_of(gathering),
        "facts": list(run_facts(gathering)),
        "sections": sections,
        "filter": _FILTER if any(part["listed"] for part in parts) else None,
        "iuts": parts,
        "baseline": baseline,
        "overview": parts if len(parts) > 1 else [],
        "requirements": requirements,
        "harms": HARM_TEXTS,
        "footer": f"ticdc-conformance {gathering.run.get('suite', '?')}",
    }


def _title(iuts: Sequence[Iut]) -> str:
    if len(iuts) != 1:
        return f"{len(iuts)} implementations side by side" if iuts else "A run of no implementation"
    protocols = ", ".join(dict.fromkeys(protocol for protocol, _ in iuts[0].verdicts))
    return f"{name_of(iuts[0])}{f': {protocols}' if protocols else ''}"


def _part(gathering: Gathering, iut: Iut, number: int, heat: Heat | None) -> Json:
    """One implementation, the `number`-th of the run."""
    entries = Entries(gathering, iut, number)
    causes = [cause for cause in iut.causes if cause.word != "xfail"]
    known = [cause for cause in iut.causes if cause.word == "xfail"]
    shown = _full_entries(entries, causes)
    lines = [entries.short(cause) for cause in causes[MOST_ENTRIES : MOST_ENTRIES + MOST_LINES]]
    known_shown = _full_entries(entries, known)
    identity = anchor(number, iut.label)
    part: Json = {
        "id": identity,
        "name": name_of(iut),
        "sentence": iut_sentence(gathering, iut),
        "colour": iut_colour(gathering, iut),
        "facts": list(iut_facts(iut)),
        "problems": [str(problem) for problem in iut.event.get("problems", ())],
        "unit": unit_of(iut),
        "notes": iut_notes(iut) if len(gathering.iuts) > 1 else [],
        "stderr": str(iut.event.get("stderr", "")),
        "harms": _harms(causes, gathering.run.get("gate", "")),
        "is_judged": any(n for word, n in iut.counts.items() if word not in NEVER_RUN),
        "coverage": coverage_view(iut),
        "heat": heat.maps(number) if heat is not None else [],
        "worst": (shown + lines)[:_MOST_WORST] if len(causes) > _MOST_WORST else [],
        "causes": shown,
        "more": lines,
        "left_out": max(0, len(causes) - len(shown) - len(lines)),
        "cause_count": len(causes),
        "known": known_shown,
        "known_left_out": len(known) - len(known_shown),
        "unjudged": unjudged_of(iut),
        "restarts": [{"after": str(event["after"]), "why": str(event.get("why", ""))} for event in iut.restarts],
        "listed": [*shown, *lines, *known_shown],
    }
    # The section of causes is there even without any: it then says so.
    sections = [name for name in _SECTIONS if part[name] or name == "causes"]
    part["sections"] = [(f"{name}-{identity}", _SECTIONS[name]) for name in sections]
    return part


def _full_entries(entries: Entries, causes: Sequence[Cause]) -> list[Json]:
    shown = [entries.full(cause) for cause in causes[:MOST_ENTRIES]]
    return [entry | {"is_open": n < _MOST_OPEN and entry["is_red"]} for n, entry in enumerate(shown)]


def _harms(causes: Sequence[Cause], gate: str) -> list[Json]:
    """The numbers of causes, of those that fail the gate, and of cases, by harm."""
    by_harm: dict[str, list[Cause]] = {}
    for cause in causes:
        if cause.word not in ("may", "later", "xpass"):
            by_harm.setdefault(cause.harm, []).append(cause)
    return [
        {
            "harm": harm,
            "causes": len(found),
            "red": sum(fails_gate(cause, gate) for cause in found),
            "cases": sum(cause.cases for cause in found),
        }
        for harm in (*HARMS, "")
        if (found := by_harm.get(harm))
    ]
