"""Builders of Debezium JSON's mutants: edits of messages.

A message is parsed only as far as an edit looks at it; a part that the edit does not change keeps its bytes. An edit
names parts by a path, as `value.schema.fields.source.fields.gtid.optional`: a step into a list is the name of an
element, or its position.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeAlias

from conformance.mutants import wrappers
from conformance.mutants.model import MutantBuilder, Wrap
from conformance.mutants.wrappers import Applies, Context, Json, KeyAndValue, dump, edit_bytes
from reference_impl import exact_json
from reference_impl.compression import compress, decompress
from reference_impl.errors import Rejected
from reference_impl.model import Column
from reference_impl.protocols import DEBEZIUM

__all__ = [
    "Edit",
    "Message",
    "change",
    "ddl",
    "decoder",
    "described",
    "encoder",
    "every",
    "images",
    "refuses",
    "rows",
    "set_member",
    "texts",
    "values",
    "values_by_truth",
]

encoder, decoder = MutantBuilder(DEBEZIUM.name, "encode"), MutantBuilder(DEBEZIUM.name, "decode")

_PAYLOAD, _SCHEMA = b'{"payload":', b',"schema":{'
# In the bytes of a JSON text this is always a member, since in a string its quotes would be escaped.
_OP = re.compile(rb'"transaction":null,"op":"(.)"')


class _Document:
    """A key or value, `{"payload":…}` or `{"payload":…,"schema":{…}}`: the trees of these parts, parsed on demand."""

    def __init__(self, text: bytes) -> None:
        payload, separator, schema = text.removesuffix(b"}").partition(_SCHEMA)
        self._texts = {"payload": payload.removeprefix(_PAYLOAD)}
        if separator:
            self._texts["schema"] = b"{" + schema
        self._trees: dict[str, Any] = {}

    def part(self, name: str) -> Any:
        """`payload` or `schema`; None if the schema is switched off."""
        if name not in self._trees and name in self._texts:
            self._trees[name] = exact_json.loads(self._texts[name])
        return self._trees.get(name)

    def text(self) -> bytes:
        """The document after the edits."""
        for name, tree in self._trees.items():
            original, edited = self._texts[name], dump(tree)
            is_changed = edited != original and edited != dump(exact_json.loads(original))  # not by its spelling alone
            if is_changed:
                self._texts[name] = edited
        return b"{" + b",".join(b'"%s":%s' % (name.encode(), text) for name, text in self._texts.items()) + b"}"


class Message:
    """A record's key and value, neither of them null. `kind`: `c`, `u`, `d` for a row, `m` for a watermark, `ddl`."""

    def __init__(self, key: bytes, value: bytes) -> None:
        op = _OP.search(value)
        self.kind = op[1].decode() if op else "ddl"
        self._sides = {"key": _Document(key), "value": _Document(value)}

    @property
    def key(self) -> Json:
        """The payload of the key."""
        payload: Json = self._sides["key"].part("payload")
        return payload

    @property
    def payload(self) -> Json:
        """The payload of the value."""
        payload: Json = self._sides["value"].part("payload")
        return payload

    @property
    def source(self) -> Json:
        """The `source` in the payload of the value."""
        source: Json = self.payload["source"]
        return source

    @property
    def table(self) -> tuple[str, str]:
        """Schema and table that the message names."""
        return self.source["db"], self.source["table"]

    def find(self, path: str) -> Any:
        """The part at a path, None if there is none."""
        side, name, *steps = path.split(".")
        tree = self._sides[side].part(name)
        for step in steps:
            tree = _part(tree, step)
        return tree

    def texts(self) -> tuple[bytes, bytes]:
        """Key and value after the edits."""
        return self._sides["key"].text(), self._sides["value"].text()


def _part(tree: Any, step: str) -> Any:
    """The part of a tree that one step of a path names, None if there is none."""
    if isinstance(tree, list):
        if step.isdigit():
            return tree[int(step)] if int(step) < len(tree) else None
        # The name of a described member is its `field`, since `name` is that of its schema; others have a `name` only.
        return next((part for part in tree if part.get("field", part.get("name")) == step), None)
    return tree.get(step) if isinstance(tree, dict) else None


Edit: TypeAlias = Callable[[Message, Context], Any]


# -- encoders ----------------------------------------------------------------------------------------------------------


