"""Injects faults into the bytes of messages, as a broken pipeline would.

This module uses no codec and only the standard library, so that its faults are independent of the reference
implementation. Rows are located by the bytes around them, so positions and times are never changed; a small JSON
scanner finds the values of a row.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from random import Random
from typing import Any, TypeAlias, TypeVar

__all__ = ["Fault", "Injected", "Kind", "Message", "inject", "row_keys"]

T = TypeVar("T")


class Kind(StrEnum):
    """The kinds of faults. Only some of them apply to messages that are not JSON documents."""

    LOST = "lost"
    REPEATED = "repeated"
    REORDERED = "reordered"
    CHANGED_DIGIT = "changed-digit"
    CHANGED_BYTE = "changed-byte"
    WRONG_TYPE = "wrong-type"
    CUT = "cut"


@dataclass(frozen=True, slots=True)
class Message:
    """A Kafka record. `value` is None for a tombstone, which gets no faults."""

    key: bytes | None
    value: bytes | None
    topic: str = ""
    partition: int = 0
    offset: int = 0
    timestamp: int | None = None
    headers: tuple[tuple[str, bytes | None], ...] = ()


@dataclass(frozen=True, slots=True)
class Fault:
    """A request for faults of one kind: their number (`count`) or `share` of the messages."""

    kind: Kind
    count: int = 0
    share: float = 0.0  # 0 to 1
    side: str = ""  # "": every side
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Injected:
    """A fault that was injected.

    If two messages changed places (`REORDERED`), the fields describe the earlier one; `after` is the offset of the
    other message, which now stands in its place, and `new` is empty.
    """

    kind: Kind
    topic: str
    partition: int
    before: int  # the offset of the message without the faults
    after: int | None  # the offset at its place with the faults, None for a lost message
    at: tuple[int, int]  # a range of bytes of the original value
    old: bytes  # the bytes in that range
    new: bytes  # their replacement

    def to_json(self, side: str) -> dict[str, Any]:
        """As a line of `injected.jsonl`."""
        return {
            "kind": self.kind.value,
            "side": side,
            "topic": self.topic,
            "partition": self.partition,
            "offset_before": self.before,
            "offset_after": self.after,
            "bytes": list(self.at),
            "old": self.old.decode("utf-8", "backslashreplace"),
            "new": self.new.decode("utf-8", "backslashreplace"),
        }


# -- the values of a row

# The text before the rows of a message: in Canal's family, in Debezium's, and in Open Protocol.
_ROWS = re.compile(rb'"(?:data|old)":(?=\[)|"(?:before|after)":(?=\{)|"[udp]":(?=\{)')
_TOKEN = re.compile(
    rb'\s*(?:(?P<name>"(?:[^"\\]|\\.)*")\s*:|(?P<string>"(?:[^"\\]|\\.)*")|(?P<number>-?[0-9][-+0-9.eE]*)'
    rb"|(?P<open>[\[{])|(?P<close>[\]}])|(?P<other>,|true|false|null))"
)
_NUMBER = re.compile(rb"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?\Z")
_LETTER = re.compile(rb"\\u[0-9a-fA-F]{4}|\\.|(?P<letter>[A-Za-z])")
_TABLE = re.compile(rb'"(?:table|tbl)":"((?:[^"\\]|\\.)*)"')
_SCHEMA = re.compile(rb'"(?:database|db|scm)":"((?:[^"\\]|\\.)*)"')
_OPEN_PROTOCOL_ROWS = (b'"u":', b'"d":', b'"p":')
_OPEN_PROTOCOL_VALUE = b"v"


@dataclass(frozen=True, slots=True)
class _Token:
    """A string or number of a row: its range of bytes, and the name before it."""

    start: int
    end: int
    name: bytes
    quoted: bool


def _tokens(value: bytes) -> Iterator[_Token]:
    """The strings and numbers of all rows of a message, or as many as can be read.

    Open Protocol has an object for each column: its member `v` is returned under the column's name, and all other
    members are left out.
    """
    for found in _ROWS.finditer(value):
        at, depth, name, column = found.end(), 0, b"", b""
        is_open_protocol = found[0] in _OPEN_PROTOCOL_ROWS
        while token := _TOKEN.match(value, at):
            at, kind = token.end(), token.lastgroup
            if kind == "name":
                name = token["name"][1:-1]
            elif kind == "open":
                column, depth = name, depth + 1
            elif kind == "close":
                depth -= 1
                if depth == 0:
                    break
            elif kind in ("string", "number"):
                if not is_open_protocol:
                    yield _Token(*token.span(kind), name, kind == "string")
                elif name == _OPEN_PROTOCOL_VALUE:
                    yield _Token(*token.span(kind), column, kind == "string")


def row_keys(message: Message, keys: Mapping[tuple[str, str], Sequence[str]]) -> tuple[bytes, ...]:
    """The keys of the rows of a message, each once, as bytes that do not depend on the dialect.

    `keys`: the key columns by schema and name of the table. If the message names none of these tables, the result is
    its record key, if it has one.
    """
    value = message.value or b""
    table = _table_of(message, keys)
    names = keys[table] if table else ()
    if not table or not names:
        return _record_key(message)
    positions = {name.encode(): at for at, name in enumerate(names)}
    rows: dict[bytes, None] = {}
    cells: dict[int, bytes] = {}
    for token in _tokens(value):
        if token.name in positions:
            cells[positions[token.name]] = value[token.start : token.end].strip(b'"')
            if len(cells) == len(names):
                rows[b"\n".join((*(part.encode() for part in table), *(cells[at] for at in sorted(cells))))] = None
                cells = {}
    return tuple(rows)


def _table_of(message: Message, tables: Iterable[tuple[str, str]]) -> tuple[str, str] | None:
    """The schema and name of the table that a message names, among the given ones.

    Where a single table has the name, the schema need not be in the message.
    """

    found = _TABLE.search(message.key or b"") or _TABLE.search(message.value or b"")
    name = found[1].decode("utf-8", "replace") if found else None
    named = [table for table in tables if table[1] == name]
    if len(named) > 1:
        schemas = _SCHEMA.findall(message.key or b"") + _SCHEMA.findall(message.value or b"")
        named = [table for table in named if table[0].encode() in schemas]
    return named[0] if len(named) == 1 else None


def _record_key(message: Message) -> tuple[bytes, ...]:
    return () if message.key is None else (message.key,)


# -- changes of one value: a range of bytes, and its replacement

_Edit: TypeAlias = "tuple[int, int, bytes]"


def _is_document(value: bytes) -> bool:
    return value[:1] == b"{"


def _has_rows(message: Message) -> bool:
    """Whether a message may hold a row; any message that is not a JSON document may."""
    value = message.value
    return value is not None and (not _is_document(value) or _ROWS.search(value) is not None)


def _numbers(value: bytes) -> list[_Token]:
    """The numbers of all rows of a message, with or without quotes; none if it is not a JSON document."""
    if not _is_document(value):
        return []
    return [token for token in _tokens(value) if _NUMBER.match(value[token.start : token.end].strip(b'"'))]


# Only `Random.random()` is guaranteed to return the same numbers in every release of Python.
def _below(limit: int, random: Random) -> int:
    return int(random.random() * limit)


def _choice(items: Sequence[T], random: Random) -> T:
    return items[_below(len(items), random)]


def _changed_digit(value: bytes, random: Random) -> _Edit | None:
    numbers = _numbers(value)
    if not numbers:
        return None
    token = _choice(numbers, random)
    at = _choice([n for n in range(token.start, token.end) if value[n : n + 1].isdigit()], random)
    return at, at + 1, b"%d" % ((value[at] - ord("0") + 1 + _below(9, random)) % 10)


def _other_letter(letter: bytes) -> bytes:
    return bytes([letter[0] - 1 if letter in b"zZ" else letter[0] + 1])


def _changed_byte(value: bytes, random: Random) -> _Edit | None:
    """Change a byte of a text in a row, or of anything like a text if no row can be found."""
    texts = [(t.start, t.end) for t in _tokens(value) if t.quoted]
    if not texts and not _is_document(value):
        texts = [found.span() for found in re.finditer(rb"[A-Za-z]{4,}", value)]
    places = [found.start() for start, end in texts for found in _LETTER.finditer(value, start, end) if found["letter"]]
    if not places:
        return None
    at = _choice(places, random)
    return at, at + 1, _other_letter(value[at : at + 1])


def _wrong_type(value: bytes, random: Random) -> _Edit | None:
    """Remove the quotes of a number in a row, or add them."""
    numbers = _numbers(value)
    if not numbers:
        return None
    token = _choice(numbers, random)
    text = value[token.start : token.end]
    return token.start, token.end, text.strip(b'"') if token.quoted else b'"%b"' % text


def _cut(value: bytes, random: Random) -> _Edit | None:
    return (1 + _below(len(value) - 1, random), len(value), b"") if len(value) > 1 else None


_EDITS: Mapping[Kind, Callable[[bytes, Random], _Edit | None]] = {
    Kind.CHANGED_DIGIT: _changed_digit,
    Kind.CHANGED_BYTE: _changed_byte,
    Kind.WRONG_TYPE: _wrong_type,
    Kind.CUT: _cut,
}


# -- a stream

KeysOf: TypeAlias = Callable[[Message], Iterable[bytes]]


@dataclass(slots=True)
class _Stream:
    """A stream while faults are injected."""

    messages: Sequence[Message]  # the original messages
    keys: list[frozenset[bytes]]  # by message, the keys of its rows
    taken: set[bytes]  # the keys that have a fault
    slots: list[list[Message]]  # by position, the messages in place of the original one
    touched: set[int] = field(default_factory=set)  # the positions of messages with a fault
    injected: list[tuple[int, Injected]] = field(default_factory=list)  # the faults, each after its position

    def may_fault(self, at: int) -> bool:
        """Whether the message at a position may get a fault: it has a row, and neither it nor its keys have one."""
        return _has_rows(self.messages[at]) and at not in self.touched and not self.keys[at] & self.taken

    def inject(self, fault: Fault, at: int, random: Random) -> bool:
        """Inject a fault into the message at a position; False if it does not apply there."""
        message = self.messages[at]
        value = message.value or b""
        whole = (0, len(value))
        if fault.kind is Kind.LOST:
            self.slots[at] = []
            changed = (whole, value, b"")
        elif fault.kind is Kind.REPEATED:
            self.slots[at] = [message, message]
            changed = (whole, value, value + value)
        elif fault.kind is Kind.REORDERED:
            other = self._next_of_key(at)
            if other is None:
                return False
            self.slots[at], self.slots[other] = [self.messages[other]], [message]
            self.touched.add(other)
            changed = (whole, value, b"")
        else:
            edit = _EDITS[fault.kind](value, random)
            if edit is None:
                return False
            start, end, new = edit
            self.slots[at] = [replace(message, value=value[:start] + new + value[end:])]
            changed = ((start, end), value[start:end], new)
        self.touched.add(at)
        self.taken |= self.keys[at]
        where = (message.topic, message.partition, message.offset)
        self.injected.append((at, Injected(fault.kind, *where, None, *changed)))
        return True

    def _next_of_key(self, at: int) -> int | None:
        """The position of the next message in the partition with the same keys; None if it may not change places.

        It must differ and have no fault yet. Outside of JSON documents, messages share rows only if their record keys
        are equal.
        """
        message, keys = self.messages[at], self.keys[at]
        if not _is_document(message.value or b"") and keys != {message.key}:
            return None
        partition = message.topic, message.partition
        for n in range(at + 1, len(self.messages)):
            other = self.messages[n]
            if self.keys[n] & keys and (other.topic, other.partition) == partition:
                may_swap = self.keys[n] == keys and n not in self.touched
                return n if may_swap and other.value not in (None, message.value) else None
        return None


def inject(
    messages: Sequence[Message],
    faults: Iterable[Fault],
    *,
    seed: object = 0,
    keys_of: KeysOf = _record_key,
    taken: set[bytes] | None = None,
) -> tuple[list[Message], list[Injected]]:
    """The messages with faults and renumbered offsets, and the injected faults in message order.

    Messages without a row get no fault. A message or key gets at most one fault. Keys in `taken` get none; the keys of
    messages with a fault are added to it. A fault is dropped if no message is left for it. The same arguments always
    give the same result.
    """
    keys = [frozenset(keys_of(message)) for message in messages]
    stream = _Stream(messages, keys, set() if taken is None else taken, [[message] for message in messages])
    for number, fault in enumerate(faults):
        random = Random(f"{fault.seed}/{seed}/{number}")
        remaining = fault.count or round(fault.share * len(messages))
        if not remaining:
            continue
        for at in sorted(range(len(messages)), key=lambda _: random.random()):
            if stream.may_fault(at) and stream.inject(fault, at, random):
                remaining -= 1
                if not remaining:
                    break
    return _numbered(stream)


def _numbered(stream: _Stream) -> tuple[list[Message], list[Injected]]:
    """The messages and faults of a stream, with offsets that have no gaps."""
    next_offset = {(m.topic, m.partition): m.offset for m in reversed(stream.messages)}
    messages: list[Message] = []
    offset_at: dict[int, int] = {}
    for position, (original, slot) in enumerate(zip(stream.messages, stream.slots, strict=True)):
        for message in slot:
            partition = (original.topic, original.partition)
            offset_at.setdefault(position, next_offset[partition])
            messages.append(replace(message, offset=next_offset[partition], timestamp=original.timestamp))
            next_offset[partition] += 1
    in_order = sorted(stream.injected, key=lambda entry: entry[0])
    return messages, [replace(fault, after=offset_at.get(position)) for position, fault in in_order]
