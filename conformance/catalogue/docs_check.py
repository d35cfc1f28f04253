"""Checks that the documents of record still say what the register and the golden fixtures refer to.

The documents are not shipped; give their folder: `python -m conformance.catalogue.docs_check --documents DIR`, or `tox
run -e docs-check -- --documents DIR`. Our own documents are read from the folder `docs` of a checkout.
"""

from __future__ import annotations

import argparse
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from conformance.catalogue.documents import Document, load_documents, paragraph_hash, paragraphs
from conformance.catalogue.fixtures import fixtures_root
from conformance.catalogue.register import DocumentSource, load_register

__all__ = ["OURS", "Check", "Place", "check", "main", "places"]


@dataclass(frozen=True, slots=True)
class Place:
    """A reference of a requirement or golden example to a paragraph of a document."""

    of: str  # the id of the requirement or example
    document: str
    heading: str
    paragraph: int  # its number under the heading, from 1
    sha256: str = ""  # the hash of the paragraph, for a requirement
    lines: tuple[str, ...] = ()  # the lines that a golden example shows of the document

    def __str__(self) -> str:
        return f"{self.of}: {self.document}, {self.heading!r}, paragraph {self.paragraph}"

    def fault(self, found: Mapping[tuple[str, int], str]) -> str | None:
        """The mismatch with the paragraphs of the document, or None.

        The first of `lines` must be in the paragraph itself; the others must follow in order under the heading.
        """
        if (self.heading, self.paragraph) not in found:
            return "there is no such paragraph"
        if not self.lines:
            text = found[self.heading, self.paragraph]
            return None if paragraph_hash(text) == self.sha256 else "the text has changed"
        rest = [text for (heading, n), text in found.items() if heading == self.heading and n >= self.paragraph]
        for number, line in enumerate(self.lines):
            candidates = rest if number else rest[:1]
            skipped = next((n for n, text in enumerate(candidates) if line in text), None)
            if skipped is None:
                return f"{line!r} does not stand there"
            rest = rest[skipped:]
        return None


@dataclass(frozen=True, slots=True)
class Check:
    """The result of the check."""

    checked: Mapping[str, int]  # document → number of its checked places
    mismatches: tuple[str, ...]  # a line for each


def _register_places() -> Iterator[Place]:
    for path in sorted((fixtures_root() / "register").glob("*.toml")):
        if "requirement" not in tomllib.loads(path.read_text(encoding="utf-8")):
            continue
        for requirement in load_register(path.stem).requirements.values():
            source = requirement.source
            if isinstance(source, DocumentSource):
                yield Place(requirement.id, source.document, source.heading, source.paragraph, source.sha256)


def _golden_places() -> Iterator[Place]:
    for path in sorted((fixtures_root() / "golden").glob("*/*.toml")):
        top = tomllib.loads(path.read_text(encoding="utf-8"))
        for example in top["example"]:
            shown = {"heading": top.get("heading", ""), **example}
            for part in (shown, *([example["key"]] if "key" in example else [])):
                yield Place(
                    of=f"{path.parent.name}/{path.stem}/{example['id']}",
                    document=top["document"],
                    heading=part["heading"],
                    paragraph=part["paragraph"],
                    lines=tuple(folded for line in part["shown"].splitlines() if (folded := " ".join(line.split()))),
                )


def places() -> list[Place]:
    """Every place in a document that a requirement or a golden example points to."""
    return [*_register_places(), *_golden_places()]


OURS = Path(__file__).resolve().parents[2] / "docs"
"""The folder of our own documents, where there is a checkout."""


def _text_of(document: Document | None, folder: Path) -> Mapping[tuple[str, int], str] | None:
    files = [place / document.file for place in (folder, OURS)] if document else []
    found = next((file for file in files if file.is_file()), None)
    if document is None or found is None:
        return None
    return paragraphs(document, found.read_text(encoding="utf-8"))


def check(documents_dir: Path) -> Check:
    """Compare the documents in a folder with every place; a missing document is a mismatch of its own."""
    documents = load_documents()
    texts: dict[str, Mapping[tuple[str, int], str] | None] = {}
    checked: Counter[str] = Counter()
    mismatches: list[str] = []
    for place in places():
        if place.document not in texts:
            texts[place.document] = _text_of(documents.get(place.document), documents_dir)
            if texts[place.document] is None:
                mismatches.append(f"{place.document}: no such document in {documents_dir}")
        found = texts[place.document]
        if found is None:
            continue
        checked[place.document] += 1
        fault = place.fault(found)
        if fault:
            mismatches.append(f"{place}: {fault}")
    return Check(dict(checked), tuple(mismatches))


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a line for each document, each mismatch and the sum; returns 1 if there is a mismatch."""
    parser = argparse.ArgumentParser(prog="docs_check", description=__doc__)
    parser.add_argument("--documents", type=Path, metavar="DIR", help="the folder of the documents of record")
    given = parser.parse_args(arguments)
    if given.documents is None:
        print("skipped: no documents at hand (--documents DIR)")
        return 0
    outcome = check(given.documents)
    for document, number in outcome.checked.items():
        print(f"{document}: {number} places")
    for line in outcome.mismatches:
        print(line)
    print(f"{sum(outcome.checked.values())} places checked, {len(outcome.mismatches)} do not agree")
    return 1 if outcome.mismatches else 0


if __name__ == "__main__":
    sys.exit(main())
