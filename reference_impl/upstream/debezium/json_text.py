"""String literals as Jackson writes them for the connector.  [DBZ-425]"""

from __future__ import annotations

import re

from reference_impl.errors import Rejected

__all__ = ["literal"]

_ESCAPES = {chr(code): f"\\u{code:04X}" for code in range(0x20)} | dict(
    zip('\b\t\n\f\r"\\', ("\\b", "\\t", "\\n", "\\f", "\\r", '\\"', "\\\\"), strict=True)
)
_SPECIAL = re.compile(r'[\x00-\x1f"\\\ud800-\udfff\U00010000-\U0010ffff]')


def _escape(match: re.Match[str]) -> str:
    char = match[0]
    code = ord(char)
    if code < 0x80:
        return _ESCAPES[char]
    if code < 0x10000:
        raise Rejected("type", f"U+{code:04X} stands alone, which is not Unicode")
    code -= 0x10000
    return f"\\u{0xD800 + (code >> 10):04X}\\u{0xDC00 + (code & 0x3FF):04X}"


def literal(text: str) -> str:
    """A JSON string literal: characters above U+FFFF as two escapes, other non-ASCII characters unchanged.

    Raises `Rejected` (class `type`) for half of a surrogate pair.
    """
    return f'"{_SPECIAL.sub(_escape, text)}"'
