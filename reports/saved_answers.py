"""The answers of a saved run: `answers.jsonl.gz`, one JSON line for each distinct answer.

A line is `{"sha256": DIGEST, "answer": {…}}`. The file is a series of small gzip members: all but the last few answers
of a truncated file can be read, and one answer is found without the others.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, BinaryIO

import orjson

__all__ = ["SavedAnswers", "WrittenAnswers"]

_PER_MEMBER = 32
"""Answers in one gzip member: the most that a killed run loses."""
_LEVEL = 6
_GZIP = 31  # the window, in a gzip frame without name and time
_PIECE = 1 << 16
_LEAD, _MIDDLE, _TAIL = b'{"sha256":"', b'","answer":', b"}\n"
"""The texts of a line around its digest and answer."""
_LINE = re.compile(re.escape(_LEAD) + b"([0-9a-f]+)" + re.escape(_MIDDLE) + b"(.*)}")


class WrittenAnswers:
    """Writes answers as they come, each once: the same answers in the same order are the same bytes."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._known: set[str] = set()
        self._lines: list[bytes] = []

    def has(self, digest: str) -> bool:
        """Whether an answer of this digest was written."""
        return digest in self._known

    def keep(self, digest: str, text: bytes) -> None:
        """Write an answer, unless one of the same digest is there. `text` is its JSON."""
        if digest not in self._known:
            self._known.add(digest)
            self._lines.append(b"".join((_LEAD, digest.encode(), _MIDDLE, text, _TAIL)))
            if len(self._lines) == _PER_MEMBER:
                self.flush()

    def flush(self) -> None:
        """Write what is held back. The stream stays open."""
        if self._lines:
            packed = zlib.compressobj(_LEVEL, zlib.DEFLATED, _GZIP)
            self._file.write(b"".join(map(packed.compress, self._lines)) + packed.flush())
            self._file.flush()
            self._lines.clear()


class SavedAnswers:
    """The answers in a file; a missing file has none.

    `problem`, after a look into the file, has the reason for unreadable ones.

    Raises `OSError` for an existing file that cannot be opened.
    """

    def __init__(self, path: Path) -> None:
        self.problem = ""
        self._path = path
        self._last_member: tuple[int, bytes] = (-1, b"")
        """Offset and text of the member that was read last."""

    def __iter__(self) -> Iterator[tuple[str, bytes]]:
        """(digest, JSON of the answer), in the order of the file."""
        for _, _, digest, answer in self._lines():
            yield digest, answer

    def text(self, digest: str) -> bytes | None:
        """The JSON of an answer, or None for an unknown digest."""
        if digest not in self._places:
            return None
        offset, number = self._places[digest]
        if self._last_member[0] != offset:
            self._last_member = next(self._members(offset))
        found = _LINE.fullmatch(self._last_member[1].splitlines()[number])
        return None if found is None else found[2]

    def answer(self, digest: str) -> Mapping[str, Any] | None:
        """An answer, `{"ok": …}` or the like, or None for an unknown digest and an unreadable answer."""
        text = self.text(digest)
        try:
            found = None if text is None else orjson.loads(text)
        except ValueError as e:
            self.problem = f"{self._path}: the answer {digest} is not JSON ({e})"
            return None
        return found if isinstance(found, dict) else None

    @cached_property
    def _places(self) -> Mapping[str, tuple[int, int]]:
        """Digest → offset of its member in the file, and number of its line in that."""
        return {digest: (offset, number) for offset, number, digest, _ in self._lines()}

    def _lines(self) -> Iterator[tuple[int, int, str, bytes]]:
        """(offset of the member, number of the line in it, digest, JSON of the answer) of each readable line."""
        for offset, text in self._members():
            for number, line in enumerate(text.splitlines()):
                if found := _LINE.fullmatch(line):
                    yield offset, number, found[1].decode(), found[2]
                else:
                    self.problem = f"{self._path}: line {number + 1} of the member at byte {offset} is not an answer"

    def _members(self, offset: int = 0) -> Iterator[tuple[int, bytes]]:
        """(offset in the file, text) of each whole member from an offset on."""
        if not self._path.exists():
            return
        with self._path.open("rb") as file:
            file.seek(offset)
            rest = b""
            while piece := rest or file.read(_PIECE):
                packed, parts, size = zlib.decompressobj(_GZIP), list[bytes](), 0
                try:
                    while piece and not packed.eof:
                        parts.append(packed.decompress(piece))
                        size += len(piece)
                        piece = b"" if packed.eof else file.read(_PIECE)
                except zlib.error as e:
                    self.problem = f"{self._path}: cannot be read from byte {offset} on ({e})"
                    return
                if not packed.eof:
                    self.problem = f"{self._path}: was cut; the answers from byte {offset} on are not there"
                    return
                rest = packed.unused_data
                yield offset, b"".join(parts)
                offset += size - len(rest)
