"""Write the generated pages of `docs` anew: requirements, notes, disagreements, divergences, mutants, coverage.

    python tools/reference_pages.py [--matrix FILE] [PAGE …]

Without FILE, which `ticdc-conformance mutants --report json=FILE` writes, the kill matrix is run here: some minutes.
The pages depend on the register, the cases, the mutants and the reference alone: no time, no place, a stable order.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from conformance.cases.corpora import coverage_table  # noqa: E402
from conformance.cases.index import indexed_cases  # noqa: E402
from conformance.cases.model import Anchor  # noqa: E402
from conformance.cases.parts import all_cases  # noqa: E402
from conformance.catalogue.anchors import ANCHORS, anchor_key  # noqa: E402
from conformance.catalogue.defects import load_defects  # noqa: E402
from conformance.catalogue.documents import load_documents  # noqa: E402
from conformance.catalogue.faults import faults_of  # noqa: E402
from conformance.catalogue.fixtures import fixtures_root  # noqa: E402
from conformance.catalogue.harm import HARMS  # noqa: E402
from conformance.catalogue.register import (  # noqa: E402
    ALL_PROFILES,
    DocumentSource,
    Level,
    Register,
    Requirement,
    load_register,
)
from conformance.engine.coverage import reference_coverage  # noqa: E402
from conformance.mutants import all_mutants  # noqa: E402
from conformance.mutants.matrix import KILLING_CASES, run_matrix  # noqa: E402
from conformance.mutants.model import Mutant  # noqa: E402
from conformance.oracle.harms import harms_as_text  # noqa: E402
from reference_impl.profiles import NEWARCH, PROFILES  # noqa: E402
from reference_impl.protocols import DIALECTS, UPSTREAM  # noqa: E402
from tools.cli_page import cli_page, schemas_page  # noqa: E402
from tools.divergences_page import divergences_page  # noqa: E402
from tools.oracle_page import oracle_page  # noqa: E402
from tools.page_text import TITLES, cell, code, link, page, table  # noqa: E402
from tools.requirement_sets import upgrading_page  # noqa: E402

ROLES = ("encode", "decode")
OPERATIONS = ("insert", "update", "delete")
SHOWN_MUTANTS = 3


def registers() -> Iterator[tuple[str, Register]]:
    """Every protocol's title and register, those of upstream dialects at the end."""
    for protocol in DIALECTS:
        yield TITLES[protocol], load_register(protocol)


# -- requirements --------------------------------------------------------------------------------------------------


def place(r: Requirement) -> str:
    """The source of a requirement."""
    if isinstance(r.source, DocumentSource):
        return f"{r.source.document}, {cell(r.source.heading)}, {r.source.paragraph}"
    return cell(r.source or "")


def holds(r: Requirement) -> str:
    """The profiles and releases for which a requirement holds, unless it holds for all."""
    profiles = [] if r.profiles == ALL_PROFILES else [p for p in PROFILES if p in r.profiles]
    return ", ".join(filter(None, (*profiles, r.releases)))


def proofs(r: Requirement, mutants: Sequence[Mutant]) -> str:
    """The proofs of a requirement: the roles of its generated faults, its first mutants, and the number of others."""
    roles = list(dict.fromkeys(fault.role for fault in faults_of(r.protocol) if fault.requirement == r.id))
    generated = f"generated fault ({', '.join(roles)})" if roles else ""
    names = [m.name.partition("/")[2] for m in mutants if m.requirement == r.id and m.protocol == r.protocol]
    more = f" and {len(names) - SHOWN_MUTANTS} more" if len(names) > SHOWN_MUTANTS else ""
    return ", ".join(filter(None, (generated, *map(code, names[:SHOWN_MUTANTS])))) + more


def identity(r: Requirement) -> str:
    """The id, with an anchor to link to."""
    return f'<a id="{anchor_key(r).replace("/", "-").lower()}"></a>{r.id}'


def requirements_page(anchor_of: Callable[[Requirement], Anchor | str | None]) -> str:
    """`requirements.md`, with the anchor of each requirement as given."""
    mutants = all_mutants()

    def lines() -> Iterator[str]:
        yield "* **Level**: a document states a *must*; recorded producers agree on a *should*, where documents are"
        yield "  silent; a *may* is free, and reported."
        yield "* **Place**: a document, a heading, and the number of a paragraph under it; or the recorded producers."
        yield "* **Holds for**: profiles and releases; empty where it holds for all of them."
        yield "* **Anchor**: the strongest oracle among the cases that evaluate it: `document`, `recorded`,"
        yield "  `second reader`, `reference only`; computed from a run and never written down."
        yield "* **Proven by**: generated faults, which must show it first ([faults.md](faults.md); `explain ID` names"
        yield "  them), and broken implementations that must die for it, all of them in [mutants.md](mutants.md)."
        yield ""
        yield "Remarks on the documents are in [register-notes.md](register-notes.md). The documents:"
        yield ""
        for document in load_documents().values():
            yield f"* `{document.id}`: [{document.title}]({document.url})"
        yield ""
        yield from table(
            ("protocol", *Level, "untestable", "in all"),
            (
                (
                    f"[{title}](#{title.lower().replace(' ', '-')})",
                    *(sum(r.testable and r.level is level for r in rules.requirements.values()) for level in Level),
                    sum(not r.testable for r in rules.requirements.values()),
                    len(rules.requirements),
                )
                for title, rules in registers()
            ),
        )
        for title, rules in registers():
            yield from _requirements_of(title, list(rules.requirements.values()), mutants, anchor_of)

    return page("Requirements", lines())


