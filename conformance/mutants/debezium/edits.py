"""What mutants of Debezium JSON are made of: one fault in a message, or in an event that a decoder answers.

A message is taken apart where an edit looks at it; what an edit leaves as it is keeps its bytes. Places in it are named
by a path: `value.schema.fields.source.fields.gtid.optional`, where a step into a list is the name of one of its parts,
or its position.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeAlias

from conformance.mutants.model import Answerer, Mutant
from conformance.mutants.wrappers import Context, dump, edit_bytes, edit_event
from reference_impl import exact_json
from reference_impl.column_types import Family
from reference_impl.compression import compress, decompress
from reference_impl.errors import Rejected
from reference_impl.model import Absent, Column

__all__ = [
    "PREFIX",
    "Edit",
    "Message",
    "Tree",
    "Wrap",
    "change",
    "column_of",
    "ddl",
    "decoder",
    "described",
    "drop",
    "encoder",
    "every",
    "has_default",
    "images",
    "in_families",
    "insert",
    "put",
    "read_kinds",
    "read_rows",
    "read_values",
    "refuses",
    "rows",
    "texts",
    "truths",
    "values",
    "watermark",
]

PREFIX = "debezium/"

Tree: TypeAlias = dict[str, Any]
Wrap: TypeAlias = Callable[[Answerer], Answerer]
Applies: TypeAlias = Callable[[Column], bool]

_PAYLOAD, _SCHEMA = b'{"payload":', b',"schema":{'
# In the bytes of a JSON text this is always a member, since in a string its quotes would be escaped.
_OP = re.compile(rb'"transaction":null,"op":"(.)"')


class _Document:
    """Key or value: the trees of its payload and, where there is one, of its schema, read when they are asked for."""

    def __init__(self, text: bytes) -> None:
        cut = text.find(_SCHEMA)
        end = cut if cut >= 0 else len(text) - 1
        self._texts = {"payload": text[len(_PAYLOAD) : end]}
        if cut >= 0:
            self._texts["schema"] = text[end + len(_SCHEMA) - 1 : -1]
        self._trees: dict[str, Any] = {}

    def part(self, name: str) -> Any:
        """`payload` or `schema`; None if the schema is switched off."""
        if name not in self._trees and name in self._texts:
            self._trees[name] = exact_json.loads(self._texts[name])
        return self._trees.get(name)

    def text(self) -> bytes:
        """The document with its parts as they are now."""
        for name, tree in self._trees.items():
            given, now = self._texts[name], dump(tree)
            if now != given and now != dump(exact_json.loads(given)):
                self._texts[name] = now
        return b"{" + b",".join(b'"%s":%s' % (name.encode(), text) for name, text in self._texts.items()) + b"}"


class Message:
    """A record's key and value. `kind` is `c`, `u` or `d` of a row, `m` of a watermark, else `ddl`."""

    def __init__(self, key: bytes, value: bytes) -> None:
        found = _OP.search(value)
        self.kind = found[1].decode() if found else "ddl"
        self._sides = {"key": _Document(key), "value": _Document(value)}

    @property
    def key(self) -> Tree:
        """The payload of the key."""
        payload: Tree = self._sides["key"].part("payload")
        return payload

    @property
    def payload(self) -> Tree:
        """The payload of the value."""
        payload: Tree = self._sides["value"].part("payload")
        return payload

    @property
    def source(self) -> Tree:
        """Its `source`."""
        source: Tree = self.payload["source"]
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
        """Key and value as they are now."""
        return self._sides["key"].text(), self._sides["value"].text()


def _part(tree: Any, step: str) -> Any:
    if isinstance(tree, list):
        if step.isdigit():
            return tree[int(step)] if int(step) < len(tree) else None
        return next((part for part in tree if part.get("field", part.get("name")) == step), None)
    return tree.get(step) if isinstance(tree, dict) else None


Edit: TypeAlias = Callable[[Message, Context], Any]


