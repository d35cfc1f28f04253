"""A line as a frame: a JSON object without duplicate members, at any depth."""

from __future__ import annotations

import json
from typing import Any

import orjson

__all__ = ["MAX_DEPTH", "BadFrame", "read_frame"]

MAX_DEPTH = 100
"""The limit of nested objects and lists: ten times what an answer of the harness protocol needs."""

_ONLY_ANSWERS = "only answers belong on stdout, and all other text on stderr"
_TOO_DEEP = f"objects and lists inside each other more than {MAX_DEPTH} deep"


class BadFrame(Exception):
    """A line that is not a frame; the text says why."""


def read_frame(line: bytes) -> dict[str, Any]:
    """The object in a line. Raises `BadFrame`."""
    try:
        frame = orjson.loads(line)
    except orjson.JSONDecodeError as e:
        is_object = line.lstrip().startswith(b"{")
        raise BadFrame(f"not JSON ({e})" if is_object else f"not JSON; {_ONLY_ANSWERS}") from None
    if type(frame) is not dict:
        raise BadFrame("not a JSON object")
    # orjson drops duplicate members, and then the line has more colons than the frame. An escaped colon, \u003a, would
    # hide the difference: a line with such an escape is always searched for duplicates.
    if _colons(frame) != line.count(b":") or b"\\u003" in line:
        _refuse_duplicates(line)
    return frame


def _colons(frame: dict[str, Any]) -> int:
    """The number of colons in the text of a frame without duplicate members and without escapes."""
    level: list[Any] = [frame]
    colons = depth = 0
    while level:
        depth += 1
        if depth > MAX_DEPTH:
            raise BadFrame(_TOO_DEEP)
        below: list[Any] = []
        for part in level:
            values = part
            if type(part) is dict:
                colons += len(part) + sum(name.count(":") for name in part)
                values = part.values()
            for value in values:
                value_type = type(value)
                if value_type is str:
                    colons += value.count(":")
                elif value_type is dict or value_type is list:
                    below.append(value)
        level = below
    return colons


def _refuse_duplicates(line: bytes) -> None:
    """Raises `BadFrame` if a member stands twice in an object, also one whose first value is too deep to read."""

    def members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        by_name = dict(pairs)
        if len(by_name) != len(pairs):
            names = [name for name, _ in pairs]
            doubled = next(name for i, name in enumerate(names) if name in names[:i])
            raise BadFrame(f"the member {doubled!r} stands twice in one object")
        return by_name

    # Numbers stay text: Python would refuse those of many digits.
    try:
        json.loads(line, object_pairs_hook=members, parse_int=str, parse_float=str)
    except RecursionError:
        raise BadFrame(_TOO_DEEP) from None
