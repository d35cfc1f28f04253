"""Opens the saved runs that arguments of commands name."""

from __future__ import annotations

from pathlib import Path

from conformance.cli.parser import print_note
from conformance.engine.verdicts import ExitStatus
from conformance.errors import UsageError, file_errors
from reports.saved import RECORD, SavedRun, SeveralRunsError, open_run

__all__ = ["read_saved", "status_of_shown", "would_replace"]

_MOST_PROBLEMS = 5  # that are shown one by one


def read_saved(path: Path, *, empty: bool = False) -> SavedRun:
    """The run in a folder of `--out` or a file of `--report jsonl=`; prints on stderr which lines are unreadable.

    Raises `UsageError` for a file that is no run record. A run without a verdict is refused, too, unless `empty`.
    """
    if path.is_dir() and not (path / RECORD).exists():
        raise UsageError(f"{path}: there is no {RECORD} in it; a run is saved by run --out DIR")
    try:
        with file_errors(f"{path}: cannot be read as a run record"):
            run = open_run(path)
    except SeveralRunsError as e:
        raise UsageError(str(e)) from None
    for problem in run.problems[:_MOST_PROBLEMS]:
        print_note(problem)
    if more := len(run.problems[_MOST_PROBLEMS:]):
        print_note(f"{path}: {more:,} more lines are unreadable")
    needed = ("run", "verdict", "verdicts") if empty else ("verdict", "verdicts")
    if not any(event["event"] in needed for event in run.events):
        raise UsageError(f"{path}: no verdict in it; a run is saved by run --out DIR, or by --report jsonl=PATH")
    return run


def would_replace(out: Path, run: SavedRun) -> bool:
    """Whether an output, a file or the folder of a run, would take the place of a saved run."""
    places = [place for place in (out, out / RECORD) if place.exists()]
    files = [file for file in (run.path, *run.files) if file.exists()]
    return any(place.samefile(file) for place in places for file in files)


def status_of_shown(run: SavedRun) -> int:
    """The exit status of a command that shows a run: 6 if the run's record is incomplete or damaged, else 0."""
    return int(ExitStatus.INCONCLUSIVE if run.problems else ExitStatus.GREEN)
