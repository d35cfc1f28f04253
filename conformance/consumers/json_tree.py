"""JSON as Java's readers see it: the first document of a message, numbers as text, the last of two equal members."""

from __future__ import annotations

import json
from dataclasses import dataclass
from decimal import Decimal
from typing import TypeAlias

from reference_impl.java_numbers import double_text

__all__ = ["Malformed", "Number", "Tree", "java_text", "parse"]

Tree: TypeAlias = "bool | str | Number | list[Tree] | dict[str, Tree] | None"


class Malformed(Exception):
    """The bytes are no JSON."""


@dataclass(frozen=True, slots=True)
class Number:
    """A number as it is written."""

    text: str

    @property
    def is_integer(self) -> bool:
        """Whether it has neither fraction nor exponent."""
        return not any(mark in self.text for mark in ".eE")

    @property
    def exact(self) -> Decimal:
        """The value."""
        return Decimal(self.text)


def _refuse(constant: str) -> Tree:
    raise Malformed(constant)


_STRICT, _LENIENT = (
    json.JSONDecoder(parse_float=Number, parse_int=Number, parse_constant=_refuse, strict=strict)
    for strict in (True, False)
)
_BLANK = " \t\r\n"


def parse(value: bytes, *, controls: bool = False) -> Tree:
    """The first document of the bytes; what follows it is not looked at. `controls`: raw control characters are taken.

    Raises `Malformed`.
    """
    try:
        text = value.decode("utf-8-sig").lstrip(_BLANK)
        found: Tree = (_LENIENT if controls else _STRICT).raw_decode(text)[0]
    except (ValueError, RecursionError) as e:
        raise Malformed(str(e)) from None
    return found


def java_text(node: Tree, *, exact: bool = False) -> str:
    """What Jackson calls the text of a node: `null` for null, an empty text for an object or a list.

    Numbers with a fraction are binary doubles, unless the reader was told to keep them `exact`.
    """
    if isinstance(node, str):
        return node
    if isinstance(node, bool):
        return "true" if node else "false"
    if node is None:
        return "null"
    if isinstance(node, Number):
        if node.is_integer:
            return node.text
        return str(node.exact) if exact else double_text(float(node.text))
    return ""
