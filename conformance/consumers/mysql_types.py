"""A column type of MySQL as its parts: `decimal(10,2) unsigned` → base, lengths, sign."""

from __future__ import annotations

import re
from dataclasses import dataclass

__all__ = ["MysqlType"]

_FORM = re.compile(r"([a-z_]+)\s*(?:\(\s*(\d+)\s*(?:,\s*(\d+)\s*)?\))?")


@dataclass(frozen=True, slots=True)
class MysqlType:
    """The parts; a length that is not written is None."""

    base: str
    length: int | None
    scale: int | None
    is_unsigned: bool

    @classmethod
    def of(cls, text: str) -> MysqlType:
        """The parts of a type as SQL, in any case. Members of an enum or set are no lengths."""
        text = text.lower().strip()
        found = _FORM.match(text)
        length, scale = (int(part) if part else None for part in found.groups()[1:]) if found else (None, None)
        return cls(re.sub(r"[ (].*", "", text), length, scale, "unsigned" in text)
