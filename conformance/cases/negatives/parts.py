"""The parts of a legal record for drawn changes, and the kinds of change that each part allows.

Numbers choose a change and wrap around, so that any numbers make a change of any record.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from conformance.cases.model import Case
from conformance.cases.negatives.model import Negative
from conformance.cases.negatives.texts import KINDS_OF_TEXT, DocumentForm, text_change
from reference_impl.errors import RejectionClass
from reference_impl.model import Record

__all__ = ["KINDS", "Judge", "Part", "is_compressed", "kinds_of", "part_change", "with_record", "with_side"]

Judge: TypeAlias = Callable[[Negative], Negative]
"""Adds the consequence to a change, by its bytes alone."""

_WORD = 8  # bytes of a 64-bit number
_BYTES = (b"", b"\0", b"\xff", b'"', b"}", b"0", b"a", b"\x80")
_DELTAS = (1, -1, 1 << 32, -(1 << 32), 1 << 8, 1 << 16, 1 << 31, 1 << 63)


@dataclass(frozen=True, slots=True)
class Part:
    """Bytes of a record in which one change is made."""

    name: str
    data: bytes
    with_data: Callable[[bytes], Case]  # makes the case with other bytes in place of `data`
    judge: Judge
    cut: frozenset[RejectionClass]  # with which a decoder must refuse an early end; empty if unknown
    requirement: str  # demands the consequence
    form: DocumentForm | None = None  # of a JSON text; None for other bytes
    words: Sequence[int] = ()  # the offsets of the 64-bit numbers in `data`
    pieces: Sequence[tuple[int, int]] = ()  # (begin, end) of the bytes that exist once for each event


def with_record(case: Case, number: int, record: Record) -> Case:
    """The case with another record at a position."""
    return replace(case, records=(*case.records[:number], record, *case.records[number + 1 :]))


def with_side(case: Case, number: int, side: str, data: bytes) -> Case:
    """The case with other bytes as the `key` or `value` of the record at a position."""
    record = case.records[number]
    return with_record(case, number, replace(record, key=data) if side == "key" else replace(record, value=data))


def is_compressed(case: Case) -> bool:
    """Whether the values of the records are compressed, so that changed bytes decide nothing."""
    return case.options.get("large-message-handle-compression", "none") != "none"


def _bit(part: Part, place: int, variant: int) -> Negative:
    offset, bit = place % len(part.data), variant % 8
    changed = part.data[:offset] + bytes([part.data[offset] ^ 1 << bit]) + part.data[offset + 1 :]
    return Negative("bit", f"bit {bit} of byte {offset} turned", changed)


def _byte(part: Part, place: int, variant: int) -> Negative:
    offset, replacement = place % len(part.data), _BYTES[variant % len(_BYTES)]
    what = f"made {replacement.hex()}" if replacement else "left out"
    return Negative("byte", f"byte {offset} {what}", part.data[:offset] + replacement + part.data[offset + 1 :])


def _cut(part: Part, place: int, variant: int) -> Negative:
    offset = place % len(part.data)
    return Negative("cut", f"cut to {offset} of {len(part.data)} bytes", part.data[:offset], part.cut)


def _length(part: Part, place: int, variant: int) -> Negative | None:
    if not part.words:
        return None
    number, delta = place % len(part.words), _DELTAS[variant % len(_DELTAS)]
    start = part.words[number]
    end = start + _WORD
    word = (int.from_bytes(part.data[start:end], "big") + delta) % (1 << 64)
    changed = part.data[:start] + word.to_bytes(_WORD, "big") + part.data[end:]
    return Negative("length", f"word {number} made {word}", changed)


def _count(part: Part, place: int, variant: int) -> Negative | None:
    if not part.pieces:
        return None
    number = place % len(part.pieces)
    start, end = part.pieces[number]
    if variant % 2:
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
    kinds = ["bit", "byte", "cut"]
    if part.words:
        kinds.append("length")
    if part.pieces:
        kinds.append("count")
    if part.form is not None:
        kinds += KINDS_OF_TEXT
    return kinds


def part_change(part: Part, kind: str, place: int, variant: int) -> Negative | None:
    """The change of a kind that two numbers choose, with its consequence; None if the part allows none."""
    negative = _OF_BYTES[kind](part, place, variant) if kind in _OF_BYTES else None
    if negative is None and part.form is not None and kind in KINDS_OF_TEXT:
        negative = text_change(part.data, part.form, kind, place, variant)
    return part.judge(negative) if negative is not None else None
