"""`baseline update|check|prune`: the list of known failures, from a saved run."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from conformance.cli.configuring import read_run
from conformance.engine.baseline import Baseline, Known, read_baseline, write_baseline
from conformance.engine.upkeep import Saved, check, prune, saved_run, updated
from conformance.errors import UsageError
from reports.texts import counted

__all__ = ["register"]

_STALE = 7


def register(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser("baseline")
    parser.add_argument("action", choices=("update", "check", "prune"))
    parser.add_argument("--run", metavar="RUN", type=Path, required=True, help="a saved run (--report jsonl=RUN)")
    parser.add_argument("--baseline", metavar="FILE", type=Path, default=Path("ticdc-conformance.baseline.toml"))
    parser.add_argument("--today", metavar="YYYY-MM-DD", type=date.fromisoformat)
    parser.set_defaults(handle=_baseline)


def _baseline(args: argparse.Namespace) -> int:
    saved = saved_run(read_run(args.run))
    if args.action == "update" and not args.baseline.exists():
        baseline = Baseline(())
    else:
        baseline = read_baseline(args.baseline)
    if args.action == "check":
        problems = check(baseline, saved, args.today or datetime.now(tz=UTC).date())
        before = counted(len(baseline.entries), "entry", "entries")
        print("\n".join(problems) or f"{args.baseline}: {before}, none stale")
        _say_partial(saved)
        return _STALE if problems else 0
    kept = updated(baseline, saved) if args.action == "update" else prune(baseline, saved)
    _write(args.baseline, kept)
    print(f"{args.baseline}: {counted(len(kept), 'entry', 'entries')}, {len(baseline.entries)} before")
    _say_partial(saved)
    return 0


def _say_partial(saved: Saved) -> None:
    if not saved.whole:
        print("The run did not judge everything: entries about other cases were left alone.")


def _write(path: Path, entries: Sequence[Known]) -> None:
    try:
        path.write_text(write_baseline(entries), encoding="utf-8")
    except OSError as e:
        raise UsageError(f"{path}: cannot be written ({e.strerror or e})") from None
