"""Where a run is shown: the terminal and the files of `--report`. One that cannot be written stops no other."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TextIO

from conformance.cli.reporting import ReportRequest, read_requests
from conformance.engine import Sink
from conformance.engine.verdicts import ExitStatus, worst
from conformance.errors import ConformanceError
from reports import RENDERERS, Event, Renderer
from reports.terminal import TerminalRenderer

__all__ = ["Outputs", "open_outputs", "open_reports", "silence_stdout"]


@contextlib.contextmanager
def open_outputs(asked: Sequence[str], *, quiet: bool) -> Iterator[Outputs]:
    """The terminal and the reports of `KIND=PATH`: files are opened before the run begins, all finished whatever comes.

    Where all goes well they are finished by the `end` event, the terminal last: it says what could not be written.
    """
    with contextlib.ExitStack() as stack:
        reports = [_Report.of(request, stack) for request in read_requests(asked, RENDERERS)]
        outputs = Outputs(TerminalRenderer(sys.stdout, quiet=quiet), reports)
        stack.callback(outputs.close)
        yield outputs


@contextlib.contextmanager
def open_reports(asked: Sequence[str]) -> Iterator[list[Sink]]:
    """The reports of `KIND=PATH` alone, as sinks. Raises `ConformanceError` where one could not be written whole."""
    with contextlib.ExitStack() as stack:
        reports = [_Report.of(request, stack) for request in read_requests(asked, RENDERERS)]
        try:
            yield [report.handle for report in reports]
        finally:
            for report in reports:
                report.finish()
        if problems := [report.problem for report in reports if report.problem]:
            raise ConformanceError("; ".join(problems))


@dataclass(slots=True)
class _Report:
    """A report into a file, until it cannot be written: `problem` says why, and the run goes on without it."""

    request: ReportRequest
    file: TextIO
    renderer: Renderer
    problem: str = ""
    is_finished: bool = False

    @classmethod
    def of(cls, request: ReportRequest, stack: contextlib.ExitStack) -> _Report:
        """The report that is asked for, opened; the file is closed with the stack."""
        file = request.opened()
        stack.callback(_close, file)
        return cls(request, file, RENDERERS[request.kind](file))

    def handle(self, event: Event) -> None:
        """Take an event."""
        self._try(lambda: self.renderer.handle(event))

    def finish(self) -> None:
        """Write what is left. May be called again."""
        if not self.is_finished:
            self.is_finished = True
            self._try(self.renderer.close)
            self._try(self.file.flush)
            self._try(self.file.close)

    def _try(self, write: Callable[[], object]) -> None:
        if self.problem:
            return
        try:
            write()
        except OSError as e:
            what = f"--report {self.request.kind}={self.request.path}"
            self.problem = f"{what}: could not be written whole ({e.strerror or e})"


class Outputs:
    """The terminal and the reports of a run: each is told every event, and none is stopped by another."""

    def __init__(self, terminal: Renderer, reports: Sequence[_Report]) -> None:
        self._terminal = terminal
        self._reports = reports
        self._cut: OSError | None = None

    def handle(self, event: Event) -> None:
        """Tell all of them. Raises `OSError` where the terminal is gone and there is no report."""
        for report in self._reports:
            report.handle(event)
            if event["event"] == "end":
                report.finish()
        if self._cut is None:
            try:
                self._terminal.handle(self._as_it_is(event))
            except OSError as e:
                self._cut = e
        if self._cut is not None and not self._reports:
            raise self._cut

    def close(self) -> None:
        """Finish them."""
        for report in self._reports:
            report.finish()
        if self._cut is None:
            try:
                self._terminal.close()
                sys.stdout.flush()
            except OSError as e:
                self._cut = e

    def status(self, status: int) -> int:
        """The exit status of the run, after what became of its reports, which is said."""
        problems = [report.problem for report in self._reports if report.problem]
        if self._cut is not None:
            problems.append(f"the output was cut ({self._cut.strerror or self._cut})")
            silence_stdout()
        for problem in problems:
            print(f"ticdc-conformance: {problem}", file=sys.stderr)
        return int(worst([ExitStatus(status), ExitStatus.INTERNAL])) if problems else status

    def _as_it_is(self, event: Event) -> Event:
        """The end as it is where a report could not be written: it is not green then."""
        problems = [report.problem for report in self._reports if report.problem]
        if event["event"] != "end" or not problems:
            return event
        status = int(worst([ExitStatus(event["exit"]), ExitStatus.INTERNAL]))
        # Which and why stands on stderr, once.
        which = "a report" if len(problems) == 1 else f"{len(problems)} reports"
        message = "; ".join(filter(None, (event["message"], f"{which} could not be written")))
        return {**event, "exit": status, "gate": {**event["gate"], "colour": "inconclusive"}, "message": message}


def silence_stdout() -> None:
    """Nothing more can be written there: the rest goes nowhere, so that the end of Python does not fail."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _close(file: TextIO) -> None:
    with contextlib.suppress(OSError):
        file.close()
