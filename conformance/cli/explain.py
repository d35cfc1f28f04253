"""`explain ID|carry`: a requirement, mutant, defect, disagreement, divergence or case; or what formats carry."""

from __future__ import annotations

import argparse
import re
import shlex
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from conformance.catalogue.anchors import anchor_key, load_anchors
from conformance.catalogue.defects import Defect, defects_of_profile
from conformance.catalogue.disagreements import load_disagreements
from conformance.catalogue.divergences import divergences_about, find_divergence, load_divergences
from conformance.catalogue.documents import heading_text, load_documents
from conformance.catalogue.harm import load_harms
from conformance.catalogue.history import PREFIX, HistoricalDefect, defects_of_mutant, load_history
from conformance.catalogue.register import DocumentSource, Requirement, load_register
from conformance.catalogue.withdrawn import load_withdrawn
from conformance.cli.disagreements import disagreement_lines, disagreement_named, disagreements_about
from conformance.cli.divergences import divergence_lines
from conformance.cli.shown_checks import shown_checks
from conformance.errors import UsageError
from conformance.nearest import did_you_mean
from conformance.oracle import ORACLES
from reference_impl.profiles import NEWARCH, PROFILES
from reference_impl.protocols import DIALECTS

if TYPE_CHECKING:
    from conformance.cases.model import Case
    from conformance.mutants.model import Mutant

__all__ = ["register"]


_ID = re.compile("[A-Za-z]+-[0-9]+[A-Za-z]*")


def register(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "explain",
        description="Say what an id stands for. A requirement: its rule, its place in a document, where it is checked, "
        "the mutants that break it, the cases that evaluate it. A case: what it gives an implementation and what it "
        "proves. A mutant, a divergence, a disagreement or a historical defect: what it is and where it shows. With "
        "carry: what each format carries of an event.",
    )
    parser.add_argument(
        "id",
        metavar="ID",
        help="CJ-388, DV-40, a mutant's name, history/CJ-01, disagreement/DC-01, divergence/DBZ-501, a case, or: carry",
    )
    parser.set_defaults(handle=_explain)


def _explain(args: argparse.Namespace) -> int:
    lines = list(_carry() if args.id == "carry" else _find(args.id))
    if not lines:
        lists = "requirements|mutants|divergences|cases|defects|history|consumers"
        from conformance.cli.known_cases import near_cases

        if args.id in load_history():
            hint = f"; did you mean {PREFIX}{args.id}?"
        else:
            hint = did_you_mean(args.id, _names()) or near_cases(args.id, NEWARCH)
        raise UsageError(f"nothing is called {args.id!r}{hint}\n  See: ticdc-conformance list {lists}")
    print("\n".join(lines))
    return 0


def _find(name: str) -> Iterator[str]:
    requirements = [found for protocol in DIALECTS if (found := load_register(protocol).find(name))]
    if requirements:  # an upstream dialect shares ids with the protocol that imitates it
        for requirement in requirements:
            yield from _requirement(requirement)
        return
    from conformance.mutants import all_mutants

    for mutant in all_mutants():
        if mutant.name == name:
            yield from _mutant(mutant)
            return
    for defect in _all_defects():
        if defect.id == name:
            yield from _defect(defect)
            return
    if name.startswith(PREFIX) and (historical := load_history().get(name.removeprefix(PREFIX))):
        yield from _historical(historical)
        return
    if disagreement := disagreement_named(name):
        yield from disagreement_lines(disagreement)
        return
    if divergence := find_divergence(name):
        yield from divergence_lines(divergence)
        return
    if withdrawn := load_withdrawn().get(name):
        yield f"{name}  withdrawn: no requirement has this id any more"
        yield _entry("why", withdrawn.why)
        if withdrawn.see:
            yield _entry("see", ", ".join(withdrawn.see))
        return
    if _ID.fullmatch(name):
        return  # a case's name has another form
    from conformance.cases.index import case_of
    from conformance.cli.known_cases import known_cases

    for protocol in DIALECTS:
        for head in known_cases(protocol, NEWARCH):
            if name in (head.id, head.replay_id, head.opaque_id):
                yield from _case(case_of(head, NEWARCH))


def _names() -> Iterator[str]:
    """The names that `explain` knows, except those of cases."""
    from conformance.mutants import all_mutants

    for protocol in DIALECTS:
        yield from load_register(protocol).requirements
    yield from (divergence.id for pair in load_divergences().values() for divergence in pair.divergences)
    yield from (f"{PREFIX}{name}" for name in load_history())
    yield from (entry.name for catalogue in load_disagreements().values() for entry in catalogue.disagreements)
    yield from (mutant.name for mutant in all_mutants())
    yield from (defect.id for defect in _all_defects())
    yield "carry"


def _all_defects() -> list[Defect]:
    return list({d.id: d for name in PROFILES for d in defects_of_profile(name)}.values())


def _entry(label: str, text: object) -> str:
    return f"  {label:<11} {text}"


