"""Encoders that lose rows, or send one in place of others.  [DBZ-010]"""

from __future__ import annotations

import base64
from collections.abc import Callable, Sequence
from itertools import pairwise

from conformance.mutants.debezium.edits import Message, Tree, Wrap, encoder
from conformance.mutants.wrappers import Context, edit_answer

__all__ = ["MUTANTS"]

Records = list[Tree]


def _messages(records: Records, context: Context) -> Sequence[Message]:
    """The messages of the records; none if they are compressed."""
    if "large-message-handle-compression" in context.options:
        return ()
    return [Message(base64.b64decode(r["key"] or ""), base64.b64decode(r["value"] or "")) for r in records]


def _time(message: Message) -> object:
    return message.payload["source"]["commit_ts"]


def _split_deletes(records: Records, context: Context) -> list[int]:
    """The positions of deletes that an insert of the same time follows: halves of split updates."""
    messages = _messages(records, context)
    return [
        n
        for n, (message, following) in enumerate(pairwise(messages))
        if (message.kind, following.kind) == ("d", "c") and _time(message) == _time(following)
    ]


def _without_last(records: Records, context: Context) -> Records:
    return records[:-1] if _split_deletes(records, context) else records


def _only_first(records: Records, context: Context) -> Records:
    return records[:1] * (len(records) - 1) if _split_deletes(records, context) else records


def _records(edit: Callable[[Records, Context], Records]) -> Wrap:
    def each(ok: Tree, context: Context) -> None:
        ok["records"] = edit(ok["records"], context)

    return edit_answer("encode", each)


MUTANTS = (
    encoder(
        "last-row-after-split-lost",
        "DBZ-453",
        "the last row of a call with a split update is lost",
        _records(_without_last),
    ),
    encoder(
        "first-row-in-place-of-all",
        "DBZ-453",
        "in a call with a split update all records are copies of the first, and one is missing",
        _records(_only_first),
    ),
)
