"""Texts as Java reads and prints them.

The texts of collections reach a table if Connect passes a message on unchanged.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

__all__ = ["TRIMMED", "double_of", "hash_map_text", "struct_text"]

TRIMMED = "".join(map(chr, range(0x21)))
"""The characters that Java's `trim` removes."""
_FLOATING = re.compile(r"[+-]?(NaN|Infinity|((\d+\.?\d*|\.\d+)([eE][+-]?\d+)?)[fFdD]?)", re.ASCII)

_FIRST_BUCKETS = 16


def double_of(text: str) -> float:
    """A text as Java parses it into a double, without blanks around it. Raises `ValueError` for any other text."""
    if not _FLOATING.fullmatch(text):
        raise ValueError(text)
    return float(text.rstrip("fFdD"))


def hash_map_text(members: Mapping[str, str | None]) -> str:
    """`{b=1, a=null}`: a HashMap, in the order of its buckets."""
    buckets = _FIRST_BUCKETS
    while len(members) > buckets * 3 // 4:
        buckets *= 2
    ordered = sorted(members, key=lambda name: _spread(name) % buckets)  # stable: a bucket keeps insertion order
    texts = {name: "null" if text is None else text for name, text in members.items()}
    return "{" + ", ".join(f"{name}={texts[name]}" for name in ordered) + "}"


def struct_text(members: Mapping[str, str | None]) -> str:
    """`Struct{a=1,b=x}`: a Struct of Connect, without its null members."""
    return "Struct{" + ",".join(f"{name}={text}" for name, text in members.items() if text is not None) + "}"


def _spread(name: str) -> int:
    """The hash of a String as a HashMap uses it."""
    value = 0
    units = name.encode("utf-16-be", "surrogatepass")
    for i in range(0, len(units), 2):
        value = (31 * value + int.from_bytes(units[i : i + 2], "big")) & 0xFFFFFFFF
    return value ^ (value >> 16)
