"""The origin of an answer: the line of its source in which an implementation made it, as it reports itself.

Reports show it; the judge never sees it. A wrong `origin` changes no verdict: it is ignored, and the run says so once.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

__all__ = ["Origin", "parse_origin", "read_origin"]

_LONGEST = 1000
_LAST_LINE = 2**31 - 1
_LINE = re.compile(r"[1-9][0-9]{0,9}")
_DRIVE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
"""A drive of Windows, or the scheme of a URI."""


@dataclass(frozen=True, slots=True)
class Origin:
    """A file, relative to the root of the source, with `/` between its parts; `line` counts from 1, None names none."""

    file: str
    line: int | None = None

    def to_json(self) -> dict[str, Any]:
        """`{"file": "pkg/encoder.go", "line": 123}`."""
        return {"file": self.file} if self.line is None else {"file": self.file, "line": self.line}


def read_origin(frame: Mapping[str, Any]) -> tuple[Origin | None, str]:
    """The origin of an answer, and the problem for which it is ignored, or ""; (None, "") without an origin.

    It is the member `origin` of the frame, or else the text `origin` of a rejection, `file:line`.
    """
    if "origin" in frame:
        return _origin_of_object(frame["origin"])
    rejected = frame.get("rejected")
    text = rejected.get("origin") if isinstance(rejected, dict) else None
    # Free text is allowed there, so text that names no place is not a problem.
    return (parse_origin(text)[0] if isinstance(text, str) else None), ""


def parse_origin(text: str) -> tuple[Origin | None, str]:
    """The origin in `FILE` or `FILE:LINE`, and the problem for which it is ignored, or ""."""
    file, separator, number = text.rpartition(":")
    return _origin(file, int(number)) if separator and _LINE.fullmatch(number) else _origin(text, None)


def _origin_of_object(given: Any) -> tuple[Origin | None, str]:
    if not isinstance(given, dict):
        return None, 'it is not an object such as {"file": "pkg/encoder.go", "line": 123}'
    file, line = given.get("file"), given.get("line")
    if not isinstance(file, str):
        return None, "its 'file' is not a text"
    if line is not None and type(line) is not int:
        return None, "its 'line' is not an integer"
    return _origin(file, line)


def _origin(file: str, line: int | None) -> tuple[Origin | None, str]:
    if not file or len(file) > _LONGEST or not file.isprintable():
        return None, f"its file is not a path of 1 to {_LONGEST} printable characters"
    if file.startswith("/") or "\\" in file or _DRIVE.match(file) or ".." in file.split("/"):
        return None, f"its file is not relative to the root of the source, with / between its parts: {file}"
    if line is not None and not 1 <= line <= _LAST_LINE:
        return None, f"its line is not a number from 1 on: {line}"
    return Origin(file, line), ""
