"""A folder of files as one stream: `files.jsonl.xz`, and back byte for byte.

JSON lines: a head `{"file", "form", "lines"}`, then that many lines of the file. Of a file of Kafka records (`form`
`records`) keys, values and headers that are UTF-8 stand as text, which compresses to half of what base64 does; of any
other file (`text`) the lines stand as JSON strings.
"""

from __future__ import annotations

import base64
import json
import lzma
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

from conformance.errors import UsageError

__all__ = ["PACKED", "files_of", "pack", "unpack"]

PACKED = "files.jsonl.xz"

_PRESET = 9 | lzma.PRESET_EXTREME


def _line(tree: Any) -> str:
    return json.dumps(tree, ensure_ascii=False, separators=(",", ":"))


def _shown(text: str | None) -> Any:
    """Base64 as text where it is UTF-8, as `{"base64": …}` where it is not."""
    if text is None:
        return None
    try:
        return base64.b64decode(text, validate=True).decode("utf-8")
    except UnicodeDecodeError:
        return {"base64": text}


def _hidden(shown: Any) -> str | None:
    if shown is None or isinstance(shown, dict):
        return shown["base64"] if shown else None
    return base64.b64encode(shown.encode("utf-8")).decode("ascii")


def _record(line: str, turn: Any) -> str:
    record = json.loads(line)
    for member in ("key", "value"):
        record[member] = turn(record[member])
    if record.get("headers"):
        record["headers"] = [[name, turn(value)] for name, value in record["headers"]]
    return _line(record)


def _packed_file(name: str, data: bytes) -> Iterator[str]:
    lines = data.decode("utf-8").split("\n")
    try:
        records = [_record(line, _shown) for line in lines[:-1]]
        exact = lines[-1] == "" and [_record(line, _hidden) for line in records] == lines[:-1]
    except (ValueError, KeyError, TypeError, AttributeError):
        exact = False
    body = records if exact and records else [_line(line) for line in lines]
    yield _line({"file": name, "form": "records" if exact and records else "text", "lines": len(body)})
    yield from body


def pack(files: Mapping[str, bytes]) -> bytes:
    """The files, UTF-8 all of them, as one compressed stream; equal files give equal bytes."""
    text = "".join(f"{line}\n" for name, data in sorted(files.items()) for line in _packed_file(name, data))
    return lzma.compress(text.encode("utf-8"), format=lzma.FORMAT_XZ, check=lzma.CHECK_CRC64, preset=_PRESET)


def unpack(data: bytes) -> dict[str, bytes]:
    """The files of a stream. Raises ValueError, KeyError or `lzma.LZMAError` for a malformed one."""
    lines = iter(lzma.decompress(data).decode("utf-8").split("\n")[:-1])
    files: dict[str, bytes] = {}
    for line in lines:
        head = json.loads(line)
        body = list(islice(lines, head["lines"]))
        if len(body) < head["lines"]:
            raise ValueError("the stream ends within a file")
        if head["form"] == "records":
            text = "".join(f"{_record(line, _hidden)}\n" for line in body)
        else:
            text = "\n".join(json.loads(line) for line in body)
        files[head["file"]] = text.encode("utf-8")
    return files


def files_of(folder: Path) -> dict[str, bytes]:
    """The files of a folder by name: the plain ones, and those of its stream. Raises `UsageError`."""
    found: dict[str, bytes] = {}
    try:
        for path in sorted(folder.iterdir()):
            if path.name == PACKED:
                found |= unpack(path.read_bytes())
            elif path.is_file():
                found[path.name] = lzma.decompress(path.read_bytes()) if path.suffix == ".xz" else path.read_bytes()
    except (OSError, lzma.LZMAError, EOFError, ValueError, KeyError, TypeError) as e:
        raise UsageError(f"{folder}: cannot be read: {e}") from None
    return {name.removesuffix(".xz"): data for name, data in found.items()}
