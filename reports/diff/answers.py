"""The parts of an answer: messages, frames around them, registrations and stored files; or events.

The bytes of a message show its form: JSON text, documents with their lengths before them, or the body of a registered
schema. Unreadable bytes stay bytes.
"""

from __future__ import annotations

import base64
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from reports.avro_text import avro_fields
from reports.diff.dialect import Dialect
from reports.diff.trees import Number, Tree, read_json

__all__ = ["Answer", "Message", "parsed_answer"]

_VERSION = (1).to_bytes(8, "big")
"""The first bytes of a key with documents and their lengths."""
_LENGTH = 8
_HEADER = 5
"""Bytes before a body of a registered schema: a zero, and the id of the schema."""
_BEFORE, _EXTENSION = "_ticdc_before", "_tidb_"
"""Fields beside those of the row: the row before, and what the extension adds."""


@dataclass(frozen=True, slots=True)
class Message:
    """A message; its parts are `key` and `value`."""

    trees: Mapping[str, Tree]
    """Part → its content."""
    texts: Mapping[str, str | bytes]
    """Part → the bytes to compare, which are text for JSON."""
    compression: str = ""
    """The compression of a part; empty without one."""


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer: the records of an encoder, or the events of a decoder."""

    kind: str
    """`ok`, `rejected`, `unsupported` or `error`; only `ok` has more than a `reason`."""
    reason: str = ""
    """The class of the refusal or error."""
    messages: Sequence[Message] = ()
    frames: Sequence[Mapping[str, Tree]] = ()
    """The records without their messages."""
    subjects: Mapping[str, Tree] = field(default_factory=dict)
    """Subject → number of the schemas registered for it."""
    stored: Sequence[Sequence[Message]] = ()
    """The messages of each claim-check file, in the order in which messages name the files."""
    events: Sequence[Tree] | None = None
    """The events of a decoder; None for an encoder."""


def parsed_answer(text: bytes, dialect: Dialect) -> Answer:
    """The answer of a saved run, given as JSON. Raises `ValueError` for anything else."""
    tree = read_json(text.decode("utf-8", "replace"))
    if not isinstance(tree, dict) or len(tree) != 1:
        raise ValueError("not an answer")
    [(kind, payload)] = tree.items()
    if kind != "ok" or not isinstance(payload, dict):
        reason = payload.get("class", "") if isinstance(payload, dict) else ""
        return Answer(kind, str(reason))
    if isinstance(payload.get("events"), list):
        return Answer(kind, events=payload["events"])
    if isinstance(payload.get("records"), list):
        return _of_records(payload, dialect)
    return Answer(kind, events=[payload])  # of no known form: compared as a whole


def _of_records(payload: Mapping[str, Tree], dialect: Dialect) -> Answer:
    # There is no order between partitions.
    records = sorted(filter(_is_object, payload["records"]), key=lambda record: int(record.get("partition") or 0))
    schemas = [one for one in payload.get("schemas") or () if _is_object(one)]
    files = {str(one["location"]): one for one in payload.get("claims") or () if _is_object(one) and "location" in one}
    known = {int(one.get("id") or 0): str(one.get("schema")) for one in schemas}
    messages: list[Message] = []
    frames: list[Mapping[str, Tree]] = []
    for record in records:
        of_record = list(_messages(_bytes(record.get("key")), _bytes(record.get("value")), dialect, known or None))
        compressions = {message.compression for message in of_record} - {""}
        frames.append(
            {
                "partition": record.get("partition"),
                "topic": record.get("topic"),
                "headers": record.get("headers") or [],
                "compression": ",".join(sorted(compressions)),
                "events": Number(len(of_record)),
            }
        )
        messages += of_record
    subjects = Counter(str(schema.get("subject")) for schema in schemas)
    locations = _locations_in_order(messages, files)
    stable = {location: f"{location.rpartition('/')[0]}/(file {i})" for i, location in enumerate(locations, 1)}
    return Answer(
        "ok",
        messages=[_with_locations(message, stable) for message in messages] if stable else messages,
        frames=frames,
        subjects={subject: Number(n) for subject, n in subjects.items()},
        stored=[list(_stored(files[location], dialect)) for location in locations],
    )


def _is_object(tree: Tree) -> bool:
    return isinstance(tree, dict)


def _bytes(text: Tree) -> bytes | None:
    """The bytes of base64; malformed base64 stands for itself, so that different texts stay different."""
    if text is None:
        return None
    try:
        return base64.b64decode(str(text), validate=True)
    except ValueError:
        return str(text).encode("utf-8", "surrogatepass")


# -- messages ----------------------------------------------------------------------------------------------------------


def _messages(
    key: bytes | None, value: bytes | None, dialect: Dialect, schemas: Mapping[int, str] | None
) -> Iterator[Message]:
    """The messages of a record: one, or one for each document with a length."""
    if schemas is None and key is not None and key.startswith(_VERSION):
        keys, values = _documents(key[_LENGTH:]), _documents(value or b"")
        if keys is not None and values is not None and len(keys) == len(values):
            for document_key, document in zip(keys, values, strict=True):
                yield _message(document_key, document or None, dialect, None)
            return
    yield _message(key, value, dialect, schemas)


def _documents(data: bytes) -> list[bytes] | None:
    """The documents after lengths of 8 bytes, or None if the lengths do not fit."""
    found, at = [], 0
    while at < len(data):
        begin = at + _LENGTH
        at = begin + int.from_bytes(data[at:begin], "big")
        if at > len(data) or begin > len(data):
            return None
        found.append(data[begin:at])
    return found


def _message(key: bytes | None, value: bytes | None, dialect: Dialect, schemas: Mapping[int, str] | None) -> Message:
    trees: dict[str, Tree] = {}
    texts: dict[str, str | bytes] = {}
    compression = ""
    for part, data in (("key", key), ("value", value)):
        if data is None:
            trees[part] = None
        elif schemas is not None:
            trees[part], texts[part] = _registered(data, schemas)
        else:
            trees[part], texts[part], compression_of_part = _json(data, dialect)
            compression = compression or compression_of_part
    return Message(trees, texts, compression)


def _json(data: bytes, dialect: Dialect) -> tuple[Tree, str | bytes, str]:
    """(tree, text, kind of compression) of bytes that are JSON, perhaps compressed; other bytes stay bytes."""
    if not data:
        return "", b"", ""
    try:
        text = data.decode("utf-8")
        return read_json(text), text, ""
    except ValueError:
        unpacked = dialect.unpack(data)
    if unpacked is not None:
        compression, plain = unpacked
        try:
            text = plain.decode("utf-8")
            return read_json(text), text, compression
        except ValueError:
            pass
    return *_marked(data), ""


def _registered(data: bytes, schemas: Mapping[int, str]) -> tuple[Tree, bytes | str]:
    """A body after the id of its schema; the number of the id does not count."""
    if len(data) < _HEADER or data[0] != 0:
        return _marked(data)
    schema, body = schemas.get(int.from_bytes(data[1:_HEADER], "big")), data[_HEADER:]
    try:
        written = _schema(schema or "")
        fields, rest = avro_fields(written, body)
    except (ValueError, LookupError, TypeError, RecursionError):
        return {"schema": schema, "bytes": body.hex(" ")}, body
    tree: dict[str, Tree] = {"schema": written, "row": {}}
    for name, value in fields:
        if name == _BEFORE:
            tree["before"] = _value(value)
        elif name.startswith(_EXTENSION):
            tree.setdefault("extension", {})[name] = _value(value)
        else:
            tree["row"][name] = _value(value)
    if rest:
        tree["rest"] = Number(rest)
    return tree, body


def _marked(data: bytes) -> tuple[Tree, bytes | str]:
    """Bytes of an unknown form: a mark and JSON after it, or the bytes."""
    try:
        text = data[1:].decode("utf-8")
        return {"marker": Number(data[0]), "payload": read_json(text)}, text
    except (ValueError, IndexError):
        return {"bytes": data.hex(" ")}, data


@lru_cache(maxsize=1 << 10)
def _schema(text: str) -> Any:
    return read_json(text)


def _value(value: Any) -> Tree:
    """A value from the reader of bodies, as a tree."""
    if isinstance(value, dict):
        if "$number" in value:
            return Number(value["$number"])
        if "$bytes" in value:
            return str(value["$bytes"])
        return {name: _value(part) for name, part in value.items()}
    return value


# -- claim-check files -------------------------------------------------------------------------------------------------


def _locations_in_order(messages: Sequence[Message], files: Mapping[str, Any]) -> list[str]:
    """The locations of stored files, in the order in which messages name them; the others follow, as given."""
    if not files:
        return []
    strings = (text for message in messages for tree in message.trees.values() for text in _strings(tree))
    return list(dict.fromkeys([*(text for text in strings if text in files), *files]))


def _strings(tree: Tree) -> Iterator[str]:
    if isinstance(tree, str):
        yield str(tree)
    elif isinstance(tree, (dict, list, tuple)):
        for part in tree.values() if isinstance(tree, dict) else tree:
            yield from _strings(part)


def _with_locations(message: Message, stable: Mapping[str, str]) -> Message:
    """The message with other locations of its files: their names are random in every run."""
    texts = dict(message.texts)
    for part, text in message.texts.items():
        if isinstance(text, str):
            for location, name in stable.items():
                text = text.replace(location, name)
            texts[part] = text
    trees = {part: _tree_with_locations(tree, stable) for part, tree in message.trees.items()}
    return Message(trees, texts, message.compression)


def _tree_with_locations(tree: Tree, stable: Mapping[str, str]) -> Tree:
    if isinstance(tree, dict):
        return {name: _tree_with_locations(part, stable) for name, part in tree.items()}
    if isinstance(tree, (list, tuple)):
        return type(tree)(_tree_with_locations(part, stable) for part in tree)
    return stable.get(tree, tree) if type(tree) is str else tree


def _stored(file: Mapping[str, Tree], dialect: Dialect) -> Iterator[Message]:
    """The messages in a file, which holds a value, or an object of key and value in base64."""
    data = _bytes(file.get("value")) or b""
    tree, _, _ = _json(data, dialect)
    if isinstance(tree, dict) and isinstance(tree.get("value"), str) and set(tree) <= {"key", "value"}:
        yield from _messages(_bytes(tree.get("key")), _bytes(tree["value"]), dialect, None)
    else:
        yield _message(None, data, dialect, None)
