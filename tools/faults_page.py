"""Writes `docs/faults.md` and `fixtures/faults.json` from the record of a fault sweep.

The page lists the paths and operators, the found faults, and the free ones with the reasons. The other file has one
fault for each requirement and role that is shown first for some fault; the kill matrix judges them again.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from conformance.catalogue.faults import FAULTS, read_faults  # noqa: E402
from conformance.catalogue.fixtures import fixtures_root  # noqa: E402
from conformance.catalogue.register import Level, Requirement, load_register  # noqa: E402
from conformance.sweep.free_forms import FREE_FORMS, OPTIONAL  # noqa: E402
from conformance.sweep.judging import PROTOCOL_ROLES  # noqa: E402
from conformance.sweep.operators import IN_VALUE, OPERATORS  # noqa: E402
from conformance.sweep.proofs import Proof, proofs_of  # noqa: E402
from tools.page_text import GENERATED, TITLES, cell, code, page, table  # noqa: E402

Record = dict[str, Any]

PAGE = ROOT / "docs" / "faults.md"


def faults_page(record: Record) -> str:
    """The page of a record, as `sweep --report json=PATH` writes it."""
    return page("Generated faults", _lines(record), GENERATED.replace("reference_pages", "faults_page"))


def _lines(record: Record) -> Iterator[str]:
    yield "The reference's answers are changed at every path by every operator, and each changed answer is judged."
    yield "Operation, path, column family and operator identify a fault. It is *found* when a requirement at"
    yield "SHOULD or stronger finds it wherever it was tried; it is *free* when the table below says why it is allowed;"
    yield "any other fault has *survived* and shows a gap in the suite. `ticdc-conformance sweep` repeats it."
    yield ""
    yield from table(
        ("protocol", "role", "paths", "faults", "judged", "found", "free", "survived", "requirements shown first"),
        (
            (
                TITLES[one["protocol"]],
                one["role"],
                len(one["paths"]),
                one["faults"],
                one["judged"],
                one["found"],
                one["free"],
                len(one["survivors"]),
                len(one["first"]),
            )
            for one in record["sweeps"]
        ),
    )
    yield from _operators_and_free_forms()
    for one in record["sweeps"]:
        yield from _sweep(one)


def _operators_and_free_forms() -> Iterator[str]:
    yield ""
    yield f"The operators: {', '.join(OPERATORS)}."
    yield ""
    yield "Where key and value of a record both hold a column, each operator also changes both at once, and its"
    yield f"name ends in *{IN_VALUE.strip()}*."
    yield ""
    yield "## What is free"
    yield ""
    yield from table(
        ("protocols", "role", "path", "operators", "why", "source"),
        (
            (
                ", ".join(TITLES[p] for p in free.protocols),
                free.role,
                code(free.path),
                ", ".join(free.operators) + (f" ({', '.join(free.families)})" if free.families else ""),
                cell(free.why),
                cell(free.source),
            )
            for free in FREE_FORMS
        ),
    )
    yield "A fault is also free where only one of these requirements finds it; each is a MAY:"
    yield ""
    yield from table(
        ("protocol", "role", "requirements"),
        ((TITLES[protocol], role, ids.replace(" ", ", ")) for (protocol, role), ids in OPTIONAL.items()),
    )


def _sweep(one: Record) -> Iterator[str]:
    yield ""
    yield f"## {TITLES[one['protocol']]}, {one['role']}"
    yield ""
    if one["survivors"]:
        yield "Survived:"
        yield ""
        for s in one["survivors"]:
            where = " ".join(filter(None, (s["event"], code(s["path"]), s["family"])))
            yield f"* {s['operator']} at {where}"
        yield ""
    yield "Requirements that are shown first for no fault: " + (", ".join(_unproven(one)) or "none") + "."
    yield ""
    yield from table(
        ("path", "faults", "found", "free"),
        ((code(row["path"]), row["faults"], row["found"], _free(row)) for row in one["paths"]),
    )


def _unproven(one: Record) -> Iterator[str]:
    """The testable requirements above MAY that no fault proves."""
    for requirement in load_register(one["protocol"]).requirements.values():
        if _needs_proof(requirement, one["role"]) and requirement.id not in one["first"]:
            yield requirement.id


def _needs_proof(requirement: Requirement, role: str) -> bool:
    applies = "newarch" in requirement.profiles and requirement.level is not Level.MAY
    return applies and _is_judged_in(requirement, role)


def _is_judged_in(requirement: Requirement, role: str) -> bool:
    return requirement.testable and requirement.role in (role, "both")


def _free(row: Record) -> str:
    return "; ".join(f"{', '.join(free['operators'])}: {cell(free['source'])}" for free in row["free"])


def faults_text(record: Record) -> str:
    """The content of `fixtures/faults.json`: a fault a line, for requirements that are judged in its role."""
    rows = [
        {"protocol": one["protocol"], "role": one["role"], "requirement": requirement, **fault}
        for one in record["sweeps"]
        for requirement, fault in one["first"].items()
        if _is_judged_in(load_register(one["protocol"]).requirements[requirement], one["role"])
    ]
    return "[\n" + ",\n".join(json.dumps(row, ensure_ascii=False) for row in rows) + "\n]\n"


def changed_proofs(proofs: Iterable[Proof]) -> Iterator[str]:
    """A line for each recorded fault that breaks other requirements now: a new file would hide that."""
    for proof in proofs:
        if proof.is_as_recorded:
            continue
        fault = proof.fault
        breaks = f"it breaks {' '.join((proof.shown, *proof.others))}" if proof.shown else str(proof.showing)
        recorded = " ".join((fault.requirement, *fault.others))
        yield f"{fault.protocol} {fault.role}, {fault.case}, {fault.change}: {breaks}; recorded: {recorded}"


def joined(records: list[Record]) -> Record:
    """Merge records of several protocols and roles.

    Raises `SystemExit` if one is missing or repeated.
    """
    sweeps = {(one["protocol"], one["role"]): one for record in records for one in record["sweeps"]}
    if sorted(sweeps) != sorted(PROTOCOL_ROLES) or len(sweeps) != sum(len(record["sweeps"]) for record in records):
        missing = ", ".join(" ".join(pair) for pair in PROTOCOL_ROLES if pair not in sweeps) or "none"
        raise SystemExit(f"every protocol and role is needed once; missing: {missing}")
    return {"sweeps": [sweeps[pair] for pair in PROTOCOL_ROLES]}


def main() -> None:
    """Write both files from the records in the files named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "records", type=Path, nargs="+", help="what `sweep --report json=FILE` wrote, each protocol and role once"
    )
    parser.add_argument("--accept", action="store_true", help="also if a recorded fault breaks other requirements now")
    args = parser.parse_args()
    record = joined([json.loads(file.read_text("utf-8")) for file in args.records])
    path = fixtures_root() / FAULTS
    if not args.accept and (changes := [*changed_proofs(proofs_of(read_faults(path)))]):
        raise SystemExit(
            "\n".join([*changes, "nothing is written; --accept writes, if each of these changes is meant"])
        )
    PAGE.write_text(faults_page(record), "utf-8")
    path.write_text(faults_text(record), "utf-8")


if __name__ == "__main__":
    main()
