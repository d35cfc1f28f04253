"""`--report KIND=PATH` and `--template DIR`, for every command: both are checked before the work begins.

A report is a file or, for some kinds, a folder of files. Some kinds need no path: they know where to write.
"""

from __future__ import annotations

import argparse
import contextlib
import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, TextIO

from conformance.cli.arguments import checked_name
from conformance.errors import UsageError, file_errors
from reports.frame import Frame, TemplateProblem
from reports.renderer import ReportOptions

__all__ = [
    "ReportRequest",
    "add_reports",
    "checked_options",
    "output_path",
    "read_requests",
    "report_options",
    "template_errors",
    "write_pages",
]

STDOUT = "-"
"""In place of a path: standard output."""


@dataclass(frozen=True, slots=True)
class ReportRequest:
    """A requested report: its kind, and its file or folder."""

    kind: str
    path: Path | None
    """None for a kind that is requested without a path."""
    is_folder: bool = False

    def __str__(self) -> str:
        """The text of the request."""
        return f"--report {self.kind}={self.path or ''}"

    def opened(self) -> TextIO:
        """The file, empty. Raises `UsageError` where it cannot be written."""
        with file_errors(self._unwritable):
            return self._place().open("w", encoding="utf-8", newline="\n", errors="backslashreplace")

    def folder(self) -> Path:
        """The folder, made where it does not exist. Raises `UsageError` where nothing can be written into it."""
        with file_errors(self._unwritable):
            self._place().mkdir(exist_ok=True)
            with TemporaryFile(dir=self._place()):
                return self._place()

    def check(self) -> None:
        """Raises `UsageError` where there is no folder to hold it, or something else has its name."""
        if self.path is None:
            return
        if not self.path.parent.is_dir():
            raise UsageError(f"{self._unwritable} (there is no folder {self.path.parent})")
        if self.path.is_dir() and not self.is_folder:
            raise UsageError(f"{self._unwritable} (it is a folder)")
        if self.is_folder and self.path.exists() and not self.path.is_dir():
            raise UsageError(f"{self._unwritable} (it is a file, and a folder is needed)")

    def _place(self) -> Path:
        assert self.path is not None  # a report without a path is not opened here
        return self.path

    @property
    def _unwritable(self) -> str:
        return f"{self}: cannot be written"


def add_reports(parser: argparse.ArgumentParser, kinds: Collection[str], condition: str = "") -> None:
    """Add the option to a command that does not have it as a setting; `condition` begins its help."""
    listed = ", ".join(f"{kind}=PATH" for kind in kinds)
    parser.add_argument(
        "--report", metavar="KIND=PATH", action="append", default=[], help=f"{condition}{listed}; repeat for several"
    )


def read_requests(
    texts: Sequence[str], kinds: Collection[str], folders: Collection[str] = (), without_path: Collection[str] = ()
) -> list[ReportRequest]:
    """The requests in `KIND=PATH` texts.

    `kinds` are written into a file, `folders` into a folder. For `without_path` kinds the path may be empty or `-`.
    Raises `UsageError` for a malformed request, for two requests of one file, and for a missing folder.
    """
    requests: dict[str, ReportRequest] = {}
    names = [*kinds, *folders]
    for text in texts:
        request = _parsed(text, names, folders, without_path)
        place = os.path.normcase(os.path.realpath(request.path)) if request.path else f"{request.kind}="
        if place in requests:
            if request.path is None:
                raise UsageError(f"--report {text}: {request.kind}= is given twice; leave one out")
            other = str(requests[place]).removeprefix("--report ")
            raise UsageError(f"--report {text}: {other} is written there; give each its own file")
        request.check()
        requests[place] = request
    return list(requests.values())


def _parsed(text: str, names: Sequence[str], folders: Collection[str], without_path: Collection[str]) -> ReportRequest:
    """The request in a text; `names` are all kinds. Raises `UsageError` for an unknown kind, and for a missing path."""
    kind, equals, path = text.partition("=")
    if kind in without_path and equals and path in ("", STDOUT):
        return ReportRequest(checked_name("kind of report", kind, names), None)
    if not path:
        example = kind if kind in names else names[0]
        raise UsageError(f"--report {text}: it looks like {example}=PATH; kinds are {', '.join(names)}")
    checked_name("kind of report", kind, names)
    if path == STDOUT:
        raise UsageError(
            f"--report {text}: standard output has the text for the terminal; name a file (a file of that name is ./-)"
        )
    return ReportRequest(kind, Path(path), kind in folders)


def output_path(text: str) -> Path | None:
    """The path in the value of `-o`; None for `-`, which is standard output."""
    return None if text == STDOUT else Path(text)


# -- pages from templates ---------------------------------------------------------------------------------------------


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
