"""Rewrites messages that their producer wrote wrongly, so that the reference can read them and compare the rest.

A repair may guess, so the reading of a repaired message is always compared with the original one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from typing import Any

import orjson

from differential.decode.member_differences import MemberDifference
from differential.row_values import with_values
from reference_impl import exact_json
from reference_impl.errors import Rejected
from reference_impl.model import Record, RowChange, Value

__all__ = ["escaped", "with_escaped_names", "with_members_in_order", "with_question_marks", "without_question_marks"]


# -- members in another order


def with_members_in_order(record: Record) -> Record | None:
    """The record with the outermost members of its value sorted by name; readers of JSON ignore their order.

    None if they are sorted, if one occurs twice, or if the value is not an object that can be written again.
    """
    try:
        tree = exact_json.loads(record.value or b"")
    except Rejected:
        return None
    if not isinstance(tree, exact_json.Object) or tree.doubled or [*tree] == sorted(tree):
        return None
    try:
        return replace(record, value=orjson.dumps({name: tree[name] for name in sorted(tree)}))
    except orjson.JSONEncodeError:  # a number beyond 64 bits, which no member of the dialect has
        return None


# -- JSON documents that Canal wrote without escapes in the names of members


def with_escaped_names(record: Record, columns: AbstractSet[str]) -> Record | None:
    """The message with escaped names of members in the documents of these columns.

    None if nothing changes or the message is malformed.
    """
    try:
        tree: Any = orjson.loads(record.value or b"")
        rows = [row for member in ("data", "old") for row in tree.get(member) or () if isinstance(row, dict)]
    except (orjson.JSONDecodeError, AttributeError, TypeError):
        return None
    is_changed = False
    for row in rows:
        for name in columns & row.keys():
            text = row[name]
            if isinstance(text, str) and (written := escaped(text)) != text:
                row[name] = written
                is_changed = True
    return replace(record, value=orjson.dumps(tree)) if is_changed else None


_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[]\[{}]|, |[^][{}", ]+', re.DOTALL)
_END_OF_NAME = '": '


def escaped(text: str) -> str:
    r"""A document with its names escaped; unchanged if Canal did not print it.

    A name ends at the first `": `: `{"a"b": 1}` becomes `{"a\"b": 1}`.
    """
    parts, brackets, at = list[str](), list[str](), 0
    while at < len(text):
        found = _TOKEN.match(text, at)
        if found is None:
            return text
        token, at = found[0], found.end()
        parts.append(token)
        if token in "{[":
            brackets.append(token)
        elif token in "}]" and brackets:
            brackets.pop()
        if token in ("{", ", ") and brackets[-1:] == ["{"] and not text.startswith("}", at):
            end = text.find(_END_OF_NAME, at + 1)
            if end < 0 or text[at] != '"':
                return text
            parts.append(orjson.dumps(text[at + 1 : end]).decode() + ": ")
            at = end + len(_END_OF_NAME)
    return "".join(parts)


# -- letters that the producer lost and wrote as U+FFFD

_LOST = "\ufffd"


def with_question_marks(rows: Sequence[RowChange], record: Record) -> tuple[list[RowChange], Record] | None:
    """The rows and their message with a question mark for every lost letter; None without lost letters.

    The charset of their columns lacks U+FFFD, so no encoder writes such rows.
    """
    lost = _LOST.encode()
    if record.value is None or lost not in record.value:
        return None

    def with_marks(name: str, value: Value) -> Value:
        return value.replace(_LOST, "?") if isinstance(value, str) else value

    return [with_values(row, with_marks) for row in rows], replace(record, value=record.value.replace(lost, b"?"))


def without_question_marks(found: Sequence[MemberDifference]) -> list[MemberDifference]:
    """The differences whose actual value has no question mark.

    `with_question_marks` may have caused the others: in some charsets a question mark is longer than the lost byte.
    """
    return [(path, expected, got) for path, expected, got in found if "?" not in (got or "")]
