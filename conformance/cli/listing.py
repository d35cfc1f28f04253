"""`list`: requirements, cases, mutants, divergences, protocols and their options, defects."""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from conformance.catalogue.defects import defects_of_profile
from conformance.catalogue.harm import load_harms
from conformance.catalogue.history import load_history
from conformance.catalogue.register import DocumentSource, Level, Requirement, load_register
from conformance.cli.arguments import add_profile, add_shared, checked_name, profile_of
from conformance.errors import UsageError
from reference_impl.profiles import LATEST, PROFILES, Profile
from reference_impl.protocols import DIALECTS

__all__ = ["register"]

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Listed:
    """A list to print: rows, or finished lines; and notes about what is left out."""

    rows: Sequence[Row | str]
    notes: list[str] = field(default_factory=list)


_NOTHING_SELECTED = 5
_DIVERGENCES = "divergences"  # entries of several lines, printed by a module of their own

# How a list is printed as text.
_COUNTED = {"consumers": "rules of consumers", "history": "historical defects"}
"""List → the noun after the number of its rows, where that is not the name of the list."""
_FIRST_WIDTH = {"requirements": 9, "history": 6, "mutants": 56}
"""List → the width of its first column; 24 for others."""
_HIDDEN = {
    "requirements": ("protocol", "documented", "profiles"),
    "history": ("fixed", "mechanisms", "mutants"),
}
"""List → the columns that only `--format json` shows."""
_JOINED = {"harm": "/"}
"""Column → what stands between its values; a comma for others."""


def register(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "list",
        description="List what the suite has: requirements, cases, mutants, divergences, protocols and their options, "
        "rules of the models of consumers, known defects, historical defects. Requirements of other releases, and "
        "untestable requirements, which no harness can observe, are left out and counted.",
    )
    parser.add_argument(
        "what",
        choices=sorted((*_LISTS, _DIVERGENCES)),
        nargs="?",
        default="protocols",
        metavar="LIST",
        help=f"{', '.join(sorted((*_LISTS, _DIVERGENCES)))} (protocols)",
    )
    parser.add_argument("name", metavar="NAME", nargs="?", help="with protocols: the protocol whose options to list")
    add_shared(parser, "--protocol")
    parser.add_argument(
        "-k",
        dest="select",
        metavar="EXPR",
        help="with cases: those whose id, requirements, level or axes match, as with run -k",
    )
    parser.add_argument(
        "--level", choices=tuple(Level), action="append", metavar="LEVEL", help="with requirements: must, should or may"
    )
    testable = parser.add_mutually_exclusive_group()
    testable.add_argument("--testable", action="store_true", help="with requirements: only testable ones (the default)")
    testable.add_argument("--untestable", action="store_true", help="with requirements: only untestable ones")
    testable.add_argument("--all", action="store_true", help="with requirements: every release, and untestable ones")
    parser.add_argument(
        "--uncovered",
        nargs="?",
        const="",
        metavar="RUN",
        help="with requirements: those that the saved run RUN did not evaluate; without RUN, the embedded reference's",
    )
    parser.add_argument(
        "--oracle",
        action="store_true",
        help="with divergences: where the document, recorded producers and the reference disagree",
    )
    add_shared(parser, "--format")
    add_profile(parser, "--release")
    parser.set_defaults(handle=_list)


def _protocols(args: argparse.Namespace) -> list[str]:
    return list(dict.fromkeys(args.protocol or DIALECTS))


def _requirement_row(r: Requirement, harms: Mapping[str, Sequence[str]]) -> Row:
    place = str(r.source) if r.source else ""
    return {
        "id": r.id,
        "protocol": r.protocol,
        "level": str(r.level) if r.testable else "untestable",
        "harm": list(harms.get(r.id, ())),
        "role": r.role,
        "rule": r.rule,
        "releases": r.releases,
        "place": place,
        "documented": isinstance(r.source, DocumentSource),
        "profiles": sorted(r.profiles),
        "reason": r.reason,
    }


def _requirements(args: argparse.Namespace) -> Listed:
    profile, left_out = profile_of(args.profile, args.ticdc_version), Counter[str]()
    rows: list[Row] = []
    for protocol in _protocols(args):
        harms = load_harms(protocol)
        requirements = [
            r for r in load_register(protocol).requirements.values() if not args.level or r.level in args.level
        ]
        if args.uncovered is not None:
            evaluated = _evaluated(protocol, args.uncovered)
            rows += [_requirement_row(r, harms) for r in requirements if r.testable and r.id not in evaluated]
            continue
        for r in requirements:
            reason = "" if args.all else _left_out(r, profile, untestable=args.untestable)
            if reason:
                left_out[reason] += 1
            else:
                rows.append(_requirement_row(r, harms))
    return Listed(rows, [f"left out: {n} {reason}" for reason, n in left_out.items()])


def _left_out(r: Requirement, profile: Profile, *, untestable: bool) -> str:
    """Why a requirement is not listed, and the option that lists it; or ""."""
    if profile.name not in r.profiles:
        return f"of other profiles than {profile.name}: --profile NAME lists them, --all everything"
    if not r.applies(profile):
        release = "the newest release" if profile.release == LATEST else f"v{'.'.join(map(str, profile.release))}"
        return f"of other releases than {release}: --release X.Y.Z lists them, --all everything"
    if untestable and r.testable:
        return "that are testable: --testable lists them, --all everything"
    if r.testable or untestable:
        return ""
    return "that no harness can observe: --untestable lists them, --all everything"


