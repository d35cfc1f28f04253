"""The result of a sweep as plain data: paths, free forms with their sources, survivors, proofs of requirements.

It has no time and no name of a machine: a version of the suite always gives the same record.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

from conformance.sweep.free_forms import free_form_of
from conformance.sweep.judging import Fault, Sweep

__all__ = ["JsonObject", "sweep_record", "unexplained"]

JsonObject: TypeAlias = dict[str, Any]


def sweep_record(sweeps: Iterable[Sweep]) -> JsonObject:
    """The record of sweeps: a member `sweeps` with an entry for each protocol and role."""
    return {"sweeps": [_entry(sweep) for sweep in sweeps]}


def unexplained(record: JsonObject) -> list[JsonObject]:
    """The survivors of all sweeps that are not free forms."""
    return [survivor for sweep in record["sweeps"] for survivor in sweep["survivors"]]


def _entry(sweep: Sweep) -> JsonObject:
    paths: dict[str, JsonObject] = {}
    survivors: list[JsonObject] = []
    first: dict[str, JsonObject] = {}
    for fault, result in sorted(sweep.results.items(), key=lambda item: item[0]):
        row = paths.setdefault(fault.place.path, {"path": fault.place.path, "faults": 0, "found": 0, "free": {}})
        row["faults"] += 1
        # An answer `error` is blamed on all requirements of the case, so it proves none of them.
        shown_first = result.first if fault.operator != "broken" else {}
        for requirement, (case, others) in shown_first.items():
            proof = {"case": case, **_members(fault), **({"others": list(others)} if others else {})}
            if requirement not in first or _strength(first[requirement]) < _strength(proof):
                first[requirement] = proof
        if result.broken:
            survivors.append({**_members(fault), "cases": result.broken[:3]})
        elif not result.missed:
            row["found"] += 1
        elif sources := free_form_of(sweep.protocol, sweep.role, fault, result):
            row["free"].setdefault(", ".join(sources), []).append(fault)
        else:
            survivors.append({**_members(fault), "cases": list(result.missed)[:3]})
    return {
        "protocol": sweep.protocol,
        "role": sweep.role,
        "faults": len(sweep.results),
        "judged": sum(result.tried for result in sweep.results.values()),
        "found": sum(row["found"] for row in paths.values()),
        "free": sum(len(faults) for row in paths.values() for faults in row["free"].values()),
        "paths": [{**row, "free": _by_source(row["free"])} for row in paths.values()],
        "survivors": survivors,
        "first": {requirement: first[requirement] for requirement in sorted(first)},
    }


_ANSWER_OPERATORS = ("refused", "other class", "taken for nothing", "nothing", "taken as without the fault")
"""Operators that replace the whole answer; later ones prove more about a requirement."""


def _strength(proof: JsonObject) -> int:
    """How much a fault proves: one at a path of a right answer proves more than a replaced answer."""
    return _ANSWER_OPERATORS.index(proof["operator"]) if proof["path"].startswith("answer") else len(_ANSWER_OPERATORS)


def _members(fault: Fault) -> JsonObject:
    place = fault.place
    return {"event": place.event, "path": place.path, "family": place.family, "operator": fault.operator}


def _by_source(free: Mapping[str, Iterable[Fault]]) -> list[JsonObject]:
    return [
        {"source": source, "operators": sorted({fault.operator for fault in faults})}
        for source, faults in sorted(free.items())
    ]
