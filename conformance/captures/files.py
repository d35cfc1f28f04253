"""Reads captures from the file system: finds the files, decompresses them, and recognises their form."""

from __future__ import annotations

import bz2
import gzip
import lzma
import zlib
from collections.abc import Iterator
from glob import glob
from io import BufferedIOBase, BufferedReader
from itertools import chain
from pathlib import Path

from conformance.captures.lines import LONGEST_LINE, Line, split_lines
from conformance.captures.model import Captured, Place
from conformance.captures.readers import READERS, form_of_line, is_bracket, is_ignored, known_layout, read_lines
from conformance.errors import UsageError, file_errors, missing_extra

__all__ = ["capture_files", "form_of_file", "is_compressed", "matching", "read_capture", "read_file"]

_CHUNK = 2**16
# The part of a file by which its form is recognised.
_HEAD_LINES = 50
_HEAD_BYTES = 2**20

# Endings of the names of files without messages: in the folder of a storage sink, only data files have them.
_NO_MESSAGES = ("metadata", ".index", ".meta.json", ".schemas.json", ".sql", ".md", ".toml")
_SCHEMA_FOLDER = "meta"
# Text cannot carry these protocols.
_BINARY_PROTOCOLS = frozenset({"open-protocol", "avro"})
_LINES_OF_TEXT = frozenset({"text", "storage"})


def matching(path: Path) -> list[Path]:
    """The path itself if it exists, else the paths that match it as a pattern (`*`, `?`, `[…]`, `**`), by name."""
    return [path] if path.exists() else [Path(found) for found in sorted(glob(str(path), recursive=True))]


def capture_files(path: Path) -> list[Path]:
    """The files of a capture, by name; for a pattern those of every match, each once.

    Raises `UsageError` if there are none.
    """
    paths = matching(path)
    if not paths:
        raise UsageError(f"{path}: there is no such file or folder")
    # `**` matches a folder and the files in it.
    files = list(dict.fromkeys(chain.from_iterable(map(_messages_below, paths))))
    if not files:
        raise UsageError(f"{path}: the folder has no file with messages")
    return files


def _messages_below(path: Path) -> list[Path]:
    """The path itself if it is a file; else the files with messages below the folder."""
    if not path.is_dir():
        return [path]
    return [
        file
        for file in sorted(path.rglob("*"))
        if file.is_file()
        and not file.name.startswith(".")
        and not file.name.endswith(_NO_MESSAGES)
        and file.parent.name != _SCHEMA_FOLDER
    ]


_GZIP, _XZ, _BZIP2, _ZSTD = b"\x1f\x8b", b"\xfd7zXZ\x00", b"BZh", b"\x28\xb5\x2f\xfd"
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")
_REFUSED = {
    b"PK\x03\x04": "a zip archive",
    b"7z\xbc\xaf\x27\x1c": "a 7-Zip archive",
    b"Rar!": "a rar archive",
    b"\x04\x22\x4d\x18": "compressed with lz4",
}
_PARQUET = b"PAR1"
_TAR, _TAR_AT = b"ustar", 257
_READABLE = "plain files, and those compressed with gzip, xz, bzip2 or zstd, can be read"


