"""The facts on every page of a run: what was judged, against what, when and how; from the record."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from typing import Any

from reports.gathering import Gathering, Iut
from reports.shortening import middle_out
from reports.texts import counted, scored_text, when_text

__all__ = ["date_of", "did_not_start", "is_capture", "iut_facts", "name_of", "run_facts", "unit_of"]

Fact = tuple[str, str | Sequence[str | tuple[str, str]]]
"""A label with one text or several; the second text of a pair is folded below the first."""

_DIGITS = 12
_LONGEST_NAME = 60
_GATES = {
    "data": "data: a broken MUST fails it, and a broken SHOULD that loses or changes data",
    "must": "must: only a broken MUST fails it",
    "should": "should: a broken SHOULD fails it, too",
    "regress": "regress: only what an earlier run did not have fails it",
}


def name_of(iut: Iut) -> str:
    """Name and version of the implementation, else the name of the record."""
    if is_capture(iut):
        return middle_out(f"capture {iut.label}", _LONGEST_NAME)
    said = " ".join(filter(None, (str(iut.event.get("name", "")), str(iut.event.get("version", "")))))
    return middle_out(said or iut.label, _LONGEST_NAME)


def is_capture(iut: Iut) -> bool:
    """Whether messages were captured, without an implementation: a case is a place in the capture."""
    return bool(iut.event.get("contact") == "capture")


def unit_of(iut: Iut) -> tuple[str, str]:
    """The noun for the subject of a verdict, singular and plural: a case, or a place of a capture."""
    return ("place", "places") if is_capture(iut) else ("case", "cases")


def did_not_start(iut: Iut) -> bool:
    """Whether it was started without an answer; an implementation without selected cases is never started."""
    selected = iut.plan.get("planned", 1) > iut.deselected
    return not iut.event.get("started", True) and selected


def date_of(gathering: Gathering) -> str:
    """The start of the run: `2026-11-22 17:16:47 UTC`; empty where the record lacks it."""
    return when_text(gathering.run.get("started"))


def run_facts(gathering: Gathering) -> list[Fact]:
    """The facts of the whole run, and of the implementation where there is only one."""
    return list(_run_facts(gathering))


def _run_facts(gathering: Gathering) -> Iterator[Fact]:
    run, end = gathering.run, gathering.end
    if len(gathering.iuts) == 1:
        yield from iut_facts(next(iter(gathering.iuts.values())))
    yield "suite", f"ticdc-conformance {scored_text(run, str(run.get('suite', '?')))}"
    registers: dict[str, Any] = run.get("registers", {})
    if registers:
        yield (
            "register",
            [
                f"{name}: {counted(of.get('requirements', 0), 'requirement', 'requirements')}, "
                f"digest {str(of.get('digest', ''))[:_DIGITS]}"
                for name, of in registers.items()
            ],
        )
    yield "gate", _GATES.get(str(run.get("gate", "")), str(run.get("gate", "?")))
    yield "exit status", str(end["exit"]) if end is not None else "unknown: the record was cut"
    if date := date_of(gathering):
        yield "date", date
    if run.get("command"):
        yield "command", shlex.join(map(str, run["command"]))


def iut_facts(iut: Iut) -> list[Fact]:
    """The facts of one implementation."""
    return list(_iut_facts(iut))


def _iut_facts(iut: Iut) -> Iterator[Fact]:
    event = iut.event
    language = f" ({event['language']})" if event.get("language") else ""
    yield (
        "capture" if is_capture(iut) else "implementation",
        iut.label if is_capture(iut) else f"{name_of(iut)}{language}",
    )
    if event.get("homepage"):
        yield "homepage", str(event["homepage"])
    yield "address", str(event["address"])
    if profile := str(event.get("profile", "?")):
        yield "profile", profile
    declared = {name: of for name, of in event.get("protocols", {}).items() if any(name == p for p, _ in iut.verdicts)}
    if declared:
        yield "protocols", [_protocol(name, of) for name, of in declared.items()]


def _protocol(name: str, of: Any) -> str | tuple[str, str]:
    given = of if isinstance(of, dict) else {}
    roles = ", ".join(map(str, given.get("roles", ("encode", "decode"))))
    options = given.get("options")
    head = f"{name}: {roles}"
    if not options:
        return f"{head}; no options" if options == [] else head
    return f"{head}; {counted(len(options), 'option', 'options')}", ", ".join(map(str, options))
