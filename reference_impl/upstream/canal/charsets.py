"""What becomes of characters: Canal reads the bytes of every column in the charset of its connection, UTF-8.  [DV-55]

Text of another charset arrives as other characters, with U+FFFD for bytes that are not UTF-8.
"""

from __future__ import annotations

import codecs
from collections.abc import Mapping

from reference_impl.errors import Rejected

__all__ = ["decoded", "encoded", "is_utf8"]

_UTF8 = frozenset({"utf8mb4", "utf8mb3", "utf8", "ascii"})

# MySQL's charsets by Python's codecs.
_CODECS: Mapping[str, str] = {
    **dict.fromkeys(_UTF8, "utf-8"),
    "binary": "latin-1",
    "ucs2": "utf-16-be",
    "utf16": "utf-16-be",
    "utf16le": "utf-16-le",
    "utf32": "utf-32-be",
    "eucjpms": "euc_jp",
    "ujis": "euc_jp",
    "euckr": "euc_kr",
    "sjis": "shift_jis",
    "latin2": "iso8859-2",
    "latin5": "iso8859-9",
    "latin7": "iso8859-13",
    "greek": "iso8859-7",
    "hebrew": "iso8859-8",
    "koi8r": "koi8-r",
    "koi8u": "koi8-u",
    "macroman": "mac_roman",
    "macce": "mac_latin2",
    "tis620": "tis_620",
    **{
        same: same
        for same in (
            *("big5", "cp1250", "cp1251", "cp1256", "cp1257", "cp850", "cp852", "cp866", "cp932"),
            *("gb18030", "gb2312", "gbk"),
        )
    },
}


# MySQL's latin1 is cp1252 and holds the five codes that cp1252 leaves open as they are.
_OPEN_CODES = (0x81, 0x8D, 0x8F, 0x90, 0x9D)
_LATIN1 = "".join(chr(code) if code in _OPEN_CODES else bytes([code]).decode("cp1252") for code in range(0x100))
_LATIN1_BYTES = codecs.charmap_build(_LATIN1)


def _codec(charset: str) -> str:
    try:
        return _CODECS[charset.lower()]
    except KeyError:
        raise Rejected("type", f"nothing is known of the charset {charset!r}") from None


def is_utf8(charset: str) -> bool:
    """Whether text of the charset is read as it was written."""
    return charset.lower() in _UTF8


def encoded(text: str, charset: str) -> bytes:
    """The bytes that a column of the charset holds. Raises `Rejected` (class `range`) for what it cannot hold."""
    try:
        if charset.lower() == "latin1":
            return codecs.charmap_encode(text, "strict", _LATIN1_BYTES)[0]
        return text.encode(_codec(charset))
    except UnicodeEncodeError as e:
        raise Rejected("range", f"U+{ord(text[e.start]):04X} does not exist in {charset}") from None


def decoded(data: bytes, charset: str) -> str | None:
    """The text of a column's bytes, None where they are none in its charset."""
    try:
        return (
            codecs.charmap_decode(data, "strict", _LATIN1)[0]
            if charset.lower() == "latin1"
            else data.decode(_codec(charset))
        )
    except UnicodeDecodeError:
        return None
