"""The content of a run's page, as plain data from the gathered events alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from reports.causes import Cause, causes_of, fails_gate
from reports.frame.filters import anchor
from reports.gathering import Gathering, Iut
from reports.run.baseline import baseline_view
from reports.run.coverage import coverage_view, requirements_view
from reports.run.entry import entry_of, line_of
from reports.run.facts import iut_facts, name_of, run_facts, unit_of
from reports.run.heat import Heat
from reports.run.judgement import colour_of, iut_notes, notes_of, sentence_of_run, unjudged_of, verdict_view
from reports.vocabulary import HARM_TEXTS, HARMS, NEVER_RUN

__all__ = ["MOST_ENTRIES", "MOST_LINES", "view_of"]

MOST_ENTRIES = 120
"""Causes of an implementation that are shown in full, worst first."""

MOST_LINES = 1500
"""Further causes that are shown on a line each."""

_FILTER = {"example": "decimal encode CJ-388", "only": "only what fails the gate"}
_MOST_OPEN = 3
_MOST_WORST = 5

Json = dict[str, Any]


def view_of(gathering: Gathering, heats: Mapping[str, Heat]) -> Json:
    """The variables of `run.html`. `heats` are by the label of an implementation."""
    iuts = list(gathering.iuts.values())
    parts = [_part(gathering, iut, n, heats.get(iut.label), several=len(iuts) > 1) for n, iut in enumerate(iuts, 1)]
    sections = (
        [(part["id"], part["name"]) for part in parts] if len(parts) > 1 else parts[0]["sections"] if parts else []
    )
    requirements = requirements_view(iuts, [line["requirement"] for part in parts for line in part["lines"]])
    baseline = baseline_view(gathering)
    last = [("baseline", "Baseline", baseline), ("requirements", "Requirements", requirements)]
    return {
        "title": _title(iuts),
        "verdict": verdict_view(gathering),
        "notes": notes_of(gathering),
        "facts": run_facts(gathering),
        "sections": [*sections, *((name, text) for name, text, is_there in last if is_there)],
        "filter": _FILTER if any(part["lines"] for part in parts) else None,
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


def _part(gathering: Gathering, iut: Iut, number: int, heat: Heat | None, *, several: bool) -> Json:
    """One implementation."""
    causes = [cause for cause in causes_of(iut) if cause.word != "xfail"]
    known = [cause for cause in causes_of(iut) if cause.word == "xfail"]
    shown = _entries(causes[:MOST_ENTRIES], gathering, iut, number, several=several)
    rest = causes[MOST_ENTRIES : MOST_ENTRIES + MOST_LINES]
    lines = [line_of(cause, number, gathering, iut, several=several) for cause in rest]
    known_shown = _entries(known[:MOST_ENTRIES], gathering, iut, number, several=several)
    identity = anchor(str(number), iut.label)
    part: Json = {
        "id": identity,
        "name": name_of(iut),
        "number": number,
        "sentence": sentence_of_run(gathering, iut),
        "colour": colour_of(gathering, iut),
        "facts": iut_facts(iut),
        "problems": [str(problem) for problem in iut.event.get("problems", ())],
        "unit": unit_of(iut),
        "notes": iut_notes(iut) if several else [],
        "stderr": str(iut.event.get("stderr", "")),
        "harms": _harms(causes, gathering.run.get("gate", "")),
        "is_judged": any(n for word, n in iut.counts.items() if word not in NEVER_RUN),
        "coverage": coverage_view(iut),
        "heat": heat.maps(number) if heat is not None else [],
        "worst": (shown + lines)[:_MOST_WORST] if len(causes) > _MOST_WORST else [],
        "causes": shown,
        "more": lines,
        "left_out": max(0, len(causes) - len(shown) - len(lines)),
        "all": len(causes),
        "known": known_shown,
        "known_left_out": len(known) - len(known_shown),
        "unjudged": unjudged_of(iut),
        "restarts": [{"after": str(event["after"]), "why": str(event.get("why", ""))} for event in iut.restarts],
        "lines": [*shown, *lines, *known_shown],
    }
    part["sections"] = [
        (f"{name}-{identity}", text) for name, text, is_there in _SECTIONS if part.get(is_there) or is_there == ""
    ]
    return part


_SECTIONS = (
    ("coverage", "Coverage", "coverage"),
    ("heat", "By type and operation", "heat"),
    ("causes", "Causes", ""),
    ("known", "Known failures", "known"),
    ("unjudged", "Not judged", "unjudged"),
)
"""Id, title and the member with the content; causes are always there."""


def _entries(causes: Sequence[Cause], gathering: Gathering, iut: Iut, number: int, *, several: bool) -> list[Json]:
    entries = [entry_of(cause, number, gathering, iut, several=several) for cause in causes]
    return [entry | {"is_open": n < _MOST_OPEN and entry["is_red"]} for n, entry in enumerate(entries)]


def _harms(causes: Sequence[Cause], gate: str) -> list[Json]:
    """Causes and cases by harm, those that fail the gate apart."""
    rows = []
    for harm in (*HARMS, ""):
        of = [cause for cause in causes if cause.harm == harm and cause.word not in ("may", "later", "xpass")]
        if of:
            rows.append(
                {
                    "harm": harm,
                    "causes": len(of),
                    "red": sum(fails_gate(cause, gate) for cause in of),
                    "cases": sum(cause.cases for cause in of),
                }
            )
    return rows
