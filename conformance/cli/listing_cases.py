"""`list cases`: the cases of protocols under a profile, filtered by `-k` if it is given."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from conformance.cases.index_rows import Entry, IndexedCases, entries_of
from conformance.cases.model import CaseHead, replay_id_of
from conformance.catalogue.register import load_register
from conformance.cli.known_cases import known_cases
from conformance.engine.choosing import RequirementLevels, choose
from conformance.engine.selection import Expression, Selection
from reference_impl.profiles import Profile

__all__ = ["case_lines", "case_rows"]

_WIDTH = 70


def case_rows(protocols: Sequence[str], profile: Profile, text: str | None) -> tuple[list[dict[str, Any]], list[str]]:
    """A row for every matching case, and a note for every term that matches nothing or whose matches are uncertain."""
    entries, notes = _matching(protocols, profile, text)
    levels = {protocol: RequirementLevels(load_register(protocol), profile) for protocol in protocols}
    return [_row(entry, levels[entry.protocol]) for entry in entries], notes


def case_lines(protocols: Sequence[str], profile: Profile, text: str | None) -> tuple[list[str], list[str]]:
    """Like `case_rows`, with a line for every case: its id, role, replay id, anchor and requirements."""
    if not text:
        return [line for protocol in protocols for line in _lines(known_cases(protocol, profile))], []
    entries, notes = _matching(protocols, profile, text)
    return [_line(entry.id, entry.role, entry.anchor, entry.requirements) for entry in entries], notes


def _matching(protocols: Sequence[str], profile: Profile, text: str | None) -> tuple[list[Entry | CaseHead], list[str]]:
    sources = [known_cases(protocol, profile) for protocol in protocols]
    if not text:
        return [entry for cases in sources for entry in entries_of(cases)], []
    levels = {protocol: RequirementLevels(load_register(protocol), profile) for protocol in protocols}
    choice = choose(sources, levels, profile, Selection(expression=Expression(text)))
    notes = [*(_unmatched(term, choice.near[term]) for term in choice.unmatched), *choice.notes]
    return list(choice.cases), notes


def _row(case: Entry | CaseHead, levels: RequirementLevels) -> dict[str, Any]:
    return {
        "id": case.id,
        "role": case.role,
        "replay": case.replay_id,
        "anchor": str(case.anchor),
        "options": dict(case.options),
        "requirements": list(case.requirements),
        "level": str(levels.of(case.requirements)[0]),
        "axes": dict(case.axes),
    }


def _lines(cases: Sequence[CaseHead]) -> Iterator[str]:
    """A line for every case. Rows of the index are read as they are: there are tens of thousands."""
    if not isinstance(cases, IndexedCases):
        return (_line(case.id, case.role, case.anchor, case.requirements) for case in cases)
    prefix, anchors = cases.prefix, cases.anchors
    return (
        _line(prefix + name, role, anchors[context], requirements)
        for role, name, _part, _number, requirements, _axes, context, _evaluated in cases.rows
    )


def _line(name: str, role: str, anchor: str, requirements: Sequence[str]) -> str:
    line = f"{name:<{_WIDTH}}  {role}  {replay_id_of(role, name)}  {anchor}"
    return f"{line}  {', '.join(requirements)}" if requirements else line


def _unmatched(term: str, near: Sequence[str]) -> str:
    return f"no case matches {term!r}" + (f"; did you mean {' or '.join(near)}?" if near else "")
