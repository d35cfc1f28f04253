"""A negative: a valid part of a record, changed in one place, with the consequence for the answer."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NoReturn, TypeVar

import orjson

from reference_impl.errors import RejectionClass

__all__ = [
    "ANY_CLASS",
    "CUT",
    "SCHEMA",
    "SYNTAX",
    "Negative",
    "as_it_is",
    "classes",
    "cuts",
    "described",
    "flips",
    "is_no_json",
    "judged_as_json",
    "shuffled",
    "spread",
]

T = TypeVar("T")


def classes(*names: str) -> frozenset[RejectionClass]:
    """Classes of rejection by name."""
    return frozenset(map(RejectionClass, names))


SYNTAX, SCHEMA = classes("syntax"), classes("schema")
CUT = classes("framing", "syntax")
"""The classes for an early end of bytes that are not framed: either is right."""


@dataclass(frozen=True, slots=True)
class Negative:
    """A changed part of a record."""

    group: str  # the kind of change
    name: str  # distinguishes the changes of a part
    data: bytes  # the changed part
    # The classes with which a decoder must refuse it; empty: any answer is right.
    refused: frozenset[RejectionClass] = frozenset()
    requirement: str = ""  # demands the consequence; empty: that of the part
    # Whether the original events are right. Then a decoder may refuse it with these classes, and need not.
    keeps_meaning: bool = False


ANY_CLASS = frozenset(RejectionClass)


def described(negatives: Iterable[Negative], how: str) -> Iterator[Negative]:
    """The negatives with `how` at the end of their names, so that no other base has the same names."""
    return (replace(negative, name=f"{negative.name} {how}") for negative in negatives)


def spread(items: Iterable[T], count: int) -> list[T]:
    """At most `count` of the items, evenly spread; the first and, of two or more, the last are among them."""
    all_items = list(items)
    if len(all_items) <= count:
        return all_items
    step = (len(all_items) - 1) / max(count - 1, 1)
    return [all_items[round(i * step)] for i in range(count)]


def shuffled(items: Sequence[T], seed: str) -> list[T]:
    """The items in an order that the seed decides."""
    order = list(items)
    random.Random(seed).shuffle(order)
    return order


def cuts(data: bytes, refused: frozenset[RejectionClass], count: int | None = None) -> Iterator[Negative]:
    """The data without its end: cut at every byte, or at `count` places."""
    for at in spread(range(len(data)), len(data) if count is None else count):
        yield Negative("cut", f"cut to {at} of {len(data)} bytes", data[:at], refused)


def flips(data: bytes, count: int, seed: str) -> Iterator[Negative]:
    """The data with one bit flipped, at `count` places; the seed decides which bit."""
    chance = random.Random(seed)
    for at in spread(range(len(data)), count):
        bit = chance.randrange(8)
        changed = data[:at] + bytes([data[at] ^ 1 << bit]) + data[at + 1 :]
        yield Negative("bit", f"bit {bit} of byte {at} turned", changed)


def _no_constant(name: str) -> NoReturn:
    raise ValueError(name)


def _is_refused_by_python(data: bytes) -> bool:
    try:
        json.loads(data.decode("utf-8"), parse_constant=_no_constant)
    except (ValueError, RecursionError):
        return True
    return False


def _is_refused_by_orjson(data: bytes) -> bool:
    try:
        orjson.loads(data)
    except orjson.JSONDecodeError:
        return True
    return False


def is_no_json(data: bytes) -> bool:
    """Whether two independent parsers refuse the text; if they disagree, the text counts as JSON."""
    return _is_refused_by_python(data) and _is_refused_by_orjson(data)


def as_it_is(negative: Negative) -> Negative:
    """The same negative: the content of compressed and similar bytes adds no consequence."""
    return negative


def judged_as_json(negative: Negative) -> Negative:
    """The negative of a JSON text with its consequence: a decoder must refuse it if it is no longer JSON."""
    if not is_no_json(negative.data):
        return negative
    must_be_refused = bool(negative.refused) and not negative.keeps_meaning
    return negative if must_be_refused else replace(negative, refused=SYNTAX, keeps_meaning=False)
