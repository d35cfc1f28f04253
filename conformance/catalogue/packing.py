"""Packs a folder of files into one compressed file, `files.jsonl.xz`, and unpacks it byte for byte.

It consists of JSON lines: for each file a head `{"file", "form", "lines"}`, then that many lines. In a file of Kafka
records (`form` `records`) keys, values and headers that are UTF-8 are texts, which compress to half the size of base64;
of any other file (`text`) each line is a JSON string.
"""

from __future__ import annotations

import base64
import lzma
from binascii import b2a_base64
from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any

import orjson

from conformance.errors import UsageError

__all__ = ["PACKED", "files_of", "pack", "unpack"]

PACKED = "files.jsonl.xz"

_PRESET = 9 | lzma.PRESET_EXTREME


def _line(tree: Any) -> bytes:
    return orjson.dumps(tree)


def _as_text(text: str | None) -> Any:
    """Base64 as text where it is UTF-8, as `{"base64": …}` where it is not."""
    if text is None:
        return None
    try:
        return base64.b64decode(text, validate=True).decode("utf-8")
    except UnicodeDecodeError:
        return {"base64": text}


def _as_base64(packed: Any) -> str | None:
    """The reverse of `_as_text`."""
    if packed is None or isinstance(packed, dict):
        return packed["base64"] if packed else None
    return b2a_base64(packed.encode("utf-8"), newline=False).decode("ascii")


def _converted(line: bytes, convert: Any) -> bytes:
    """The line of a record with `convert` applied to key, value and headers."""
    record = orjson.loads(line)
    for member in ("key", "value"):
        record[member] = convert(record[member])
    if record.get("headers"):
        record["headers"] = [[name, convert(value)] for name, value in record["headers"]]
    return _line(record)


def _packed_file(name: str, data: bytes) -> Iterator[bytes]:
    lines = data.split(b"\n")
    try:
        records = [_converted(line, _as_text) for line in lines[:-1]]
        is_exact = lines[-1] == b"" and [_converted(line, _as_base64) for line in records] == lines[:-1]
    except (ValueError, KeyError, TypeError, AttributeError):
        records, is_exact = [], False
    form, body = (
        ("records", records) if is_exact and records else ("text", [_line(line.decode("utf-8")) for line in lines])
    )
    yield _line({"file": name, "form": form, "lines": len(body)})
    yield from body


def pack(files: Mapping[str, bytes]) -> bytes:
    """The files, which must be UTF-8, as one compressed stream; equal files give equal bytes."""
    text = b"".join(line + b"\n" for name, data in sorted(files.items()) for line in _packed_file(name, data))
    return lzma.compress(text, format=lzma.FORMAT_XZ, check=lzma.CHECK_CRC64, preset=_PRESET)


def unpack(data: bytes) -> dict[str, bytes]:
    """The files of a stream. Raises `lzma.LZMAError` and others for a malformed one, see `files_of`."""
    return dict(_unpacked(data))


@lru_cache(maxsize=6)
def _unpacked(data: bytes) -> Mapping[str, bytes]:
    lines = iter(lzma.decompress(data).split(b"\n")[:-1])
    files: dict[str, bytes] = {}
    for line in lines:
        head = orjson.loads(line)
        body = list(islice(lines, head["lines"]))
        if len(body) < head["lines"]:
            raise ValueError("the stream ends within a file")
        if head["form"] == "records":
            files[head["file"]] = b"".join(_converted(line, _as_base64) + b"\n" for line in body)
        else:
            files[head["file"]] = "\n".join(map(orjson.loads, body)).encode("utf-8")
    return files


def files_of(folder: Path) -> dict[str, bytes]:
    """The files of a folder by name without `.xz`, with those packed in it. Raises `UsageError` if it is unreadable."""
    files: dict[str, bytes] = {}
    try:
        for path in sorted(folder.iterdir()):
            if path.name == PACKED:
                files |= _unpacked(path.read_bytes())
            elif path.is_file():
                files[path.name] = lzma.decompress(path.read_bytes()) if path.suffix == ".xz" else path.read_bytes()
        return {name.removesuffix(".xz"): data for name, data in files.items()}
    except (OSError, lzma.LZMAError, EOFError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as e:
        raise UsageError(f"{folder}: cannot be read: {e}") from None
