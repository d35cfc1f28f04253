"""String literals as TiCDC's Canal-JSON escapes them.  [CJ-701 … CJ-709]"""

from __future__ import annotations

import re

from reference_impl.exact_json import CONTROL_ESCAPES, HTML_ESCAPES

__all__ = ["literal"]

_ESCAPES = {
    **{chr(code): escape for code, escape in (CONTROL_ESCAPES | HTML_ESCAPES).items()},
    '"': '\\"',
    "\\": "\\\\",
    # A byte of a text that is not part of valid UTF-8 arrives here as a lone surrogate.  [CJ-402, CJ-708]
    **{chr(code): "\\ufffd" for code in range(0xDC80, 0xDD00)},
}
_SPECIAL = re.compile("[" + "".join(re.escape(char) for char in _ESCAPES) + "]")


def _escape(match: re.Match[str]) -> str:
    return _ESCAPES[match[0]]


def literal(text: str) -> str:
    """A JSON string literal, quotes included.  [CJ-701 … CJ-709]"""
    return f'"{_SPECIAL.sub(_escape, text)}"'