def _requirements_of(
    title: str,
    requirements: Sequence[Requirement],
    mutants: Sequence[Mutant],
    anchor_of: Callable[[Requirement], Anchor | str | None],
) -> Iterator[str]:
    yield f"## {title}"
    yield ""
    for group in dict.fromkeys(r.group for r in requirements if r.testable):
        yield f"### {title}: {group}"
        yield ""
        yield from table(
            ("id", "level", "role", "rule", "place", "holds for", "anchor", "proven by"),
            (
                (
                    identity(r),
                    r.level,
                    r.role,
                    cell(r.rule),
                    place(r),
                    holds(r),
                    anchor_of(r) or "none",
                    proofs(r, mutants),
                )
                for r in requirements
                if r.testable and r.group == group
            ),
        )
    if all(r.testable for r in requirements):
        return
    yield f"### {title}: untestable"
    yield ""
    yield "A harness cannot observe these requirements; they have no case and no verdict."
    yield ""
    yield from table(
        ("id", "role", "group", "rule", "place", "reason"),
        (
            (identity(r), r.role, cell(r.group), cell(r.rule), place(r), cell(r.reason))
            for r in requirements
            if not r.testable
        ),
    )


def computed_anchor(r: Requirement) -> Anchor | None:
    """The anchor of a requirement, from the reference's own run."""
    return reference_coverage(r.protocol).anchor(r.id)


def write_anchors() -> None:
    """Write the anchors of all requirements that can be tested, as data."""
    found = {
        anchor_key(r): str(computed_anchor(r))
        for protocol in DIALECTS
        for r in load_register(protocol).requirements.values()
        if r.testable
    }
    text = json.dumps(found, indent=1) + "\n"
    (fixtures_root() / ANCHORS).write_text(text, encoding="utf-8", newline="\n")


# -- notes ---------------------------------------------------------------------------------------------------------


def notes_page() -> str:
    """`register-notes.md`."""

    def lines() -> Iterator[str]:
        yield (
            "Places where a document is wrong, contradicts itself or the recordings, or says less than it seems to, "
            "and what this suite decided. The documents win over code, unless a note says that they do not."
        )
        yield ""
        for title, rules in registers():
            noted = [r for r in rules.requirements.values() if r.note]
            if not noted:
                continue
            yield f"## {title}"
            yield ""
            yield from table(
                ("id", "level", "rule", "place", "note"),
                (
                    (
                        link(r.id, r.protocol if r.protocol in UPSTREAM else ""),
                        r.level if r.testable else "untestable",
                        cell(r.rule),
                        place(r),
                        cell(r.note),
                    )
                    for r in noted
                ),
            )
        yield "## Known defects of recorded producers"
        yield ""
        yield (
            "`serve-reference --defects` reproduces them. A recording that shows one breaks the rule; the shipped "
            "baseline lists it as a known failure."
        )
        yield ""
        yield from table(
            ("defect", "profiles", "breaks", "what happens", "mended in"),
            (
                (code(d.id), ", ".join(d.profiles), link(d.requirement), cell(d.description), d.fixed_in)
                for d in load_defects()
            ),
        )

    return page("Notes of the register", lines())


# -- mutants -------------------------------------------------------------------------------------------------------


def mutants_page(outcome_of: Callable[[Mutant], str]) -> str:
    """`mutants.md`, with the outcome of each mutant as given."""
    mutants = all_mutants()

    def lines() -> Iterator[str]:
        yield (
            "A mutant is the reference implementation with one deliberate fault. It is *killed* when the requirement "
            "that it names finds fault with it in the cases that it answers; the report of the matrix shows which "
            "others do. A requirement that a fault of the [sweep](faults.md) proves needs no mutant."
        )
        yield ""
        yield (
            "Run the matrix: `tox run -e mutants`. See what one looks like: `ticdc-conformance run --iut "
            "'cmd:ticdc-conformance serve-reference --mutant NAME'`."
        )
        yield ""
        outcomes = Counter((m.protocol, outcome_of(m)) for m in mutants)
        names = sorted({outcome for _, outcome in outcomes})
        yield from table(
            ("protocol", *names, "in all"),
            ((TITLES[p], *(outcomes[p, o] for o in names), sum(m.protocol == p for m in mutants)) for p in DIALECTS),
        )
        for protocol in DIALECTS:
            yield f"## {TITLES[protocol]}"
            yield ""
            yield from table(
                ("mutant", "fault", "role", "judged as", "dies for", "outcome"),
                (
                    (
                        code(m.name),
                        cell(m.description),
                        m.role,
                        m.release or m.profile,
                        link(m.requirement, m.protocol if m.protocol in UPSTREAM else ""),
                        outcome_of(m),
                    )
                    for m in mutants
                    if m.protocol == protocol
                ),
            )

    return page("Mutants", lines())


