"""Texts of JSON columns in MySQL: as the connector prints a stored value, and as the server prints it.

MariaDB stores the text itself, so this module does not apply to it.  [DBZ-216, DBZ-425]
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal

from reference_impl.errors import Rejected
from reference_impl.floats import shortest_digits
from reference_impl.java_numbers import double_text, exact_text
from reference_impl.stored_json import Node, Opaque, stored_tree

__all__ = ["compact", "printed"]

_SPECIAL = re.compile(r'[\x00-\x1f"\\]')
_SHORT = dict(zip('\b\t\n\f\r"\\', ("\\b", "\\t", "\\n", "\\f", "\\r", '\\"', "\\\\"), strict=True))
_MOST_DIGITS = 15  # the digits before the point, or zeros after it, that the server prints without an exponent


def _compact_double(value: float) -> str:
    text = double_text(value)
    return exact_text(value) if "E" in text else text


def _printed_double(value: float) -> str:
    """The server's notation: plain digits, beyond fifteen of them an exponent without leading zeros."""
    negative, digits, point = shortest_digits(repr(value), 64)
    if not -_MOST_DIGITS < point <= _MOST_DIGITS:
        body = f"{digits[0]}{'.' if digits[1:] else ''}{digits[1:]}e{point - 1}"
    elif point <= 0:
        body = "0." + "0" * -point + digits
    else:
        body = f"{digits[:point].ljust(point, '0')}.{digits[point:] or '0'}"
    return "-" + body if negative else body


def _base64(value: Opaque) -> str:
    return base64.b64encode(value.text.encode("latin-1")).decode("ascii")


def _compact_opaque(value: Opaque) -> str:
    """Decimals without quotes, bytes in base64, times without trailing zeros."""
    if value.kind == "dec":
        return value.text
    if value.kind == "bin":
        return f'"{_base64(value)}"'
    whole, _, fraction = value.text.partition(".")
    fraction = fraction.rstrip("0")
    return f'"{whole}.{fraction}"' if fraction else f'"{whole}"'


def _printed_opaque(value: Opaque) -> str:
    """Times with six fractional digits; bytes in base64 alone, although the server prints their type before it."""
    if value.kind in ("dec", "bin"):
        return _compact_opaque(value)
    whole, _, fraction = value.text.partition(".")
    return f'"{whole}"' if value.kind == "date" else f'"{whole}.{fraction.ljust(6, "0")}"'


@dataclass(frozen=True, slots=True)
class _Style:
    """A way to print a stored value."""

    comma: str
    colon: str
    control: str  # the format of a control character without a short escape
    double: Callable[[float], str]
    opaque: Callable[[Opaque], str]

    def _quote(self, text: str) -> str:
        def escape(match: re.Match[str]) -> str:
            return _SHORT.get(match[0]) or self.control.format(ord(match[0]))

        return f'"{_SPECIAL.sub(escape, text)}"'

    def text(self, node: Node) -> str:
        if isinstance(node, dict):
            return "{" + self.comma.join(self._quote(k) + self.colon + self.text(v) for k, v in node.items()) + "}"
        if isinstance(node, list):
            return "[" + self.comma.join(map(self.text, node)) + "]"
        if isinstance(node, str):
            return self._quote(node)
        if isinstance(node, Decimal):
            return self.double(float(node))
        if isinstance(node, Opaque):
            return self.opaque(node)
        return json.dumps(node)


_COMPACT = _Style(",", ":", "\\u{:04X}", _compact_double, _compact_opaque)
_PRINTED = _Style(", ", ": ", "\\u{:04x}", _printed_double, _printed_opaque)


def _text_in(style: _Style, text: str) -> str:
    try:
        return style.text(stored_tree(text))
    except RecursionError:
        raise Rejected("type", "a JSON column holds a value that is nested too deeply") from None


def compact(text: str) -> str:
    """The connector's text of a value in the binary log: no blanks, every digit of a large double.

    Raises `Rejected` (class `type`) for malformed JSON.
    """
    return _text_in(_COMPACT, text)


def printed(text: str) -> str:
    """The server's text of a value, which a snapshot reads. Raises as `compact` does."""
    return _text_in(_PRINTED, text)
