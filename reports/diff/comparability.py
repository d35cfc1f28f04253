"""What makes two runs hard to compare, in sentences for the top of a diff."""

from __future__ import annotations

from collections.abc import Iterator

from reports.diff.contents import Compared
from reports.diff.sides import Pairing, Side
from reports.texts import case_count, suite_text

__all__ = ["notes_of", "registers_of"]

_RULE = "a rule may have changed, and not the implementation"


def notes_of(left: Side, right: Side, pairing: Pairing, compared: Compared, name: str = "") -> list[str]:
    """Sentences without a full stop, the gravest first, with `name` before them where there are several pairs."""
    lead = f"{name}: " if name else ""
    found = [*_runs(left, right), *_selections(left, right), *_answers(pairing, compared)]
    return [f"{lead}{note}" for note in found]


def _runs(left: Side, right: Side) -> Iterator[str]:
    for side in (left, right):
        if not side.is_whole:
            yield f"{side.name} was cut: what it lacks counts as not run, or as in one run only"
        elif not side.is_conclusive:
            yield f"{side.name} is inconclusive: it was interrupted, or the implementation was not there to the end"
    if suite_text(left.run) != suite_text(right.run):
        suites = f"{suite_text(left.run) or 'unknown'} and {suite_text(right.run) or 'unknown'}"
        yield f"the runs are of two versions of the suite ({suites}): {_RULE}"
    old, new = registers_of(left), registers_of(right)
    differing = [protocol for protocol in old if protocol in new and old[protocol] != new[protocol]]
    if differing:
        yield f"the registers differ for {', '.join(differing)}: {_RULE}"
    if left.profile != right.profile:
        yield (
            f"the runs are judged by two profiles ({left.profile or 'unknown'}, {right.profile or 'unknown'}): where "
            "both pass and the meaning differs, each writes what its own profile says"
        )


def registers_of(side: Side) -> dict[str, str]:
    """Protocol judged → digest of its register."""
    registers, judged = side.run.get("registers") or {}, side.protocols
    return {name: str(one.get("digest", "")) for name, one in registers.items() if name in judged}


def _selections(left: Side, right: Side) -> Iterator[str]:
    for what in ("level", "gate"):
        one, other = (side.run.get(what, "unknown") for side in (left, right))
        if one != other:
            yield f"the runs were made with --{what} {one} and --{what} {other}"
    if left.plan.get("digest") != right.plan.get("digest") and left.profile == right.profile:
        yield "the runs did not plan the same cases; those of one run only are counted separately"
    for side, other in ((left, right), (right, left)):
        if alone := side.protocols - other.protocols:
            yield f"{', '.join(sorted(alone))}: judged in {side.name} only"


def _answers(pairing: Pairing, compared: Compared) -> Iterator[str]:
    if pairing.across:
        yield (
            f"{case_count(pairing.across)} paired by workload: a recording of one generation with that of the other "
            "(…/recorded/PROFILE/WORKLOAD)"
        )
    if compared.unkept and not compared.same + compared.changed + compared.respelled + compared.unknown:
        yield "the runs do not keep their answers: meaning and bytes are not compared (run --out DIR keeps them)"
    if compared.unknown:
        yield (
            f"the answers to {case_count(compared.unknown)} differ and are not kept by both runs: whether in meaning "
            "or in bytes alone is not known (run --out DIR keeps them)"
        )
