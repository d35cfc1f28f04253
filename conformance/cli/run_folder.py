"""`--out DIR` of a run: the folder that keeps its record and every answer, so that all of it can be shown again."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from conformance.cli.outcome import make_folder
from conformance.engine import RunConfig
from conformance.errors import UsageError
from reports.jsonl import JsonlRenderer
from reports.renderer import Event
from reports.saved import ANSWERS, RECORD
from reports.saved_answers import WrittenAnswers

__all__ = ["RunFolder", "as_also", "keeping", "open_folder"]


class RunFolder:
    """A run folder as it is written. `problem` says why it is not whole; the run goes on without it then.

    Whenever the run ends, what was written until then can be read.
    """

    def __init__(self, out: Path, stack: contextlib.ExitStack) -> None:
        self.problem = ""
        self._out = out
        try:
            self._answer_file = stack.enter_context((out / ANSWERS).open("wb"))
            record = (out / RECORD).open("w", encoding="utf-8", newline="\n", errors="backslashreplace")
        except OSError as e:
            raise UsageError(f"--out {out}: cannot be written ({e.strerror or e})") from None
        self._record_file = stack.enter_context(record)
        self._answers = WrittenAnswers(self._answer_file)
        self._record = JsonlRenderer(self._record_file)

    def keep_answer(self, digest: str, text: bytes) -> None:
        """Write an answer, unless it is there."""
        self._try(lambda: self._answers.keep(digest, text))

    def keep_answer_of(self, digest: str, text: Callable[[], bytes | None]) -> None:
        """Write an answer unless it is there, and ask for its text only then; None is no answer to keep."""
        if not self._answers.has(digest) and (found := text()) is not None:
            self.keep_answer(digest, found)

    def handle(self, event: Event) -> None:
        """Write an event."""
        self._try(lambda: self._record.handle(event))

    def finish(self) -> None:
        """Write what is left. May be called again."""
        self._try(self._answers.flush)
        self._try(self._record.close)

    def _try(self, write: Callable[[], object]) -> None:
        if not self.problem:
            try:
                write()
            except OSError as e:
                self.problem = f"--out {self._out}: could not be written whole ({e.strerror or e})"


@contextlib.contextmanager
def open_folder(settings: Mapping[str, Any]) -> Iterator[RunFolder | None]:
    """The folder of the setting `out`, made and empty of an earlier run; None where none is asked for.

    Raises `UsageError` where it cannot be written, or a report is to be written over one of its files.
    """
    if not settings["out"]:
        yield None
        return
    out = Path(settings["out"])
    for text in settings["report"] or ():
        path = Path(text.partition("=")[2])
        if any(os.path.realpath(path) == os.path.realpath(out / name) for name in (RECORD, ANSWERS)):
            raise UsageError(f"--report {text}: --out {out} writes that file; give the report its own")
    make_folder(out)
    with contextlib.ExitStack() as stack:
        folder = RunFolder(out, stack)
        # Also of a run that was interrupted twice.
        stack.callback(folder.finish)
        yield folder


def as_also(folder: RunFolder | None) -> Sequence[RunFolder]:
    """The folder as what a run is written into beside its reports."""
    return () if folder is None else (folder,)


def keeping(config: RunConfig, folder: RunFolder | None) -> RunConfig:
    """The run with its answers kept in the folder, if there is one."""
    return config if folder is None else replace(config, keep_answer=folder.keep_answer)
