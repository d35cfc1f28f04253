"""`--out DIR` of a run: the folder that keeps its record and every answer, for later reports."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from conformance.cli.output_folder import make_folder
from conformance.cli.outputs import Written, close_anyhow
from conformance.cli.parser import print_note
from conformance.engine import RunConfig
from conformance.engine.kept import Kept
from conformance.errors import UsageError, file_errors
from reports.jsonl import JsonlRenderer
from reports.renderer import Event
from reports.saved import ANSWERS, RECORD, SeveralRunsError, open_run
from reports.saved_answers import WrittenAnswers
from reports.texts import counted

__all__ = ["RunFolder", "keeping", "open_folder"]


_DRAFT = ".resumed"
"""The folder, inside a run folder, of a run that resumes the interrupted run and has not ended yet."""


class RunFolder(Written):
    """Writes a run folder during the run.

    Whenever the run ends, everything written so far can be read. `kept` has the verdicts of the interrupted run in
    the folder, if this run resumes it.
    """

    def __init__(self, out: Path, stack: contextlib.ExitStack, kept: Kept | None = None) -> None:
        super().__init__(f"--out {out}")
        self.kept = kept
        self._out = out
        self.is_begun = False  # there was a verdict
        self._is_ended = False  # there was the `end` event
        self._is_restored = False
        self._into = out if kept is None else out / _DRAFT
        self._draft_before = {} if kept is None else _files(out / _DRAFT)
        if kept is None:
            shutil.rmtree(out / _DRAFT, ignore_errors=True)
        with file_errors(f"--out {out}: cannot be written"):
            self._into.mkdir(exist_ok=True)
            self._answer_file = (self._into / ANSWERS).open("wb")
            stack.callback(close_anyhow, self._answer_file)
            self._record_file = (self._into / RECORD).open(
                "w", encoding="utf-8", newline="\n", errors="backslashreplace"
            )
            stack.callback(close_anyhow, self._record_file)
        self._answers = WrittenAnswers(self._answer_file)
        self._record = JsonlRenderer(self._record_file)

    def keep_answer(self, digest: str, text: bytes) -> None:
        """Write an answer, unless it was written already."""
        self._try(lambda: self._answers.keep(digest, text))

    def keep_answer_of(self, digest: str, text: Callable[[], bytes | None]) -> None:
        """Like `keep_answer`, but `text` is called only if needed; it returns None if there is no such answer."""
        if not self._answers.has(digest) and (answer := text()) is not None:
            self.keep_answer(digest, answer)

    def handle(self, event: Event) -> None:
        self._try(lambda: self._record.handle(event))
        self._is_ended = self._is_ended or event["event"] == "end"
        self.is_begun = self.is_begun or event["event"] == "verdict"

    def finish(self) -> None:
        if self._is_restored:
            return
        self._try(self._answers.flush)
        self._try(self._record.close)
        if self._is_ended and self._into != self._out:
            self._try(self._replace_earlier_run)
        elif not self.is_begun:
            self.restore()

    def restore(self) -> None:
        """Restore the folder's files from before a resuming run that was refused."""
        if self._into != self._out:
            self._try(self._restore_draft)
            self._into, self._is_restored = self._out, True

    def _restore_draft(self) -> None:
        self._answer_file.close()
        self._record_file.close()
        if not self._draft_before:
            shutil.rmtree(self._into)
        for name, data in self._draft_before.items():
            (self._into / name).write_bytes(data)

    def _replace_earlier_run(self) -> None:
        """Replace the earlier run by the resuming one; its answers first, because verdicts name them."""
        for name in (ANSWERS, RECORD):
            (self._into / name).replace(self._out / name)
        self._into.rmdir()
        self._into = self._out


@contextlib.contextmanager
def open_folder(settings: Mapping[str, Any]) -> Iterator[RunFolder | None]:
    """Open the folder of the setting `out`; an earlier run in it is replaced. None without the setting.

    Raises `UsageError` where it cannot be written, or a report would overwrite one of its files.
    """
    if not settings["out"]:
        if settings.get("resume"):
            raise UsageError("--resume goes with --out DIR, the folder of the interrupted run")
        yield None
        return
    out = Path(settings["out"])
    for text in settings["report"] or ():
        path = Path(text.partition("=")[2])
        if any(os.path.realpath(path) == os.path.realpath(out / name) for name in (RECORD, ANSWERS)):
            raise UsageError(f"--report {text}: --out {out} writes that file; give the report its own")
    make_folder(out)
    kept = _kept(out) if settings.get("resume") else None
    if kept is None:
        _say_what_is_replaced(out)
    with contextlib.ExitStack() as stack:
        folder = RunFolder(out, stack, kept)
        # Also after a second interruption, which ends the run at once.
        stack.callback(folder.finish)
        try:
            yield folder
        except UsageError:
            folder.restore()
            raise
        if kept is not None and folder.is_begun:
            number = counted(kept.verdict_count, "verdict", "verdicts")
            print_note(f"--resume: {number} kept of the run that was in {out}")


def _files(folder: Path) -> dict[str, bytes]:
    """The existing files of a run folder."""
    return {name: (folder / name).read_bytes() for name in (RECORD, ANSWERS) if (folder / name).is_file()}


def _say_what_is_replaced(out: Path) -> None:
    """Say on stderr that an earlier run is replaced. Raises `UsageError` for a file that is not a run record."""
    record = out / RECORD
    if not record.exists() or not record.stat().st_size:
        return
    with file_errors(f"--out {out}: {record} cannot be read"), record.open("rb") as lines:
        first = lines.readline()
    if not _begins_run(first):
        raise UsageError(f"--out {out}: {record} is no run record, and is not replaced: name another folder")
    print_note(f"--out {out}: the run that was in it is replaced")


def _begins_run(line: bytes) -> bool:
    """Whether a line is the first of a record, or the beginning of that line: a run may be killed early."""
    try:
        event = json.loads(line)
    except (ValueError, RecursionError):
        return line.startswith(b'{"event":"run"')
    return isinstance(event, dict) and event.get("event") == "run"


def _kept(out: Path) -> Kept:
    """The verdicts of the run in a folder, and of a run that resumed it and was killed."""
    records = [place for place in (out / RECORD, out / _DRAFT / RECORD) if place.exists()]
    try:
        runs = [open_run(record) for record in records]
    except SeveralRunsError as e:
        raise UsageError(f"--resume: {e}") from None
    # The run that resumes overwrites the draft, so its answers are read now.
    texts = [dict(run.answers) for run in runs[1:]]
    digests = {digest for run in runs for digest, _ in run.answers}

    def text_of(digest: str) -> bytes | None:
        answer = runs[0].answers.text(digest)
        return answer if answer is not None else next((kept[digest] for kept in texts if digest in kept), None)

    return Kept.of([run.events for run in runs], digests, text_of)


def keeping(config: RunConfig, folder: RunFolder | None) -> RunConfig:
    """The run's configuration; with a folder, the run keeps its answers in it and resumes the interrupted run."""
    return config if folder is None else replace(config, keep_answer=folder.keep_answer, kept=folder.kept)
