"""The outputs of a run: the terminal and the files of `--report`. If one cannot be written, the others still are."""

from __future__ import annotations

import contextlib
import io
import os
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from importlib.util import find_spec
from typing import IO, Any, TextIO

from conformance.cli.github_job import github_job
from conformance.cli.parser import print_note
from conformance.cli.reporting import ReportRequest, read_requests, template_errors
from conformance.engine import Sink
from conformance.engine.verdicts import ExitStatus, worst
from conformance.errors import ConformanceError, missing_extra
from reports import EXTRAS, FOLDERS, RENDERERS, Event, Renderer, ReportOptions
from reports.frame import TemplateProblem
from reports.terminal import TerminalRenderer

__all__ = [
    "WITHOUT_PATH",
    "Outputs",
    "Written",
    "check_kinds",
    "check_reports",
    "close_anyhow",
    "open_outputs",
    "open_reports",
    "silence_stdout",
]

_DEFAULTS = ReportOptions()


class Written(ABC):
    """An output: a report, or the folder of `--out`. If it cannot be written, the run goes on without it.

    `name` is the option that requests it. `problem` says why it is incomplete; "" if it is not.
    """

    def __init__(self, name: str) -> None:
        self.problem = ""
        self._name = name

    @abstractmethod
    def handle(self, event: Event) -> None:
        """Write an event."""

    @abstractmethod
    def finish(self) -> None:
        """Write the rest. May be called again."""

    def _try(self, write: Callable[[], object]) -> None:
        """Write, unless that failed before."""
        if self.problem:
            return
        try:
            write()
        except (OSError, TemplateProblem) as e:
            why = e.strerror if isinstance(e, OSError) and e.strerror else e
            self.problem = f"{self._name}: could not be written whole ({why})"


@contextlib.contextmanager
def open_outputs(
    requested: Sequence[str], *, quiet: bool, options: ReportOptions = _DEFAULTS, folder: Written | None = None
) -> Iterator[Outputs]:
    """Open the terminal and the reports of `KIND=PATH` before the run begins; finish all of them, even after an error.

    `folder` is that of `--out`. The `end` event finishes it and the reports first, and then the terminal, which says
    what could not be written.
    """
    with contextlib.ExitStack() as stack:
        reports = _opened(requested, options, stack, folder)
        outputs = Outputs(TerminalRenderer(sys.stdout, quiet=quiet), reports)
        stack.callback(outputs.close)
        yield outputs


@contextlib.contextmanager
def open_reports(
    requested: Sequence[str], options: ReportOptions = _DEFAULTS, folder: Written | None = None
) -> Iterator[list[Sink]]:
    """Open the reports of `KIND=PATH` without the terminal, as sinks.

    Raises `ConformanceError` if one could not be written whole.
    """
    with contextlib.ExitStack() as stack:
        reports = _opened(requested, options, stack, folder)
        try:
            yield [report.handle for report in reports]
        finally:
            for report in reports:
                report.finish()
        if problems := [report.problem for report in reports if report.problem]:
            raise ConformanceError("; ".join(problems))


def _opened(
    requested: Sequence[str], options: ReportOptions, stack: contextlib.ExitStack, folder: Written | None
) -> list[Written]:
    """The opened reports, and the folder. Raises `UsageError` for a wrong request, before a file is touched."""
    requests = check_reports(requested, options)
    reports = [_Report(request, options, stack) for request in requests]
    return [*reports, *([] if folder is None else [folder])]


def check_reports(requested: Sequence[str], options: ReportOptions) -> list[ReportRequest]:
    """The requests in `KIND=PATH` texts; opens no file.

    Raises `UsageError` for a wrong request, and for a wrong template: each page is rendered once without events.
    """
    requests = read_requests(requested, RENDERERS, FOLDERS, WITHOUT_PATH)
    check_kinds([request.kind for request in requests], options)
    return requests