def _evaluated(protocol: str, run: str) -> set[str]:
    """The requirements that a saved run evaluated; those of the embedded reference where `run` is ""."""
    from conformance.cli.configuring import read_run
    from conformance.engine.coverage import reference_coverage

    if not run:
        return set(reference_coverage(protocol).anchors)
    return {
        str(event["id"])
        for event in read_run(Path(run))
        if event["event"] == "requirement" and event.get("protocol") == protocol and event.get("cases", 0)
    }


def _cases(args: argparse.Namespace) -> Listed:
    from conformance.cli.listing_cases import case_lines, case_rows

    # As text, tens of thousands of cases are printed without an object for each.
    rows_of = case_rows if args.format == "json" else case_lines
    return Listed(*rows_of(_protocols(args), profile_of(args.profile, args.ticdc_version), args.select))


def _mutants(args: argparse.Namespace) -> Listed:
    from conformance.mutants import all_mutants

    protocols = _protocols(args)
    rows = [
        {"name": m.name, "requirement": m.requirement, "role": m.role, "description": m.description}
        for m in all_mutants()
        if m.protocol in protocols
    ]
    return Listed(rows)


def _protocol_rows(args: argparse.Namespace) -> Listed:
    if args.name:
        codec = DIALECTS[checked_name("protocol", args.name, DIALECTS)]
        rows = [
            {"option": f.metadata["name"], "values": list(f.metadata["values"]), "default": _default(f.default)}
            for f in fields(codec.options)
        ]
        return Listed(rows)
    return Listed([{"protocol": name, "roles": ["encode", "decode"]} for name in _protocols(args)])


def _default(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _defects(args: argparse.Namespace) -> Listed:
    protocols = _protocols(args)
    defects = {d.id: d for name in PROFILES for d in defects_of_profile(name) if d.protocol in protocols}
    rows = [
        {"id": d.id, "requirement": d.requirement, "profiles": sorted(d.profiles), "description": d.description}
        for d in defects.values()
    ]
    return Listed(rows)


def _history(args: argparse.Namespace) -> Listed:
    """Historical defects; with `--protocol` only those that have mutants of that protocol."""
    rows = [
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
    return Listed(rows)


def _consumers(args: argparse.Namespace) -> Listed:
    from conformance.consumers import MODELS, rules
    from conformance.consumers.model import Basis
    from conformance.consumers.unrun import UNRUN

    models = [make("") for make in MODELS.values()]
    notes = [f"{model.name} reads {', '.join(model.protocols)}" for model in models]
    notes += [f"not run: {consumer} ({Basis.READ}): {says}" for consumer, says in UNRUN.items()]
    return Listed([{"rule": rule.id, "rests on": str(rule.basis), "text": rule.text} for rule in rules()], notes)


_LISTS: Mapping[str, Callable[[argparse.Namespace], Listed]] = {
    "requirements": _requirements,
    "cases": _cases,
    "mutants": _mutants,
    "protocols": _protocol_rows,
    "consumers": _consumers,
    "defects": _defects,
    "history": _history,
}


_ONLY_WITH: Mapping[str, tuple[str, str]] = {
    "uncovered": ("--uncovered", "requirements"),
    "level": ("--level", "requirements"),
    "testable": ("--testable", "requirements"),
    "untestable": ("--untestable", "requirements"),
    "all": ("--all", "requirements"),
    "oracle": ("--oracle", _DIVERGENCES),
    "select": ("-k", "cases"),
    "name": ("a name", "protocols"),
}
"""Argument → its name on the command line, and the list that it goes with."""


def _list(args: argparse.Namespace) -> int:
    for member, (option, what) in _ONLY_WITH.items():
        if getattr(args, member) not in (None, False) and args.what != what:
            raise UsageError(f"{option} goes with: list {what}")
    if args.protocol and (args.what == "consumers" or args.name):
        raise UsageError(f"--protocol does not go with: list {args.what}{' NAME' if args.name else ''}")
    if args.what == _DIVERGENCES:
        from conformance.cli.disagreements import list_disagreements
        from conformance.cli.divergences import list_divergences

        print_list = list_disagreements if args.oracle else list_divergences
        return print_list(args, _protocols(args))
    listed = _LISTS[args.what](args)
    if args.format == "json":
        json.dump(listed.rows, sys.stdout, indent=1, ensure_ascii=False)
        print()
    else:
        # In one piece: there are tens of thousands of cases.
        lines = (row if isinstance(row, str) else _line(args.what, row) for row in listed.rows)
        sys.stdout.write("".join(f"{line}\n" for line in lines))
        print(f"{len(listed.rows)} {'options' if args.name else _COUNTED.get(args.what, args.what)}")
    for note in listed.notes:
        print(note, file=sys.stderr if args.format == "json" else sys.stdout)
    if args.select and not listed.rows:
        return _NOTHING_SELECTED
    return 1 if args.uncovered is not None and listed.rows else 0


def _line(what: str, row: Row) -> str:
    """A row as text, without its hidden and empty columns."""
    first, *others = (
        _JOINED.get(column, ", ").join(value) if isinstance(value, list) else value
        for column, value in row.items()
        if column not in _HIDDEN.get(what, ())
    )
    return "  ".join([f"{first:<{_FIRST_WIDTH.get(what, 24)}}", *(str(v) for v in others if v not in ("", {}, []))])
