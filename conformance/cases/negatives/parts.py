"""The parts of a legal record for drawn changes, and the kinds of change that each part allows.

Numbers choose a change and wrap around, so that any numbers make a change of any record.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from conformance.cases.model import Case
from conformance.cases.negatives.model import Negative
from conformance.cases.negatives.texts import KINDS_OF_TEXT, Shape, text_change
from reference_impl.errors import RejectionClass
from reference_impl.model import Record

__all__ = ["KINDS", "Judged", "Part", "kinds_of", "part_change", "with_record"]

Judged: TypeAlias = Callable[[Negative], Negative]
"""Adds the consequence to a change, by its bytes alone."""

_WORD = 8
_BYTES = (b"", b"\0", b"\xff", b'"', b"}", b"0", b"a", b"\x80")
_DELTAS = (1, -1, 1 << 32, -(1 << 32), 1 << 8, 1 << 16, 1 << 31, 1 << 63)


@dataclass(frozen=True, slots=True)
class Part:
    """Bytes of a record in which one change is made."""

    name: str
    data: bytes
    # Makes the case with other bytes in place of `data`.
    with_data: Callable[[bytes], Case]
    # Decides the consequence of a change.
    judge: Judged
    # The classes with which a decoder must refuse an early end; empty if unknown.
    cut: frozenset[RejectionClass]
    # The requirement that demands the consequence.
    requirement: str
    # The form of a JSON text; None for other bytes.
    shape: Shape | None = None
    # The offsets of the 64-bit numbers in `data`.
    words: Sequence[int] = ()
    # (begin, end) of the bytes that exist once for each event.
    pieces: Sequence[tuple[int, int]] = ()


def with_record(case: Case, number: int, record: Record) -> Case:
    """The case with another record at a position."""
    return replace(case, records=(*case.records[:number], record, *case.records[number + 1 :]))


def _bit(part: Part, at: int, pick: int) -> Negative:
    at, bit = at % len(part.data), pick % 8
    changed = part.data[:at] + bytes([part.data[at] ^ 1 << bit]) + part.data[at + 1 :]
    return Negative("bit", f"bit {bit} of byte {at} turned", changed)


def _byte(part: Part, at: int, pick: int) -> Negative:
    at, by = at % len(part.data), _BYTES[pick % len(_BYTES)]
    what = f"made {by.hex()}" if by else "left out"
    return Negative("byte", f"byte {at} {what}", part.data[:at] + by + part.data[at + 1 :])


def _cut(part: Part, at: int, pick: int) -> Negative:
    at %= len(part.data)
    return Negative("cut", f"cut to {at} of {len(part.data)} bytes", part.data[:at], part.cut)


def _length(part: Part, at: int, pick: int) -> Negative | None:
    if not part.words:
        return None
    number, delta = at % len(part.words), _DELTAS[pick % len(_DELTAS)]
    at = part.words[number]
    word = (int.from_bytes(part.data[at : at + _WORD], "big") + delta) % (1 << 64)
    changed = part.data[:at] + word.to_bytes(_WORD, "big") + part.data[at + _WORD :]
    return Negative("length", f"word {number} made {word}", changed)


def _count(part: Part, at: int, pick: int) -> Negative | None:
    if not part.pieces:
        return None
    number = at % len(part.pieces)
    start, end = part.pieces[number]
    if pick % 2:
        return Negative("count", f"event {number} left out", part.data[:start] + part.data[end:])
    return Negative("count", f"event {number} twice", part.data[:end] + part.data[start:])


_OF_BYTES: Mapping[str, Callable[[Part, int, int], Negative | None]] = {
    "bit": _bit,
    "byte": _byte,
    "cut": _cut,
    "length": _length,
    "count": _count,
}

KINDS: tuple[str, ...] = tuple(dict.fromkeys((*_OF_BYTES, *KINDS_OF_TEXT)))
"""The kinds of change, the plainest first."""


def kinds_of(part: Part) -> Sequence[str]:
    """The kinds of change that a part may allow."""
    if not part.data:
        return ()
    structure = (*(("length",) if part.words else ()), *(("count",) if part.pieces else ()))
    return ("bit", "byte", "cut", *structure, *(KINDS_OF_TEXT if part.shape is not None else ()))


def part_change(part: Part, kind: str, at: int, pick: int) -> Negative | None:
    """The change of a kind that two numbers choose in a part, with its consequence; None if the part allows none."""
    negative = _OF_BYTES[kind](part, at, pick) if kind in _OF_BYTES else None
    if negative is None and part.shape is not None and kind in KINDS_OF_TEXT:
        negative = text_change(part.data, part.shape, kind, at, pick)
    return part.judge(negative) if negative is not None else None
