"""`mutants`: the kill matrix: the suite judged by broken implementations."""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

from conformance.cases.catalogue import all_cases
from conformance.catalogue.register import load_register
from conformance.engine.selection import Expression, subject_of
from conformance.errors import UsageError
from conformance.mutants import all_mutants, mutant_named
from conformance.mutants.matrix import Death, Outcome, profile_of, run_matrix
from conformance.mutants.model import Mutant
from conformance.mutants.past import Fate, defects_of, fates

__all__ = ["register", "unowned"]


def register(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser("mutants", help="the kill matrix: the suite judged by broken implementations")
    parser.add_argument("-k", dest="select", metavar="EXPR", help="only mutants whose name or requirement matches")
    parser.add_argument("-n", dest="processes", type=int, default=2, metavar="N", help="processes (2)")
    parser.add_argument("--cases", type=int, default=40, metavar="N", help="cases put to a mutant at most (40)")
    parser.add_argument("--report", metavar="KIND=PATH", action="append", default=[], help="json=PATH, markdown=PATH")
    parser.set_defaults(handle=_mutants)


def _mutants(args: argparse.Namespace) -> int:
    chosen = [m for m in all_mutants() if _selected(m, args.select)]
    if not chosen:
        print("no mutant was selected", file=sys.stderr)
        return 5
    deaths = _matrix(chosen, args.processes, args.cases)
    for death in deaths:
        if death.outcome is not Outcome.KILLED:
            print(_line(death))
    missing = [] if args.select else unowned(deaths)
    for requirement in missing:
        print(f"no mutant dies for {requirement}")
    counts = Counter(death.outcome for death in deaths)
    print(", ".join(f"{counts[outcome]} {outcome}" for outcome in Outcome if counts[outcome]))
    if line := _past(deaths, everything=args.select is None):
        print(line)
    for text in args.report:
        _report(text, deaths)
    return 1 if missing or set(counts) != {Outcome.KILLED} else 0


def _selected(mutant: Mutant, expression: str | None) -> bool:
    if expression is None:
        return True
    subject = subject_of(mutant.name, mutant.protocol, mutant.role, "", [mutant.requirement], {})
    return Expression(expression).matches(subject)


_TOGETHER = 120
"""Mutants of one group that are worth a process of their own: each process puts the reference through all cases."""


def _matrix(mutants: Sequence[Mutant], processes: int, limit: int) -> list[Death]:
    """The fates in the order of the mutants. Those of one protocol, role and profile stay together, in large parts."""
    groups: dict[tuple[Any, ...], list[str]] = {}
    for mutant in mutants:
        groups.setdefault((mutant.protocol, mutant.role, profile_of(mutant)), []).append(mutant.name)
    parts = [part for names in groups.values() for part in _parts(names, processes)]
    if processes <= 1:
        found = [_fates(names, limit) for names in parts]
    else:
        with ProcessPoolExecutor(processes) as pool:
            found = list(pool.map(_fates, sorted(parts, key=len, reverse=True), [limit] * len(parts)))
    fates = {name: fate for part in found for name, fate in part.items()}
    return [
        Death(m, Outcome(fate["outcome"]), *(fate[k] for k in ("killed_by", "kills", "cases", "undeclared")))
        for m in mutants
        for fate in (fates[m.name],)
    ]


def _parts(names: list[str], processes: int) -> list[list[str]]:
    count = max(1, min(processes, len(names) // _TOGETHER))
    return [names[i::count] for i in range(count)]


def _fates(names: Sequence[str], limit: int) -> dict[str, dict[str, Any]]:
    """Mutants hold functions, which do not travel between processes: names go there, plain data comes back."""
    mutants = [mutant_named(name) for name in names]
    return {
        death.mutant.name: {
            "outcome": str(death.outcome),
            "killed_by": death.killed_by,
            "kills": death.kills,
            "cases": death.cases,
            "undeclared": death.undeclared,
        }
        for death in run_matrix(mutants, all_cases, limit)
    }


def unowned(deaths: Sequence[Death]) -> list[str]:
    """Testable MUSTs for which no mutant died."""
    killed = {d.mutant.requirement for d in deaths if d.outcome is Outcome.KILLED}
    return [
        f"{r.id} ({protocol})"
        for protocol in dict.fromkeys(d.mutant.protocol for d in deaths)
        for r in load_register(protocol).requirements.values()
        if r.testable and r.level == "must" and r.id not in killed
    ]


def _past(deaths: Sequence[Death], *, everything: bool) -> str:
    """How many historical defects were killed and how many not; without `everything`, of those that were tried."""
    shown = (Fate.KILLED, Fate.SURVIVED, *((Fate.NOT_EXPRESSIBLE,) if everything else ()))
    counts = Counter(fate for _, fate in fates(deaths))
    if not any(counts[fate] for fate in shown):
        return ""
    return "historical defects: " + ", ".join(f"{counts[fate]} {fate}" for fate in shown)


def _line(death: Death) -> str:
    more = f"; undeclared: {', '.join(death.undeclared)}" if death.undeclared else ""
    return f"{death.outcome:<28} {death.mutant.requirement:<8} {death.mutant.name} ({death.cases} cases){more}"


def _report(text: str, deaths: Sequence[Death]) -> None:
    kind, _, name = text.partition("=")
    if kind not in ("json", "markdown") or not name:
        raise UsageError(f"--report {text}: it looks like json=PATH or markdown=PATH")
    try:
        Path(name).write_text(_json(deaths) if kind == "json" else markdown(deaths), encoding="utf-8")
    except OSError as e:
        raise UsageError(f"--report {text}: cannot be written ({e.strerror or e})") from None


def _json(deaths: Sequence[Death]) -> str:
    rows = [
        {
            "mutant": d.mutant.name,
            "requirement": d.mutant.requirement,
            "role": d.mutant.role,
            "outcome": str(d.outcome),
            "killed_by": d.killed_by,
            "kills": d.kills,
            "cases": d.cases,
            "undeclared": list(d.undeclared),
            "history": [defect.id for defect in defects_of(d.mutant.name)],
        }
        for d in deaths
    ]
    return json.dumps(rows, indent=1, ensure_ascii=False) + "\n"


def markdown(deaths: Sequence[Death]) -> str:
    """The matrix as a table, and one of the historical defects that its mutants stand for."""
    lines = ["| mutant | fault | role | dies for | outcome |", "|---|---|---|---|---|"]
    lines += [
        f"| `{d.mutant.name}` | {d.mutant.description} | {d.mutant.role} | {d.mutant.requirement} | {d.outcome} |"
        for d in deaths
    ]
    lines += ["", "| historical defect | symptom | fixed | references | mutants, or why there is none | outcome |"]
    lines += ["|---|---|---|---|---|---|"]
    lines += [
        f"| {defect.id} | {defect.symptom} | {defect.fixed} | {', '.join(defect.references)} "
        f"| {', '.join(f'`{name}`' for name in defect.mutants) or defect.reason} | {fate} |"
        for defect, fate in fates(deaths)
    ]
    return "\n".join(lines) + "\n"
