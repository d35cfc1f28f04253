"""Equivalent encodings of JSON: the same record with other member order, white space, escapes or extra members.

A decoder must read all of them alike. Numbers keep their text. Records with compressed values stay as they are. The
schemas of Avro are JSON, and free in the same way; its records are not.
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
    """A number as it was written."""

    __slots__ = ()


class _Members(list[tuple[str, Any]]):
    """The members of an object, doubled ones included."""


@dataclass(frozen=True, slots=True)
class _Manner:
    """A way to write: `members` may reorder or add members of an object at a path, the rest is the form of tokens."""

    members: Callable[[_Members, _Path, random.Random], _Members] = lambda members, path, chance: members
    string: Callable[[str], str] = lambda text: json.dumps(text, ensure_ascii=False)
    before: str = ""
    after: str = ""


def _shuffled(members: _Members, path: _Path, chance: random.Random) -> _Members:
    order = list(members)
    chance.shuffle(order)
    return _Members(order)


# Objects below the outermost one without columns as members: those of Canal-JSON's and Debezium's messages.
_NAMED = frozenset({("_tidb",), ("payload",), ("payload", "source")})


def _is_open(members: _Members, path: _Path) -> bool:
    """Whether no member of the object is a column.

    The payload of Debezium's key has only columns, that of its value none.
    """
    has_source = any(name == "source" and isinstance(value, _Members) for name, value in members)
    return not path or (path in _NAMED and (path != ("payload",) or has_source))


def _with_unknown(members: _Members, path: _Path, chance: random.Random) -> _Members:
    """Add a member to each object in which no member is a column."""
    if not _is_open(members, path):
        return members
    extra = ("a member nobody knows", _Members([("x", [_Number("1"), None, "y"])]))
    at = chance.randrange(len(members) + 1)
    return _Members([*members[:at], extra, *members[at:]])


def _escaped(text: str) -> str:
    units = text.encode("utf-16-be", "surrogatepass")
    return '"' + "".join(f"\\u{units[i]:02X}{units[i + 1]:02x}" for i in range(0, len(units), 2)) + '"'


_MANNERS: Mapping[str, _Manner] = {
    "shuffled": _Manner(members=_shuffled),
    "spaced": _Manner(before=" \t", after="\r\n "),
    "escaped": _Manner(string=_escaped),
    "unknown members": _Manner(members=_with_unknown),
}

ENCODING_NAMES = tuple(_MANNERS)


def _read(text: str) -> Any:
    return json.loads(text, parse_int=_Number, parse_float=_Number, object_pairs_hook=_Members)


def _write(tree: Any, manner: _Manner, chance: random.Random, path: _Path = ()) -> str:
    if isinstance(tree, _Number) or tree is None or isinstance(tree, bool):
        text = str(tree) if isinstance(tree, _Number) else json.dumps(tree)
    elif isinstance(tree, str):
        text = manner.string(tree)
    elif isinstance(tree, _Members):
        members = manner.members(tree, path, chance)
        text = ",".join(
            f"{manner.before}{manner.string(name)}{manner.after}:{_write(value, manner, chance, (*path, name))}"
            for name, value in members
        )
        text = f"{{{text}{manner.before if not members else ''}}}"
    else:
        text = f"[{','.join(_write(value, manner, chance, (*path, '')) for value in tree)}]"
    return f"{manner.before}{text}{manner.after}"


def _document(data: bytes, manner: _Manner, chance: random.Random) -> bytes:
    return _write(_read(data.decode()), manner, chance).encode() if data else data


def _canal_json(record: Record, manner: _Manner, chance: random.Random) -> Record:
    return replace(record, value=None if record.value is None else _document(record.value, manner, chance))


def _open_protocol(record: Record, manner: _Manner, chance: random.Random) -> Record:
    pairs = unframe(record.key, record.value)
    key, value = frame((_document(k, manner, chance), _document(v, manner, chance)) for k, v in pairs)
    return replace(record, key=key, value=value)


def _debezium(record: Record, manner: _Manner, chance: random.Random) -> Record:
    key, value = (None if part is None else _document(part, manner, chance) for part in (record.key, record.value))
    return replace(record, key=key, value=value)


_REWRITERS: Rows[Callable[[Record, _Manner, random.Random], Record]] = Rows(
    {CANAL_JSON: _canal_json, DEBEZIUM: _debezium, OPEN_PROTOCOL: _open_protocol}
)
"""A protocol that is not listed has only one way to write a message."""


def rewrite(protocol: str, record: Record, encoding: str, seed: int = 0) -> Record:
    """The record in another writer's form; equal arguments give equal bytes."""
    rewriter = _REWRITERS.get(protocol)
    return record if rewriter is None else rewriter(record, _MANNERS[encoding], random.Random(seed))


def rewrite_schema(schema: RegisteredSchema, encoding: str, seed: int = 0) -> RegisteredSchema:
    """The text of a schema in another writer's form; equal arguments give equal texts."""
    text = _document(schema.schema.encode(), _MANNERS[encoding], random.Random(seed))
    return replace(schema, schema=text.decode())
