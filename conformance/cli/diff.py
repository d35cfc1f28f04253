"""`diff`: compares two saved runs: what is newly broken, fixed, changed, or in one run only."""

from __future__ import annotations

import argparse
import shutil
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from conformance import __version__
from conformance.cli.arguments import add_shared, checked_name
from conformance.cli.diff_dialects import dialect_of
from conformance.cli.diff_redaction import without_values
from conformance.cli.parser import print_note
from conformance.cli.reporting import add_reports, checked_options, read_requests, write_pages
from conformance.cli.saved_runs import read_saved
from conformance.engine.verdicts import ExitStatus
from conformance.errors import UsageError
from reports.diff import DIFF_REPORTS, Record, diff_record, terminal_lines
from reports.diff.sides import Side
from reports.saved import SavedRun
from reports.vocabulary import HARMS

__all__ = ["register"]

_WIDEST, _NARROWEST = 120, 60
_UNCERTAIN = (ExitStatus.INTERRUPTED, ExitStatus.INTERNAL, ExitStatus.INCONCLUSIVE)


def register(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "diff",
        description="Compare two saved runs of one suite: what the new build broke, fixed, or writes in another way. A "
        "run is a folder of `run --out DIR`, or a file of `run --report jsonl=PATH`, which keeps no answers. If runs "
        "have several implementations, those with the same name are compared. RUN#NAME selects one implementation: so "
        "two implementations of one run can be compared.",
    )
    parser.add_argument("left", metavar="RUN1", help="the old run, or one implementation of it: RUN#NAME")
    parser.add_argument("right", metavar="RUN2", help="the new run")
    parser.add_argument(
        "--fail-on",
        metavar="HARM",
        choices=HARMS,
        default="",
        help="exit 1 where something newly broken, or of another meaning, has this harm or a worse one: "
        f"{', '.join(HARMS)}; or "
        "a case that passed is no longer judged; 6 where the new run was cut or inconclusive",
    )
    add_reports(parser, DIFF_REPORTS)
    add_shared(parser, "--redact", "--template")
    parser.set_defaults(handle=_diff)


def _diff(args: argparse.Namespace) -> int:
    requests = read_requests(args.report, DIFF_REPORTS)
    options = checked_options(args, "reports.diff")
    pairs = _pairs(_sides(args.left), _sides(args.right), args.left, args.right)
    record = _compared(pairs, args.fail_on)
    record = without_values(record) if args.redact else record
    write_pages(requests, DIFF_REPORTS, record, options)
    width = min(max(shutil.get_terminal_size((100, 24)).columns, _NARROWEST), _WIDEST)
    for line in terminal_lines(record, width):
        print(line)
    if record["exit"] == ExitStatus.NOTHING:
        print_note(_nothing(pairs, record["counts"]["common"]))
    return int(record["exit"])


def _compared(pairs: Sequence[tuple[Side, Side]], fail_on: str) -> Record:
    try:
        return diff_record(pairs, dialect_of, __version__, fail_on)
    except (KeyError, TypeError, AttributeError, IndexError) as e:
        # The events have the right members with content that no run writes.
        names = " or ".join(dict.fromkeys(side.name for pair in pairs for side in pair))
        raise UsageError(f"{names}: a malformed run record ({type(e).__name__}: {e})") from None


def _nothing(pairs: Sequence[tuple[Side, Side]], common: int) -> str:
    held = [sorted({key[0] for key in side.verdicts}) for side in pairs[0]]
    names = [", ".join(protocols) or "no case" for protocols in held]
    sides = "; ".join(f"{side.name}: {name}" for side, name in zip(pairs[0], names, strict=True))
    return f"nothing to compare: no case {'was judged' if common else 'is'} in both runs ({sides})"


# -- which implementations ---------------------------------------------------------------------------------------------


def _sides(given: str) -> dict[str, Side]:
    """Label → implementation, for all of the run in an argument, or for the one after `#`.

    Raises `UsageError` for an unknown run, and for an unknown implementation.
    """
    path, label = given, ""
    if "#" in given and not Path(given).exists():
        path, _, label = given.rpartition("#")
    saved = read_saved(Path(path), empty=True)
    labels = [name for name, iut in saved.iuts.items() if iut.verdicts] or list(saved.iuts)
    if not labels:
        raise UsageError(f"{path}: no implementation in it; a run is saved by run --out DIR, or by --report jsonl=PATH")
    if label:
        labels = [checked_name(f"implementation in {path}", label, labels)]
    return {name: _side(saved, name, f"{path}#{name}" if len(saved.iuts) > 1 else path) for name in labels}


def _side(saved: SavedRun, label: str, name: str) -> Side:
    iut = saved.iuts[label]

    def answers(digests: Collection[str]) -> Mapping[str, bytes]:
        found = {digest: text for digest, text in saved.answers if digest in digests}
        if saved.answers.problem:
            print_note(saved.answers.problem)
        return found

    return Side(
        name=name,
        run=saved.run,
        iut=iut.event,
        plan=iut.plan,
        verdicts=iut.verdicts,
        cases=iut.cases,
        requirements={str(event["id"]): event for event in iut.requirements},
        unjudged={
            (str(event["protocol"]), str(event["role"])): event
            for event in saved.events
            if event["event"] == "verdicts" and event["iut"] == label
        },
        answers=answers,
        is_whole=saved.end is not None,
        is_conclusive=saved.end is None or _status(saved.end, label) not in _UNCERTAIN,
    )


def _status(end: Mapping[str, Any], label: str) -> int:
    """The exit status of an implementation; that of the whole run if the record has none for the implementation."""
    rows = end["accounting"].get("iuts", ()) if isinstance(end["accounting"], Mapping) else ()
    return int(next((row["exit"] for row in rows if row["iut"] == label), end["exit"]))


def _pairs(lefts: Mapping[str, Side], rights: Mapping[str, Side], left: str, right: str) -> list[tuple[Side, Side]]:
    """The implementations to compare: if each run has one, these two; else those with the same name.

    Raises `UsageError` where the choice is not clear.
    """
    if len(lefts) == len(rights) == 1:
        return [(next(iter(lefts.values())), next(iter(rights.values())))]
    common = [label for label in lefts if label in rights]
    if common:
        return [(lefts[label], rights[label]) for label in common]
    several, labels = (left, lefts) if len(lefts) > 1 else (right, rights)
    raise UsageError(
        f"{several} holds several implementations, none with the name of one in the other run: "
        f"name one as {several}#NAME ({', '.join(labels)})"
    )
