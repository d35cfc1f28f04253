"""A tiny record of a kill matrix in which everything happens once. The protocol and the rules are a toy's."""

from __future__ import annotations

from typing import Any

FATES = (
    "killed",
    "survived",
    "killed for another reason",
    "never differs from the reference",
    "no case evaluates its requirement",
    "not run",
)
NAMES = ("value-lost", "value-doubled", "value-shouted", "value-kept", "value-unseen", "value-forgotten")


def _mutant(name: str, outcome: str) -> dict[str, Any]:
    is_killed = outcome == "killed"
    differs = is_killed or outcome in ("killed for another reason", "survived")
    case = f"toy/golden/{name}" if differs else ""
    iut = f"--iut 'cmd:ticdc-conformance serve-reference --mutant toy/{name}'"
    return {
        "mutant": f"toy/{name}",
        "protocol": "toy",
        "role": "encode",
        "profile": "newarch",
        "release": "v6.5.3" if name == "value-doubled" else None,
        "requirement": "T-2" if name == "value-forgotten" else "T-1",
        "fault": f"the member `value` is {name.partition('-')[2]}",
        "outcome": outcome,
        "killed_by": case if is_killed else "",
        "finding": {"fingerprint": "value@value.data[].{column}#0123abcd", "path": "value.data[0].v"}
        if is_killed
        else None,
        "kills": 3 if is_killed else 0,
        "leads": is_killed,
        "cases": 40 if differs else 0,
        "witness": "toy/golden/first" if outcome == "killed" else case,
        "also": ["T-4"] if outcome == "killed for another reason" else ["T-2"] if outcome == "killed" else [],
        "history": ["TD-1"] if name in ("value-lost", "value-doubled") else [],
        "again": f"ticdc-conformance replay 01234567-encode {iut}" if case else "",
    }


MUTANTS = [_mutant(name, outcome) for name, outcome in zip(NAMES, FATES, strict=True)]


def _requirement(
    identity: str, level: str, standing: str, killed: int, mutants: list[str], *faults: str
) -> dict[str, Any]:
    return {
        "id": identity,
        "protocol": "toy",
        "level": level,
        "role": "both",
        "rule": f"What {identity} asks of `value` holds.",
        "place": "toy manual, 'Values', paragraph 3",
        "standing": standing,
        "killed": killed,
        "mutants": mutants,
        "faults": list(faults),
    }


def _fault(role: str, requirement: str, outcome: str, shown: str) -> dict[str, Any]:
    return {
        "requirement": requirement,
        "protocol": "toy",
        "role": role,
        "fault": "null at insert records[].value.v",
        "case": "toy/golden/first",
        "outcome": outcome,
        "shown": shown,
        "finding": {"fingerprint": "value@value.v#0123abcd", "path": "value.v"} if shown else None,
    }


FAULTS = [
    _fault("encode", "T-1", "shown first", "T-1"),
    _fault("encode", "T-5", "shown first", "T-5"),
    _fault("decode", "T-5", "not shown first", "T-1"),
    _fault("decode", "T-6", "cannot be made", ""),
    _fault("encode", "T-7", "shown first", "T-7"),
    _fault("decode", "T-8", "not run", ""),
]


def _defect(identity: str, fate: str, mutants: list[str]) -> dict[str, Any]:
    return {
        "id": identity,
        "symptom": "values were lost",
        "fixed": "1.2.3",
        "references": ["tiflow 1", "tiflow PR 2"],
        "fate": fate,
        "mutants": mutants,
        "reason": "" if mutants else "no message shows it",
    }


TOTALS = dict.fromkeys(FATES, 1)

RECORD: dict[str, Any] = {
    "report": 2,
    "suite": "1.0.0",
    "selection": "toy and value",
    "cases_each": 40,
    "exit": 2,
    "message": "interrupted",
    "planned": len(MUTANTS),
    "totals": TOTALS,
    "groups": [{"protocol": "toy", "role": "encode", "planned": len(MUTANTS), "totals": TOTALS}],
    "requirements": [
        _requirement("T-1", "must", "in doubt", 1, [m["mutant"] for m in MUTANTS[:5]], "encode"),
        _requirement("T-2", "should", "not run", 0, ["toy/value-forgotten"]),
        _requirement("T-3", "should", "no proof", 0, []),
        _requirement("T-4", "may", "no proof", 0, []),
        _requirement("T-5", "must", "in doubt", 0, [], "encode", "decode"),
        _requirement("T-6", "must", "in doubt", 0, [], "decode"),
        _requirement("T-7", "should", "proved", 0, [], "encode"),
        _requirement("T-8", "should", "not run", 0, [], "decode"),
    ],
    "history": [
        _defect("TD-1", "survived", ["toy/value-lost", "toy/value-doubled", "toy/not-selected"]),
        _defect("TD-2", "not expressible", []),
        _defect("TD-3", "out of scope", []),
    ],
    "history_totals": {"killed": 0, "survived": 1, "not expressible": 1, "out of scope": 1},
    "mutants": MUTANTS,
    "fault_totals": {"shown first": 3, "not shown first": 1, "cannot be made": 1, "not run": 1},
    "faults": FAULTS,
}
