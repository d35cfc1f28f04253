"""The result of a sweep as plain data: paths by operators, free forms with their sources, survivors, proofs.

It names no time and no machine, so a version of the suite always gives the same record.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

from conformance.sweep.free_forms import free_form_of
from conformance.sweep.judging import Fault, Sweep

__all__ = ["Record", "sweep_record", "unexplained"]

Record: TypeAlias = dict[str, Any]


def sweep_record(sweeps: Iterable[Sweep]) -> Record:
    """The record of sweeps: a member `sweeps` with an entry for each protocol and role."""
    return {"sweeps": [_entry(sweep) for sweep in sweeps]}


def unexplained(record: Record) -> list[Record]:
    """The survivors of all sweeps that are not free forms."""
    return [survivor for sweep in record["sweeps"] for survivor in sweep["survivors"]]


def _entry(sweep: Sweep) -> Record:
    paths: dict[str, Record] = {}
    survivors: list[Record] = []
    first: dict[str, Record] = {}
    for fault, judged in sorted(sweep.judged.items(), key=lambda item: item[0]):
        row = paths.setdefault(fault.place.path, {"path": fault.place.path, "faults": 0, "found": 0, "free": {}})
        row["faults"] += 1
        # An answer `error` is blamed on all requirements of the case, so it proves none of them.
        for requirement in judged.first if fault.operator != "broken" else ():
            proof = {"case": judged.first[requirement], **_members(fault)}
            if requirement not in first or _strength(first[requirement]) < _strength(proof):
                first[requirement] = proof
        if judged.broken:
            survivors.append({**_members(fault), "cases": judged.broken[:3]})
        elif not judged.missed:
            row["found"] += 1
        elif sources := free_form_of(sweep.protocol, sweep.role, fault, judged):
            row["free"].setdefault(", ".join(sources), []).append(fault)
        else:
            survivors.append({**_members(fault), "cases": list(judged.missed)[:3]})
    return {
        "protocol": sweep.protocol,
        "role": sweep.role,
        "faults": len(sweep.judged),
        "judged": sum(judged.tried for judged in sweep.judged.values()),
        "found": sum(row["found"] for row in paths.values()),
        "free": sum(len(free) for row in paths.values() for free in row["free"].values()),
        "paths": [{**row, "free": _by_source(row["free"])} for row in paths.values()],
        "survivors": survivors,
        "first": {requirement: first[requirement] for requirement in sorted(first)},
    }


_OF_ANSWERS = ("refused", "other class", "taken for nothing", "nothing", "taken as without the fault")
"""Operators that replace the whole answer; later ones prove more about a requirement."""


def _strength(proof: Record) -> int:
    """How much a fault proves: one at a path of a right answer proves more than a replaced answer."""
    return _OF_ANSWERS.index(proof["operator"]) if proof["path"].startswith("answer") else len(_OF_ANSWERS)


def _members(fault: Fault) -> Record:
    place = fault.place
    return {"event": place.event, "path": place.path, "family": place.family, "operator": fault.operator}


def _by_source(free: Mapping[str, Iterable[Fault]]) -> list[Record]:
    return [
        {"source": source, "operators": sorted({fault.operator for fault in faults})}
        for source, faults in sorted(free.items())
    ]
