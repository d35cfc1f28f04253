"""Places in documents: what agrees, what has changed, what is gone."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.catalogue.docs_check import OURS, Place, check, main, places
from conformance.catalogue.documents import load_documents, paragraph_hash

TEXT = {("H", 1): "first", ("H", 2): "{ // here", ("H", 3): '"a": 1', ("H", 4): "}", ("I", 1): "other"}


def _hashed(text: str, paragraph: int = 1) -> Place:
    return Place("X-1", "d", "H", paragraph, sha256=paragraph_hash(text))


def _shown(*lines: str, paragraph: int = 2) -> Place:
    return Place("g/1/e", "d", "H", paragraph, lines=lines)


@pytest.mark.parametrize(
    "place",
    [_hashed("first"), _hashed("  first "), _shown("{ // here", '"a": 1', "}"), _shown("{"), _shown("{", "}")],
    ids=["hash", "white space", "whole", "a part of a line", "lines between left out"],
)
def test_a_place_that_still_says_so_agrees(place: Place) -> None:
    assert place.fault(TEXT) is None


@pytest.mark.parametrize(
    ("place", "fault"),
    [
        (_hashed("First"), "the text has changed"),
        (_hashed("first", paragraph=9), "there is no such paragraph"),
        (_shown('"a": 1'), "'\"a\": 1' does not stand there"),
        (_shown("{", '"a": 2'), "'\"a\": 2' does not stand there"),
        (_shown("}", "{", paragraph=4), "'{' does not stand there"),
    ],
    ids=["changed", "gone", "later than said", "changed below", "in another order"],
)
def test_a_place_that_says_something_else_is_told(place: Place, fault: str) -> None:
    assert place.fault(TEXT) == fault


def test_a_document_that_is_not_there_is_one_mismatch(tmp_path: Path) -> None:
    documents = {place.document for place in places()} - {"harness-protocol"}
    assert sorted(check(tmp_path).mismatches) == sorted(f"{d}: no such document in {tmp_path}" for d in documents)


def test_our_own_document_says_what_the_register_points_to(tmp_path: Path) -> None:
    assert (OURS / load_documents()["harness-protocol"].file).is_file()
    outcome = check(tmp_path)
    assert outcome.checked == {"harness-protocol": 8}
    assert [line for line in outcome.mismatches if "harness-protocol" in line] == []


def test_every_document_that_is_pointed_to_is_listed() -> None:
    assert {place.document for place in places()} <= load_documents().keys()


def test_without_documents_the_check_is_skipped(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    assert capsys.readouterr().out == "skipped: no documents at hand (--documents DIR)\n"


def test_a_mismatch_fails_the_check(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--documents", str(tmp_path)]) == 1
    assert capsys.readouterr().out.endswith("do not agree\n")
