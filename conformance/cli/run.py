"""`run`: judge an implementation; with none named, the embedded reference and the shipped recordings side by side."""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from conformance.cli.configuring import run_config
from conformance.cli.reporting import read_requests
from conformance.cli.settings import add_settings, resolve
from conformance.engine import RunConfig, Sink, run_suite
from reports import RENDERERS
from reports.terminal import TerminalRenderer

__all__ = ["open_reports", "register", "run_with_reports"]


def register(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "run",
        help="judge an implementation",
        description="Judge an implementation. With no --iut: the embedded reference, over stdio, and the shipped "
        "recordings of real TiCDC, side by side.",
    )
    add_settings(parser)
    parser.set_defaults(handle=_run)


def _run(args: argparse.Namespace) -> int:
    settings = resolve(vars(args), os.environ, args.config)
    config = run_config(settings, ["ticdc-conformance", *sys.argv[1:]])
    return run_with_reports(config, settings)


def run_with_reports(config: RunConfig, settings: Mapping[str, Any]) -> int:
    """Run, with the terminal and every `--report` as sinks. Returns the exit status.

    What cannot be asked is said before a report is opened: an earlier one is not lost to a slip of the pen.
    """
    config.check()
    with open_reports(settings["report"] or ()) as sinks:
        terminal = TerminalRenderer(sys.stdout, quiet=bool(settings["quiet"]))
        try:
            status = run_suite(config, [terminal.handle, *sinks])
        finally:
            terminal.close()
    return int(status)


@contextlib.contextmanager
def open_reports(asked: Sequence[str]) -> Iterator[list[Sink]]:
    """The sinks of `KIND=PATH`; files are opened before the run begins, and finished whatever happens."""
    with contextlib.ExitStack() as stack:
        sinks: list[Sink] = []
        for request in read_requests(asked, RENDERERS):
            report = RENDERERS[request.kind](stack.enter_context(request.opened()))
            stack.callback(report.close)
            sinks.append(report.handle)
        yield sinks
