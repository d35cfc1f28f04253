"""The facts at the top of a run's page: implementation, suite, gate, exit status, date and command."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from reports.gathering import Gathering, Iut
from reports.shortening import middle_out
from reports.texts import counted, explained_suite_text, when_text

__all__ = ["date_of", "did_not_start", "iut_facts", "name_of", "run_facts", "unit_of", "whole_name_of"]

Fact = tuple[str, str | Sequence[str | tuple[str, str]]]
"""A label, and one text or a list of them; of a pair of texts, the page folds the second below the first."""

_DIGITS = 12
_LONGEST_NAME = 60
_GATES = {
    "data": "data: a broken MUST fails it, and a broken SHOULD that loses or changes data",
    "must": "must: only a broken MUST fails it",
    "should": "should: a broken SHOULD fails it, too",
    "regress": "regress: only what an earlier run did not have fails it",
}


def name_of(iut: Iut) -> str:
    """`mine 2.1`: the name and version of an implementation, else its label; shortened. Of a capture, its label."""
    return middle_out(f"capture {iut.label}" if _is_capture(iut) else whole_name_of(iut), _LONGEST_NAME)


def whole_name_of(iut: Iut) -> str:
    """The name and version of an implementation, else its label; of any length."""
    return " ".join(filter(None, (str(iut.event.get(member, "")) for member in ("name", "version")))) or iut.label


def _is_capture(iut: Iut) -> bool:
    return bool(iut.event.get("contact") == "capture")


def unit_of(iut: Iut) -> tuple[str, str]:
    """The noun for what has a verdict, singular and plural: a case, or a place in a capture."""
    return ("place", "places") if _is_capture(iut) else ("case", "cases")


def did_not_start(iut: Iut) -> bool:
    """Whether starting it failed. An implementation without selected cases is never started: that is not a failure."""
    has_cases = iut.plan.get("planned", 1) > iut.deselected
    return has_cases and not iut.event.get("started", True)


def date_of(gathering: Gathering) -> str:
    """The start of the run: `2026-11-22 17:16:47 UTC`; empty where the record lacks it."""
    return when_text(gathering.run.get("started"))


def run_facts(gathering: Gathering) -> Iterator[Fact]:
    """The facts of the whole run, and before them those of its implementation where it has only one."""
    run, end = gathering.run, gathering.end
    if len(gathering.iuts) == 1:
        [iut] = gathering.iuts.values()
        yield from iut_facts(iut)
    yield "suite", f"ticdc-conformance {explained_suite_text(run, str(run.get('suite', '?')))}"
    if registers := run.get("registers", {}):
        yield "register", [_register(protocol, register) for protocol, register in registers.items()]
    yield "gate", _GATES.get(str(run.get("gate", "")), str(run.get("gate", "?")))
    yield "exit status", str(end["exit"]) if end is not None else "unknown: the record was cut"
    if date := date_of(gathering):
        yield "date", date
    if run.get("command"):
        yield "command", shlex.join(map(str, run["command"]))


def _register(protocol: str, register: Mapping[str, Any]) -> str:
    requirements = counted(register.get("requirements", 0), "requirement", "requirements")
    return f"{protocol}: {requirements}, digest {str(register.get('digest', ''))[:_DIGITS]}"


def iut_facts(iut: Iut) -> Iterator[Fact]:
    """The facts of one implementation."""
    event = iut.event
    language = f" ({event['language']})" if event.get("language") else ""
    yield ("capture", iut.label) if _is_capture(iut) else ("implementation", f"{name_of(iut)}{language}")
    if event.get("homepage"):
        yield "homepage", str(event["homepage"])
    yield "address", str(event["address"])
    if profile := str(event.get("profile", "?")):
        yield "profile", profile
    judged = {protocol for protocol, _ in iut.verdicts}
    if declared := [_declared(name, of) for name, of in event.get("protocols", {}).items() if name in judged]:
        yield "protocols", declared


def _declared(protocol: str, members: Mapping[str, Any]) -> str | tuple[str, str]:
    """The roles and options that an implementation declares for a protocol; its options are folded below."""
    roles = ", ".join(map(str, members.get("roles", ("encode", "decode"))))
    options = members.get("options")
    if options:
        return f"{protocol}: {roles}; {counted(len(options), 'option', 'options')}", ", ".join(map(str, options))
    return f"{protocol}: {roles}; no options" if options is not None else f"{protocol}: {roles}"
