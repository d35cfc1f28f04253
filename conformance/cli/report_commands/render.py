"""`report render KIND RUN`: writes any report of a saved run, byte for byte as the run would have written it."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TextIO

from conformance.cli.arguments import add_shared
from conformance.cli.outputs import check_kinds
from conformance.cli.reporting import ReportRequest, output_path, report_options, template_errors
from conformance.cli.saved_runs import read_saved, status_of_shown, would_replace
from conformance.errors import UsageError
from reports import FOLDERS, RENDERERS, Renderer, ReportOptions, TerminalRenderer
from reports.saved import SavedRun

__all__ = ["register"]

_TERMINAL = "terminal"


def register(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    kinds = (*RENDERERS, *FOLDERS, _TERMINAL)
    parser.add_argument("kind", metavar="KIND", choices=kinds, help=f"one of {', '.join(kinds)}")
    parser.add_argument("runs", metavar="RUN", type=Path, nargs="+", help="one folder of --out, or one run record")
    parser.add_argument(
        "-o", "--output", metavar="PATH", type=output_path, help="the file or folder to write (standard output)"
    )
    add_shared(parser, "--template")
    # The parser accepts several runs, so that the command can refuse them with a reason.
    parser.usage = "%(prog)s [-h] [-o PATH] [--template DIR] KIND RUN"
    parser.set_defaults(handle=_render)


def _render(args: argparse.Namespace) -> int:
    kind = args.kind
    if len(args.runs) > 1:
        raise UsageError(f"report render {kind}: it shows one run; join shards first with report merge")
    options = report_options(vars(args))
    request = ReportRequest(kind, args.output, is_folder=kind in FOLDERS)
    if kind != _TERMINAL:
        request.check()
        check_kinds([kind], options)
    if request.is_folder and args.output is None:
        raise UsageError(f"report render {kind}: it is several files; name a folder for them with -o DIR")
    run = read_saved(args.runs[0], empty=True)
    if request.is_folder:
        _feed(run, FOLDERS[kind](request.folder()), options)
    elif args.output is None:
        _write(run, kind, options, sys.stdout)
    else:
        if would_replace(args.output, run):
            raise UsageError(f"-o {args.output}: that is the run itself; give the report its own file")
        with request.opened() as file:
            _write(run, kind, options, file)
    return status_of_shown(run)


def _write(run: SavedRun, kind: str, options: ReportOptions, out: TextIO) -> None:
    _feed(run, TerminalRenderer(out) if kind == _TERMINAL else RENDERERS[kind](out, options), options)


def _feed(run: SavedRun, renderer: Renderer, options: ReportOptions) -> None:
    renderer.answer_of = run.answer_of
    for event in run.events:
        renderer.handle(event)
    with template_errors(options):
        renderer.close()
