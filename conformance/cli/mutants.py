"""`mutants`: the kill matrix: the suite judged by broken implementations."""

from __future__ import annotations

import argparse
import contextlib
import difflib
import sys
from collections.abc import Sequence
from typing import Any

from conformance import __version__
from conformance.cli.reporting import read_requests
from conformance.cli.templates import add_template, checked_options, template_faults
from conformance.engine.selection import Expression, Subject, subject_of
from conformance.engine.verdicts import ExitStatus, worst
from conformance.errors import UsageError
from conformance.mutants import all_mutants
from conformance.mutants.matrix import Death, Outcome
from conformance.mutants.model import Mutant
from conformance.mutants.parallel import matrix_fates
from conformance.mutants.record import Record, matrix_record
from reports.matrix import MATRIX_REPORTS, MatrixProgress, terminal_lines
from reports.matrix.reading import doubtful, with_unseen

__all__ = ["register"]

_STATUSES = {
    Outcome.SURVIVED: ExitStatus.RED,
    Outcome.ANOTHER_REASON: ExitStatus.RED,
    Outcome.EQUIVALENT: ExitStatus.INTERNAL,
    Outcome.NO_CASE: ExitStatus.INTERNAL,
}


def register(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "mutants",
        description="Put every deliberately broken implementation to the suite. Each must be killed by the requirement "
        "that it names, and break all that it declares to break besides. To see one judged by itself: explain MUTANT.",
    )
    parser.add_argument("-k", dest="select", metavar="EXPR", help="only mutants whose name or requirement matches")
    parser.add_argument("-n", dest="processes", type=int, default=2, metavar="N", help="processes (2)")
    parser.add_argument(
        "--cases",
        type=int,
        default=40,
        metavar="N",
        help="cases put to a mutant; more only until one kills it and what it declares is seen (40)",
    )
    kinds = ", ".join(f"{kind}=PATH" for kind in MATRIX_REPORTS)
    parser.add_argument("--report", metavar="KIND=PATH", action="append", default=[], help=f"{kinds}; more than once")
    add_template(parser)
    parser.set_defaults(handle=_mutants)


def _mutants(args: argparse.Namespace) -> int:
    for option, given in (("-n", args.processes), ("--cases", args.cases)):
        if given < 1:
            raise UsageError(f"{option} {given}: one or more are needed")
    requests = read_requests(args.report, MATRIX_REPORTS)
    options = checked_options(args, "reports.matrix")
    chosen = _chosen(args.select)
    if not chosen:
        print(_nothing(args.select), file=sys.stderr)
        return ExitStatus.NOTHING
    with contextlib.ExitStack() as stack, template_faults(options):
        files = [(request.kind, stack.enter_context(request.opened())) for request in requests]
        record, fault = _judged(chosen, args.select, args.processes, args.cases)
        for kind, file in files:
            file.write(MATRIX_REPORTS[kind](record, options))
    for line in terminal_lines(record):
        print(line)
    if fault is not None:
        raise fault
    return int(record["exit"])


def _judged(
    chosen: Sequence[Mutant], select: str | None, processes: int, limit: int
) -> tuple[Record, Exception | None]:
    """The record of the matrix as far as it came, and what went wrong with it, if something did."""
    deaths: list[Death] = []
    interrupted, fault = False, None
    fates = matrix_fates(chosen, processes, limit)
    progress = MatrixProgress(sys.stdout, len(chosen))
    try:
        for death in fates:
            deaths.append(death)
            progress.advance()
    except KeyboardInterrupt:
        interrupted = True
    except Exception as e:  # noqa: BLE001 - the record is written first; then it is raised again
        fault = e
    finally:
        progress.close()
    record = matrix_record(chosen, deaths, suite=__version__, selection=select, cases_each=limit)
    record["message"] = "interrupted" if interrupted else f"the suite itself is at fault: {fault}" if fault else ""
    record["exit"] = int(_status(record, interrupted=interrupted, fault=fault))
    return record, fault


def _status(record: Record, *, interrupted: bool, fault: Exception | None) -> ExitStatus:
    found = [ExitStatus.GREEN, *(status for outcome, status in _STATUSES.items() if record["totals"][outcome])]
    if interrupted:
        found.append(ExitStatus.INTERRUPTED)
    if fault is not None:
        found.append(ExitStatus.INTERNAL)
    if doubtful(record) or with_unseen(record):
        found.append(ExitStatus.RED)
    return worst(found)


# -- which mutants -------------------------------------------------------------------------------------------------


def _subject(mutant: Mutant) -> Subject:
    return subject_of(mutant.name, mutant.protocol, mutant.role, "", [mutant.requirement], {})


def _chosen(select: str | None) -> list[Mutant]:
    if select is None:
        return list(all_mutants())
    expression = Expression(select)
    return [mutant for mutant in all_mutants() if expression.matches(_subject(mutant))]


def _nothing(select: str) -> str:
    """Why no mutant was selected, with the nearest names to the terms that fit none."""
    mutants = all_mutants()
    terms = Expression(select).unmatched([_subject(m) for m in mutants])
    names = dict.fromkeys(n for m in mutants for n in (m.requirement, m.name, m.name.partition("/")[2], m.protocol))
    by_case = {name.lower(): name for name in names}
    lines = [f"ticdc-conformance: -k {select!r}: no mutant was selected"]
    for term in terms:
        near = difflib.get_close_matches(term.lower(), by_case, n=3)
        hint = f"; did you mean {' or '.join(by_case[name] for name in near)}?" if near else ""
        lines.append(f"  nothing answers to {term!r}{hint}")
    return "\n".join([*lines, "  All of them: ticdc-conformance list mutants"])
