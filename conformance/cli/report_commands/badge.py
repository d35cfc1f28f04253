"""`report badge RUN…`: what shields.io shows of a run; of several runs, of the worst of them."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from conformance.cli.reporting import ReportRequest
from conformance.cli.saved_runs import read_saved
from conformance.errors import UsageError
from reports.badge import LABEL, badge_of, badge_text, worst_badge
from reports.gathering import Gathering
from reports.outcome import Outcome, outcome_of

__all__ = ["register"]


def register(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument("runs", metavar="RUN", type=Path, nargs="+", help="a folder of --out, or a run record")
    parser.add_argument("-o", "--output", metavar="FILE", type=Path, help="where to (standard output)")
    parser.add_argument("--label", metavar="TEXT", default=LABEL, help=f"the left half of the badge ({LABEL})")
    parser.set_defaults(handle=_badge)


def _badge(args: argparse.Namespace) -> int:
    request = ReportRequest("badge", args.output)
    if args.output is not None:
        request.check()
        if any(run.exists() and args.output.exists() and run.samefile(args.output) for run in args.runs):
            raise UsageError(f"-o {args.output}: that is the run itself; give the badge its own file")
    text = badge_text(worst_badge([badge_of(_outcome(run), args.label) for run in args.runs]))
    if args.output is None:
        sys.stdout.write(text)
    else:
        with request.opened() as file:
            file.write(text)
    return 0


def _outcome(path: Path) -> Outcome:
    gathering = Gathering()
    for event in read_saved(path, empty=True).events:
        gathering.handle(event)
    return outcome_of(gathering)
