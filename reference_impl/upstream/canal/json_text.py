"""JSON text: string literals as fastjson2 writes them, and the text of a stored JSON value.  [CJ-454, CJ-723]"""

from __future__ import annotations

import re
from decimal import Decimal

from reference_impl.errors import Rejected
from reference_impl.java_numbers import double_text
from reference_impl.stored_json import Node, Opaque

__all__ = ["literal", "stored_text"]

_CONTROLS = {chr(code): f"\\u{code:04x}" for code in range(0x20)}
_SHORT = {"\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t", '"': '\\"', "\\": "\\\\"}
# Half of a surrogate pair is not a character.
_HALVES = {chr(code): "?" for code in range(0xD800, 0xE000)}
_ESCAPES = _CONTROLS | _SHORT | _HALVES
_SPECIAL = re.compile('[\0-\x1f"\\\\\ud800-\udfff]')

# In the text of a JSON value neither \b nor \f is short, and the Latin-1 controls are escaped too.
_STORED = {
    **_CONTROLS,
    **{char: _SHORT[char] for char in '\n\r\t"\\'},
    **{chr(code): f"\\u{code:04x}" for code in range(0x7F, 0xA1)},
}
_STORED_SPECIAL = re.compile('[\0-\x1f"\\\\\x7f-\xa0]')

_CONSTANTS: dict[bool | None, str] = {None: "null", True: "true", False: "false"}


def literal(text: str) -> str:
    """A JSON string literal, quotes included: no HTML escapes, non-ASCII unchanged.  [CJ-723]"""
    return f'"{_SPECIAL.sub(lambda match: _ESCAPES[match[0]], text)}"'


def _string(text: str) -> str:
    """A string inside a JSON value; it ends where its text has a NUL."""
    return f'"{_STORED_SPECIAL.sub(lambda match: _STORED[match[0]], text.partition(chr(0))[0])}"'


def _clock(text: str, *, date: bool) -> str:
    """A time, or a date with its time, always with six fractional digits."""
    if date and " " not in text:
        text += " 00:00:00"
    whole, _, fraction = text.partition(".")
    return _string(f"{whole}.{fraction:0<6}")


def _opaque(value: Opaque) -> str:
    if value.kind == "dec":
        return value.text
    if value.kind == "bin":
        return _string(value.text)
    return _clock(value.text, date=value.kind != "time")


def stored_text(node: Node, java: int) -> str:
    """The text of a stored JSON value.

    Names are not escaped, so it may be invalid JSON.  [CJ-454]

    Raises `Rejected` (class `range`) for a number beyond a double.
    """
    if isinstance(node, dict):
        return "{" + ", ".join(f'"{name}": {stored_text(item, java)}' for name, item in node.items()) + "}"
    if isinstance(node, list):
        return "[" + ", ".join(stored_text(item, java) for item in node) + "]"
    if node is None or isinstance(node, bool):
        return _CONSTANTS[node]
    if isinstance(node, str):
        return _string(node)
    if isinstance(node, Decimal):
        value = float(node)
        if value in (float("inf"), float("-inf")):
            raise Rejected("range", f"{node} in a JSON value is beyond a double")
        return double_text(value, java)
    if isinstance(node, Opaque):
        return _opaque(node)
    return str(node)
