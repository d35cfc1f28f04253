"""Text form of BINARY and VARBINARY values: Go's `strconv.Quote` without the outer quotes, and its inverse.

The escapes of JSON are added outside this module.  [OP-130 … OP-142]
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from reference_impl.errors import Rejected

__all__ = ["is_printable", "quote", "unquote"]

# Go uses the tables of Unicode 15.0; those of the Python interpreter may be older or newer.
_NEW_IN_15_0 = (
    (0x0CF3, 0x0CF3), (0x0ECE, 0x0ECE), (0x10EFD, 0x10EFF), (0x1123F, 0x11241), (0x11B00, 0x11B09), (0x11F00, 0x11F10),
    (0x11F12, 0x11F3A), (0x11F3E, 0x11F59), (0x1342F, 0x1342F), (0x13440, 0x13455), (0x1B132, 0x1B132),
    (0x1B155, 0x1B155), (0x1D2C0, 0x1D2D3), (0x1DF25, 0x1DF2A), (0x1E030, 0x1E06D), (0x1E08F, 0x1E08F),
    (0x1E4D0, 0x1E4F9), (0x1F6DC, 0x1F6DC), (0x1F774, 0x1F776), (0x1F77B, 0x1F77F), (0x1F7D9, 0x1F7D9),
    (0x1FA75, 0x1FA77), (0x1FA87, 0x1FA88), (0x1FAAD, 0x1FAAF), (0x1FABB, 0x1FABD), (0x1FABF, 0x1FABF),
    (0x1FACE, 0x1FACF), (0x1FADA, 0x1FADB), (0x1FAE8, 0x1FAE8), (0x1FAF7, 0x1FAF8), (0x2B739, 0x2B739),
    (0x31350, 0x323AF),
)  # fmt: skip
_NEW_IN_15_1_AND_16_0 = (
    (0x0897, 0x0897), (0x1B4E, 0x1B4F), (0x1B7F, 0x1B7F), (0x1C89, 0x1C8A), (0x2427, 0x2429), (0x2FFC, 0x2FFF),
    (0x31E4, 0x31E5), (0x31EF, 0x31EF), (0xA7CB, 0xA7CD), (0xA7DA, 0xA7DC), (0x105C0, 0x105F3), (0x10D40, 0x10D65),
    (0x10D69, 0x10D85), (0x10D8E, 0x10D8F), (0x10EC2, 0x10EC4), (0x10EFC, 0x10EFC), (0x11380, 0x11389),
    (0x1138B, 0x1138B), (0x1138E, 0x1138E), (0x11390, 0x113B5), (0x113B7, 0x113C0), (0x113C2, 0x113C2),
    (0x113C5, 0x113C5), (0x113C7, 0x113CA), (0x113CC, 0x113D5), (0x113D7, 0x113D8), (0x113E1, 0x113E2),
    (0x116D0, 0x116E3), (0x11BC0, 0x11BE1), (0x11BF0, 0x11BF9), (0x11F5A, 0x11F5A), (0x13460, 0x143FA),
    (0x16100, 0x16139), (0x16D40, 0x16D79), (0x18CFF, 0x18CFF), (0x1CC00, 0x1CCF9), (0x1CD00, 0x1CEB3),
    (0x1E5D0, 0x1E5FA), (0x1E5FF, 0x1E5FF), (0x1F8B2, 0x1F8BB), (0x1F8C0, 0x1F8C1), (0x1FA89, 0x1FA89),
    (0x1FA8F, 0x1FA8F), (0x1FABE, 0x1FABE), (0x1FAC6, 0x1FAC6), (0x1FADC, 0x1FADC), (0x1FADF, 0x1FADF),
    (0x1FAE9, 0x1FAE9), (0x1FBCB, 0x1FBEF), (0x2EBF0, 0x2EE5D),
)  # fmt: skip

_SHORT: Mapping[str, str] = {
    '"': '\\"', "\\": "\\\\", "\a": "\\a", "\b": "\\b", "\t": "\\t", "\n": "\\n", "\v": "\\v", "\f": "\\f", "\r": "\\r",
}  # fmt: skip
_BYTE_OF_ESCAPE: Mapping[str, bytes] = {text[1]: char.encode() for char, text in _SHORT.items()}


def is_printable(char: str) -> bool:
    """Whether Unicode 15.0 has the character in L, M, N, P or S; of the spaces, only U+0020.  [OP-136]"""
    code = ord(char)
    if any(first <= code <= last for first, last in _NEW_IN_15_1_AND_16_0):
        return False
    return char.isprintable() or any(first <= code <= last for first, last in _NEW_IN_15_0)


def _escape(char: str) -> str:
    code = ord(char)
    if 0xDC80 <= code <= 0xDCFF:  # an invalid byte of UTF-8, as `surrogateescape` represents it
        return f"\\x{code - 0xDC00:02x}"
    if char in _SHORT:
        return _SHORT[char]
    if is_printable(char):
        return char
    if code < 0x80:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


class _Escapes(dict[int, str]):
    """A table for `str.translate` that is filled on demand."""

    def __missing__(self, code: int) -> str:
        self[code] = text = _escape(chr(code))
        return text


_escapes = _Escapes()


def quote(data: bytes) -> str:
    """The quoted text of bytes, without outer quotes: `b"\\x01é"` becomes `\\x01é`."""
    return data.decode("utf-8", "surrogateescape").translate(_escapes)


_ESCAPE = re.compile(r'[\n"]|\\(?:([abtnvfr"\\])|x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-7]{3})|)')


def _unescape(match: re.Match[str]) -> bytes:
    short, byte, small, large, octal = match.groups()
    if short:
        return _BYTE_OF_ESCAPE[short]
    if byte:
        return bytes.fromhex(byte)
    if octal and int(octal, 8) <= 0xFF:
        return bytes([int(octal, 8)])
    if small or large:
        code = int(small or large, 16)
        if code <= 0x10FFFF and not 0xD800 <= code <= 0xDFFF:
            return chr(code).encode()
    raise Rejected("type", f"invalid escape in a quoted binary value at character {match.start()}")


def unquote(text: str) -> bytes:
    """The bytes of a quoted text.  [OP-140]

    Raises `Rejected` (class `type`) for an unknown or cut escape, a bare quote or a bare line feed.
    """
    if "\\" not in text and '"' not in text and "\n" not in text:
        return text.encode()
    parts: list[bytes] = []
    end = 0
    for match in _ESCAPE.finditer(text):
        parts += text[end : match.start()].encode(), _unescape(match)
        end = match.end()
    parts.append(text[end:].encode())
    return b"".join(parts)
