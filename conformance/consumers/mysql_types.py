"""A column type of MySQL as its parts: `decimal(10,2) unsigned` → base, lengths, sign."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

__all__ = ["MysqlType"]

_MEMBER = re.compile(r"'((?:[^']|'')*)'")
_FORM = re.compile(r"([a-z_]+)\s*(?:\(\s*(\d+)\s*(?:,\s*(\d+)\s*)?\))?")


@dataclass(frozen=True, slots=True)
class MysqlType:
    """The parts; a missing length is None. `members` are those of an ENUM or SET, where the type names them."""

    base: str
    length: int | None
    scale: int | None
    is_unsigned: bool
    members: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        """What readers distinguish in a type: its base, its sign, and whether it is one digit or bit wide."""
        narrow = "(1)" if self.base in ("tinyint", "bit") and self.length == 1 else ""
        return f"{self.base}{narrow}{' unsigned' if self.is_unsigned else ''}"

    @classmethod
    @lru_cache(4096)
    def of(cls, text: str) -> MysqlType:
        """Parse a type's SQL text, in upper or lower case."""
        match = _FORM.match(text.lower().strip())
        length, scale = (int(part) if part else None for part in match.groups()[1:]) if match else (None, None)
        base = re.sub(r"[ (].*", "", text.lower().strip(), flags=re.DOTALL)
        if base in ("enum", "set"):
            return cls(base, None, None, False, tuple(m.replace("''", "'") for m in _MEMBER.findall(text)))
        return cls(base, length, scale, "unsigned" in text.lower())

    def member_text(self, number: int) -> str | None:
        """The label for a number: the member of an ENUM (for 0 the empty text), or the members of a SET by its bits.

        None if the members are unknown.
        """
        if not self.members or number < 0:
            return None
        if self.base == "set":
            chosen = [member for bit, member in enumerate(self.members) if number >> bit & 1]
            return ",".join(chosen) if number >> len(self.members) == 0 else None
        return ("", *self.members)[number] if number <= len(self.members) else None
