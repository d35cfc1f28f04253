"""Builders of Open Protocol's mutants: edits of records, and of the events in a message.

An event that an edit does not change keeps its bytes.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeAlias

from conformance.mutants import wrappers
from conformance.mutants.model import MutantBuilder, Wrap
from conformance.mutants.wrappers import Applies, Context, Json, dump, edit_bytes
from reference_impl import exact_json
from reference_impl.compression import compress, decompress
from reference_impl.errors import Rejected
from reference_impl.model import Column
from reference_impl.open_protocol.framing import frame, unframe
from reference_impl.open_protocol.types import CODES
from reference_impl.protocols import OPEN_PROTOCOL

__all__ = [
    "Pair",
    "columns",
    "decoder",
    "encoder",
    "images",
    "kind_of",
    "location",
    "member",
    "pairs",
    "pairs_of",
    "record_of",
    "refuses",
    "rows",
    "table_of",
]

encoder, decoder = MutantBuilder(OPEN_PROTOCOL.name, "encode"), MutantBuilder(OPEN_PROTOCOL.name, "decode")

Pair: TypeAlias = tuple[bytes, bytes]
"""Event key and event value."""
EditEvent: TypeAlias = Callable[[Json, Json, Context], Any]


# -- records -----------------------------------------------------------------------------------------------------------


def pairs_of(record: Json) -> list[Pair]:
    """The pairs of event key and event value of a record; empty if it is not a message."""
    try:
        return unframe(*(base64.b64decode(record[side]) for side in ("key", "value")))
    except (Rejected, TypeError):
        return []


def record_of(events: list[Pair], like: Json) -> Json:
    """The record `like` with these events instead of its own."""
    key, value = (base64.b64encode(data).decode("ascii") for data in frame(events))
    return {**like, "key": key, "value": value}


def kind_of(record: Json) -> int:
    """The kind of the first event of a record: 1 a row, 2 a DDL event, 3 a resolved event."""
    return int(exact_json.loads(pairs_of(record)[0][0])["t"])


def table_of(pair: Pair) -> tuple[str, str]:
    """Schema and table of an event."""
    key = exact_json.loads(pair[0])
    return key.get("scm", ""), key.get("tbl", "")


# -- encoders ----------------------------------------------------------------------------------------------------------


def pairs(edit: Callable[[list[Pair], Context], Iterable[Pair]]) -> Wrap:
    """Edits the pairs of event key and event value of every record as bytes."""
    return edit_bytes(lambda key, value, context: frame(edit(unframe(key or b"", value or b""), context)))


def _edited(key: bytes, value: bytes, edit: EditEvent, context: Context) -> Pair:
    trees = [exact_json.loads(key), exact_json.loads(decompress(context.compression, value)) if value else {}]
    before = [dump(tree) for tree in trees]
    edit(trees[0], trees[1], context)
    after = [dump(tree) for tree in trees]
    if after[0] != before[0]:
        key = after[0]
    if after[1] != before[1]:
        value = compress(context.compression, after[1])
    return key, value


_ROW = 1
"""The member `t` in the key of a row event."""


def rows(edit: EditEvent) -> Wrap:
    """Edits row events as the trees of their key and value."""

    def each(key: Json, value: Json, context: Context) -> None:
        if key["t"] == _ROW:
            edit(key, value, context)

    return pairs(lambda message, context: [_edited(key, value, each, context) for key, value in message])


def location(change: Callable[[str], str]) -> Wrap:
    """Changes the location of the claim-check file in the keys of events that have one."""
    return rows(lambda key, value, context: key.update(ccl=change(key["ccl"])) if "ccl" in key else None)


def images(value: Json) -> Iterator[Json]:
    """The images in the value of a row event."""
    return (value[name] for name in "upd" if name in value)


def columns(applies: Applies, edit: Callable[[Json, Column], Any]) -> Wrap:
    """Edits the objects of matching columns, unless the event shows another type."""

    def each(key: Json, value: Json, context: Context) -> None:
        for image in images(value):
            for name, described in image.items():
                column = context.column(key["scm"], key["tbl"], name)
                if column is not None and described["t"] == CODES[column.type.family] and applies(column):
                    edit(described, column)

    return rows(each)


def member(name: str, change: Callable[[Any], Any], applies: Applies = lambda column: True) -> Wrap:
    """Changes a member in the objects of matching columns."""
    return columns(applies, lambda described, column: described.update({name: change(described[name])}))


# -- decoders ----------------------------------------------------------------------------------------------------------


def refuses(reason: str, is_refused: Callable[[Json, Json], bool]) -> Wrap:
    """A decoder that refuses a request if `is_refused(key, value)` holds for the trees of an event in it."""

    def is_refused_in(key: bytes | None, value: bytes | None, context: Context) -> bool:
        results: list[bool] = []
        try:
            for event_key, event_value in unframe(key or b"", value or b""):
                _edited(event_key, event_value, lambda k, v, _: results.append(is_refused(k, v)), context)
        except (Rejected, KeyError, TypeError, AttributeError):
            return False
        return any(results)

    return wrappers.refuses(reason, is_refused_in)
