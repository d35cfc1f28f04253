"""`report merge RUN… --out DIR|FILE`: joins the shards of a run into the record of the undivided run."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from conformance.cli.parser import print_note
from conformance.cli.run_folder import open_folder
from conformance.cli.saved_runs import read_saved, would_replace
from conformance.engine.merging import ShardRecord, merged
from conformance.errors import UsageError, file_errors
from reports import TerminalRenderer
from reports.jsonl import JsonlRenderer
from reports.saved import SavedRun
from reports.texts import counted

__all__ = ["register"]

_MOST_SAID = 3


def register(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.description = (
        "Join the shards of a run, those of run --shard 1/N … N/N, into one run, and end with the exit status of that "
        "run."
    )
    parser.add_argument("runs", metavar="RUN", type=Path, nargs="+", help="a folder of --out, or a run record")
    parser.add_argument(
        "--out", metavar="DIR|FILE", type=Path, required=True, help="a folder; or FILE.jsonl for the record alone"
    )
    parser.set_defaults(handle=_merge)


def _merge(args: argparse.Namespace) -> int:
    runs = [read_saved(path, empty=True) for path in args.runs]
    for run in runs:
        if would_replace(args.out, run):
            raise UsageError(f"--out {args.out}: that is one of the shards; give the run a place of its own")
        _check_whole(run)
    events = merged([ShardRecord.of(str(run.path), run.events) for run in runs])
    terminal, status = TerminalRenderer(sys.stdout, quiet=True), 0
    if args.out.suffix == ".jsonl" and not args.out.is_dir():
        with file_errors(f"--out {args.out}: cannot be written"):
            file = args.out.open("w", encoding="utf-8", newline="\n", errors="backslashreplace")
        with file:
            record = JsonlRenderer(file)
            for event in events:
                record.handle(event)
                terminal.handle(event)
                status = event.get("exit", status)
    else:
        with open_folder({"out": str(args.out), "report": ()}) as folder:
            assert folder is not None
            _say_what_is_missing(runs)
            for event in events:
                if digest := event.get("answer"):
                    folder.keep_answer_of(digest, lambda: _text_of(digest, runs))
                folder.handle(event)
                terminal.handle(event)
                status = event.get("exit", status)
            folder.finish()
            if folder.problem:
                raise UsageError(folder.problem)
    terminal.close()
    return status


def _check_whole(run: SavedRun) -> None:
    """Raise `UsageError` for the record of a shard that ended, but whose record lacks lines."""
    if run.damage:
        shard = str((run.run.get("selection") or {}).get("shard") or "").partition("/")[0]
        lead = f"{run.path}, shard {shard}" if shard else str(run.path)
        raise UsageError(f"{lead}: {'; '.join(run.damage[:_MOST_SAID])}: run that shard again")


def _say_what_is_missing(runs: Sequence[SavedRun]) -> None:
    """Name on stderr the shards with verdicts whose answers no shard keeps: the merged run lacks them, too."""
    kept = {digest for run in runs for digest, _ in run.answers}
    for run in runs:
        verdicts = (verdict for iut in run.iuts.values() for verdict in iut.verdicts.values())
        named = {verdict["answer"] for verdict in verdicts if verdict.get("answer")}
        if lacking := len(named - kept):
            said = f"{lacking:,} of its {counted(len(named), 'answer', 'answers')} {'is' if lacking == 1 else 'are'}"
            print_note(f"{run.path}: {said} missing, and the merged run lacks them, too")


def _text_of(digest: str, runs: Sequence[SavedRun]) -> bytes | None:
    """The answer, from the first shard that kept it; None if none did."""
    return next((text for run in runs if (text := run.answers.text(digest)) is not None), None)