def texts(edit: Callable[[bytes, bytes, Context], tuple[bytes, bytes]]) -> Wrap:
    """Edits key and value of every record as JSON texts, also if they are compressed."""

    def each(key: bytes | None, value: bytes | None, context: Context) -> KeyAndValue:
        compression = context.compression
        key_text, value_text = decompress(compression, key or b""), decompress(compression, value or b"")
        new_key, new_value = edit(key_text, value_text, context)
        return (
            key if new_key == key_text else compress(compression, new_key),
            value if new_value == value_text else compress(compression, new_value),
        )

    return edit_bytes(each)


def every(edit: Edit, *kinds: str) -> Wrap:
    """Edits messages: those of `kinds`, or all if none is named."""

    def each(key: bytes, value: bytes, context: Context) -> tuple[bytes, bytes]:
        message = Message(key, value)
        if kinds and message.kind not in kinds:
            return key, value
        edit(message, context)
        return message.texts()

    return texts(each)


def rows(edit: Edit, *ops: str) -> Wrap:
    """Edits row messages: those of `ops` (`c`, `u`, `d`), or all if none is named."""
    return every(edit, *(ops or ("c", "u", "d")))


def ddl(edit: Edit) -> Wrap:
    """Edits DDL messages."""
    return every(edit, "ddl")


def change(path: str, make: Callable[[Any], Any]) -> Edit:
    """The edit that replaces the member at a path, if it is present, by what `make` makes of it."""
    owner_path, _, name = path.rpartition(".")

    def edit(message: Message, context: Context) -> None:
        owner = message.find(owner_path)
        if isinstance(owner, dict) and name in owner:
            owner[name] = make(owner[name])

    return edit


def set_member(path: str, value: Any) -> Edit:
    """The edit that gives the member at a path another value."""
    return change(path, lambda right: value)


# -- columns -----------------------------------------------------------------------------------------------------------


def images(message: Message) -> Iterator[Json]:
    """The images of a row message that are not null."""
    yield from filter(None, (message.payload.get("before"), message.payload.get("after")))


_OPERATIONS: Mapping[str, str] = {"c": "insert", "u": "update", "d": "delete"}


def _event(message: Message, context: Context) -> Json | None:
    """The row event behind a message, None unless exactly one is possible.

    Without an insert or delete at its table and time, `c` and `d` come from an update of a key, which is split.
    """
    table_and_time = (*message.table, str(message.source["commit_ts"]))
    events = [
        event
        for event in context.request["events"]
        if event["kind"] == "row" and (event["schema"], event["table"], event["commit_ts"]) == table_and_time
    ]
    of_own_operation = [event for event in events if event["op"] == _OPERATIONS[message.kind]]
    candidates = of_own_operation or [event for event in events if event["op"] == "update"]
    return candidates[0] if len(candidates) == 1 else None


def values_by_truth(replacement: Callable[[Any, Any, Column], Any]) -> Wrap:
    """Replaces every value of images and key by `replacement(written value, value in the event, column)`.

    Left alone are columns with several definitions in the request, and messages with no single event behind them.
    """

    def edit(message: Message, context: Context) -> None:
        event = _event(message, context)
        if event is None:
            return
        for side in ("before", "after", "key"):
            image: Json = (message.key if side == "key" else message.payload.get(side)) or {}
            row = event["before" if side == "before" or message.kind == "d" else "after"]
            for name, value in image.items():
                column = context.steady_column(*message.table, name)
                if column is not None and name in row:
                    image[name] = replacement(value, row[name], column)

    return rows(edit)


def values(applies: Applies, replacement: Callable[[Any, Column], Any]) -> Wrap:
    """Replaces the values of matching columns, except NULL, as `values_by_truth` does."""
    return values_by_truth(
        lambda value, truth, column: (
            value if value is None or truth is None or not applies(column) else replacement(value, column)
        )
    )


def described(applies: Applies, edit: Callable[[Json, Column], Any]) -> Wrap:
    """Edits the elements of `schema.fields` that describe matching columns, in images and key."""

    def each(message: Message, context: Context) -> None:
        for path in ("value.schema.fields.before.fields", "value.schema.fields.after.fields", "key.schema.fields"):
            for field in message.find(path) or ():
                column = context.steady_column(*message.table, field["field"])
                if column is not None and applies(column):
                    edit(field, column)

    return rows(each)


# -- decoders ----------------------------------------------------------------------------------------------------------


def refuses(reason: str, is_refused: Callable[[bytes, bytes], bool]) -> Wrap:
    """A decoder that refuses a request if `is_refused(key, value)` holds for the JSON texts of a record in it."""

    def is_matching(key: bytes | None, value: bytes | None, context: Context) -> bool:
        try:
            return is_refused(*(decompress(context.compression, side or b"") for side in (key, value)))
        except Rejected:
            return False

    return wrappers.refuses(reason, is_matching)
