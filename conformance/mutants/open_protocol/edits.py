"""What mutants of Open Protocol are made of: one fault in an event of a message, or in an event that a decoder answers.

An event that an edit leaves as it is keeps its bytes.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeAlias

from conformance.mutants.model import Answerer, Mutant
from conformance.mutants.wrappers import Context, dump, edit_bytes, edit_event
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
    "ddl",
    "decoder",
    "encoder",
    "events",
    "frames",
    "images",
    "in_families",
    "member",
    "pairs",
    "pairs_of",
    "put",
    "read_kinds",
    "read_rows",
    "read_values",
    "refuses",
    "resolved",
    "row_column",
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
    """A broken encoder that dies for `requirement`."""
    return Mutant(PREFIX + name, requirement, "encode", description, wrap, profile)


def decoder(name: str, requirement: str, description: str, wrap: Wrap) -> Mutant:
    """A broken decoder that dies for `requirement`."""
    return Mutant(PREFIX + name, requirement, "decode", description, wrap)


# -- encoders ----------------------------------------------------------------------------------------------------------


def frames(edit: Callable[[bytes, bytes, Context], tuple[bytes | None, bytes | None]]) -> Wrap:
    """Key and value of every record are edited as bytes."""
    return edit_bytes(lambda key, value, context: edit(key or b"", value or b"", context))


def pairs(edit: Callable[[list[Pair], Context], Iterable[Pair]]) -> Wrap:
    """The pairs of event key and event value of every record are edited as bytes."""
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
    """Every event is edited as its trees of key and value; the value of a resolved event is empty."""
    return pairs(lambda given, context: [_edited(key, value, edit, context) for key, value in given])


def _of_kind(number: int, edit: EditEvent) -> Wrap:
    return events(lambda key, value, context: edit(key, value, context) if key["t"] == number else None)


def rows(edit: EditEvent) -> Wrap:
    """Row events are edited."""
    return _of_kind(1, edit)


def ddl(edit: EditEvent) -> Wrap:
    """DDL events are edited."""
    return _of_kind(2, edit)


def resolved(edit: EditEvent) -> Wrap:
    """Resolved events are edited."""
    return _of_kind(3, edit)


def put(name: str, value: Any) -> EditEvent:
    """The edit that gives a member of the key another value."""
    return lambda key, body, context: key.__setitem__(name, value)


def images(value: Tree, names: str = "upd") -> Iterator[Tree]:
    """The images of a row, those named by letters alone."""
    return (value[name] for name in names if name in value)


def row_column(key: Tree, context: Context, name: str) -> Column | None:
    """The column of a row event, if the request tells it."""
    return context.column(key["scm"], key["tbl"], name)


def in_families(*families: Family) -> Applies:
    """Whether a column is of one of these families."""
    return lambda column: column.type.family in families


def columns(applies: Applies, edit: Callable[[Tree, Column], Any], names: str = "upd") -> Wrap:
    """The objects of columns that fit are edited, in the images named; not where a table had another type then."""

    def each(key: Tree, value: Tree, context: Context) -> None:
        for image in images(value, names):
            for name, given in image.items():
                column = row_column(key, context, name)
                if column is not None and given["t"] == CODES[column.type.family] and applies(column):
                    edit(given, column)

    return rows(each)


def member(name: str, change: Callable[[Any, Column], Any], applies: Applies = lambda column: True) -> Wrap:
    """A member of the columns that fit is what `change` makes of it."""
    return columns(applies, lambda given, column: given.__setitem__(name, change(given[name], column)))


def values(applies: Applies, change: Callable[[Any, Column], Any]) -> Wrap:
    """Values that are not NULL, of columns that fit, are written differently."""
    return member("v", lambda value, column: None if value is None else change(value, column), applies)


# -- decoders ----------------------------------------------------------------------------------------------------------


def read_kinds(edit: Callable[[Tree, Context], Any], *kinds: str) -> Wrap:
    """Events of these kinds that a decoder answers are edited."""
    return edit_event(lambda event, context: edit(event, context) if event["kind"] in kinds else None)


def read_rows(edit: Callable[[Tree, Context], Any]) -> Wrap:
    """Row events that a decoder answers are edited."""
    return read_kinds(edit, "row")


def read_values(applies: Applies, change: Callable[[Any, Column], Any]) -> Wrap:
    """Values that are not NULL, of columns that fit, are answered differently."""

    def edit(event: Tree, context: Context) -> None:
        for image in filter(None, (event["before"], event["after"])):
            for name, value in image.items():
                column = context.column(event["schema"], event["table"], name)
                if value is not None and column is not None and applies(column):
                    image[name] = change(value, column)

    return read_rows(edit)


def pairs_of(record: Tree) -> list[Pair] | None:
    """The pairs of event key and event value of a record, None of one that is no message."""
    try:
        return unframe(*(base64.b64decode(record[side]) for side in ("key", "value")))
    except (Rejected, TypeError):
        return None


def refuses(reason: str, wanted: Callable[[Tree, Tree], bool]) -> Wrap:
    """A decoder that refuses a request if `wanted(key, value)` holds for an event in it."""
    configuration: Tree = {}

    def wrap(inner: Answerer) -> Answerer:
        def answer(request: Tree) -> Tree:
            if request.get("op") == "configure":
                configuration.clear()
                configuration.update(request)
            if request.get("op") == "decode" and any(_holds(record) for record in request["records"]):
                return {"id": request["id"], "rejected": {"class": reason, "message": "not understood"}}
            return inner(request)

        def _holds(record: Tree) -> bool:
            found = False

            def look(key: Tree, value: Tree, context: Context) -> None:
                nonlocal found
                found = found or wanted(key, value)

            try:
                for key, value in pairs_of(record) or ():
                    _edited(key, value, look, Context(configuration, {}))
            except (Rejected, KeyError, TypeError, AttributeError):
                return False
            return found

        return answer

    return wrap
