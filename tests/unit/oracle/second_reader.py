"""A second reader of both formats: plain `json` and `struct`, written from the documents, importing nothing of ours.

It answers (operation, before, after) of every row message, in value strings of the harness protocol; ENUM and SET as
numbers. It is tolerant where the suite is strict: it is here to agree about meaning, not to judge.
"""

from __future__ import annotations

import base64
import json
import re
import struct
from collections.abc import Iterator
from typing import Any

Row = dict[str, Any] | None
Change = tuple[str, Row, Row]

BYTES = {"binary", "varbinary", "tinyblob", "blob", "mediumblob", "longblob"}
BASE64_TYPES = {249, 250, 251, 252}
QUOTED_TYPES = {15, 253, 254}
ESCAPES = {"a": 7, "b": 8, "f": 12, "n": 10, "r": 13, "t": 9, "v": 11, "\\": 92, '"': 34}
ESCAPE = re.compile(r'\\(?:x([0-9a-f]{2})|u([0-9a-f]{4})|U([0-9a-f]{8})|([abfnrtv\\"]))|([^\\]+)')


def b64(data: bytes) -> str:
    return base64.b64encode(data).decode()


def canal(value: bytes) -> Change | None:
    message = json.loads(value)
    if message["isDdl"] or message["type"] == "TIDB_WATERMARK":
        return None

    def row(images: list[dict[str, str | None]] | None) -> Row:
        if images is None:
            return None
        return {name: column(message["mysqlType"][name], text) for name, text in images[0].items()}

    def column(declared: str, text: str | None) -> Any:
        word = declared.split("(")[0].split(" ")[0]
        return b64(text.encode("latin-1")) if text is not None and word in BYTES else text

    data, old = row(message["data"]), row(message["old"])
    return {"INSERT": ("insert", None, data), "UPDATE": ("update", old, data), "DELETE": ("delete", data, None)}[
        message["type"]
    ]


def unquoted(text: str) -> bytes:
    parts = []
    for byte, short, long, escape, plain in ESCAPE.findall(text):
        if byte:
            parts.append(bytes([int(byte, 16)]))
        elif escape:
            parts.append(bytes([ESCAPES[escape]]))
        else:
            parts.append((plain or chr(int(short or long, 16))).encode())
    return b"".join(parts)


def frames(data: bytes) -> Iterator[bytes]:
    at = 0
    while at < len(data):
        (length,) = struct.unpack_from(">q", data, at)
        yield data[at + 8 : at + 8 + length]
        at += 8 + length


def open_protocol(key: bytes, value: bytes) -> Iterator[Change]:
    def column(member: dict[str, Any]) -> Any:
        code, flags, given = member["t"], member.get("f", 0), member["v"]
        if given is None:
            return None
        if code in BASE64_TYPES:
            return given if flags & 1 else base64.b64decode(given).decode()
        if code in QUOTED_TYPES and flags & 1:
            return b64(unquoted(given))
        return given if isinstance(given, str) else str(given)

    def row(image: dict[str, Any] | None) -> Row:
        return None if image is None else {name: column(member) for name, member in image.items()}

    for key_text, value_text in zip(frames(key[8:]), frames(value), strict=True):
        if json.loads(key_text)["t"] == 1:
            event = json.loads(value_text, parse_float=str, parse_int=lambda text: text if text == "-0" else int(text))
            u, p, d = (row(event.get(name)) for name in "upd")
            yield ("delete", d, None) if d is not None else ("update" if p is not None else "insert", p, u)
