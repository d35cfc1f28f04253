"""The engine in another process: the suite in an environment where the user has no package with a name of ours.

It starts the suite's command `serve-pytest`; `conformance.cli.serve_pytest` describes the lines that both exchange.
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

from ticdc_conformance_door.engine import Option, PlannedItem, RunRequest
from ticdc_conformance_door.items import Kind

__all__ = ["VARIABLE", "SubprocessEngine", "command_of", "suite_named"]

VARIABLE = "TICDC_CONFORMANCE_SUITE"
_OPTION = "--ticdc-suite"
_NAME = "ticdc-conformance"
_PATIENCE = 60.0
"""Seconds that the suite may take to end after the last line."""


def suite_named(arguments: Sequence[str], environment: Mapping[str, str]) -> str:
    """The value of `--ticdc-suite` (command line, then `PYTEST_ADDOPTS`), or else of `VARIABLE`; "" without any."""
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
    """The command line that starts the suite.

    `suite` is the folder of an environment, a program, or a command line such as `uvx NAME`. If it is empty, this
    Python runs the suite in the folder `home`, which is then the first on its path.
    """
    if not suite:
        return [sys.executable, str(home / "ticdc_conformance.py")]
    if Path(suite).is_dir():
        programs = [Path(suite) / part / _NAME for part in ("bin", "Scripts", ".")]
        return [str(next((path for path in programs if path.is_file()), programs[0]))]
    return [suite] if Path(suite).is_file() else shlex.split(suite)


class SubprocessEngine:
    """An `Engine` that runs the suite in another process.

    `why` is the reason for it, shown if the suite cannot be started.
    """

    def __init__(self, command: Sequence[str], why: str) -> None:
        self._command, self._why = command, why
        self._process: subprocess.Popen[str] | None = None
        self._outcomes: dict[int, tuple[Kind, str]] = {}
        self._has_begun = False
        self._left: set[int] = set()
        self._end: Mapping[str, Any] = {}

    def options(self) -> Sequence[Option]:
        """The options of the suite; only `--ticdc-iut` if it cannot be started, so that its use shows why."""
        try:
            process = self._started()
            try:
                line = self._read_line(process)
                with contextlib.suppress(OSError):
                    process.communicate(timeout=_PATIENCE)
            finally:
                process.kill()
                process.wait()
            return [Option(**one) for one in line["options"]]
        except (pytest.UsageError, KeyError, TypeError, subprocess.TimeoutExpired):
            return [Option("iut", "list", "address of an implementation", "ADDRESS")]

    def plan(self, request: RunRequest, config: pytest.Config) -> Sequence[PlannedItem]:
        """Start the suite and request the plan."""
        self._process = self._started()
        self._read_line(self._process)
        given, command = dict(request.given), list(request.command)
        self._send({"given": given, "file": request.file, "sessions": request.sessions, "command": command})
        planned = self._read_line(self._process)["planned"]
        return [PlannedItem(one["name"], frozenset(one["keywords"])) for one in planned]

    def begin(self, chosen: Sequence[int]) -> None:
        """Send the positions of the chosen items."""
        self._has_begun = True
        self._left = set(chosen)
        self._send({"chosen": list(chosen)})

    def outcome(self, item: int) -> tuple[Kind, str]:
        """Read outcomes up to that of this item."""
        assert self._process is not None
        self._left.discard(item)
        while item not in self._outcomes:
            if self._end:
                return Kind.BROKEN, "the run ended without a verdict of this case"
            try:
                line = self._read_line(self._process)
            except pytest.UsageError as e:
                self._end = {"status": 3, "summary": [str(e)]}
                return Kind.BROKEN, str(e)
            if "item" in line:
                self._outcomes[line["item"]] = Kind(line["kind"]), line["text"]
            else:
                self._end = line
        return self._outcomes.pop(item)

    def finish(self) -> bool:
        """Stop the run if chosen items are left, and read its end; a run that never began has none."""
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
                self._end = self._read_line(process)
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
        """The exit status of the run; None if it did not end."""
        status: int | None = self._end.get("status")
        return status

    def summary(self) -> Sequence[str]:
        """The accounting and the gate; empty if the run did not end."""
        lines: Sequence[str] = self._end.get("summary", ())
        return lines

    def _started(self) -> subprocess.Popen[str]:
        # PYTHONPATH is meant for the tests of the user, not for the suite.
        environment = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", VARIABLE)}
        try:
            command, pipe = [*self._command, "serve-pytest"], subprocess.PIPE
            return subprocess.Popen(command, stdin=pipe, stdout=pipe, encoding="utf-8", env=environment)
        except OSError as e:
            raise pytest.UsageError(self._unusable(e.strerror or str(e))) from None

    def _send(self, line: Mapping[str, Any]) -> None:
        assert self._process is not None
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(line, default=str) + "\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            raise pytest.UsageError(self._unusable("it ended")) from None

    def _read_line(self, process: subprocess.Popen[str]) -> Mapping[str, Any]:
        """The next line of the suite. Raises `pytest.UsageError` for `usage`, and if it is no JSON object."""
        assert process.stdout is not None
        text = process.stdout.readline()
        try:
            line = json.loads(text)
        except ValueError:
            line = None
        if not isinstance(line, dict):
            said = f"it said {text.strip()[:200]!r}" if text else "it ended without a word"
            raise pytest.UsageError(self._unusable(said))
        if "usage" in line:
            raise pytest.UsageError(f"ticdc-conformance: {line['usage']}")
        return line

    def _unusable(self, reason: str) -> str:
        """The message that the suite cannot be used, and how to name another one."""
        return (
            f"ticdc-conformance: the suite cannot be used as {shlex.join(self._command)}: {reason}.\n  {self._why}\n"
            f"  Name one in an environment of its own: {_OPTION} PATH, or {VARIABLE}=PATH"
        )
