"""Finds numbered paragraphs in the documents of record, and hashes them to notice changes.

The documents themselves are not shipped. `fixtures/register/documents.toml` names, for each, its file, whether a
paragraph is a line or a block between blank lines, and its headings in order of appearance, as the text shows them or
after the marks of Markdown.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Literal

from conformance.catalogue.fixtures import fixtures_root
from conformance.catalogue.members import Entry, reading, refuse_doubled, refuse_unknown, text, texts
from conformance.catalogue.sealed import read_toml

__all__ = ["Document", "heading_text", "load_documents", "paragraph_hash", "paragraphs", "read_documents"]


@dataclass(frozen=True, slots=True)
class Document:
    """A document of record."""

    id: str
    title: str
    file: str
    url: str
    unit: Literal["line", "block"]  # what a paragraph is: a line, or a block between blank lines
    headings: tuple[str, ...] = ()  # in order of appearance; empty: every Markdown heading counts
    english: Mapping[str, str] = field(default_factory=dict)  # heading → its translation


_TEXTS = ("id", "title", "file", "url", "unit")


def _document(entry: Entry) -> Document:
    refuse_unknown(entry, (*_TEXTS, "headings", "english"))
    members: dict[str, Any] = {name: text(entry, name) for name in _TEXTS}
    if members["unit"] not in ("line", "block"):
        raise ValueError(f"unknown unit {members['unit']!r}")
    english = {heading: text(entry["english"], heading) for heading in entry.get("english", {})}
    return Document(**members, headings=texts(entry, "headings", ()), english=english)


def read_documents(path: Path) -> Mapping[str, Document]:
    """The documents in a file, by id. Raises `SuiteError`, naming the file, if it is malformed."""
    with reading(path, "a list of documents"):
        documents = [_document(entry) for entry in read_toml(path)["document"]]
    refuse_doubled((document.id for document in documents), path, "document")
    return {document.id: document for document in documents}


@cache
def load_documents() -> Mapping[str, Document]:
    """The shipped documents of record by id."""
    return read_documents(fixtures_root() / "register" / "documents.toml")


_REPEATED = re.compile(r"(.*)( \([0-9]+\))")


def heading_text(document: str, heading: str) -> str:
    """A heading as reports show it: in quotes, followed by its English translation, if any."""
    known = load_documents().get(document)
    again = _REPEATED.fullmatch(heading)
    english = known.english.get(again[1] if again else heading) if known is not None else None
    return f"{heading!r} ({english})" if english else repr(heading)


def _fold(text: str) -> str:
    return " ".join(text.split())


def paragraph_hash(text: str) -> str:
    """SHA-256, in hex, of a paragraph with white space folded."""
    return hashlib.sha256(_fold(text).encode("utf-8")).hexdigest()


_MARKDOWN_HEADING = re.compile(r"#{1,6}\s+(.*)")


def paragraphs(document: Document, text: str) -> dict[tuple[str, int], str]:
    """(heading, number from 1) → paragraph, white space folded; text before the first heading has the heading "".

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
