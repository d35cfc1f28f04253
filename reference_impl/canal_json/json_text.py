"""String literals as TiCDC's Canal-JSON escapes them.  [CJ-701 … CJ-709]"""

from __future__ import annotations

import re

__all__ = ["literal"]

_ESCAPES = {
    **{chr(code): f"\\u{code:04x}" for code in range(0x20)},
    **dict(zip('\t\n\r"\\', ("\\t", "\\n", "\\r", '\\"', "\\\\"), strict=True)),
    **{char: f"\\u{ord(char):04x}" for char in "<>&\u2028\u2029"},
    # A byte of a text that is not part of valid UTF-8 arrives here as a lone surrogate.  [CJ-402, CJ-708]
    **{chr(code): "\\ufffd" for code in range(0xDC80, 0xDD00)},
}
_SPECIAL = re.compile("[" + "".join(re.escape(char) for char in _ESCAPES) + "]")


def _escape(match: re.Match[str]) -> str:
    return _ESCAPES[match[0]]


def literal(text: str) -> str:
    """A JSON string literal, quotes included.  [CJ-701 … CJ-709]"""
    return f'"{_SPECIAL.sub(_escape, text)}"'
