"""The kill matrix as a page: the content of `templates/matrix.html`, in order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from reports.frame import Frame
from reports.matrix.wording import (
    KILLED,
    NOT_RUN,
    SHOWN,
    WRITE_ANEW,
    Record,
    defects_with_mutants,
    faults_text,
    gate_text,
    levels,
    mutant_count,
    not_killed,
    not_shown_first,
    proofs_text,
    sum_of,
    to_do,
    unproven,
)
from reports.renderer import NO_OPTIONS, ReportOptions
from reports.texts import sentence

__all__ = ["html_text"]

_MANY = 4
_COLOURS: Final[Mapping[str, str]] = {
    KILLED: "good",
    SHOWN: "good",
    "proved": "good",
    NOT_RUN: "idle",
    "never shown first": "idle",
    "no proof": "idle",
    "no mutant": "idle",
    "not expressible": "idle",
}
_SECTIONS: Final[Mapping[str, str]] = {
    "totals": "Totals",
    "attention": "To be mended",
    "requirements": "Requirements",
    "history": "Historical defects",
    "mutants": "Mutants",
    "faults": "Generated faults",
}
_COLOUR_OF_EXIT: Final[Mapping[int, str]] = {0: "good", 1: "bad", 3: "bad"}
_ABOUT = (
    "A mutant is the reference implementation with one deliberate fault. It is killed when the requirement that it "
    "names finds fault with it in the cases that are run against it. A mutant that survives shows a check that does "
    "not work. A generated fault is one change at one path of the reference's answer to one case; the requirement "
    "that it proves must be the one shown first."
)


def html_text(record: Record, options: ReportOptions = NO_OPTIONS) -> str:
    """The whole page. Raises `TemplateProblem` for a wrong template of the user's."""
    return Frame("reports.matrix", options.templates).render("matrix.html", _view(record))


def _view(record: Record) -> dict[str, Any]:
    parts = {
        "attention": list(_attention(record)),
        "requirements": _by_protocol(_requirements(record)),
        "history": list(_history(record)),
        "inexpressible": [_defect(d) for d in record["history"] if d["fate"] == "not expressible"],
        "mutants": _by_protocol(map(_mutant, record["mutants"])),
        "faults": _by_protocol(
            {**f, "anchor": anchor, "is_trouble": f["outcome"] != SHOWN} for anchor, f in _faults_with_ids(record)
        ),
    }
    filled = {"totals", *(name for name, rows in parts.items() if rows), *(["history"] if record["history"] else [])}
    gate = gate_text(record)
    return parts | {
        "title": f"Kill matrix: {gate}",
        "verdict": {
            "sentence": f"{sentence(gate)} {mutant_count(record['planned'])}: {sum_of(record['totals'])}.",
            "colour": _COLOUR_OF_EXIT.get(record["exit"], "idle"),
        },
        "notes": [record["message"]] if record["message"] and record["message"] not in gate else [],
        "facts": list(_facts(record)),
        "sections": [(name, title) for name, title in _SECTIONS.items() if name in filled],
        "filter": {"example": "CJ-388 decode unsigned", "only": "only what is not killed or proved"},
        "footer": f"ticdc-conformance {record['suite']}",
        "about": _ABOUT,
        "colours": _COLOURS,
        "anchors": _anchors(record),
        "totals": list(record["totals"].items()),
        "tables": [_by_role(record), _by_level(record)],
        "history_sum": _history_sum(record),
    }


def _facts(record: Record) -> Iterator[tuple[str, str]]:
    yield "suite", record["suite"]
    if record["selection"]:
        yield "selected by", f"-k {record['selection']!r}"
    yield "cases each", f"{record['cases_each']:,}; more only where a mutant is not killed by them"
    if faults := faults_text(record):
        yield "generated faults", faults


def _anchors(record: Record) -> frozenset[str]:
    """Ids of the rows on the page; defects outside the suite's scope have none."""
    return frozenset(
        [f"mutant-{m['mutant']}" for m in record["mutants"]]
        + [f"requirement-{r['id']}" for r in record["requirements"]]
        + [anchor for anchor, _ in _faults_with_ids(record)]
        + [f"history-{d['id']}" for d in record["history"] if d["mutants"] or d["fate"] == "not expressible"]
    )


def _faults_with_ids(record: Record) -> Iterator[tuple[str, Record]]:
    """Each generated fault with the id of its row; further ones of a requirement and role are numbered."""
    known: Counter[str] = Counter()
    for fault in record.get("faults", ()):
        anchor = f"fault-{fault['protocol']}-{fault['role']}-{fault['requirement']}"
        known[anchor] += 1
        yield anchor if known[anchor] == 1 else f"{anchor}-{known[anchor]}", fault


# -- sections ------------------------------------------------------------------------------------------------------


