"""`--out`: a writable folder. Atomic: it holds one complete run or nothing."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

from conformance.errors import UsageError
from reports.jsonl import json_document

__all__ = ["begin", "check_rows", "make_folder", "put_down", "rows_at"]

_SUMMARY, _ROWS = "summary.json", "differences"


def make_folder(out: Path) -> None:
    """Make the folder. Raises `UsageError` where it cannot be written."""
    if out.exists() and not out.is_dir():
        raise UsageError(f"--out {out}: it is a file, and a folder is needed")
    try:
        out.mkdir(parents=True, exist_ok=True)
        with TemporaryFile(dir=out):
            pass
    except OSError as e:
        raise UsageError(f"--out {out}: cannot be written ({e.strerror or e})") from None


def begin(out: Path) -> None:
    """Remove the summary of an earlier run."""
    (out / _SUMMARY).unlink(missing_ok=True)


def check_rows(out: Path) -> None:
    """Raises `UsageError` where other data, such as those of `--live`, stand in the place of the rows."""
    folder = out / _ROWS
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"--out {out}: {folder} is a file")
    for file in folder.iterdir() if folder.is_dir() else ():
        if not file.name.startswith("part-"):
            raise UsageError(f"--out {out}: {folder} holds {file.name}, which no comparison at once has written")


@contextmanager
def rows_at(out: Path) -> Iterator[Path]:
    """A folder for the rows, put in place as a whole on success; on an error the earlier rows stay."""
    draft = out / f".{_ROWS}"
    shutil.rmtree(draft, ignore_errors=True)
    try:
        yield draft
        shutil.rmtree(out / _ROWS, ignore_errors=True)
        draft.replace(out / _ROWS)
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def put_down(found: Mapping[str, Any], out: Path) -> None:
    """Write the summary; a reader meanwhile finds the old one or the new one."""
    draft = out / f".{_SUMMARY}"
    draft.write_text(json_document(found), encoding="utf-8")
    draft.replace(out / _SUMMARY)
