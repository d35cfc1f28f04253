"""Places in the documents of record: headings, numbered paragraphs, and the hash that notices a change of text.

The documents themselves are not shipped. `fixtures/register/documents.toml` names, for each, its file, whether a
paragraph is a line or a block between blank lines, and its headings in order of appearance, as the text shows them or
behind the marks of Markdown.
"""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

from conformance.catalogue.fixtures import fixtures_root
from conformance.errors import SuiteError

__all__ = ["Document", "load_documents", "paragraph_hash", "paragraphs", "read_documents"]


@dataclass(frozen=True, slots=True)
class Document:
    """A document of record. Without `headings` every one of Markdown counts."""

    id: str
    title: str
    file: str
    url: str
    unit: Literal["line", "block"]
    headings: tuple[str, ...] = ()


_TEXTS = ("id", "title", "file", "url", "unit")


def _document(given: Mapping[str, Any]) -> Document:
    if unknown := given.keys() - {*_TEXTS, "headings"}:
        raise ValueError(f"unknown member {min(unknown)!r}")
    headings = given.get("headings", [])
    if not isinstance(headings, list) or not all(isinstance(t, str) for t in (*headings, *(given[m] for m in _TEXTS))):
        raise TypeError("a member is not of its kind")
    if given["unit"] not in ("line", "block"):
        raise ValueError(f"unknown unit {given['unit']!r}")
    return Document(given["id"], given["title"], given["file"], given["url"], given["unit"], tuple(headings))


def read_documents(path: Path) -> Mapping[str, Document]:
    """The documents in a file, by id. Raises `SuiteError`, naming the file, for one that is malformed."""
    try:
        documents = [_document(d) for d in tomllib.loads(path.read_text(encoding="utf-8"))["document"]]
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as e:
        raise SuiteError(f"{path}: not a list of documents: {e!r}") from None
    by_id = {d.id: d for d in documents}
    if len(by_id) != len(documents):
        raise SuiteError(f"{path}: an id occurs twice")
    return by_id


@cache
def load_documents() -> Mapping[str, Document]:
    """The shipped documents of record by id."""
    return read_documents(fixtures_root() / "register" / "documents.toml")


def _fold(text: str) -> str:
    return " ".join(text.split())


def paragraph_hash(text: str) -> str:
    """SHA-256, in hex, of a paragraph with white space folded."""
    return hashlib.sha256(_fold(text).encode("utf-8")).hexdigest()


_MARKDOWN_HEADING = re.compile(r"#{1,6}\s+(.*)")


def paragraphs(document: Document, text: str) -> dict[tuple[str, int], str]:
    """(heading, number from 1) → paragraph, white space folded. What stands before the first heading has heading "".

    A heading that occurs again continues under `HEADING (2)`, and so on.
    """
    found: dict[tuple[str, int], str] = {}
    heading, number, seen, pending = "", 0, dict[str, int](), list(document.headings)
    units = text.splitlines() if document.unit == "line" else re.split(r"\n[ \t]*\n", text)
    for unit in units:
        folded = _fold(unit)
        if not folded:
            continue
        mark = _MARKDOWN_HEADING.fullmatch(folded)
        title = mark[1] if mark else folded
        name = title if mark and not document.headings else None
        if pending and title == _fold(pending[0]):
            name = title
            pending.pop(0)
        if name is None:
            number += 1
            found[heading, number] = folded
            continue
        seen[name] = seen.get(name, 0) + 1
        heading, number = name if seen[name] == 1 else f"{name} ({seen[name]})", 0
    return found
