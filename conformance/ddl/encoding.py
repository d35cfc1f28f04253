"""Decodes a script's file. The rows of dumps may hold any bytes: those outside the encoding become U+FFFD."""

from __future__ import annotations

import re
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Mapping

__all__ = ["text_of"]

_MARKS = ((BOM_UTF8, "utf-8-sig"), (BOM_UTF16_LE, "utf-16"), (BOM_UTF16_BE, "utf-16"))
_NAMES = re.compile(rb"^\s*(?:/\*!\d*\s*)?SET\s+NAMES\s+'?([A-Za-z0-9_]+)", re.IGNORECASE | re.MULTILINE)
_HEAD = 65_536
# Python's codecs for MySQL's charsets; any other charset of a dump is read as UTF-8.
_CODECS: Mapping[str, str] = {
    "latin1": "cp1252",
    "latin2": "iso8859-2",
    "latin5": "iso8859-9",
    "latin7": "iso8859-13",
    "gbk": "gbk",
    "gb2312": "gb2312",
    "gb18030": "gb18030",
    "big5": "big5",
    "sjis": "shift_jis",
    "cp932": "cp932",
    "ujis": "euc_jp",
    "eucjpms": "euc_jp",
    "euckr": "cp949",
    "koi8r": "koi8-r",
    "koi8u": "koi8-u",
    "cp1250": "cp1250",
    "cp1251": "cp1251",
    "cp1256": "cp1256",
    "cp1257": "cp1257",
    "cp850": "cp850",
    "cp852": "cp852",
    "cp866": "cp866",
    "greek": "iso8859-7",
    "hebrew": "iso8859-8",
    "tis620": "tis-620",
}


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
        codec = _CODECS.get(named[1].decode().lower(), "utf-8") if named else "utf-8"
        return content.decode(codec, "replace")
