"""The engine in another process: the suite in an environment of its own, where no name of ours is taken.

`serve-pytest` of the suite is started there; see it for the lines of the conversation.
"""

from __future__ import annotations

import contextlib
import json
import os
import shlex
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from ticdc_conformance_door.engine import Asked, Option, PlannedItem
from ticdc_conformance_door.items import Kind

__all__ = ["VARIABLE", "ElsewhereEngine", "command_of", "suite_named"]

VARIABLE = "TICDC_CONFORMANCE_SUITE"
_OPTION = "--ticdc-suite"
_NAME = "ticdc-conformance"
_PATIENCE = 60.0
"""Seconds that the suite may take to end."""


def suite_named(arguments: Sequence[str], environment: Mapping[str, str]) -> str:
    """What `--ticdc-suite` says, on the command line or in `PYTEST_ADDOPTS`, else the variable; "" where none does."""
    try:
        added = shlex.split(environment.get("PYTEST_ADDOPTS", ""))
    except ValueError:
        added = []
    given = [*added, *arguments]
    for at, text in reversed(list(enumerate(given))):
        if text.startswith(f"{_OPTION}="):
            return text.partition("=")[2]
        if text == _OPTION and at + 1 < len(given):
            return given[at + 1]
    return environment.get(VARIABLE, "")


def command_of(suite: str, home: Path) -> list[str]:
    """The command line of the suite. `suite` is a folder of an environment, a program, or a line such as `uvx NAME`.

    Without one: the suite at `home`, in this Python, but with its own folder first on the path.
    """
    if not suite:
        return [sys.executable, str(home / "ticdc_conformance.py")]
    if Path(suite).is_dir():
        programs = [Path(suite) / part / _NAME for part in ("bin", "Scripts", ".")]
        return [str(next((path for path in programs if path.is_file()), programs[0]))]
    return [suite] if Path(suite).is_file() else shlex.split(suite)


class ElsewhereEngine:
    """An `Engine` that talks to the suite elsewhere. `why` says why it must, for the message where it cannot."""

    def __init__(self, command: Sequence[str], why: str) -> None:
        self._command, self._why = command, why
        self._process: subprocess.Popen[str] | None = None
        self._outcomes: dict[int, tuple[Kind, str]] = {}
        self._has_begun = False
        self._left: set[int] = set()
        self._end: Mapping[str, Any] = {}

    def options(self) -> Sequence[Option]:
        """As the suite there has them; where it cannot be started, enough to say so when it is asked for."""
        try:
            process = self._started()
            try:
                line = self._line(process)
                with contextlib.suppress(OSError):
                    process.communicate(timeout=_PATIENCE)
            finally:
                process.kill()
                process.wait()
            return [Option(**one) for one in line["options"]]
        except (pytest.UsageError, KeyError, TypeError, subprocess.TimeoutExpired):
            return [Option("iut", "list", "address of an implementation", "ADDRESS")]

    def plan(self, asked: Asked, config: pytest.Config) -> Sequence[PlannedItem]:
        """Start the suite and have it plan."""
        self._process = self._started()
        self._line(self._process)
        file = str(asked.file) if asked.file else None
        self._say(
            {"given": dict(asked.given), "file": file, "sessions": asked.sessions, "command": list(asked.command)}
        )
        planned = self._line(self._process)["planned"]
        return [PlannedItem(one["name"], frozenset(one["keywords"])) for one in planned]

    def begin(self, chosen: Sequence[int]) -> None:
        """Name the chosen items."""
        self._has_begun = True
        self._left = set(chosen)
        self._say({"chosen": list(chosen)})

    def outcome(self, item: int) -> tuple[Kind, str]:
        """Read up to this item."""
        assert self._process is not None
        self._left.discard(item)
        while item not in self._outcomes:
            if self._end:
                return Kind.BROKEN, "the run ended without a verdict of this case"
            try:
                line = self._line(self._process)
            except pytest.UsageError as e:
                self._end = {"status": 3, "summary": [str(e)]}
                return Kind.BROKEN, str(e)
            if "item" in line:
                self._outcomes[line["item"]] = Kind(line["kind"]), line["text"]
            else:
                self._end = line
        return self._outcomes.pop(item)

    def finish(self) -> bool:
        """Read to the end, or have the run stopped where items are left; a run that never began has no end."""
        process, self._process = self._process, None
        if process is None:
            return True
        assert process.stdin is not None
        try:
            with contextlib.suppress(BrokenPipeError):
                if self._left:
                    process.stdin.write('{"end": true}\n')
                process.stdin.flush()
            while self._has_begun and "status" not in self._end:
                self._end = self._line(process)
        except pytest.UsageError as e:
            self._end = {"status": 3, "summary": [str(e)]}
        with contextlib.suppress(BrokenPipeError, OSError):
            process.stdin.close()
        try:
            process.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        return not self._left

    def status(self) -> int | None:
        """Of the run there."""
        status: int | None = self._end.get("status")
        return status

    def summary(self) -> Sequence[str]:
        """Of the run there."""
        lines: Sequence[str] = self._end.get("summary", ())
        return lines

    def _started(self) -> subprocess.Popen[str]:
        pipe = subprocess.PIPE
        # A path that was made for the tests must not reach the suite there.
        environment = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", VARIABLE)}
        try:
            return subprocess.Popen(
                [*self._command, "serve-pytest"],
                stdin=pipe,
                stdout=pipe,
                text=True,
                encoding="utf-8",
                env=environment,
            )
        except OSError as e:
            raise pytest.UsageError(self._unreached(e.strerror or str(e))) from None

    def _say(self, line: Mapping[str, Any]) -> None:
        assert self._process is not None
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(line, default=str) + "\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            raise pytest.UsageError(self._unreached("it ended")) from None

    def _line(self, process: subprocess.Popen[str]) -> Mapping[str, Any]:
        assert process.stdout is not None
        text = process.stdout.readline()
        try:
            line = json.loads(text)
        except ValueError:
            line = None
        if not isinstance(line, dict):
            said = f"it said {text.strip()[:200]!r}" if text else "it ended without a word"
            raise pytest.UsageError(self._unreached(said))
        if "usage" in line:
            raise pytest.UsageError(f"ticdc-conformance: {line['usage']}")
        return line

    def _unreached(self, reason: str) -> str:
        return (
            f"ticdc-conformance: the suite cannot be used as {shlex.join(self._command)}: {reason}.\n  {self._why}\n"
            f"  Name one in an environment of its own: {_OPTION} PATH, or {VARIABLE}=PATH"
        )
