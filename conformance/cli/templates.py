"""`--template DIR`, for every command that writes pages: its templates are checked before the work begins."""

from __future__ import annotations

import argparse
import contextlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from conformance.cli.reporting import ReportRequest
from conformance.errors import UsageError
from reports.frame import Frame, TemplateProblem
from reports.renderer import ReportOptions

__all__ = ["checked_options", "report_options", "template_errors", "write_pages"]


def report_options(settings: Mapping[str, Any]) -> ReportOptions:
    """The report options in a command's settings, which need not have all of them."""
    folder = settings.get("template")
    return ReportOptions(templates=Path(folder) if folder else None)


def checked_options(args: argparse.Namespace, package: str) -> ReportOptions:
    """The options for the pages of a package. Raises `UsageError` for a wrong folder or template."""
    options = report_options(vars(args))
    with template_errors(options):
        Frame(package, options.templates).check()
    return options


def write_pages(
    requests: Iterable[ReportRequest],
    writers: Mapping[str, Callable[[Any, ReportOptions], str]],
    record: Any,
    options: ReportOptions,
) -> None:
    """Write the requested reports of a record; `writers` has the function that makes the text of each kind."""
    for request in requests:
        with request.opened() as file, template_errors(options):
            file.write(writers[request.kind](record, options))


@contextlib.contextmanager
def template_errors(options: ReportOptions) -> Iterator[None]:
    """Turn the error of a user's template into a `UsageError` that names the template."""
    try:
        yield
    except TemplateProblem as e:
        raise UsageError(f"--template {options.templates}: {e}") from None
