"""Serves a harness on stdio: one JSON object a line each way."""

from __future__ import annotations

import sys
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
        out.write(orjson.dumps(answer(request)) + b"\n")
        out.flush()
        if request.get("op") == "bye":
            return
