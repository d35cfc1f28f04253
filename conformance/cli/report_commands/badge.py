"""`report badge RUN…`: writes the data of a shields.io badge for a run; for several runs, for the worst of them."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from conformance.cli.reporting import ReportRequest, output_path
from conformance.cli.saved_runs import read_saved, status_of_shown, would_replace
from conformance.errors import UsageError
from reports.badge import LABEL, badge_of, badge_text, worst_badge
from reports.gathering import Gathering
from reports.outcome import Outcome, outcome_of
from reports.saved import SavedRun

__all__ = ["register"]


def register(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument("runs", metavar="RUN", type=Path, nargs="+", help="a folder of --out, or a run record")
    parser.add_argument("-o", "--output", metavar="FILE", type=output_path, help="the file to write (standard output)")
    parser.add_argument("--label", metavar="TEXT", default=LABEL, help=f"the left half of the badge ({LABEL})")
    parser.set_defaults(handle=_badge)


def _badge(args: argparse.Namespace) -> int:
    request = ReportRequest("badge", args.output)
    request.check()
    badges, status = [], 0
    for path in args.runs:
        run = read_saved(path, empty=True)
        if args.output is not None and would_replace(args.output, run):
            raise UsageError(f"-o {args.output}: that is the run itself; give the badge its own file")
        badges.append(badge_of(_outcome(run), args.label))
        status = max(status, status_of_shown(run))
    text = badge_text(worst_badge(badges))
    if args.output is None:
        sys.stdout.write(text)
    else:
        with request.opened() as file:
            file.write(text)
    return status


def _outcome(run: SavedRun) -> Outcome:
    gathering = Gathering()
    for event in run.events:
        gathering.handle(event)
    return outcome_of(gathering)
