"""Answers as a saved run keeps them, made of texts, and their bytes in the forms of the protocols."""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from typing import Any

__all__ = ["answer", "avro", "b64", "decoded", "framed", "record"]


def b64(data: bytes | str | None) -> str | None:
    """Base64, as the harness protocol has bytes."""
    if data is None:
        return None
    return base64.b64encode(data.encode() if isinstance(data, str) else data).decode()


def record(value: bytes | str | None, key: bytes | str | None = None, **more: Any) -> dict[str, Any]:
    """A record of the harness protocol."""
    return {"key": b64(key), "value": b64(value), **more}


def answer(*records: dict[str, Any], **more: Any) -> bytes:
    """The answer of an encoder."""
    return json.dumps({"ok": {"records": list(records), **more}}).encode()


def decoded(*events: dict[str, Any]) -> bytes:
    """The answer of a decoder."""
    return json.dumps({"ok": {"events": list(events)}}).encode()


def framed(pairs: Sequence[tuple[str, str]]) -> dict[str, Any]:
    """A record of documents behind their lengths."""

    def lengths(texts: Sequence[str]) -> bytes:
        return b"".join(len(text.encode()).to_bytes(8, "big") + text.encode() for text in texts)

    key = (1).to_bytes(8, "big") + lengths([key for key, _ in pairs])
    return record(lengths([value for _, value in pairs]), key)


def avro(body: bytes, schema: int = 1) -> bytes:
    """A body behind the id of its schema."""
    return b"\0" + schema.to_bytes(4, "big") + body
