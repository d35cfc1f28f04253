"""The kill matrix in Markdown: surviving mutants first; then requirements, historical defects, mutants as tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from reports.markup import Markdown, cell, code, code_cell, table
from reports.matrix.wording import (
    WRITE_ANEW,
    Record,
    faults_text,
    gate_text,
    history_text,
    mutant_count,
    not_killed,
    not_shown_first,
    proofs_text,
    sum_of,
    to_do,
)

__all__ = ["markdown_text"]


def markdown_text(record: Record) -> str:
    """The whole report."""
    return "\n".join(_lines(record)).rstrip("\n") + "\n"


def _lines(record: Record) -> Iterator[str]:
    yield f"# Kill matrix: {gate_text(record)}"
    yield ""
    if record["message"]:
        yield from (cell(record["message"]), "")
    yield f"{mutant_count(record['planned'])}: {sum_of(record['totals'])}."
    if faults := faults_text(record):
        yield f"Generated faults: {faults}."
    yield ""
    groups = ((g["protocol"], g["role"], g["planned"], sum_of(g["totals"])) for g in record["groups"])
    yield from (*table(("protocol", "role", "mutants", "outcomes"), groups), "")
    yield from _section(
        "Not killed for their own reason",
        (f"- {code(m['mutant'])}: {m['outcome']}; {cell(to_do(m))}{_also(m)}{_see(m)}" for m in not_killed(record)),
    )
    yield from _section("Not shown first by their requirement", _not_shown_first(record))
    yield from _section("Requirements", _requirements(record))
    if record["history"]:
        yield from _section("Historical defects", (f"{history_text(record)}.", "", *_history(record)))
    yield from _section("Mutants", _mutants(record))
    if record.get("faults"):
        yield from _section("Generated faults", _faults(record["faults"]))


def _section(title: str, lines: Iterable[str]) -> Iterator[str]:
    """The lines under a heading; empty without lines."""
    found = list(lines)
    if found:
        yield from (f"## {title}", "", *found, "")


def _not_shown_first(record: Record) -> Iterator[str]:
    found = not_shown_first(record)
    for f in found:
        yield (
            f"- {cell(', '.join((f['requirement'], f['protocol'], f['role'])))}: {cell(f['outcome'])}: "
            f"{cell(f['fault'])} in {code(f['case'])}; shown: {cell(f['shown'] or 'nothing')}"
        )
    if found:
        yield from ("", f"What to do: {WRITE_ANEW}.")


def _requirements(record: Record) -> Iterator[str]:
    return table(
        ("requirement", "level", "role", "rule", "status", "proven by", "mutants"),
        (
            (r["id"], r["level"], r["role"], r["rule"], r["standing"], proofs_text(r), _names(r["mutants"]))
            for r in record["requirements"]
        ),
    )


def _history(record: Record) -> Iterator[str]:
    tried = {m["mutant"] for m in record["mutants"]}
    return table(
        ("historical defect", "symptom", "fixed", "references", "mutants, or why there is none", "outcome"),
        (
            (
                d["id"],
                d["symptom"],
                d["fixed"],
                ", ".join(d["references"]),
                _names([name for name in d["mutants"] if name in tried]) or d["reason"],
                d["fate"],
            )
            for d in record["history"]
        ),
    )


def _mutants(record: Record) -> Iterator[str]:
    return table(
        ("mutant", "fault", "role", "dies for", "outcome", "killed by", "finding", "differs on", "also broke"),
        (
            (
                code_cell(m["mutant"]),
                *(m[name] for name in ("fault", "role", "requirement", "outcome", "killed_by")),
                _fingerprint(m),
                m["witness"],
                ", ".join(m["also"]),
            )
            for m in record["mutants"]
        ),
    )


def _faults(faults: Sequence[Record]) -> Iterator[str]:
    members = ("requirement", "protocol", "role", "fault")
    return table(
        (*members, "case", "outcome", "finding"),
        ((*(f[name] for name in members), code_cell(f["case"]), f["outcome"], _fingerprint(f)) for f in faults),
    )


def _names(mutants: Sequence[str]) -> Markdown:
    return Markdown(", ".join(map(code_cell, mutants)))


def _fingerprint(row: Record) -> str:
    return code_cell(row["finding"]["fingerprint"]) if row["finding"] else ""


def _also(mutant: Record) -> str:
    return f"; found by {cell(', '.join(mutant['also']))}" if mutant["also"] else ""


def _see(mutant: Record) -> str:
    return f"; see {code(mutant['again'])}" if mutant["again"] else ""
