"""Texts that several reports of a kill matrix share: sums in words, and what to do about a surviving mutant."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

from reports.texts import counted
from reports.vocabulary import LEVELS

__all__ = [
    "KILLED",
    "NOT_RUN",
    "SHOWN",
    "WRITE_ANEW",
    "Record",
    "defects_with_mutants",
    "faults_text",
    "gate_text",
    "history_text",
    "levels",
    "mutant_count",
    "not_killed",
    "not_shown_first",
    "proofs_text",
    "sum_of",
    "to_do",
    "unproven",
]

Record: TypeAlias = Mapping[str, Any]

KILLED = "killed"
NOT_RUN = "not run"
SHOWN = "shown first"

_ENDS: Mapping[int, str] = {0: "gate green", 1: "gate red", 2: "interrupted", 3: "the suite is at fault"}
_STATUSES = ("proved", "in doubt", "never shown first", "not run", "no proof", "no mutant")
_WITHOUT_PROOF = ("no proof", "no mutant")  # the second in records of older suites

WRITE_ANEW = (
    "if its requirement still finds it, write the recorded faults anew: ticdc-conformance sweep --report json=FILE, "
    "then python tools/faults_page.py FILE; else mend the rule that is shown in its place"
)
"""What to do about a recorded fault whose first finding names another requirement."""

_TO_DO: Mapping[str, str] = {
    "survived": "it differs, and no rule finds it: sharpen a rule of {requirement}, or add a case in which it shows",
    "killed for another reason": "others find it, {requirement} does not: sharpen its rule, or give the mutant to them",
    "never differs from the reference": "an error of ours: add a case in which the fault shows, or take the mutant out",
    "no case evaluates its requirement": "an error of ours: add a case in which an assertion of {requirement} runs",
}


def sum_of(counts: Mapping[str, int]) -> str:
    """`383 killed, 1 survived`: the nonzero sums, in the order of the record."""
    return ", ".join(f"{number:,} {name}" for name, number in counts.items() if number) or "0"


def mutant_count(number: int) -> str:
    """`1 mutant`, `1,850 mutants`."""
    return counted(number, "mutant", "mutants")


def gate_text(record: Record) -> str:
    """`gate green (exit 0)`."""
    return f"{_ENDS.get(record['exit'], 'inconclusive')} (exit {record['exit']})"


def not_killed(record: Record) -> list[Record]:
    """The mutants that were tried and not killed by their own requirement."""
    return [m for m in record["mutants"] if m["outcome"] not in (KILLED, NOT_RUN)]


def not_shown_first(record: Record) -> list[Record]:
    """The generated faults judged again whose first finding names another requirement."""
    return [f for f in record.get("faults", ()) if f["outcome"] not in (SHOWN, NOT_RUN)]


def faults_text(record: Record) -> str:
    """`793: 792 shown first, 1 not shown first`; empty where none was selected, or the record has none."""
    totals = record.get("fault_totals", {})
    return f"{sum(totals.values()):,}: {sum_of(totals)}" if any(totals.values()) else ""


def proofs_text(requirement: Record) -> str:
    """`3 of 3 mutants killed, generated fault (encode)`: the proof of a requirement; empty without one."""
    mutants, roles = requirement["mutants"], requirement.get("faults", ())
    killed = f"{requirement['killed']} of {mutant_count(len(mutants))} killed" if mutants else ""
    return ", ".join(filter(None, (killed, f"generated fault ({', '.join(roles)})" if roles else "")))


def unproven(record: Record) -> list[Record]:
    """The requirements that the matrix does not prove.

    A `may` without a proof is allowed, and a `should` that is always found under others.
    """
    return [
        r
        for r in record["requirements"]
        if r["standing"] == "in doubt"
        or (r["standing"] in _WITHOUT_PROOF and r["level"] != "may")
        or (r["standing"] == "never shown first" and r["level"] == "must")
    ]


def to_do(mutant: Record) -> str:
    """What to do about a mutant that was not killed by its own requirement."""
    return _TO_DO.get(mutant["outcome"], "").format(**mutant)


def levels(requirements: Iterable[Record]) -> dict[str, dict[str, int]]:
    """Level → status → number of requirements, for each level with requirements."""
    counts = Counter((r["level"], r["standing"]) for r in requirements)
    by_level = {level: {status: counts[level, status] for status in _STATUSES} for level in LEVELS}
    return {level: statuses for level, statuses in by_level.items() if any(statuses.values())}


def defects_with_mutants(record: Record) -> list[Record]:
    """The historical defects that have mutants."""
    return [d for d in record["history"] if d["mutants"]]


def history_text(record: Record) -> str:
    """`89 killed, 0 survived, 14 not expressible`; the last only where there are some."""
    totals = record["history_totals"]
    names = ["killed", "survived", *(["not expressible"] if totals["not expressible"] else [])]
    return ", ".join(f"{totals[name]} {name}" for name in names)