def encoder(name: str, requirement: str, description: str, wrap: Wrap, profile: str = "newarch") -> Mutant:
    """A broken encoder that dies for `requirement`."""
    return Mutant(PREFIX + name, requirement, "encode", description, wrap, profile)


def decoder(name: str, requirement: str, description: str, wrap: Wrap) -> Mutant:
    """A broken decoder that dies for `requirement`."""
    return Mutant(PREFIX + name, requirement, "decode", description, wrap)


# -- encoders ----------------------------------------------------------------------------------------------------------


def texts(edit: Callable[[bytes, bytes, Context], tuple[bytes, bytes]]) -> Wrap:
    """Key and value of every record are edited as JSON texts, also where they are compressed."""

    def each(key: bytes | None, value: bytes | None, context: Context) -> tuple[bytes | None, bytes | None]:
        kind = context.options.get("large-message-handle-compression", "none")
        given = decompress(kind, key or b""), decompress(kind, value or b"")
        now = edit(*given, context)
        return tuple(  # type: ignore[return-value]
            old if text == was else compress(kind, text)
            for old, was, text in zip((key, value), given, now, strict=True)
        )

    return edit_bytes(each)


def every(edit: Edit, *kinds: str) -> Wrap:
    """Messages are edited, those of `kinds` alone where any are named."""

    def each(key: bytes, value: bytes, context: Context) -> tuple[bytes, bytes]:
        message = Message(key, value)
        if kinds and message.kind not in kinds:
            return key, value
        edit(message, context)
        return message.texts()

    return texts(each)


def rows(edit: Edit, *ops: str) -> Wrap:
    """Row messages are edited, those of `ops` (`c`, `u`, `d`) alone where any are named."""
    return every(edit, *(ops or ("c", "u", "d")))


def ddl(edit: Edit) -> Wrap:
    """DDL messages are edited."""
    return every(edit, "ddl")


def watermark(edit: Edit) -> Wrap:
    """Watermarks are edited."""
    return every(edit, "m")


def change(path: str, make: Callable[[Any], Any]) -> Edit:
    """The edit that makes another value of the member at a path, where it is there."""
    owner_path, _, name = path.rpartition(".")

    def edit(message: Message, context: Context) -> None:
        owner = message.find(owner_path)
        if isinstance(owner, dict) and name in owner:
            owner[name] = make(owner[name])

    return edit


def put(path: str, value: Any) -> Edit:
    """The edit that gives the member at a path another value."""
    return change(path, lambda given: value)


def insert(path: str, value: Any) -> Edit:
    """The edit that adds a member to the object at a path, or a part to the list there."""
    owner_path, _, name = path.rpartition(".")

    def edit(message: Message, context: Context) -> None:
        owner = message.find(owner_path)
        if isinstance(owner, dict):
            owner[name] = value
        elif isinstance(owner, list):
            owner.append(value)

    return edit


def drop(path: str) -> Edit:
    """The edit that takes away the member, or the part of a list, at a path."""
    owner_path, _, name = path.rpartition(".")

    def edit(message: Message, context: Context) -> None:
        owner = message.find(owner_path)
        if isinstance(owner, dict):
            owner.pop(name, None)
        elif isinstance(owner, list):
            owner[:] = [part for part in owner if part is not _part(owner, name)]

    return edit


# -- columns -----------------------------------------------------------------------------------------------------------


def in_families(*families: Family) -> Applies:
    """Whether a column is of one of these families."""
    return lambda column: column.type.family in families


def has_default(column: Column) -> bool:
    """Whether a column has a default other than NULL, which then stands in place of NULL."""
    return column.default is not None and not isinstance(column.default, Absent)


def column_of(message: Message, context: Context, name: str) -> Column | None:
    """The column of a message's table, if the request tells it and has no other version of it."""
    return context.steady_column(*message.table, name)


def images(message: Message, names: str = "before after key") -> Iterator[Tree]:
    """The objects of a row message whose members are columns, those of `names` alone; not those that are null."""
    for name in names.split():
        image = message.key if name == "key" else message.payload.get(name)
        if isinstance(image, dict):
            yield image