def _by_role(record: Record) -> dict[str, Any]:
    outcomes = [name for name, number in record["totals"].items() if number]
    return {
        "caption": "by protocol and role",
        "heads": ["protocol", "role", "mutants", *outcomes],
        "numbers_from": 2,
        "rows": [
            [group["protocol"], group["role"], group["planned"], *(group["totals"][outcome] for outcome in outcomes)]
            for group in record["groups"]
        ],
    }


def _by_level(record: Record) -> dict[str, Any]:
    by_level = levels(record["requirements"])
    statuses = [s for s in next(iter(by_level.values()), ()) if any(counts[s] for counts in by_level.values())]
    return {
        "caption": "requirements by level",
        "heads": ["level", "requirements", *statuses],
        "numbers_from": 1,
        "rows": [
            [level, sum(counts.values()), *(counts[status] for status in statuses)]
            for level, counts in by_level.items()
        ],
    }


def _attention(record: Record) -> Iterator[dict[str, Any]]:
    for m in not_killed(record):
        yield _trouble("mutant", m["mutant"], m["outcome"], to_do(m)) | {"also": m["also"], "again": m["again"]}
    troubles = not_shown_first(record)
    for anchor, f in _faults_with_ids(record):
        if f in troubles:
            yield _trouble("fault", anchor.removeprefix("fault-"), f["outcome"], WRITE_ANEW)
    for r in unproven(record):
        if not proofs_text(r):
            yield _trouble("requirement", r["id"], r["standing"], "it needs a mutant or fault")


def _trouble(kind: str, name: str, outcome: str, what_to_do: str) -> dict[str, Any]:
    return {"kind": kind, "name": name, "outcome": outcome, "to_do": what_to_do, "also": [], "again": ""}


def _requirements(record: Record) -> Iterator[dict[str, Any]]:
    by_name = {m["mutant"]: m for m in record["mutants"]}
    faults: dict[tuple[str, str], list[dict[str, str]]] = {}
    for anchor, f in _faults_with_ids(record):
        faults.setdefault((f["protocol"], f["requirement"]), []).append(
            _proof(anchor.removeprefix("fault-"), f"generated fault, {f['role']}", f)
        )
    for r in record["requirements"]:
        yield {
            **r,
            "mutants": [_proof(name, name.partition("/")[2], by_name[name]) for name in r["mutants"]],
            "faults": faults.get((r["protocol"], r["id"]), []),
            "is_folded": len(r["mutants"]) > _MANY,
        }


def _proof(name: str, short: str, row: Record) -> dict[str, str]:
    """The link of a requirement to a mutant or fault that proves it."""
    finding = row["finding"]["fingerprint"] if row["finding"] else ""
    return {"name": name, "short": short, "outcome": row["outcome"], "finding": finding}


def _history_sum(record: Record) -> str:
    if not record["history"]:
        return ""
    out = record["history_totals"]["out of scope"]
    rest = " Those out of the scope of a suite of messages are in the JSON report." if out else ""
    return f"{sum_of(record['history_totals'])}.{rest}"


def _history(record: Record) -> Iterator[dict[str, Any]]:
    outcomes = {m["mutant"]: m["outcome"] for m in record["mutants"]}
    for d in defects_with_mutants(record):
        names = [{"name": name, "outcome": outcomes.get(name, NOT_RUN)} for name in d["mutants"]]
        yield _defect(d) | {"mutants": names, "is_trouble": d["fate"] != KILLED}


def _defect(defect: Record) -> dict[str, Any]:
    fixed = f"mended in {defect['fixed']}" if defect["fixed"] else ""
    return {**defect, "references": "; ".join(filter(None, (", ".join(defect["references"]), fixed)))}


def _mutant(m: Record) -> dict[str, Any]:
    return {
        **m,
        "style": m["release"] or m["profile"],
        "evidence": list(_evidence(m)),
        "is_trouble": m["outcome"] != KILLED,
    }


def _evidence(m: Record) -> Iterator[tuple[str, str, Any]]:
    """(label, form, value): form is `code`, `finding`, or the kind of rows that the names in the value link to."""
    is_first = m["witness"] == m["killed_by"]
    rows: Sequence[tuple[str, str, Any]] = (
        ("differs on, and killed by" if is_first else "killed by", "code", m["killed_by"]),
        ("finding", "finding", m["finding"]),
        ("differs on", "code", "" if is_first else m["witness"]),
        ("also found by", "requirement", m["also"]),
        ("stands for", "history", m["history"]),
    )
    return ((label, form, value) for label, form, value in rows if value)


def _by_protocol(rows: Iterable[Record]) -> list[tuple[str, list[Record]]]:
    """Each protocol with its rows."""
    found: dict[str, list[Record]] = {}
    for row in rows:
        found.setdefault(row["protocol"], []).append(row)
    return list(found.items())
