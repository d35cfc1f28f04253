"""The folder of `--out`. `compare` replaces its summary, and its rows, each as a whole."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from itertools import takewhile
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

from conformance.errors import UsageError, file_errors
from reports.jsonl import json_document

__all__ = ["check_rows", "folder_for", "make_folder", "remove_summary", "rows_folder", "write_summary"]

_SUMMARY, _ROWS = "summary.json", "differences"


def make_folder(out: Path) -> None:
    """Make the folder. Raises `UsageError` where it cannot be written."""
    with file_errors(f"--out {out}: cannot be written"):
        if out.exists() and not out.is_dir():
            raise UsageError(f"--out {out}: it is a file, and a folder is needed")
        out.mkdir(parents=True, exist_ok=True)
        with TemporaryFile(dir=out):
            pass


def _is_missing(folder: Path) -> bool:
    """Whether a folder is missing, or cannot be looked at, which `make_folder` reports."""
    try:
        return not folder.exists()
    except OSError:
        return True


@contextmanager
def folder_for(out: Path) -> Iterator[None]:
    """Make the folder as `make_folder` does. On an error, remove what was made of its path and is still empty."""
    made = list(takewhile(_is_missing, (out, *out.parents)))
    try:
        make_folder(out)
        yield
    except BaseException:
        for folder in made:
            with suppress(OSError):
                folder.rmdir()
        raise


def remove_summary(out: Path) -> None:
    """Remove the summary of an earlier run."""
    (out / _SUMMARY).unlink(missing_ok=True)


def check_rows(out: Path) -> None:
    """Raise `UsageError` if the folder of the rows holds other data, such as those of `--live`."""
    folder = out / _ROWS
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"--out {out}: {folder} is a file")
    for file in folder.iterdir() if folder.is_dir() else ():
        if not file.name.startswith("part-"):
            raise UsageError(f"--out {out}: {folder} holds {file.name}, which compare does not write without --live")


@contextmanager
def rows_folder(out: Path) -> Iterator[Path]:
    """A folder for the rows. On success it replaces the earlier rows as a whole; on an error they stay."""
    draft = out / f".{_ROWS}"
    shutil.rmtree(draft, ignore_errors=True)
    try:
        yield draft
        shutil.rmtree(out / _ROWS, ignore_errors=True)
        draft.replace(out / _ROWS)
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def write_summary(result: Mapping[str, Any], out: Path) -> None:
    """Write the summary, atomically: a reader finds the old one or the new one."""
    draft = out / f".{_SUMMARY}"
    draft.write_text(json_document(result), encoding="utf-8")
    draft.replace(out / _SUMMARY)
