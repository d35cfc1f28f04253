"""`--report KIND=PATH`, for every command that has it: all requests are parsed before a file is touched.

A report is a file or, for some kinds, a folder of files. Some kinds need no path: they know where to write.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import TextIO

from conformance.cli.arguments import known
from conformance.errors import UsageError

__all__ = ["ReportRequest", "read_requests"]


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
        try:
            return self._place().open("w", encoding="utf-8", newline="\n", errors="backslashreplace")
        except OSError as e:
            raise self._cannot(e.strerror or str(e)) from None

    def folder(self) -> Path:
        """The folder, made where it does not exist. Raises `UsageError` where nothing can be written into it."""
        try:
            self._place().mkdir(exist_ok=True)
            with TemporaryFile(dir=self._place()):
                return self._place()
        except OSError as e:
            raise self._cannot(e.strerror or str(e)) from None

    def check(self) -> None:
        """Raises `UsageError` where there is no folder to hold it, or something else has its name."""
        if self.path is None:
            return
        if not self.path.parent.is_dir():
            raise self._cannot(f"there is no folder {self.path.parent}")
        if self.path.is_dir() and not self.is_folder:
            raise self._cannot("it is a folder")
        if self.is_folder and self.path.exists() and not self.path.is_dir():
            raise self._cannot("it is a file, and a folder is needed")

    def _place(self) -> Path:
        assert self.path is not None  # a report without a path is not opened here
        return self.path

    def _cannot(self, reason: str) -> UsageError:
        return UsageError(f"{self}: cannot be written ({reason})")


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
        kind, separator, name = text.partition("=")
        path = None if kind in without_path and separator and name in ("", "-") else Path(name)
        if not separator or (path is not None and not name):
            example = kind if kind in names else names[0]
            raise UsageError(f"--report {text}: it looks like {example}=PATH; kinds are {', '.join(names)}")
        request = ReportRequest(known("kind of report", kind, names), path, kind in folders)
        place = f"{kind}=" if path is None else os.path.normcase(os.path.realpath(path))
        if place in requests:
            other = str(requests[place]).removeprefix("--report ")
            raise UsageError(f"--report {text}: {other} is written there; give each its own file")
        request.check()
        requests[place] = request
    return list(requests.values())