_WRITES: Mapping[str, str] = {"c": "insert", "u": "update", "d": "delete"}


def _event(message: Message, context: Context) -> Tree | None:
    """The row event that a message is of, None if it may be more than one."""
    place = (*message.table, str(message.source["commit_ts"]))
    given = [
        event
        for event in context.request["events"]
        if event["kind"] == "row" and (event["schema"], event["table"], event["commit_ts"]) == place
    ]
    own = [event for event in given if event["op"] == _WRITES[message.kind]]
    found = own or [event for event in given if event["op"] == "update"]
    return found[0] if len(found) == 1 else None


def truths(make: Callable[[Any, Any, Column], Any], names: str = "before after key") -> Wrap:
    """The value of every column is what `make` makes of it, of the value that the event has, and of the column."""

    def edit(message: Message, context: Context) -> None:
        event = _event(message, context)
        if event is None:
            return
        for side in names.split():
            image = message.key if side == "key" else message.payload.get(side)
            row = event["before" if side == "before" or message.kind == "d" else "after"]
            for name, value in list(image.items() if image else ()):
                column = column_of(message, context, name)
                if image and column is not None and name in row:
                    image[name] = make(value, row[name], column)

    return rows(edit)


def values(applies: Applies, make: Callable[[Any, Column], Any], names: str = "before after key") -> Wrap:
    """Values that are not NULL, of columns that fit, are written differently."""
    return truths(
        lambda value, truth, column: (
            value if value is None or truth is None or not applies(column) else make(value, column)
        ),
        names,
    )


_DESCRIPTIONS = {
    "before": "value.schema.fields.before.fields",
    "after": "value.schema.fields.after.fields",
    "key": "key.schema.fields",
}


def described(applies: Applies, edit: Callable[[Tree, Column], Any], names: str = "before after key") -> Wrap:
    """The descriptions of columns that fit are edited, in the images named; an edit may return another."""

    def each(message: Message, context: Context) -> None:
        for name in names.split():
            fields = message.find(_DESCRIPTIONS[name])
            for i, field in enumerate(fields or ()):
                column = column_of(message, context, field["field"])
                if column is not None and applies(column):
                    made = edit(field, column)
                    fields[i] = made if isinstance(made, dict) else field

    return rows(each)


# -- decoders ----------------------------------------------------------------------------------------------------------


def read_kinds(edit: Callable[[Tree, Context], Any], *kinds: str) -> Wrap:
    """Events of these kinds that a decoder answers are edited."""
    return edit_event(lambda event, context: edit(event, context) if event["kind"] in kinds else None)


def read_rows(edit: Callable[[Tree, Context], Any]) -> Wrap:
    """Row events that a decoder answers are edited."""
    return read_kinds(edit, "row")


def read_values(applies: Applies, make: Callable[[Any, Column], Any]) -> Wrap:
    """Values that are not NULL, of columns that fit, are answered differently."""

    def edit(event: Tree, context: Context) -> None:
        for image in filter(None, (event.get("before"), event.get("after"))):
            for name, value in image.items():
                column = context.column(event["schema"], event["table"], name)
                if value is not None and column is not None and applies(column):
                    image[name] = make(value, column)

    return read_rows(edit)


def refuses(reason: str, wanted: Callable[[bytes, bytes], bool]) -> Wrap:
    """A decoder that refuses a request with a record of whose key and value, as JSON texts, `wanted` holds."""

    def wrap(inner: Answerer) -> Answerer:
        options: Tree = {}

        def found(record: Tree) -> bool:
            kind = options.get("large-message-handle-compression", "none")
            try:
                return wanted(*(decompress(kind, base64.b64decode(record[side] or "")) for side in ("key", "value")))
            except Rejected:
                return False

        def answer(request: Tree) -> Tree:
            if request["op"] == "configure":
                options.clear()
                options.update(request.get("options") or {})
            if request["op"] == "decode" and any(map(found, request["records"])):
                return {"id": request["id"], "rejected": {"class": reason, "message": "not understood"}}
            return inner(request)

        return answer

    return wrap
