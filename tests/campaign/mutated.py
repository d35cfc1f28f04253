"""Records and lines of captures with one thing changed in each, drawn from a seed: always the same ones.

An operator takes a random source and bytes and returns other bytes; `OPERATORS` are those of any bytes, `TREES` those
of JSON, and `AVRO` those of a value behind its header. `mutated` changes a record, `mutated_line` the line around it.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Callable, Sequence
from dataclasses import replace
from random import Random
from typing import Any

import cramjam

from reference_impl.model import Record
from reference_impl.wire import record_to_json

__all__ = ["mutated", "mutated_line", "text_of"]

Operator = Callable[[Random, bytes], bytes]


# -- any bytes ---------------------------------------------------------------------------------------------------------


def _flip(draw: Random, data: bytes) -> bytes:
    changed = bytearray(data or b"\0")
    changed[draw.randrange(len(changed))] ^= 1 << draw.randrange(8)
    return bytes(changed)


def _cut(draw: Random, data: bytes) -> bytes:
    return data[: draw.randrange(len(data) + 1)]


def _cut_front(draw: Random, data: bytes) -> bytes:
    return data[draw.randrange(len(data) + 1) :]


def _put(draw: Random, data: bytes) -> bytes:
    at = draw.randrange(len(data) + 1)
    more = draw.choice([b"\0", b"\xff", b'"', b"{", b"[" * 100_000, b"\xed\xa0\x80", b"9" * 5000, draw.randbytes(8)])
    return data[:at] + more + data[at:]


def _repeat(draw: Random, data: bytes) -> bytes:
    begin, end = sorted(draw.randrange(len(data) + 1) for _ in range(2))
    return data[:end] + data[begin:end] + data[end:]


def _length(draw: Random, data: bytes) -> bytes:
    """Eight bytes that hold a length, or four, with another number in them."""
    wide = draw.random() < 0.8
    places = range(0, max(len(data) - 8, 1), 8)
    at = draw.choice([0, 8, draw.choice(places)])
    old = int.from_bytes(data[at : at + 8], "big")
    new = draw.choice([old + 1, old - 1, old + 2**32, 0, 2**31, 2**32 - 1, 2**63, 2**64 - 1])
    word = struct.pack(">Q", new % 2**64) if wide else struct.pack(">I", new % 2**32)
    return data[:at] + word + data[at + len(word) :]


def _compressed(draw: Random, data: bytes) -> bytes:
    squeezed = bytes(draw.choice([cramjam.lz4.compress, cramjam.snappy.compress_raw])(data))
    return draw.choice([bytes, lambda d: _flip(draw, d), lambda d: _cut(draw, d), lambda d: d + d])(squeezed)


def _bomb(draw: Random, data: bytes) -> bytes:
    huge = bytes(draw.choice([1 << 16, 1 << 20, 1 << 24]))
    return bytes(draw.choice([cramjam.lz4.compress, cramjam.snappy.compress_raw])(huge))


OPERATORS: Sequence[Operator] = (_flip, _flip, _cut, _cut_front, _put, _repeat, _length, _compressed, _bomb)


# -- JSON --------------------------------------------------------------------------------------------------------------

_RAW = "\x01raw\x01"

# What stands in place of a value; a text behind `_RAW` is written without quotes.
_VALUES: Sequence[Any] = (
    *(None, True, False, 0, -1, 7, 1.5, 2**31, 2**63, 2**64, -(2**63) - 1, 10**400, "", "0", "-0", "+1", "x", "\0"),
    *([], {}, [None], [[]], [{}], {"": ""}, {"type": "x"}, ["x", 1], "é\u2028", "9" * 400, "-" + "9" * 30, "1e400"),
    *("NaN", "0000-00-00", "9999-12-31 23:59:59.9999999", "24:00:00", "-838:59:59.000001", "2024-02-30", "=", "%%%"),
    *("char(4294967296)", "bit(99999999999)", "bit(64)", "bit(0)", "decimal(1000000,999999)", "decimal(65,66)"),
    *("varchar(" + "9" * 30 + ")", "enum(", "enum('a','a')", "set()", "vector(99999999)", "int(0) unsigned zerofill"),
    *("datetime(99)", "time(7)", "binary(18446744073709551616)", "float(99)", "year(2)", "timestamp(999999999)"),
    *(f"{_RAW}{text}" for text in ("1e999999999", "1e9999999999999999999", "-0", "-0.0", "1E400", "9" * 4400)),
    *(f"{_RAW}{text}" for text in ('"\\ud800"', '"\\udc00\\ud800"', '"\\u0000"', "NaN", "-Infinity", "01", "+1")),
    *(
        f"{_RAW}{text}"
        for text in ("[" * 900 + "]" * 900, '{"a":' * 3000 + "1" + "}" * 3000, "[" * 60000 + "]" * 60000)
    ),
    *(f"{_RAW}{text}" for text in ("'x'", "nul", '"a" "b"', "", ",", "0x10", '"\\x"', '"\n"')),
)


def text_of(tree: Any) -> bytes:
    """A tree as JSON, with what is to stand there as it is."""
    text = json.dumps(tree, ensure_ascii=False, separators=(",", ":"))
    raw = json.dumps(_RAW)[1:-1]
    while (at := text.find(raw)) >= 0:
        inner, length = json.JSONDecoder().raw_decode(text[at - 1 :])
        text = text[: at - 1] + inner.removeprefix(_RAW) + text[at - 1 + length :]
    return text.encode("utf-8", "surrogatepass")


def _places(tree: Any, found: list[tuple[Any, Any]]) -> list[tuple[Any, Any]]:
    steps = list(tree) if isinstance(tree, dict) else range(len(tree)) if isinstance(tree, list) else ()
    for step in steps:
        found.append((tree, step))
        _places(tree[step], found)
    return found


def _changed(draw: Random, data: bytes) -> bytes:
    """A JSON text with one value, name or member changed; text that is none is flipped."""
    try:
        tree = json.loads(data)
    except ValueError:
        return _flip(draw, data)
    places = _places(tree, [])
    if not places:
        return text_of(draw.choice(_VALUES))
    # The inner objects have many more members than the outer ones: one of three is of the outermost.
    if draw.random() < 0.3:
        places = [place for place in places if place[0] is tree]
    inside, step = draw.choice(places)
    how = draw.randrange(10)
    if how < 7 or not isinstance(inside, dict):
        inside[step] = draw.choice(_VALUES)
    elif how == 7:
        del inside[step]
    elif how == 8:
        inside[draw.choice([step.upper(), step + "x", "", "\0", "é", "\ud800"])] = inside.pop(step)
    else:
        text = text_of(tree)
        name = json.dumps(step, ensure_ascii=False).encode("utf-8") + b":"
        return text.replace(name, name + text_of(draw.choice(_VALUES)) + b"," + name, 1)
    return text_of(tree)


# -- the protocols -----------------------------------------------------------------------------------------------------


def _frames(draw: Random, data: bytes) -> bytes:
    """One frame of Open Protocol with another text in it, and the length that goes with it."""
    version = data[:8] if len(data) >= 16 and int.from_bytes(data[:8], "big") == 1 else b""
    at, frames = len(version), []
    while at + 8 <= len(data):
        end = at + 8 + int.from_bytes(data[at : at + 8], "big")
        frames.append(data[at + 8 : end])
        at = end
    if not frames:
        return _flip(draw, data)
    chosen = draw.randrange(len(frames))
    frames[chosen] = _changed(draw, frames[chosen])
    return version + b"".join(len(frame).to_bytes(8, "big") + frame for frame in frames)


def _varint(number: int) -> bytes:
    folded, found = (number << 1) ^ (number >> 63), bytearray()
    folded %= 2**64
    while folded > 127:
        found.append(folded & 127 | 128)
        folded >>= 7
    found.append(folded)
    return bytes(found)


def _avro(draw: Random, data: bytes) -> bytes:
    """A framed Avro value with another magic byte, id, or number in its body."""
    how = draw.randrange(4)
    if how == 0:
        return bytes([draw.choice([0, 1, 2, 3, 255])]) + data[1:]
    if how == 1:
        return data[:1] + struct.pack(">I", draw.choice([0, 1, 2, 3, 2**31, 2**32 - 1])) + data[5:]
    at = draw.randrange(5, max(len(data), 5) + 1)
    number = draw.choice([0, 1, -1, 2, 100, 2**31, -(2**31) - 1, 2**62, 2**63 - 1, -(2**63), 2**40])
    number_bytes = draw.choice([_varint(number), b"\xff" * 12, b"\x80" * 9 + b"\x02", struct.pack("<d", float("nan"))])
    return data[:at] + number_bytes + data[at + draw.choice([0, 1, len(number_bytes)]) :]


_OWN: dict[str, Operator] = {"open-protocol": _frames, "avro": _avro}


def mutated(draw: Random, protocol: str, record: Record) -> Record:
    """The record with one thing changed."""
    how = draw.randrange(20)
    if how == 0:
        return replace(record, key=draw.choice([None, b"", b"null", b"{}", b"[]", record.value]))
    if how == 1:
        return replace(record, value=draw.choice([None, b"", b"null", b"{}", b"[]", b"0", record.key]))
    if how == 2:
        name = draw.choice(["", "x", "é", "__debezium.newkey", "\0"])
        return replace(record, headers=(*record.headers, (name, draw.choice([None, b"", b"\xff", b"1" * 1000]))))
    side = "key" if record.key and draw.random() < 0.3 else "value"
    data = getattr(record, side)
    if data is None:
        return replace(record, **{side: draw.randbytes(draw.randrange(20))})
    operators = (_OWN.get(protocol, _changed),) * 8 + tuple(OPERATORS)
    return replace(record, **{side: draw.choice(operators)(draw, data)})


def mutated_line(draw: Random, record: Record) -> bytes:
    """The line of a record, as harness-protocol JSONL, with one thing changed in the line itself."""
    line = json.dumps(record_to_json(record)).encode()
    how = draw.randrange(4)
    if how == 0:
        changed = draw.choice([_flip, _cut, _put, _repeat])(draw, line)
    elif how == 1:
        more = draw.choice(["topic", "partition", "offset", "timestamp", "headers", "key", "value"])
        changed = text_of({**json.loads(line), more: draw.choice(_VALUES)})
    else:
        changed = _changed(draw, line)
    return changed.replace(b"\n", b" ").replace(b"\r", b" ") or b"x"
