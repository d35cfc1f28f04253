"""Builders of Open Protocol's mutants: edits of the events in a message, and of those that a decoder answers.

An event that an edit does not change keeps its bytes.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeAlias

from conformance.mutants.model import Answerer, Mutant
from conformance.mutants.wrappers import Context, dump, edit_bytes, edit_event, remembering
from reference_impl import exact_json
from reference_impl.column_types import Family
from reference_impl.compression import compress, decompress
from reference_impl.errors import Rejected
from reference_impl.model import Column
from reference_impl.open_protocol.framing import frame, unframe
from reference_impl.open_protocol.types import CODES

__all__ = [
    "PREFIX",
    "Pair",
    "Tree",
    "Wrap",
    "columns",
    "decoder",
    "encoder",
    "events",
    "frames",
    "images",
    "in_families",
    "member",
    "pairs",
    "pairs_of",
    "read_kinds",
    "read_rows",
    "refuses",
    "rows",
    "values",
]

PREFIX = "open-protocol/"

Tree: TypeAlias = dict[str, Any]
Wrap: TypeAlias = Callable[[Answerer], Answerer]
Pair: TypeAlias = tuple[bytes, bytes]
EditEvent: TypeAlias = Callable[[Tree, Tree, Context], Any]
Applies: TypeAlias = Callable[[Column], bool]


def encoder(name: str, requirement: str, description: str, wrap: Wrap, profile: str = "newarch") -> Mutant:
    """An encoder with one defect, killed by `requirement`."""
    return Mutant(PREFIX + name, requirement, "encode", description, wrap, profile)


def decoder(name: str, requirement: str, description: str, wrap: Wrap) -> Mutant:
    """A decoder with one defect, killed by `requirement`."""
    return Mutant(PREFIX + name, requirement, "decode", description, wrap)


# -- encoders ----------------------------------------------------------------------------------------------------------


def frames(edit: Callable[[bytes, bytes, Context], tuple[bytes | None, bytes | None]]) -> Wrap:
    """Edits key and value of every record as bytes."""
    return edit_bytes(lambda key, value, context: edit(key or b"", value or b"", context))


def pairs(edit: Callable[[list[Pair], Context], Iterable[Pair]]) -> Wrap:
    """Edits the pairs of event key and event value of every record as bytes."""
    return frames(lambda key, value, context: frame(edit(unframe(key, value), context)))


def _edited(key: bytes, value: bytes, edit: EditEvent, context: Context) -> Pair:
    compression = context.options.get("large-message-handle-compression", "none")
    trees = [exact_json.loads(key), exact_json.loads(decompress(compression, value)) if value else {}]
    before = [dump(tree) for tree in trees]
    edit(trees[0], trees[1], context)
    after = [dump(tree) for tree in trees]
    if after[0] != before[0]:
        key = after[0]
    if after[1] != before[1]:
        value = compress(compression, after[1])
    return key, value


def events(edit: EditEvent) -> Wrap:
    """Edits every event as the trees of its key and value; the value of a resolved event is empty."""
    return pairs(lambda message, context: [_edited(key, value, edit, context) for key, value in message])


_ROW = 1
"""The member `t` in the key of a row event."""


def rows(edit: EditEvent) -> Wrap:
    """Edits row events."""
    return events(lambda key, value, context: edit(key, value, context) if key["t"] == _ROW else None)


def images(value: Tree, names: str = "upd") -> Iterator[Tree]:
    """The images in the value of a row event, of those whose letters are in `names`."""
    return (value[name] for name in names if name in value)


def row_column(key: Tree, context: Context, name: str) -> Column | None:
    """A column of a row event, None if the request does not define it."""
    return context.column(key["scm"], key["tbl"], name)


def in_families(*families: Family) -> Applies:
    """Whether a column is of one of these families."""
    return lambda column: column.type.family in families


def columns(applies: Applies, edit: Callable[[Tree, Column], Any], names: str = "upd") -> Wrap:
    """Edits the objects of matching columns in the images `names`, unless the event shows another type."""

    def each(key: Tree, value: Tree, context: Context) -> None:
        for image in images(value, names):
            for name, described in image.items():
                column = row_column(key, context, name)
                if column is not None and described["t"] == CODES[column.type.family] and applies(column):
                    edit(described, column)

    return rows(each)


def member(name: str, change: Callable[[Any, Column], Any], applies: Applies = lambda column: True) -> Wrap:
    """Changes a member in the objects of matching columns."""
    return columns(applies, lambda described, column: described.__setitem__(name, change(described[name], column)))


def values(applies: Applies, change: Callable[[Any, Column], Any]) -> Wrap:
    """Changes the values of matching columns, except NULL."""
    return member("v", lambda value, column: None if value is None else change(value, column), applies)


# -- decoders ----------------------------------------------------------------------------------------------------------


def read_kinds(edit: Callable[[Tree, Context], Any], *kinds: str) -> Wrap:
    """Edits the events of these kinds that a decoder answers."""
    return edit_event(lambda event, context: edit(event, context) if event["kind"] in kinds else None)


def read_rows(edit: Callable[[Tree, Context], Any]) -> Wrap:
    """Edits the row events that a decoder answers."""
    return read_kinds(edit, "row")


def pairs_of(record: Tree) -> list[Pair] | None:
    """The pairs of event key and event value of a record, None if it is no message."""
    try:
        return unframe(*(base64.b64decode(record[side]) for side in ("key", "value")))
    except (Rejected, TypeError):
        return None


def refuses(reason: str, is_refused: Callable[[Tree, Tree], bool]) -> Wrap:
    """A decoder that refuses a request if `is_refused(key, value)` holds for the trees of an event in it."""

    def is_refused_in(record: Tree, configuration: Tree) -> bool:
        is_found = False

        def check(key: Tree, value: Tree, context: Context) -> None:
            nonlocal is_found
            is_found = is_found or is_refused(key, value)

        try:
            for key, value in pairs_of(record) or ():
                _edited(key, value, check, Context(configuration, {}))
        except (Rejected, KeyError, TypeError, AttributeError):
            return False
        return is_found

    def wrap(inner: Answerer) -> Answerer:
        def answer(request: Tree, configuration: Tree) -> Tree:
            if request.get("op") == "decode" and any(is_refused_in(r, configuration) for r in request["records"]):
                return {"id": request["id"], "rejected": {"class": reason, "message": "not understood"}}
            return inner(request)

        return remembering(answer)

    return wrap