def matrix(file: Path | None) -> Sequence[Mapping[str, Any]]:
    """The mutants of a saved matrix or of a new run, as the record of a matrix has them."""
    if file is not None:
        rows: Sequence[Mapping[str, Any]] = json.loads(file.read_text(encoding="utf-8"))["mutants"]
        return rows
    deaths = run_matrix(all_mutants(), all_cases)
    return [{"mutant": d.mutant.name, "outcome": str(d.outcome), "killed_by": d.killed_by} for d in deaths]


def killing_cases(rows: Iterable[Mapping[str, Any]]) -> str:
    """The content of `fixtures/killing_cases.json`: each killed mutant, and the case that killed it."""
    cases = {row["mutant"]: row["killed_by"] for row in rows if row["killed_by"]}
    return json.dumps(cases, indent=1, sort_keys=True, ensure_ascii=False) + "\n"


# -- coverage ------------------------------------------------------------------------------------------------------


def coverage_page() -> str:
    """`coverage.md`."""

    def lines() -> Iterator[str]:
        yield "Cases under each profile, by where their input is from:"
        yield ""
        sources = ("golden", "recorded", "invalid", "negative")
        yield from table(("protocol", "profile", "role", *sources, "corpora", "in all"), _case_counts(sources))
        yield (
            "Below, under the profile newarch: for each column type and boundary of its values, how many cases insert, "
            "update and delete it, as *encode / decode*. A case of several operations counts for each. Without a "
            "boundary a case mixes values."
        )
        yield ""
        for protocol in DIALECTS:
            yield f"## {TITLES[protocol]}"
            yield ""
            yield from table(("type", "boundary", *OPERATIONS), _coverage_rows(protocol))

    return page("Coverage", lines())


def _case_counts(sources: Sequence[str]) -> Iterator[Sequence[object]]:
    for protocol in DIALECTS:
        for profile in ("newarch",) if protocol in UPSTREAM else PROFILES:
            cases = indexed_cases(protocol, PROFILES[profile])
            for role in ROLES:
                groups = Counter(c.id.split("/")[1] for c in cases if c.role == role)
                known = [groups[source] for source in sources]
                yield TITLES[protocol], profile, role, *known, groups.total() - sum(known), groups.total()


def _coverage_rows(protocol: str) -> Iterator[Sequence[object]]:
    counts: dict[tuple[str, str], Counter[tuple[str, str]]] = {}
    for row in coverage_table(indexed_cases(protocol, NEWARCH)):
        found = counts.setdefault((str(row["type"]), str(row["boundary"])), Counter())
        found[str(row["operation"]), str(row["role"])] += int(row["cases"])
    for (column_type, boundary), found in counts.items():
        operations = (" / ".join(str(found[operation, role]) for role in ROLES) for operation in OPERATIONS)
        yield code(column_type), cell(boundary), *operations


# -- command -------------------------------------------------------------------------------------------------------


PAGES: Mapping[str, Callable[[], str]] = {
    "register-notes": notes_page,
    "oracle": oracle_page,
    "divergences": divergences_page,
    "coverage": coverage_page,
    "cli": cli_page,
    "schemas": schemas_page,
    "upgrading": upgrading_page,
}
"""Page → what makes it of the registers, catalogues, parser, requirement sets, files, and cases of today."""


def main() -> None:
    """Write the named pages, by default all of them."""
    parser = argparse.ArgumentParser(description="Write the generated pages of docs anew.")
    parser.add_argument("--matrix", type=Path, metavar="FILE", help="ticdc-conformance mutants --report json=FILE")
    parser.add_argument("pages", nargs="*", metavar="PAGE", help=", ".join(("requirements", "mutants", *PAGES)))
    arguments = parser.parse_args()

    def requirements() -> str:
        write_anchors()
        (fixtures_root() / HARMS).write_text(harms_as_text(), encoding="utf-8", newline="\n")
        return requirements_page(computed_anchor)

    def mutants() -> str:
        rows = matrix(arguments.matrix)
        outcomes = {row["mutant"]: str(row["outcome"]) for row in rows}
        text = mutants_page(lambda m: outcomes[m.name])
        (fixtures_root() / KILLING_CASES).write_text(killing_cases(rows), encoding="utf-8", newline="\n")
        return text

    pages = {"requirements": requirements, "mutants": mutants, **PAGES}
    for name in arguments.pages or pages:
        if name not in pages:
            parser.error(f"there is no page {name!r}; pages are {', '.join(pages)}")
        text = pages[name]()
        (ROOT / "docs" / f"{name}.md").write_text(text, encoding="utf-8", newline="\n")
        print(f"docs/{name}.md: {text.count(chr(10))} lines")


if __name__ == "__main__":
    main()
