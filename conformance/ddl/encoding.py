"""Decodes a script's file. The rows of dumps may hold any bytes: those outside the encoding become U+FFFD."""

from __future__ import annotations

import re
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE

from reference_impl.upstream.charsets import CODECS

__all__ = ["text_of"]

_MARKS = ((BOM_UTF8, "utf-8-sig"), (BOM_UTF16_LE, "utf-16"), (BOM_UTF16_BE, "utf-16"))
_NAMES = re.compile(rb"^\s*(?:/\*!\d*\s*)?SET\s+NAMES\s+'?([A-Za-z0-9_]+)", re.IGNORECASE | re.MULTILINE)
_HEAD = 65_536
# No charset of texts, and those that no client may have: a dump that names one is read as UTF-8.
_NOT_OF_CLIENTS = frozenset({"binary", "ucs2", "utf16", "utf16le", "utf32"})


def text_of(content: bytes) -> str:
    """The text of a file: by its byte order mark, else UTF-8, else the charset of its SET NAMES.

    A file that is UTF-8 throughout is read as UTF-8 despite SET NAMES: tools write `SET NAMES binary` before UTF-8.
    """
    for mark, codec in _MARKS:
        if content.startswith(mark):
            return content.decode(codec, "replace")
    try:
        return content.decode()
    except UnicodeDecodeError:
        named = _NAMES.search(content[:_HEAD])
        charset = named[1].decode().lower() if named else ""
        return content.decode("utf-8" if charset in _NOT_OF_CLIENTS else CODECS.get(charset, "utf-8"), "replace")
