"""Expected and got as bytes, aligned, around the first difference."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from reports.texts import marker_of

__all__ = ["BytesSideBySide", "bytes_side_by_side"]

_BEFORE, _AFTER = 8, 16


@dataclass(frozen=True, slots=True)
class BytesSideBySide:
    """Two rows of bytes in hex, aligned cell by cell."""

    first: int
    """The number of the first byte shown."""
    expected: list[str]
    got: list[str]
    at: int
    """The column of the first difference."""
    sentence: str
    """The first difference in words."""
    is_cut: tuple[bool, bool]
    """Whether more bytes stand before and after."""


def bytes_side_by_side(expected: Any, got: Any) -> BytesSideBySide | None:
    """Two texts (as UTF-8) or two byte strings of a finding, aligned; None for other values, and for equal ones."""
    want, have = _bytes(expected), _bytes(got)
    if want is None or have is None or want[:2] == have[:2] or want[0] != have[0]:
        return None
    unit, a, start, whole_a = want
    _, b, other, whole_b = have
    if start != other:
        return None
    shorter = min(len(a), len(b))
    at = next((i for i in range(shorter) if a[i] != b[i]), shorter)
    if at >= shorter and not (whole_a and whole_b):
        return None  # a cut value: all available bytes are equal
    first = max(0, at - _BEFORE)
    last = at + _AFTER
    size = min(last, max(len(a), len(b))) - first
    rows = [[f"{byte:02x}" for byte in data[first:last]] for data in (a, b)]
    shown = [row + [""] * (size - len(row)) for row in rows]
    # The record lacks the bytes before a cut text, so positions are unknown.
    origin = start if unit == "bytes" else 0
    lead = f" of what is shown, from character {start + 1:,} on" if unit == "text" and start else ""
    sentence = f"{_sentence(a, b, at, origin)}{lead}"
    return BytesSideBySide(
        origin + first, shown[0], shown[1], at - first, sentence, (first > 0, last < max(len(a), len(b)))
    )


def _sentence(want: bytes, have: bytes, at: int, origin: int) -> str:
    place = f"byte {origin + at + 1:,}"
    if at >= len(have):
        return f"what came ends before {place}, where {_named(want[at])} is expected"
    if at >= len(want):
        return f"nothing more is expected from {place} on, where {_named(have[at])} came"
    return f"they first differ at {place}: {_named(want[at])} is expected, {_named(have[at])} came"


def _named(byte: int) -> str:
    return f"{byte:02x} ({chr(byte)})" if 0x21 <= byte <= 0x7E else f"{byte:02x}"


def _bytes(value: Any) -> tuple[str, bytes, int, bool] | None:
    """(unit, bytes, offset, whether complete) of a text or of bytes; None for anything else."""
    if isinstance(value, str):
        return "text", value.encode("utf-8", "backslashreplace"), 0, True
    if not isinstance(value, dict):
        return None
    marker, start, length = marker_of(value), value.get("from", 0), value.get("length", 0)
    if marker == "$text":
        text = value["$text"]
        return "text", text.encode("utf-8", "backslashreplace"), start, start + len(text) >= length
    if marker == "$bytes":
        try:
            data = bytes.fromhex(value["$bytes"])
        except ValueError:
            return None
        return "bytes", data, start, start + len(data) >= length
    return None