def check_kinds(kinds: Iterable[str], options: ReportOptions) -> None:
    """Raise `UsageError` if a report of these kinds needs an extra that is missing, or has a wrong template."""
    for kind in dict.fromkeys(kinds):
        if kind in EXTRAS:
            extra, package, module = EXTRAS[kind]
            if find_spec(module) is None:
                raise missing_extra(f"--report {extra}= needs {package}", extra)
        if options.templates is not None and kind in RENDERERS:
            with template_errors(options):
                RENDERERS[kind](io.StringIO(), options).close()


WITHOUT_PATH: Mapping[str, Callable[[], Renderer]] = {
    "github": github_job,
}
"""Kind of report that may be requested without a path → its renderer, which knows where to write."""


class _Report(Written):
    """A requested report; the stack closes its file."""

    def __init__(self, request: ReportRequest, options: ReportOptions, stack: contextlib.ExitStack) -> None:
        super().__init__(str(request))
        self._is_finished = False
        # None if the renderer opens its files itself: in a folder, or for a kind of `WITHOUT_PATH`.
        self._file: TextIO | None = None
        self._renderer: Renderer
        if request.path is None:
            self._renderer = WITHOUT_PATH[request.kind]()
        elif request.is_folder:
            self._renderer = FOLDERS[request.kind](request.folder())
        else:
            self._file = request.opened()
            stack.callback(close_anyhow, self._file)
            self._renderer = RENDERERS[request.kind](self._file, options)

    def handle(self, event: Event) -> None:
        self._try(lambda: self._renderer.handle(event))

    def finish(self) -> None:
        if not self._is_finished:
            self._is_finished = True
            self._try(self._renderer.close)
            if self._file is not None:
                self._try(self._file.flush)
                self._try(self._file.close)


class Outputs:
    """The terminal and the reports of a run: each gets every event, even if another one cannot be written."""

    def __init__(self, terminal: Renderer, reports: Sequence[Written]) -> None:
        self._terminal = terminal
        self._reports = reports
        self._cut: OSError | None = None
        self._has_begun = False

    def handle(self, event: Event) -> None:
        """Pass an event to all of them. Raises `OSError` if the terminal is closed and there is no report."""
        self._has_begun = self._has_begun or event["event"] != "run"
        for report in self._reports:
            report.handle(event)
            if event["event"] == "end":
                report.finish()
        if self._cut is None:
            try:
                self._terminal.handle(self._with_problems(event))
            except OSError as e:
                self._cut = e
        if self._cut is not None and not self._reports:
            raise self._cut

    def close(self) -> None:
        """Finish them."""
        for report in self._reports:
            report.finish()
        # A run that was refused before it began has no summary.
        if self._cut is None and self._has_begun:
            try:
                self._terminal.close()
                sys.stdout.flush()
            except OSError as e:
                self._cut = e

    def status(self, status: int) -> int:
        """The exit status of a run with this status, worse if a report could not be written."""
        problems = [report.problem for report in self._reports if report.problem]
        if self._cut is not None:
            problems.append(f"the output was cut ({self._cut.strerror or self._cut})")
            silence_stdout()
        for problem in problems:
            print_note(problem)
        return int(worst([ExitStatus(status), ExitStatus.INTERNAL])) if problems else status

    def _with_problems(self, event: Event) -> Event:
        """The event; an `end` is inconclusive if a report could not be written."""
        problems = [report.problem for report in self._reports if report.problem]
        if event["event"] != "end" or not problems:
            return event
        status = int(worst([ExitStatus(event["exit"]), ExitStatus.INTERNAL]))
        # stderr names the report and the reason, once.
        which = "a report" if len(problems) == 1 else f"{len(problems)} reports"
        message = "; ".join(filter(None, (event["message"], f"{which} could not be written")))
        return {**event, "exit": status, "gate": {**event["gate"], "colour": "inconclusive"}, "message": message}


def silence_stdout() -> None:
    """Send further output to the null device, so that Python can exit although the stream is closed."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def close_anyhow(file: IO[Any]) -> None:
    """Close a file although what it holds back cannot be written: that was said before."""
    with contextlib.suppress(OSError):
        file.close()
