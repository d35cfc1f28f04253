"""Sessions with the miniature harnesses beside this file. Their time-outs are short: they answer at once or never."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

from conformance.transport import Limits, Session, Trace, open_session
from conformance.transport.errors import ImplementationError

FOLDER = Path(__file__).parent / "miniatures"
SHORT = 0.3
"""Seconds of silence for those that are meant to be silent."""
PATIENT = Limits(start=20, answer=20)
IMPATIENT = Limits(start=20, answer=SHORT)


def command(name: str, *arguments: str) -> str:
    """The command line of a miniature: the program of that name, or `misbehaves` in that manner."""
    own = FOLDER / f"{name}.py"
    program = [str(own)] if own.exists() else [str(FOLDER / "misbehaves.py"), name]
    return shlex.join([sys.executable, "-S", *program, *arguments])


def miniature(
    name: str, *arguments: str, limits: Limits = PATIENT, scheme: str = "cmd", trace: Trace | None = None
) -> Session:
    """A session with a miniature, not started."""
    return open_session(f"{scheme}:{command(name, *arguments)}", limits=limits, trace=trace)


def started(
    name: str, *arguments: str, limits: Limits = PATIENT, scheme: str = "cmd", trace: Trace | None = None
) -> Session:
    """A session with a miniature, started and configured."""
    session = miniature(name, *arguments, limits=limits, scheme=scheme, trace=trace)
    session.start()
    session.configure({"protocol": "canal-json", "options": {}})
    return session


def run_case(session: Session, case: str) -> str:
    """A case as the engine runs it: what kind of answer it had, or the class of the error."""
    outcome = blamed(session, case)
    return type(outcome).__name__ if isinstance(outcome, ImplementationError) else "ok" if outcome is None else outcome


def blamed(session: Session, case: str) -> ImplementationError | str | None:
    """A case as the engine runs it: the error, the text of an `error` answer, or None if it was answered."""
    try:
        session.ask("reset")
        answer = session.ask("encode", case=case, tables=[], events=[])
    except ImplementationError as e:
        return e
    return None if answer.kind == "ok" else str(answer.payload)
