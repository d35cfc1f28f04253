"""`sweep`: changes the reference's answers by every operator at every path, and judges them."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from typing import Any

from conformance.cases.model import Role
from conformance.cli.arguments import add_shared, whole_number
from conformance.cli.reporting import add_reports, read_requests
from conformance.engine.verdicts import ExitStatus
from conformance.sweep.judging import PROTOCOL_ROLES, Sweep
from conformance.sweep.record import sweep_record, unexplained
from reports.sweep import SWEEP_REPORTS, terminal_lines

__all__ = ["register"]

_ROLES: Sequence[Role] = ("encode", "decode")


def register(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "sweep",
        description="Change the reference's answers at every path by every operator, and judge each changed answer. "
        "The suite must blame the change on a SHOULD or MUST, or list it as a free form, with its source. Any other "
        "change is a hole in the suite, and the status is 1.",
    )
    add_shared(parser, "--protocol")
    parser.add_argument("--role", choices=_ROLES, help="only this role")
    add_shared(parser, "-n")
    parser.add_argument(
        "--share",
        type=whole_number(),
        default=1,
        metavar="N",
        help="judge about one fault in N, in one case in N, for a quick look (1)",
    )
    add_reports(parser, SWEEP_REPORTS)
    parser.set_defaults(handle=_sweep)


def _sweep(args: argparse.Namespace) -> int:
    requests = read_requests(args.report, SWEEP_REPORTS)
    pairs = [(protocol, role) for protocol in dict.fromkeys(args.protocol) for role in _ROLES] or PROTOCOL_ROLES
    chosen = [(protocol, role) for protocol, role in pairs if args.role in (None, role)]
    swept = []
    for sweep in _swept(chosen, args.processes, args.share):
        swept.append(sweep)
        print(f"{len(swept)} of {len(chosen)}: {sweep.protocol}, {sweep.role}", file=sys.stderr)
    record = sweep_record(swept)
    try:
        for request in requests:
            with request.opened() as file:
                file.write(SWEEP_REPORTS[request.kind](record))
    finally:
        print("\n".join(terminal_lines(record)))  # also if a report cannot be written: the work took its time
    return ExitStatus.RED if unexplained(record) else ExitStatus.GREEN


def _swept(pairs: Sequence[tuple[str, Role]], processes: int, share: int) -> Iterator[Sweep]:
    """The finished sweeps, in the order of the pairs."""
    work = [Sweep(protocol, role, share) for protocol, role in pairs]
    if processes == 1 or len(work) == 1:
        yield from map(Sweep.done, work)
        return
    with ProcessPoolExecutor(min(processes, len(work))) as pool:
        yield from pool.map(Sweep.done, work)
