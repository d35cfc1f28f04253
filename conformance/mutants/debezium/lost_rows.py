"""Encoders that lose rows, or send one in place of others."""

from __future__ import annotations

import base64
from collections.abc import Callable
from itertools import pairwise
from typing import TypeAlias

from conformance.mutants.debezium.edits import Message, Tree, Wrap, encoder
from conformance.mutants.wrappers import Context, edit_answer

__all__ = ["MUTANTS"]

_Records: TypeAlias = list[Tree]


def _messages(records: _Records) -> list[Message]:
    return [Message(base64.b64decode(r["key"] or ""), base64.b64decode(r["value"] or "")) for r in records]


def _has_split_update(records: _Records, context: Context) -> bool:
    """Whether a delete is followed by an insert of the same time; False for compressed records, which are not read."""
    if context.options.get("large-message-handle-compression", "none") != "none":
        return False
    return any(
        (message.kind, following.kind) == ("d", "c") and message.source["commit_ts"] == following.source["commit_ts"]
        for message, following in pairwise(_messages(records))
    )


def _without_last(records: _Records) -> _Records:
    return records[:-1]


def _only_first(records: _Records) -> _Records:
    return records[:1] * (len(records) - 1)


def _if_split(edit: Callable[[_Records], _Records]) -> Wrap:
    """Edits the records of a call if an update in it was split."""

    def each(ok: Tree, context: Context) -> None:
        if _has_split_update(ok["records"], context):
            ok["records"] = edit(ok["records"])

    return edit_answer("encode", each)


MUTANTS = (
    encoder(
        "last-row-after-split-lost",
        "DBZ-453",
        "the last row of a call with a split update is lost",
        _if_split(_without_last),
    ),
    encoder(
        "first-row-in-place-of-all",
        "DBZ-453",
        "in a call with a split update all records are copies of the first, and one is missing",
        _if_split(_only_first),
    ),
)
