"""Expected and got as bytes, aligned, around the first difference."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from reports.texts import common_length, marker_of

__all__ = ["BytesSideBySide", "bytes_side_by_side"]

_BEFORE, _AFTER = 8, 16


@dataclass(frozen=True, slots=True)
class BytesSideBySide:
    """Two rows of bytes in hex, aligned cell by cell."""

    first: int
    """The position of the first byte shown."""
    expected: list[str]
    got: list[str]
    at: int
    """The column of the first difference."""
    sentence: str
    """The first difference in words."""
    is_cut: tuple[bool, bool]
    """Whether there are more bytes before, and after."""


def bytes_side_by_side(expected: Any, got: Any) -> BytesSideBySide | None:
    """Two texts (as UTF-8) or two byte strings of a finding, aligned; None where bytes show no difference."""
    left, right = _value_of(expected), _value_of(got)
    if left is None or right is None or left.unit != right.unit or left.start != right.start:
        return None
    if left.data == right.data:
        return None
    at = common_length(left.data, right.data)
    if at == min(len(left.data), len(right.data)) and not (left.is_whole and right.is_whole):
        return None  # a cut value: all available bytes are equal
    longest = max(len(left.data), len(right.data))
    first, last = max(0, at - _BEFORE), min(at + _AFTER, longest)
    rows = [[f"{byte:02x}" for byte in value.data[first:last]] for value in (left, right)]
    expected_row, got_row = (row + [""] * (last - first - len(row)) for row in rows)
    # The start of a text is a number of characters: how many bytes they have is unknown.
    lead = left.start if left.unit == "bytes" else 0
    sentence = _sentence(left.data, right.data, at, lead)
    if left.unit == "text" and left.start:
        sentence += f" of what is shown, from character {left.start + 1:,} on"
    return BytesSideBySide(lead + first, expected_row, got_row, at - first, sentence, (first > 0, last < longest))


def _sentence(expected: bytes, got: bytes, at: int, lead: int) -> str:
    place = f"byte {lead + at + 1:,}"
    if at >= len(got):
        return f"what came ends before {place}, where {_named(expected[at])} is expected"
    if at >= len(expected):
        return f"nothing more is expected from {place} on, where {_named(got[at])} came"
    return f"they first differ at {place}: {_named(expected[at])} is expected, {_named(got[at])} came"


def _named(byte: int) -> str:
    return f"{byte:02x} ({chr(byte)})" if 0x21 <= byte <= 0x7E else f"{byte:02x}"


class _Value(NamedTuple):
    unit: str
    """`text` or `bytes`."""
    data: bytes
    start: int
    """Where `data` begins in the whole value, in characters of a text or in bytes."""
    is_whole: bool
    """Whether `data` reaches the end of the value."""


def _value_of(value: Any) -> _Value | None:
    """A text or a byte string of a finding, perhaps cut in the record; None for anything else."""
    if isinstance(value, str):
        return _Value("text", value.encode("utf-8", "backslashreplace"), 0, is_whole=True)
    if not isinstance(value, dict):
        return None
    marker, start, length = marker_of(value), value.get("from", 0), value.get("length", 0)
    if marker == "$text":
        text = value["$text"]
        return _Value("text", text.encode("utf-8", "backslashreplace"), start, start + len(text) >= length)
    if marker == "$bytes":
        try:
            data = bytes.fromhex(value["$bytes"])
        except ValueError:
            return None
        return _Value("bytes", data, start, start + len(data) >= length)
    return None
