"""`python -m conformance.transport.hosting package.module:attribute`: a Python callable as a harness on stdio.

Only answers go to the real stdout: whatever the hosted code prints, even from C, goes to stderr.
"""

from __future__ import annotations

import importlib
import os
import sys
import traceback
from collections.abc import Callable
from operator import attrgetter
from typing import Any, BinaryIO, TypeAlias

import orjson

__all__ = ["Answering", "NothingToHost", "answer_line", "host", "load", "main"]

Answering: TypeAlias = Callable[[dict[str, Any]], Any]
"""Answers a request; both are frames of the harness protocol as Python values."""

_CANNOT_HOST = 2


class NothingToHost(Exception):
    """The name leads to no callable that answers; the text says why."""


def load(module: str, attribute: str) -> Answering:
    """The callable that `attribute()` of a module returns. Raises `NothingToHost`, or the errors of the hosted code."""
    try:
        imported = importlib.import_module(module)
    except ModuleNotFoundError as e:
        if e.name is not None and (module == e.name or module.startswith(e.name + ".")):
            raise NothingToHost(f"there is no module {e.name!r} here ({os.getcwd()})") from None
        raise
    try:
        factory = attrgetter(attribute)(imported)
    except AttributeError:
        raise NothingToHost(f"the module {module!r} has no attribute {attribute!r}") from None
    if not callable(factory):
        raise NothingToHost(f"{module}:{attribute} is not callable; it is called without arguments")
    answering = factory()
    if not callable(answering):
        raise NothingToHost(f"{module}:{attribute}() returned no callable answer(request) -> answer, but {answering!r}")
    return answering  # type: ignore[no-any-return]


def answer_line(answering: Answering, request: dict[str, Any]) -> tuple[bytes, str]:
    """The answer line with its `\\n`, and a traceback: an exception of the callable becomes an `error` answer."""
    try:
        return orjson.dumps(answering(request), option=orjson.OPT_APPEND_NEWLINE), ""
    except Exception as e:  # noqa: BLE001 - an exception of hosted code is its own fault, and the answer says so
        text = "".join(traceback.format_exception_only(e)).strip()
        frame = {"id": request.get("id"), "error": text.encode(errors="backslashreplace").decode()}
        return orjson.dumps(frame, option=orjson.OPT_APPEND_NEWLINE), traceback.format_exc()


def host(answering: Answering, requests: BinaryIO, answers: BinaryIO) -> None:
    """Answer requests, one JSON object a line, until `bye` or the end of the input."""
    for line in requests:
        request = orjson.loads(line)
        answer, complaint = answer_line(answering, request)
        if complaint:
            print(complaint, file=sys.stderr, flush=True)
        answers.write(answer)
        answers.flush()
        if request.get("op") == "bye":
            return


def main() -> int:
    """Host the callable; returns the exit status: 0 after `bye`, 2 if there is nothing to host."""
    module, _, attribute = sys.argv[1].partition(":")
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    sys.stdout = sys.stderr
    sys.path.insert(0, os.getcwd())
    try:
        answering = load(module, attribute)
    except NothingToHost as e:
        print(f"nothing to host: {e}", file=sys.stderr)
        return _CANNOT_HOST
    except Exception:  # noqa: BLE001 - hosted code
        print(f"nothing to host: {module}:{attribute} raised", traceback.format_exc(), sep="\n", file=sys.stderr)
        return _CANNOT_HOST
    host(answering, sys.stdin.buffer, answers)
    return 0


if __name__ == "__main__":
    sys.exit(main())
