"""`list`: what exists: requirements, cases, mutants, divergences, protocols and their options, defects."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from conformance.cases.catalogue import all_cases
from conformance.catalogue.defects import defects_of_profile
from conformance.catalogue.history import load_history
from conformance.catalogue.register import DocumentSource, Requirement, load_register
from conformance.cli.arguments import add_profile, known, profile_of
from conformance.cli.configuring import read_run
from conformance.cli.dialects import list_dialects
from conformance.cli.divergences import list_disagreements
from conformance.engine.coverage import reference_coverage
from conformance.errors import UsageError
from conformance.mutants import all_mutants
from reference_impl.profiles import PROFILES
from reference_impl.protocols import DIALECTS

__all__ = ["register"]

Row = dict[str, Any]

_DIVERGENCES = "divergences"  # entries of several lines, printed by a module of their own


def register(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser("list", help="what exists")
    parser.add_argument("what", choices=sorted((*_LISTS, _DIVERGENCES)), nargs="?", default="protocols")
    parser.add_argument("name", nargs="?", help="of protocols: the one whose options to list")
    parser.add_argument("--protocol", action="append", default=[], metavar="P", help="only this protocol")
    parser.add_argument(
        "--uncovered",
        nargs="?",
        const="",
        metavar="RUN",
        help="of requirements: the testable ones that a saved run, or the embedded reference's, did not evaluate",
    )
    parser.add_argument(
        "--oracle",
        action="store_true",
        help="of divergences: not from upstream, but where document, recorded producers and reference disagree",
    )
    parser.add_argument("--format", choices=("text", "json"), default="text")
    add_profile(parser)
    parser.set_defaults(handle=_list)


def _protocols(args: argparse.Namespace) -> list[str]:
    return [known("protocol", p, DIALECTS) for p in args.protocol] or list(DIALECTS)


def _requirement_row(r: Requirement) -> Row:
    place = str(r.source) if r.source else ""
    return {
        "id": r.id,
        "protocol": r.protocol,
        "level": str(r.level) if r.testable else "untestable",
        "role": r.role,
        "rule": r.rule,
        "place": place,
        "documented": isinstance(r.source, DocumentSource),
        "profiles": sorted(r.profiles),
        "reason": r.reason,
    }


def _requirements(args: argparse.Namespace) -> list[Row]:
    rows = []
    for protocol in _protocols(args):
        requirements = load_register(protocol).requirements.values()
        if args.uncovered is not None:
            evaluated = _evaluated(protocol, args.uncovered)
            requirements = [r for r in requirements if r.testable and r.id not in evaluated]  # type: ignore[assignment]
        rows += [_requirement_row(r) for r in requirements]
    return rows


def _evaluated(protocol: str, run: str) -> set[str]:
    if not run:
        return set(reference_coverage(protocol).anchors)
    return {
        str(event["id"]) for event in read_run(Path(run)) if event["event"] == "requirement" and event.get("cases", 0)
    }


def _cases(args: argparse.Namespace) -> list[Row]:
    profile = profile_of(args)
    return [
        {
            "id": c.id,
            "role": c.role,
            "replay": c.replay_id,
            "anchor": str(c.anchor),
            "options": dict(c.options),
            "requirements": list(c.requirements),
        }
        for protocol in _protocols(args)
        for c in all_cases(protocol, profile)
    ]


def _mutants(args: argparse.Namespace) -> list[Row]:
    protocols = _protocols(args)
    return [
        {"name": m.name, "requirement": m.requirement, "role": m.role, "description": m.description}
        for m in all_mutants()
        if m.protocol in protocols
    ]


def _protocol_rows(args: argparse.Namespace) -> list[Row]:
    if args.name:
        codec = DIALECTS[known("protocol", args.name, DIALECTS)]
        return [
            {"option": f.metadata["name"], "values": list(f.metadata["values"]), "default": _default(f.default)}
            for f in fields(codec.options)
        ]
    return [{"protocol": name, "roles": ["encode", "decode"]} for name in DIALECTS]


def _default(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _defects(args: argparse.Namespace) -> list[Row]:
    rows = {d.id: d for name in PROFILES for d in defects_of_profile(name)}
    return [
        {"id": d.id, "requirement": d.requirement, "profiles": sorted(d.profiles), "description": d.description}
        for d in rows.values()
    ]


def _history(args: argparse.Namespace) -> list[Row]:
    """Defects of the past; with `--protocol` those that have mutants of it."""
    return [
        {
            "defect": d.id,
            "scope": str(d.scope),
            "symptom": d.symptom,
            "fixed": d.fixed,
            "references": list(d.references),
            "mechanisms": list(d.mechanisms),
            "mutants": list(d.mutants),
            "reason": d.reason,
        }
        for d in load_history().values()
        if not args.protocol or any(name.startswith(f"{p}/") for p in _protocols(args) for name in d.mutants)
    ]


_LISTS: Mapping[str, Callable[[argparse.Namespace], list[Row]]] = {
    "requirements": _requirements,
    "cases": _cases,
    "mutants": _mutants,
    "protocols": _protocol_rows,
    "defects": _defects,
    "history": _history,
}


def _list(args: argparse.Namespace) -> int:
    if args.uncovered is not None and args.what != "requirements":
        raise UsageError("--uncovered goes with: list requirements")
    if args.oracle and args.what != _DIVERGENCES:
        raise UsageError(f"--oracle goes with: list {_DIVERGENCES}")
    if args.what == _DIVERGENCES:
        print_list = list_disagreements if args.oracle else list_dialects
        return print_list(args, _protocols(args))
    rows = _LISTS[args.what](args)
    if args.format == "json":
        json.dump(rows, sys.stdout, indent=1, ensure_ascii=False)
        print()
    else:
        for row in rows:
            print(_line(args.what, row))
        print(f"{len(rows)} {'options' if args.name else _COUNTED.get(args.what, args.what)}")
    return 1 if args.uncovered is not None and rows else 0


def _line(what: str, row: Row) -> str:
    first, *rest = (
        ", ".join(v) if isinstance(v, list) else v for k, v in row.items() if k not in _HIDDEN.get(what, ())
    )
    return "  ".join([f"{first:<{_WIDTH.get(what, 24)}}", *(str(v) for v in rest if v not in ("", {}, []))])


_COUNTED = {"history": "historical defects"}
_WIDTH = {"requirements": 9, "history": 6, "cases": 70, "mutants": 56}
_HIDDEN = {
    "requirements": ("protocol", "documented", "profiles"),
    "cases": ("options",),
    "history": ("fixed", "mechanisms", "mutants"),
}
