"""`mutants`: the kill matrix, which judges the suite by broken implementations and by generated faults."""

from __future__ import annotations

import argparse
import contextlib
import sys
from collections.abc import Sequence
from typing import Any

from conformance import __version__
from conformance.catalogue.faults import GeneratedFault, load_faults
from conformance.cli.arguments import add_shared, whole_number
from conformance.cli.parser import print_note
from conformance.cli.reporting import add_reports, checked_options, read_requests, template_errors
from conformance.engine.selection import Expression, Subject, subject_of
from conformance.engine.verdicts import ExitStatus, worst
from conformance.mutants import all_mutants
from conformance.mutants.matrix import MutantResult, Outcome
from conformance.mutants.model import Mutant
from conformance.mutants.parallel import fault_proofs, matrix_results
from conformance.mutants.record import Record, matrix_record
from conformance.nearest import did_you_mean
from conformance.sweep.proofs import Proof
from reports.matrix import MATRIX_REPORTS, MatrixProgress, terminal_lines
from reports.matrix.wording import not_shown_first, unproven

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
        description="Run the suite against every deliberately broken implementation. Each must be killed by the "
        "requirement that it names. Generated faults are tried again: one for each requirement whose violation the "
        "sweep reports first, and every pinned fault. The first finding of each must be of its requirement. To judge "
        "one mutant by itself, type the command that explain MUTANT shows.",
    )
    parser.add_argument(
        "-k", dest="select", metavar="EXPR", help="only mutants and faults whose name or requirement matches"
    )
    add_shared(parser, "-n")
    parser.add_argument(
        "--cases",
        type=whole_number(),
        default=40,
        metavar="N",
        help="cases run against a mutant; more only until one kills it (40)",
    )
    add_reports(parser, MATRIX_REPORTS)
    add_shared(parser, "--template")
    parser.set_defaults(handle=_mutants)


def _mutants(args: argparse.Namespace) -> int:
    requests = read_requests(args.report, MATRIX_REPORTS)
    options = checked_options(args, "reports.matrix")
    chosen, faults = _chosen(args.select)
    if not chosen and not faults:
        print_note(_nothing(args.select))
        return ExitStatus.NOTHING
    with contextlib.ExitStack() as stack, template_errors(options):
        files = [(request.kind, stack.enter_context(request.opened())) for request in requests]
        record, error = _judged(chosen, faults, args.select, args.processes, args.cases)
        for kind, file in files:
            file.write(MATRIX_REPORTS[kind](record, options))
    for line in terminal_lines(record):
        print(line)
    if error is not None:
        raise error
    return int(record["exit"])


def _judged(
    chosen: Sequence[Mutant], faults: Sequence[GeneratedFault], select: str | None, processes: int, limit: int
) -> tuple[Record, Exception | None]:
    """The record of the matrix so far, and the error that ended it, if any."""
    results: list[MutantResult] = []
    proofs: list[Proof] = []
    interrupted, error = False, None
    progress = MatrixProgress(sys.stdout, len(chosen) + len(faults))
    try:
        for proof in fault_proofs(faults, processes):
            proofs.append(proof)
            progress.advance()
        for result in matrix_results(chosen, processes, limit):
            results.append(result)
            progress.advance()
    except KeyboardInterrupt:
        interrupted = True
    except Exception as e:  # noqa: BLE001 - the record is written first; then the error is raised again
        error = e
    finally:
        progress.close()
    record = matrix_record(chosen, results, faults, proofs, suite=__version__, selection=select, cases_each=limit)
    record["message"] = "interrupted" if interrupted else f"the suite itself is at fault: {error}" if error else ""
    record["exit"] = int(_status(record, interrupted=interrupted, error=error))
    return record, error


def _status(record: Record, *, interrupted: bool, error: Exception | None) -> ExitStatus:
    found = [ExitStatus.GREEN, *(status for outcome, status in _STATUSES.items() if record["totals"][outcome])]
    if interrupted:
        found.append(ExitStatus.INTERRUPTED)
    if error is not None:
        found.append(ExitStatus.INTERNAL)
    if unproven(record) or not_shown_first(record):
        found.append(ExitStatus.RED)
    return worst(found)


# -- which mutants and faults ----------------------------------------------------------------------------------------


def _subject(tried: Mutant | GeneratedFault) -> Subject:
    return subject_of(tried.name, tried.protocol, tried.role, "", [tried.requirement], {})


def _chosen(select: str | None) -> tuple[list[Mutant], list[GeneratedFault]]:
    mutants, faults = list(all_mutants()), list(load_faults())
    if select is None:
        return mutants, faults
    expression = Expression(select)
    return (
        [mutant for mutant in mutants if expression.matches(_subject(mutant))],
        [fault for fault in faults if expression.matches(_subject(fault))],
    )


def _nothing(select: str) -> str:
    """Why nothing was selected, with the nearest names to the terms without a match."""
    known: list[Mutant | GeneratedFault] = [*all_mutants(), *load_faults()]
    terms = Expression(select).unmatched([_subject(one) for one in known])
    names = [name for one in known for name in (one.requirement, one.name, one.name.partition("/")[2], one.protocol)]
    return "\n".join(
        (
            f"-k {select!r}: no mutant or generated fault was selected",
            *(f"  nothing matches {term!r}{did_you_mean(term, names)}" for term in terms),
            "  All mutants: ticdc-conformance list mutants",
        )
    )
