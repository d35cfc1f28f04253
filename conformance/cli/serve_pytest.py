"""`serve-pytest`: judges for a pytest in another environment, which starts this command.

Both sides send one JSON object a line (← from this command, → from pytest):

    ← {"options": [{"name", "kind", "help", "metavar"}, …]}
    → {"given": {…}, "file": PATH or null, "sessions": N, "command": […]}
    ← {"planned": [{"name", "keywords"}, …]}
    → {"chosen": [0, 3, …]}
    ← {"item": 0, "kind": "passed", "text": ""} of each chosen item
    → {"end": true}, at any time: cases that have not begun are not judged
    ← {"status": 0 or null, "summary": […]}

`{"usage": MESSAGE}` in place of a line ends the conversation.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import threading
from pathlib import Path
from typing import Any

from conformance.cli.settings import SETTINGS
from conformance.errors import ConformanceError
from conformance.pytest_plugin import settings_of
from conformance.pytest_run import PytestRun
from ticdc_conformance_door.engine import RunRequest

__all__ = ["register"]

_USAGE = 4


def register(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser("serve-pytest")
    parser.set_defaults(handle=_serve)


def _serve(args: argparse.Namespace) -> int:
    # Unbuffered: a thread waits in a read. A forked process closes `sys.stdin`, and would wait for the buffer's lock.
    lines = io.FileIO(os.dup(0))
    # Reports that go to stdout must not come between the lines of the conversation.
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)

    def say(line: dict[str, Any]) -> None:
        out.write(json.dumps(line) + "\n")
        out.flush()

    try:
        return _converse(lines, say)
    except BrokenPipeError:
        return 0  # pytest was killed
    except ConformanceError as e:
        say({"usage": str(e)})
        return _USAGE


def _converse(lines: io.FileIO, say: Any) -> int:
    names = ("name", "kind", "help", "metavar")
    say({"options": [{name: getattr(setting, name) for name in names} for setting in SETTINGS]})
    line = lines.readline()
    if not line:
        return 0  # pytest only wanted the options
    given = json.loads(line)
    file = Path(given["file"]) if given["file"] else None
    request = RunRequest(given["given"], file, given["sessions"], given["command"])
    run = PytestRun(settings_of(request), request.command)
    planned = list(run.planned())
    say({"planned": [{"name": item.name, "keywords": sorted(item.keywords)} for item in planned]})
    chosen = json.loads(lines.readline() or b"{}").get("chosen")
    if chosen is None:
        return 0
    run.begin([planned[number] for number in chosen])
    threading.Thread(target=_watch, args=(lines, run), daemon=True).start()
    for number in chosen:
        kind, text = run.outcome(planned[number], run.judged(planned[number].key))
        say({"item": number, "kind": kind, "text": text})
    run.finish()
    say({"status": run.status if run.end else None, "summary": run.summary()})
    return 0


def _watch(lines: io.FileIO, run: PytestRun) -> None:
    """Stop the run at the next line, or when pytest has ended."""
    lines.readline()
    run.stop()