def _magic(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(6)


def is_compressed(path: Path) -> bool:
    """Whether the first bytes of a file are those of gzip, xz, bzip2 or zstd."""
    return _magic(path).startswith((_GZIP, _XZ, _BZIP2, _ZSTD))


def _open(path: Path) -> BufferedIOBase:
    """The decompressed file. Raises `UsageError` for a pipe, for an archive, and for zstd without pyarrow."""
    if path.is_fifo():
        raise UsageError(f"{path}: it is a pipe, and a capture is read more than once: write it to a file first")
    magic = _magic(path)
    if magic.startswith(_PARQUET):
        raise UsageError(
            f"{path}: it is a parquet file, which only compare reads; `generate --format jsonl` writes lines"
        )
    for beginning, kind in _REFUSED.items():
        if magic.startswith(beginning):
            raise UsageError(f"{path}: it is {kind}: unpack it first; {_READABLE}")
    if magic.startswith(_UTF_16):
        raise UsageError(f"{path}: it is UTF-16, as `>` of Windows PowerShell writes it: convert it to UTF-8 first")
    file = _decompressed(path, magic)
    head = file.peek(_TAR_AT + len(_TAR)) if isinstance(file, BufferedReader) else b""
    if path.suffix in (".tar", ".tgz", ".tbz2", ".txz") or ".tar." in path.name or head[_TAR_AT:].startswith(_TAR):
        file.close()
        raise UsageError(f"{path}: it is a tar archive: unpack it first; {_READABLE}")
    return file


def _decompressed(path: Path, magic: bytes) -> BufferedIOBase:
    if magic.startswith(_GZIP):
        return gzip.GzipFile(path, "rb")
    if magic.startswith(_XZ):
        return lzma.LZMAFile(path, "rb")
    if magic.startswith(_BZIP2):
        return bz2.BZ2File(path, "rb")
    if magic.startswith(_ZSTD):
        try:
            import pyarrow
        except ImportError:
            raise missing_extra(f"{path}: zstd is read with pyarrow", "compare") from None
        return BufferedReader(pyarrow.input_stream(str(path), compression="zstd"))
    return path.open("rb")


def _form(path: Path, head: list[Line], given: str | None, protocol: str) -> str:
    """The form of a file by its `head`, which must agree with the `given` form, if any. Raises `UsageError`."""
    seen = next(filter(None, map(form_of_line, head)), None)
    is_unknown = given is None and seen not in READERS
    # A single bracket begins no message of the given form either.
    if is_unknown or is_bracket(head[0]):
        likely = known_layout(head[0]) or seen
        why = f"it looks like {likely}" if likely else _first_line(head[0])
        raise UsageError(f"{path}: not a capture of a known form: {why}; forms: {', '.join(READERS)}")
    form = given or str(seen)
    if seen is not None and seen != form and not {form, seen} <= _LINES_OF_TEXT:
        raise UsageError(f"{path}: read as {form}, but its first line looks like {seen}")
    if form in _LINES_OF_TEXT and protocol in _BINARY_PROTOCOLS:
        raise UsageError(f"{path}: lines of text cannot carry {protocol}, which is binary; capture it as jsonl or kcat")
    return form


def _first_line(line: Line) -> str:
    if line.length > LONGEST_LINE:
        return f"its first line has {line.length:,} bytes, and a line may have {LONGEST_LINE:,}"
    try:
        return f"its first line is {line.data.decode()[:60]!r}"
    except UnicodeDecodeError:
        return "its first line is not text"


def _chunks(file: BufferedIOBase, failures: list[str]) -> Iterator[bytes]:
    """The bytes of a file; they end where decompression fails, and `failures` gets the reason."""
    try:
        while chunk := file.read1(_CHUNK):
            yield chunk
    except (EOFError, lzma.LZMAError, zlib.error) as e:
        failures.append(str(e))
    except OSError as e:
        # Those of gzip, bzip2 and zstd for broken data have no number.
        if e.errno is not None:
            raise
        failures.append(str(e))


def _head(lines: Iterator[Line]) -> list[Line]:
    """The first lines that are not blank, enough to recognise the form."""
    head: list[Line] = []
    size = 0
    for line in lines:
        if is_ignored("", line):
            continue
        head.append(line)
        size += len(line.data)
        if len(head) == _HEAD_LINES or size > _HEAD_BYTES:
            break
    return head


def form_of_file(path: Path, protocol: str) -> str | None:
    """The form of a file, a key of `READERS`; None if all its lines are blank.

    Raises `UsageError` for an unknown form.
    """
    with file_errors(f"{path}: cannot be read"), _open(path) as file:
        head = _head(split_lines(_chunks(file, [])))
    return _form(path, head, None, protocol) if head else None


def read_file(path: Path, form: str | None, protocol: str) -> Iterator[Captured]:
    """The records of one file. Raises `UsageError` for a file that cannot be read under these options."""
    failures: list[str] = []
    with file_errors(f"{path}: cannot be read"), _open(path) as file:
        lines = split_lines(_chunks(file, failures))
        if head := _head(lines):
            yield from read_lines(_form(path, head, form, protocol), chain(head, lines), str(path))
    for failure in failures:
        yield Captured(None, Place(str(path)), f"it cannot be decompressed to its end: {failure}")


def read_capture(path: Path, protocol: str, input_format: str | None = None) -> Iterator[Captured]:
    """The records of a file, or of every file below a folder, in the order of their names.

    Files may be compressed (gzip, xz, bzip2, zstd). The form of each is recognised by its first lines unless
    `input_format` names it. Memory is bounded, except for problems before the first record. Raises `UsageError` for a
    path, form or file that cannot be read, and if no line is a record; any other broken record is a `Captured` with a
    problem.
    """
    if input_format is not None and input_format not in READERS:
        raise UsageError(f"unknown form of capture {input_format!r}; there are {', '.join(READERS)}")
    captured = chain.from_iterable(read_file(file, input_format, protocol) for file in capture_files(path))
    broken: list[Captured] = []  # lines before the first record
    for one in captured:
        if one.record is not None:
            yield from (*broken, one)
            yield from captured
            return
        broken.append(one)
    # A problem without a line is a file that cannot be decompressed to its end: its form is known.
    if broken and all(one.place.line for one in broken):
        first = broken[0]
        raise UsageError(
            f"{path}: not a capture of a known form: none of its {len(broken)} lines can be read; "
            f"the first, {first.place}: {first.problem}; forms: {', '.join(READERS)}"
        )
    yield from broken
