"""`run`: judges implementations; by default the embedded reference and the shipped recordings side by side."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Mapping
from typing import Any

from conformance.cli.arguments import release_note
from conformance.cli.configuring import run_config
from conformance.cli.outputs import check_reports, open_outputs
from conformance.cli.parser import print_note, typed_command
from conformance.cli.reporting import report_options
from conformance.cli.run_folder import keeping, open_folder
from conformance.cli.settings import add_settings, resolve
from conformance.engine import RunConfig, run_suite
from conformance.signals import stopping
from reports import Event

__all__ = ["register", "run_with_reports"]


def register(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "run",
        description="Judge an implementation: run every case, show each cause of failures once with the command that "
        "runs it again, and end with status 0 if the gate finds nothing. Without --iut the embedded reference and the "
        "shipped recordings of real TiCDC are judged side by side.",
    )
    add_settings(parser)
    parser.set_defaults(handle=_run)


def _run(args: argparse.Namespace) -> int:
    settings = resolve(vars(args), os.environ, args.config)
    config = run_config(settings, typed_command())
    return run_with_reports(config, settings)


def run_with_reports(config: RunConfig, settings: Mapping[str, Any], *sinks: Callable[[Event], None]) -> int:
    """Run, with the terminal, every `--report` and `sinks` as sinks. Returns the exit status.

    A wrong request is refused before a report is opened, so that a typing error overwrites no earlier report.
    """
    config.check()
    if note := release_note(settings.get("ticdc_version")):
        print_note(note)
    reports, quiet, options = settings["report"] or (), bool(settings["quiet"]), report_options(settings)
    check_reports(reports, options)
    with (
        stopping(),
        open_folder(settings) as folder,
        open_outputs(reports, quiet=quiet, options=options, folder=folder) as outputs,
    ):
        status = run_suite(keeping(config, folder), [outputs.handle, *sinks])
    return outputs.status(int(status))
