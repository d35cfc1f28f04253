"""Reads what it can from the bytes of a record, and refuses nothing."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

__all__ = ["MILLISECONDS", "number_at", "payload_in", "payload_of", "text_at", "tree_of", "within_time"]

MILLISECONDS = 1000  # in a second
_LAST_SECOND = 253_402_128_000  # the begin of 9999-12-30, whose date a calendar has in every zone


def within_time(second: float) -> float:
    """The UNIX time, or the nearest one that a calendar has."""
    return min(max(second, 0), _LAST_SECOND)


def tree_of(data: bytes | None) -> Any:
    """The bytes as JSON in which every number is its text, None if they are not JSON.

    The last of equal members counts; bytes that are not UTF-8 are replaced.
    """
    if data is None:
        return None
    try:
        text = data.decode("utf-8", "replace")
        return json.loads(text, parse_int=str, parse_float=str, parse_constant=str, strict=False)
    except (ValueError, RecursionError):
        return None


def number_at(tree: Any, name: str) -> int | None:
    """The whole number of a member, None if there is none."""
    text = tree.get(name) if isinstance(tree, dict) else None
    return int(text) if isinstance(text, str) and re.fullmatch(r"-?[0-9]{1,20}", text, re.ASCII) else None


def payload_of(tree: Any) -> Any:
    """The payload of a document, with or without an envelope and schema."""
    return tree["payload"] if isinstance(tree, dict) and tree.keys() == {"schema", "payload"} else tree


def payload_in(data: bytes | None) -> Mapping[str, Any]:
    """The members of the payload in a document; none if it is no JSON object."""
    payload = payload_of(tree_of(data))
    return payload if isinstance(payload, dict) else {}


def text_at(tree: Any, name: str) -> str | None:
    """The text of a member, None if there is none."""
    value = tree.get(name) if isinstance(tree, dict) else None
    # A record under judgement may hold half a character, which no encoder can write.
    return value.encode("utf-8", "replace").decode("utf-8") if isinstance(value, str) else None
