"""Serves a harness on stdio: one JSON object a line each way."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable
from typing import Any

import orjson

__all__ = ["serve"]


def serve(answer: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
    """Answer requests, one JSON object a line, until `bye` or the end of stdin."""
    out = sys.stdout.buffer
    for line in sys.stdin.buffer:
        try:
            request = orjson.loads(line)
        except ValueError:
            request = None
        if not isinstance(request, dict):
            print("a line on stdin is not a JSON object; it is ignored", file=sys.stderr)
            continue
        out.write(_line(answer, request))
        out.flush()
        if request.get("op") == "bye":
            return


def _line(answer: Callable[[dict[str, Any]], dict[str, Any]], request: dict[str, Any]) -> bytes:
    """The answer as a line; an exception becomes an `error` answer, and its traceback goes to stderr."""
    try:
        return orjson.dumps(answer(request), option=orjson.OPT_APPEND_NEWLINE)
    except Exception as e:  # noqa: BLE001 - the harness broke, and its answer says so
        traceback.print_exc()
        text = f"{type(e).__name__}: {e}".encode(errors="backslashreplace").decode()
        return orjson.dumps({"id": request.get("id"), "error": text}, option=orjson.OPT_APPEND_NEWLINE)
