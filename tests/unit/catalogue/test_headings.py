"""Headings of the documents of record, and what those in another language say in English."""

from __future__ import annotations

import pytest

from conformance.catalogue.divergences import load_divergences
from conformance.catalogue.documents import Document, heading_text, load_documents
from conformance.catalogue.register import DocumentSource, load_register
from reference_impl.protocols import DIALECTS


@pytest.mark.parametrize("document", load_documents().values(), ids=load_documents())
def test_exactly_the_headings_in_another_language_have_an_english_rendering(document: Document) -> None:
    foreign = {heading for heading in document.headings if not heading.isascii()}
    english = document.english
    assert set(english) == foreign
    assert all(text.isascii() for text in english.values())


def test_every_place_that_is_shown_can_be_read_in_english() -> None:
    sources = [r.source for name in DIALECTS for r in load_register(name).requirements.values()]
    places = {(s.document, s.heading) for s in sources if isinstance(s, DocumentSource)}
    places |= {one.place for pair in load_divergences().values() for one in pair.divergences if one.place}
    foreign = {place for place in places if not place[1].isascii()}
    assert foreign
    for document, heading in foreign:
        shown = heading_text(document, heading)
        assert shown.startswith(f"{heading!r} (")
        assert shown.partition("' (")[2].isascii()


def test_a_heading_that_occurs_again_is_rendered_as_the_first() -> None:
    assert heading_text("ticdc-canal-json", "整数类型 (2)") == "'整数类型 (2)' (Integer types)"
    assert heading_text("ticdc-canal-json", "Delete") == "'Delete'"
    assert heading_text("toy manual", "整数类型") == "'整数类型'"


def test_the_place_of_a_requirement_shows_the_english_heading() -> None:
    assert ", '整数类型' (Integer types), paragraph " in str(load_register("canal-json").requirements["CJ-381"].source)