def _requirement(r: Requirement) -> Iterator[str]:
    title = f"{r.id}  {str(r.level).upper()}  {r.protocol}, {'both roles' if r.role == 'both' else r.role}"
    yield title + ("" if r.testable else "  (untestable)")
    yield _entry("rule", r.rule)
    if isinstance(r.source, DocumentSource):
        document = load_documents()[r.source.document]
        yield _entry(
            "place", f"{document.title}, {heading_text(document.id, r.source.heading)}, paragraph {r.source.paragraph}"
        )
        yield _entry("", document.url)
    elif r.source:
        yield _entry("place", r.source)
    if harms := load_harms(r.protocol).get(r.id):
        yield _entry("harm", f"{', '.join(harms)}: by what differs, and where" if len(harms) > 1 else harms[0])
    yield _entry("profiles", ", ".join(sorted(r.profiles)))
    if r.releases:
        yield _entry("releases", r.releases)
    if not r.testable:
        yield _entry("reason", r.reason)
    else:
        for lines in shown_checks(r):
            yield from (_entry("" if n else "checked", line) for n, line in enumerate(lines))
        yield _entry("anchor", load_anchors().get(anchor_key(r), "no assertion ran"))
    if r.note:
        yield _entry("note", r.note)
    yield from _shown_by(r)
    yield from _cases_of(r)


def _shown_by(r: Requirement) -> Iterator[str]:
    """What is known of a requirement elsewhere: disagreements, divergences, mutants, faults and defects."""
    from conformance.catalogue.faults import faults_of
    from conformance.mutants import mutants_of

    for disagreement in disagreements_about(r.protocol, r.id):
        yield _entry("disputed", f"{disagreement.name}: {disagreement.title}")
    for divergence in divergences_about(r.id):
        yield _entry("differs", f"{divergence.name}: {divergence.title}")
    mutants = [m for m in mutants_of(r.protocol) if m.requirement == r.id]
    for mutant in mutants:
        yield _entry("mutant", f"{mutant.name}: {mutant.description}")
    for fault in faults_of(r.protocol):
        if fault.requirement == r.id:
            yield _entry("fault", f"generated, {fault.role}: {fault.change} in {fault.case} shows it first")
    for historical in dict.fromkeys(defect for m in mutants for defect in defects_of_mutant(m.name)):
        yield _entry("history", f"{historical.name}: {historical.symptom}")
    for defect in _all_defects():
        if defect.requirement == r.id:
            yield _entry("violated by", f"{', '.join(sorted(defect.profiles))}: {defect.description}")


def _cases_of(r: Requirement) -> Iterator[str]:
    """Examples of the cases written for a requirement, or of those that evaluate it; and their number."""
    from conformance.cases.index_rows import Entry, entries_of
    from conformance.cases.model import IndexedCase
    from conformance.cli.known_cases import known_cases

    entries = list(entries_of(known_cases(r.protocol, NEWARCH)))
    written = [case for case in entries if r.id in case.requirements]
    evaluating = [case for case in entries if isinstance(case, Entry | IndexedCase) and r.id in case.found_by]
    for case in (written or evaluating)[:3]:
        yield _entry("example", case.id)
    if written or evaluating:
        # Without the index it is unknown which cases evaluate the requirement.
        number = f"{len(written):,} written for it" + (f", {len(evaluating):,} evaluate it" if evaluating else "")
        yield _entry("cases", f"{number}: ticdc-conformance list cases -k {r.id}")


def _mutant(m: Mutant) -> Iterator[str]:
    from conformance.mutants.record import address_of, run_arguments

    requirement = load_register(m.protocol).requirements[m.requirement]
    yield f"{m.name}  mutant, {m.role}, judged as {m.release or m.profile}"
    yield _entry("fault", m.description)
    yield _entry("dies for", f"{requirement.id}  {str(requirement.level).upper()}  {requirement.rule}")
    for historical in defects_of_mutant(m.name):
        yield _entry("history", f"{historical.name}: {historical.symptom}")
    chosen = ["--protocol", m.protocol, "--role", m.role, *run_arguments(m)]
    yield _entry("try", shlex.join(["ticdc-conformance", "run", "--iut", address_of(m), *chosen]))
    yield _entry("matrix", f"ticdc-conformance mutants -k {m.name}")


def _defect(d: Defect) -> Iterator[str]:
    yield f"{d.id}  known defect of {', '.join(sorted(d.profiles))}"
    yield _entry("fault", d.description)
    yield _entry("breaks", d.requirement)
    yield from (_entry("recorded", case) for case in d.recorded)


def _historical(d: HistoricalDefect) -> Iterator[str]:
    from conformance.mutants import all_mutants

    yield f"{d.name}  historical defect, mended in {d.fixed}" if d.fixed else f"{d.name}  historical defect"
    yield _entry("symptom", d.symptom)
    yield from (_entry("reference", reference) for reference in d.references)
    if d.mechanisms:
        yield _entry("shown by", " ".join(d.mechanisms))
    for mutant in all_mutants():
        if mutant.name in d.mutants:
            yield _entry("mutant", f"{mutant.name}, which dies for {mutant.requirement}: {mutant.description}")
    if not d.mutants:
        yield _entry("reason", f"{d.scope}: {d.reason}")


def _case(c: Case) -> Iterator[str]:
    from conformance.engine.events import input_of
    from reports.inputs import input_lines

    yield f"{c.id}  {c.role}  replay {c.replay_id}"
    yield _entry("anchor", f"{c.anchor}  {c.source}")
    yield _entry("options", dict(c.options) or "defaults")
    if c.requirements:
        yield _entry("proves", ", ".join(c.requirements))
    for statement in c.sql:
        yield _entry("sql", statement)
    for i, line in enumerate(input_lines({"role": c.role, "input": input_of(c)})):
        yield _entry("input" if i == 0 else "", line)


def _carry() -> Iterator[str]:
    for protocol, oracle in ORACLES.items():
        yield protocol
        yield from (f"  {what}: {how}" for what, how in oracle.carried)
