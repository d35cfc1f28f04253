"""Saved runs as arguments of commands: opened, or refused in a sentence."""

from __future__ import annotations

import sys
from pathlib import Path

from conformance.engine.verdicts import ExitStatus
from conformance.errors import UsageError
from reports.saved import RECORD, SavedRun, SeveralRunsError, open_run

__all__ = ["read_saved", "status_of_shown"]


def read_saved(path: Path, *, empty: bool = False) -> SavedRun:
    """The run in a folder of `--out` or a file of `--report jsonl=`; stderr names its unreadable lines.

    Raises `UsageError` for a file that is no run record, and for a run without a verdict unless it may be `empty`.
    """
    if path.is_dir() and not (path / RECORD).exists():
        raise UsageError(f"{path}: there is no {RECORD} in it; a run is saved by run --out DIR")
    try:
        run = open_run(path)
    except OSError as e:
        raise UsageError(f"{path}: cannot be read as a run record ({e.strerror or e})") from None
    except SeveralRunsError as e:
        raise UsageError(str(e)) from None
    for problem in run.problems:
        print(f"ticdc-conformance: {problem}", file=sys.stderr)
    needed = ("run", "verdict", "verdicts") if empty else ("verdict", "verdicts")
    if not any(event["event"] in needed for event in run.events):
        raise UsageError(f"{path}: no verdict in it; a run is saved by run --out DIR, or by --report jsonl=PATH")
    return run


def status_of_shown(run: SavedRun) -> int:
    """The status of a command that shows a run: 6 where its record is incomplete or damaged, and proves nothing."""
    return int(ExitStatus.INCONCLUSIVE if run.problems else ExitStatus.GREEN)
