"""Repairs JSON documents that Canal wrote without escapes in the names of members.

The repair guesses where a name ends, so its reading must be compared with the original message.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import replace
from typing import Any

import orjson

from reference_impl.model import Record

__all__ = ["escaped", "with_escaped_names"]

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[]\[{}]|, |[^][{}", ]+', re.DOTALL)
_END = '": '


def escaped(text: str) -> str:
    """A document with its names escaped; unchanged if Canal did not print it.

    A name ends at the first `": `.
    """
    parts, open_, at = list[str](), list[str](), 0
    while at < len(text):
        found = _TOKEN.match(text, at)
        if found is None:
            return text
        token, at = found[0], found.end()
        parts.append(token)
        if token in "{[":
            open_.append(token)
        elif token in "}]" and open_:
            open_.pop()
        if token in ("{", ", ") and open_[-1:] == ["{"] and not text.startswith("}", at):
            end = text.find(_END, at + 1)
            if end < 0 or text[at] != '"':
                return text
            parts.append(orjson.dumps(text[at + 1 : end]).decode() + ": ")
            at = end + len(_END)
    return "".join(parts)


def with_escaped_names(record: Record, columns: Collection[str]) -> Record | None:
    """The message with the names in these columns escaped.

    None if nothing changes or the message is malformed.
    """
    try:
        tree: Any = orjson.loads(record.value or b"")
        rows = [row for member in ("data", "old") for row in tree.get(member) or () if isinstance(row, dict)]
        texts = {(n, name): text for n, row in enumerate(rows) for name, text in row.items() if name in columns}
        written = {place: escaped(text) for place, text in texts.items() if isinstance(text, str)}
    except (orjson.JSONDecodeError, AttributeError, TypeError):
        return None
    if all(texts[place] == text for place, text in written.items()):
        return None
    for (n, name), text in written.items():
        rows[n][name] = text
    return replace(record, value=orjson.dumps(tree))
