"""Charsets of MySQL: the bytes of a column for a text, and the text that Debezium reads from them.

Python's codecs are used, with corrections where they differ from the server.  [DV-55, DBZ-213]
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from reference_impl.column_types import ColumnType
from reference_impl.errors import Rejected

__all__ = ["CODECS", "CharsetMistake", "decoded", "encoded", "is_national", "is_utf8", "misread", "read_by_java"]

_NATIONAL = re.compile(r"national\b|nchar\b|nvarchar\b", re.IGNORECASE)

_UTF8 = frozenset({"utf8mb4", "utf8mb3", "utf8", "ascii"})

# Charsets whose ASCII characters alone are known.
_ASCII_ONLY = frozenset({"armscii8", "dec8", "geostd8", "hp8", "keybcs2"})

# MySQL's charset → Python's codec.
CODECS: Mapping[str, str] = {
    **dict.fromkeys(_UTF8, "utf-8"),
    "binary": "latin-1",
    "ucs2": "utf-16-be",
    "utf16": "utf-16-be",
    "utf16le": "utf-16-le",
    "utf32": "utf-32-be",
    "eucjpms": "euc_jp",
    "ujis": "euc_jp",
    "euckr": "cp949",
    "sjis": "shift_jis",
    "latin1": "cp1252",
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
    **dict.fromkeys(_ASCII_ONLY, "ascii"),
    # Charsets whose codec has the same name.
    **{name: name for name in ("big5", "cp1250", "cp1251", "cp1256", "cp1257", "cp850", "cp852", "cp866", "cp932")},
    **{name: name for name in ("gb18030", "gb2312", "gbk")},
}

# Charset → its last character, where the codec goes further.
_LAST_CHARACTER: Mapping[str, str] = {"ascii": "\x7f", **dict.fromkeys(("utf8mb3", "utf8", "ucs2"), "\uffff")}

# Charset → code → character, for the codes that the server decodes differently from the codec.
_SERVER_CHARACTERS: Mapping[str, Mapping[int, str]] = {
    "latin1": {code: chr(code) for code in (0x81, 0x8D, 0x8F, 0x90, 0x9D)},
    "greek": {0xA1: "\u02bd", 0xA2: "\u02bc"},
    "hebrew": {0xAF: "\u203e"},
    "koi8u": {0x95: "\u2022"},
    "cp866": {0xFC: "\u207f", 0xFD: "\u00b2"},
}

# Charset → the codec by which Debezium reads it instead.
_MISTAKEN_FOR: Mapping[str, str] = {**{name: CODECS[name] for name in _SERVER_CHARACTERS}, "koi8u": "koi8-r"}
# Charsets in which an ASCII character has several bytes.
_WIDE = frozenset({"ucs2", "utf16", "utf16le", "utf32"})
# In a charmap: the code stands for no character.
_NO_CHARACTER = "\ufffe"


class CharsetMistake(NamedTuple):
    """The charset of a table, and the wrong one that Debezium assumes for it."""

    true: str
    assumed: str


def _codec(charset: str) -> str:
    try:
        return CODECS[charset.lower()]
    except KeyError:
        raise Rejected("type", f"nothing is known of the charset {charset!r}") from None


@lru_cache(maxsize=len(_SERVER_CHARACTERS))
def _charmap(charset: str) -> str:
    """The charmap of a charset in `_SERVER_CHARACTERS`: its 256 characters by their codes."""
    known, codec = _SERVER_CHARACTERS[charset], CODECS[charset]
    return "".join(known.get(code) or bytes([code]).decode(codec, "ignore") or _NO_CHARACTER for code in range(0x100))


def is_utf8(charset: str) -> bool:
    """Whether the charset is UTF-8 or ASCII, so that a reader of UTF-8 gets the right text."""
    return charset.lower() in _UTF8


def is_national(column_type: ColumnType) -> bool:
    """Whether the texts of a type are always in utf8mb3, whatever the charset of the table."""
    return _NATIONAL.match(column_type.text) is not None


def encoded(text: str, charset: str) -> bytes:
    """The bytes of a text in a column of the charset.

    Raises `Rejected`: class `range` for a character that the charset lacks, `type` for an unknown charset.
    """
    last = _LAST_CHARACTER.get(charset.lower())
    if last is not None:
        for character in text:
            if character > last:
                raise _lacking(character, charset)
    try:
        if charset.lower() in _SERVER_CHARACTERS:
            return codecs.charmap_encode(text, "strict", codecs.charmap_build(_charmap(charset.lower())))[0]
        return text.encode(_codec(charset))
    except UnicodeEncodeError as e:
        if charset.lower() in _ASCII_ONLY:
            raise Rejected("type", f"of the charset {charset!r} only ASCII is known") from None
        raise _lacking(text[e.start], charset) from None


def _lacking(character: str, charset: str) -> Rejected:
    return Rejected("range", f"U+{ord(character):04X} does not exist in {charset}")


def decoded(data: bytes, charset: str) -> str | None:
    """The text of a column's bytes, None if they are invalid in its charset.

    Raises `Rejected` (class `type`) for an unknown charset.
    """
    try:
        if charset.lower() in _SERVER_CHARACTERS:
            return codecs.charmap_decode(data, "strict", _charmap(charset.lower()))[0]
        return data.decode(_codec(charset))
    except UnicodeDecodeError:
        return None


# A surrogate in UTF-8: Java reads it as one U+FFFD, Python as one for each byte.
_SURROGATE = re.compile(rb"\xed[\xa0-\xbf][\x80-\xbf]?")


def read_by_java(data: bytes) -> str:
    """The text that Java reads from bytes as UTF-8, with U+FFFD for what is invalid."""
    return _SURROGATE.sub(b"\xff", data).decode("utf-8", "replace")


def misread(text: str, charset: str, taken_for: str | None = None) -> str:
    """The text that Debezium reads from a column, perhaps with wrong characters or U+FFFD.  [DBZ-213]

    `taken_for` is the wrong charset that Debezium assumes for the column, None if it assumes the right one. Raises as
    `encoded` does.
    """
    name = charset.lower()
    if taken_for is not None:
        if text.isascii() and name not in _WIDE and taken_for.lower() not in _WIDE:
            return text
        data, codec = encoded(text, charset), _codec(taken_for)
        return read_by_java(data) if codec == "utf-8" else data.decode(codec, "replace")
    codec = "ascii" if name in _ASCII_ONLY else _MISTAKEN_FOR.get(name, "")
    if text.isascii() or not codec:
        return text
    return encoded(text, charset).decode(codec, "replace")
