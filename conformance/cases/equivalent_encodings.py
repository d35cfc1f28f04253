"""Equivalent encodings of JSON: the same record with other member order, white space, escapes or extra members.

A decoder must read all of them alike. Numbers keep their text. Compressed values cannot be rewritten. The schemas of
Avro are JSON, and free in the same way; its records are not.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from reference_impl.model import Record
from reference_impl.open_protocol.framing import frame, unframe
from reference_impl.protocols import CANAL_JSON, DEBEZIUM, OPEN_PROTOCOL, Rows
from reference_impl.registry import RegisteredSchema

__all__ = ["ENCODING_NAMES", "rewrite", "rewrite_schema"]


_Path: TypeAlias = tuple[str, ...]


class _Number(str):
    """The text of a JSON number."""

    __slots__ = ()


class _Members(list[tuple[str, Any]]):
    """The members of an object in order, doubled ones included."""


@dataclass(frozen=True, slots=True)
class _Encoding:
    """A way to write JSON."""

    # Reorders the members of an object at a path, or adds some.
    members: Callable[[_Members, _Path, random.Random], _Members] = lambda members, path, chance: members
    string: Callable[[str], str] = lambda text: json.dumps(text, ensure_ascii=False)
    # White space before and after every token.
    before: str = ""
    after: str = ""


def _shuffled(members: _Members, path: _Path, chance: random.Random) -> _Members:
    order = list(members)
    chance.shuffle(order)
    return _Members(order)


# The objects in messages of Canal-JSON and Debezium whose members are not columns: the outermost one, and these.
_OBJECTS_WITHOUT_COLUMNS = frozenset({(), ("_tidb",), ("payload", "source")})


def _has_no_columns(members: _Members, path: _Path) -> bool:
    """Whether no member of the object is a column.

    All members in the payload of Debezium's key are columns; none is in that of its value, which has `source`.
    """
    if path == ("payload",):
        return any(name == "source" and isinstance(value, _Members) for name, value in members)
    return path in _OBJECTS_WITHOUT_COLUMNS


def _with_unknown(members: _Members, path: _Path, chance: random.Random) -> _Members:
    """The members and, in an object without columns, an unknown one at a random position."""
    if not _has_no_columns(members, path):
        return members
    extra = ("a member nobody knows", _Members([("x", [_Number("1"), None, "y"])]))
    position = chance.randrange(len(members) + 1)
    return _Members([*members[:position], extra, *members[position:]])


def _escaped(text: str) -> str:
    units = text.encode("utf-16-be", "surrogatepass")
    return '"' + "".join(f"\\u{units[i]:02X}{units[i + 1]:02x}" for i in range(0, len(units), 2)) + '"'


_ENCODINGS: Mapping[str, _Encoding] = {
    "shuffled": _Encoding(members=_shuffled),
    "spaced": _Encoding(before=" \t", after="\r\n "),
    "escaped": _Encoding(string=_escaped),
    "unknown members": _Encoding(members=_with_unknown),
}

ENCODING_NAMES = tuple(_ENCODINGS)


def _write(tree: Any, encoding: _Encoding, chance: random.Random, path: _Path = ()) -> str:
    if isinstance(tree, _Number):
        text = str(tree)
    elif tree is None or isinstance(tree, bool):
        text = json.dumps(tree)
    elif isinstance(tree, str):
        text = encoding.string(tree)
    elif isinstance(tree, _Members):
        members = [
            f"{encoding.before}{encoding.string(name)}{encoding.after}:{_write(value, encoding, chance, (*path, name))}"
            for name, value in encoding.members(tree, path, chance)
        ]
        text = "{" + (",".join(members) or encoding.before) + "}"
    else:
        text = f"[{','.join(_write(value, encoding, chance, (*path, '')) for value in tree)}]"
    return f"{encoding.before}{text}{encoding.after}"


def _document(data: bytes, encoding: _Encoding, chance: random.Random) -> bytes:
    if not data:
        return data
    tree = json.loads(data.decode(), parse_int=_Number, parse_float=_Number, object_pairs_hook=_Members)
    return _write(tree, encoding, chance).encode()


def _open_protocol(record: Record, encoding: _Encoding, chance: random.Random) -> Record:
    pairs = unframe(record.key, record.value)
    key, value = frame((_document(k, encoding, chance), _document(v, encoding, chance)) for k, v in pairs)
    return replace(record, key=key, value=value)


def _key_and_value(record: Record, encoding: _Encoding, chance: random.Random) -> Record:
    key, value = (None if part is None else _document(part, encoding, chance) for part in (record.key, record.value))
    return replace(record, key=key, value=value)


_REWRITERS: Rows[Callable[[Record, _Encoding, random.Random], Record]] = Rows(
    {CANAL_JSON: _key_and_value, DEBEZIUM: _key_and_value, OPEN_PROTOCOL: _open_protocol}
)
"""A protocol that is not listed has only one way to write a message."""


def rewrite(protocol: str, record: Record, encoding: str, seed: int = 0) -> Record:
    """The record in another writer's form; equal arguments give equal bytes."""
    rewriter = _REWRITERS.get(protocol)
    return record if rewriter is None else rewriter(record, _ENCODINGS[encoding], random.Random(seed))


def rewrite_schema(schema: RegisteredSchema, encoding: str, seed: int = 0) -> RegisteredSchema:
    """The text of a schema in another writer's form; equal arguments give equal texts."""
    text = _document(schema.schema.encode(), _ENCODINGS[encoding], random.Random(seed))
    return replace(schema, schema=text.decode())
