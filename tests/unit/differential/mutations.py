"""Messages with something wrong in them, drawn from a seed: bytes changed, members doubled, left out or moved."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator

_BYTES = b'0123456789"\\,:{}[]- .eEnul\x00\x1f\x7f\x80\xc3\xa9\xffaZ\n'
_MEMBER = re.compile(rb'"(?:[^"\\]|\\.)*":(?:"(?:[^"\\]|\\.)*"|[^][{},"]+)')


def _replaced(draw: random.Random, value: bytes) -> bytes:
    at = draw.randrange(len(value))
    return value[:at] + bytes([draw.choice(_BYTES)]) + value[at + 1 :]


def _removed(draw: random.Random, value: bytes) -> bytes:
    at = draw.randrange(len(value))
    return value[:at] + value[at + 1 :]


def _added(draw: random.Random, value: bytes) -> bytes:
    at = draw.randrange(len(value))
    return value[:at] + bytes([draw.choice(_BYTES)]) + value[at:]


def _doubled(draw: random.Random, value: bytes) -> bytes:
    at = draw.randrange(len(value))
    end = at + draw.randint(1, 3)
    return value[:end] + value[at:]


def _digit(draw: random.Random, value: bytes) -> bytes:
    """Another digit, which is often another value of the same type."""
    places = [found.start() for found in re.finditer(rb"[0-9]", value)]
    at = draw.choice(places)
    return value[:at] + b"%d" % draw.randrange(10) + value[at + 1 :]


def _members(draw: random.Random, value: bytes) -> tuple[re.Match[bytes], re.Match[bytes]]:
    found = list(_MEMBER.finditer(value))
    one, other = sorted(draw.choices(range(len(found)), k=2))
    return found[one], found[other]


def _member_doubled(draw: random.Random, value: bytes) -> bytes:
    one, other = _members(draw, value)
    return value[: other.start()] + one[0] + b"," + value[other.start() :]


def _member_removed(draw: random.Random, value: bytes) -> bytes:
    one, _ = _members(draw, value)
    return value[: one.start()] + value[one.end() :].removeprefix(b",")


def _members_moved(draw: random.Random, value: bytes) -> bytes:
    one, other = _members(draw, value)
    between = value[one.end() : other.start()]
    return value[: one.start()] + other[0] + between + one[0] + value[other.end() :]


def _value_moved(draw: random.Random, value: bytes) -> bytes:
    """The value of another member of the message."""
    one, other = _members(draw, value)
    name, _, _ = one[0].partition(b":")
    _, _, given = other[0].partition(b":")
    return value[: one.start()] + name + b":" + given + value[one.end() :]


_CHANGES: tuple[Callable[[random.Random, bytes], bytes], ...] = (
    *(_replaced, _removed, _added, _doubled, _digit, _digit),
    *(_member_doubled, _member_removed, _members_moved, _value_moved),
)


def mutations(value: bytes, seed: int, count: int) -> Iterator[bytes]:
    """So many versions of a message, each with one thing changed; some are as good as the message itself."""
    draw = random.Random(seed)
    for _ in range(count):
        yield draw.choice(_CHANGES)(draw, value)
