"""`baseline update|check|prune`: the list of known failures, from a saved run."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from conformance.cli.configuring import today_of
from conformance.cli.saved_runs import read_saved
from conformance.engine.baseline import Baseline, read_baseline, write_baseline
from conformance.engine.upkeep import Saved, check, prune, saved_run, updated
from conformance.engine.verdicts import ExitStatus
from conformance.errors import file_errors
from reports.texts import counted
from reports.vocabulary import NEVER_RUN

__all__ = ["register"]

_FILE = Path("ticdc-conformance.baseline.toml")
_UNJUDGED = NEVER_RUN | {"suite_error"}


def register(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser("baseline")
    parser.add_argument(
        "action",
        choices=("update", "check", "prune"),
        help="update: list the failures of the run; check: name the stale entries, with status 7; prune: remove them",
    )
    parser.add_argument("--run", metavar="RUN", type=Path, required=True, help="a saved run (--report jsonl=RUN)")
    parser.add_argument("--baseline", metavar="FILE", type=Path, default=_FILE, help=f"the list ({_FILE})")
    parser.add_argument("--today", metavar="YYYY-MM-DD", help="the day by which entries count as expired (today)")
    parser.set_defaults(handle=_baseline)


def _baseline(args: argparse.Namespace) -> int:
    today, events = today_of(args.today), read_saved(args.run, empty=True).events
    if not any(event["event"] == "verdict" and event["verdict"] not in _UNJUDGED for event in events):
        return _nothing_judged(args, events)
    saved = saved_run(events)
    if args.action == "update" and not args.baseline.exists():
        baseline = Baseline(())
    else:
        baseline = read_baseline(args.baseline)
    if args.action == "check":
        problems = check(baseline, saved, today)
        before = counted(len(baseline.entries), "entry", "entries")
        print("\n".join(problems) or f"{args.baseline}: {before}, none stale")
        _say_partial(saved)
        return ExitStatus.STALE if problems else ExitStatus.GREEN
    kept = updated(baseline, saved) if args.action == "update" else prune(baseline, saved)
    with file_errors(f"{args.baseline}: cannot be written"):
        args.baseline.write_text(write_baseline(kept), encoding="utf-8")
    print(f"{args.baseline}: {counted(len(kept), 'entry', 'entries')}, {len(baseline.entries)} before")
    _say_partial(saved)
    return 0


def _nothing_judged(args: argparse.Namespace, events: Sequence[Mapping[str, Any]]) -> int:
    """Print that nothing was judged. Returns the exit status: 5 if the run selected nothing, else 6."""
    print(f"{args.run}: nothing was judged; {args.baseline} is left unchanged")
    ends = [event["exit"] for event in events if event["event"] == "end"]
    return ExitStatus.NOTHING if ends[-1:] == [ExitStatus.NOTHING] else ExitStatus.INCONCLUSIVE


def _say_partial(saved: Saved) -> None:
    if not saved.whole:
        print("The run did not judge everything: entries about other cases were left alone.")
