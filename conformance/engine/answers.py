"""Answers as a run keeps them: the text of each, and the digest by which a `verdict` event names it.

An answer is kept as the judge saw it: one of `ok`, `rejected`, `unsupported` and `error`, without the `id` of its
request and the `origin` in its source, and with the topics and schema ids that the case knows. Equal answers have one
text, whatever the order of their members.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from typing import Any, TypeAlias

import orjson

__all__ = ["KeepAnswer", "answer_digest", "answer_text"]

KeepAnswer: TypeAlias = Callable[[str, bytes], None]
"""Takes the digest and the text of each answer before its verdict is reported; it may keep one of equal answers."""

_DIGITS = 32
"""Hexadecimal digits of a digest: 16 bytes of a SHA-256."""


def answer_text(kind: str, payload: Any) -> bytes:
    """The answer as JSON on one line, its members sorted. `kind` is `ok`, `rejected`, `unsupported` or `error`."""
    if kind == "rejected" and "origin" in payload:
        payload = {name: value for name, value in payload.items() if name != "origin"}
    try:
        return orjson.dumps({kind: payload}, option=orjson.OPT_SORT_KEYS)
    except TypeError:  # a lone surrogate, a number of more than 64 bits, or deep nesting, of code that runs in process
        return json.dumps({kind: payload}, sort_keys=True, separators=(",", ":"), default=str).encode()


def answer_digest(text: bytes) -> str:
    """The digest of an answer by its text: the first 16 bytes of the SHA-256, in hexadecimal digits."""
    return hashlib.sha256(text).hexdigest()[:_DIGITS]
