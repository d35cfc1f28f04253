"""`--report KIND=PATH`, for every command that has it: all of them are read before a file is touched."""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from conformance.cli.arguments import known
from conformance.errors import UsageError

__all__ = ["ReportRequest", "read_requests"]


@dataclass(frozen=True, slots=True)
class ReportRequest:
    """A report asked for: what kind, and into which file."""

    kind: str
    path: Path

    def opened(self) -> TextIO:
        """The file, empty. Raises `UsageError` where it cannot be written."""
        try:
            return self.path.open("w", encoding="utf-8", newline="\n", errors="backslashreplace")
        except OSError as e:
            raise self._cannot(e.strerror or str(e)) from None

    def check(self) -> None:
        """Raises `UsageError` where there is no folder for the file, or a folder has its name."""
        if not self.path.parent.is_dir():
            raise self._cannot(f"there is no folder {self.path.parent}")
        if self.path.is_dir():
            raise self._cannot("it is a folder")

    def _cannot(self, reason: str) -> UsageError:
        return UsageError(f"--report {self.kind}={self.path}: cannot be written ({reason})")


def read_requests(asked: Sequence[str], kinds: Collection[str]) -> list[ReportRequest]:
    """What `KIND=PATH` texts ask for.

    Raises `UsageError` for one that cannot be read, for two into one file, and where there is no folder for the file.
    """
    requests: dict[str, ReportRequest] = {}
    for text in asked:
        kind, separator, name = text.partition("=")
        if not separator or not name:
            example = kind if kind in kinds else next(iter(kinds))
            raise UsageError(f"--report {text}: it looks like {example}=PATH; kinds are {', '.join(kinds)}")
        request = ReportRequest(known("kind of report", kind, kinds), Path(name))
        place = os.path.normcase(os.path.realpath(name))
        if place in requests:
            other = requests[place]
            raise UsageError(f"--report {text}: {other.kind}={other.path} is written there; give each its own file")
        request.check()
        requests[place] = request
    return list(requests.values())
