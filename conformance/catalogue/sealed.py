"""Reads data that are computed from the fixtures, in `fixtures/index`, while they match their sources.

The file `digest` has the digest of each file, and one of the sources of the case index. A file that does not match, or
whose sources have changed, counts as absent: its reader computes the data again.

`tools/case_index.py` writes all files.
"""

from __future__ import annotations

import hashlib
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import orjson

from conformance.catalogue.fixtures import fixtures_root

__all__ = ["compiled", "index_folder", "read_toml", "seal_of", "sealed_file"]


def index_folder() -> Path:
    """The folder of the files: a folder for each protocol, `recorded`, `toml`, and `digest`."""
    return fixtures_root() / "index"


@cache
def seal_of(folder: Path) -> dict[str, Any]:
    """The content of `digest`; empty where it is missing or unreadable."""
    try:
        content = orjson.loads((folder / "digest").read_bytes())
    except (OSError, ValueError):
        return {}
    return content if isinstance(content, dict) and isinstance(content.get("files"), dict) else {}


def sealed_file(name: str) -> bytes | None:
    """A file of the index by its path; None if it is missing or out of date."""
    folder = index_folder()
    try:
        content = (folder / name).read_bytes()
    except OSError:
        return None
    return content if seal_of(folder).get("files", {}).get(name) == _sha256(content) else None


def read_toml(path: Path) -> dict[str, Any]:
    """The content of a TOML file; a file of the fixtures comes from its compiled form, several times faster.

    The compiled form must be of the same bytes. Raises OSError, and ValueError for malformed TOML.
    """
    raw = path.read_bytes()
    root = fixtures_root()
    kept = sealed_file(_name(path, root)) if path.is_relative_to(root) else None
    if kept is not None:
        given = orjson.loads(kept)
        if given["of"] == _sha256(raw):
            content: dict[str, Any] = given["content"]
            return content
    return tomllib.loads(raw.decode())


def compiled(path: Path) -> tuple[str, bytes] | None:
    """The path of a fixture's TOML file in the index, and its compiled form.

    None for a file that JSON cannot express, such as one with a date.
    """
    raw = path.read_bytes()
    content = tomllib.loads(raw.decode())
    text = orjson.dumps({"of": _sha256(raw), "content": content}, option=orjson.OPT_PASSTHROUGH_DATETIME, default=_none)
    return (_name(path, fixtures_root()), text) if orjson.loads(text)["content"] == content else None


def _none(value: object) -> None:
    """Writes null for a value that JSON cannot express, so that the compiled form differs from the content."""


def _name(path: Path, root: Path) -> str:
    return f"toml/{path.relative_to(root).with_suffix('.json').as_posix()}"


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
