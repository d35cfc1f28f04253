"""The ids that comments and docstrings cite in brackets."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from conformance.catalogue.divergences import find_divergence
from conformance.catalogue.register import load_register
from conformance.cli.disagreements import disagreement_named
from reference_impl.protocols import DIALECTS

ROOT = Path(__file__).resolve().parents[3]
REQUIREMENTS = {id_ for dialect in DIALECTS for id_ in load_register(dialect).requirements}
CITATIONS = re.compile(r"\[((?:[A-Z]{2,3}-[^\[\]\"']*\d[a-z]?|§[\d.]+)(?:(?:,| …)\s[^\[\]\"']+)?)\]")
ID = re.compile(r"\b[A-Z]{2,3}-(?:[A-Z]{2}-)?[\d.]+[\d.-]*[a-z]?")


def cited(package: str) -> set[tuple[str, str]]:
    """The cited ids with the file, of the modules of a package."""
    return {
        (str(path.relative_to(ROOT)), id_)
        for path in (ROOT / package).rglob("*.py")
        for citation in CITATIONS.findall(path.read_text(encoding="utf-8"))
        for id_ in ID.findall(citation)
    }


@pytest.mark.parametrize("package", ["reference_impl", "conformance", "differential", "reports"])
def test_a_citation_names_a_requirement_a_divergence_or_a_disagreement_that_stands(package: str) -> None:
    found = cited(package)
    known = {
        id_
        for id_ in {id_ for _, id_ in found}
        if id_ in REQUIREMENTS or find_divergence(id_) or disagreement_named(id_)
    }
    assert sorted(one for one in found if one[1] not in known) == []


def test_citations_are_found() -> None:
    assert len(cited("reference_impl")) > 100
