"""The documentation as a site: which pages it has, and where links that leave it lead."""

from __future__ import annotations

import json
import logging
import re
from pathlib import Path
from types import SimpleNamespace

import pytest

from tools.docs_site import on_page_markdown

ROOT = Path(__file__).resolve().parents[2]
CONFIG = {"repo_url": "https://repo.test/r", "site_url": "https://site.test/"}
SITE = "https://ticdc-conformance.github.io/ticdc-conformance/"


def rewritten(text: str, name: str = "index.md") -> str:
    page = SimpleNamespace(file=SimpleNamespace(src_uri=name))
    return on_page_markdown(text, page=page, config=CONFIG)


def test_every_page_of_docs_is_in_the_navigation_once() -> None:
    named = re.findall(r": ([\w/.-]+\.md)$", (ROOT / "mkdocs.yml").read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted(named) == sorted(path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs").rglob("*.md"))


@pytest.mark.parametrize(
    "path", [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")], ids=lambda path: str(path.relative_to(ROOT))
)
def test_an_item_of_a_list_has_one_bullet(path: Path) -> None:
    assert re.findall(r"^ *(?:[*-] ){2}.*", path.read_text(encoding="utf-8"), re.MULTILINE) == []


@pytest.mark.parametrize(
    ("link", "leads"),
    [
        ("../README.md#more", "https://repo.test/r/blob/main/README.md#more"),
        ("../examples", "https://repo.test/r/tree/main/examples"),
        ("../fixtures/schemas/vector.schema.json", "https://site.test/schemas/vector.schema.json"),
        ("harness.md#values", "harness.md#values"),
        ("https://elsewhere.test/../x", "https://elsewhere.test/../x"),
    ],
)
def test_a_link_out_of_docs_leads_to_the_repository_and_one_to_a_schema_to_its_address(link: str, leads: str) -> None:
    assert rewritten(f"[a]({link}) and text") == f"[a]({leads}) and text"


def test_a_link_from_a_folder_of_pages_to_another_page_stays_in_the_site() -> None:
    assert rewritten("[a](../cli.md#run)", "findings/canal.md") == "[a](../cli.md#run)"
    assert rewritten("[a](../../README.md)", "findings/canal.md") == "[a](https://repo.test/r/blob/main/README.md)"


def test_a_link_to_a_file_that_is_not_there_is_told(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        rewritten("[a](../no/such.py)")
    assert "index.md links to no/such.py, which is not in the repository" in caplog.text


def test_the_ids_of_all_schemas_are_under_the_address_of_the_site() -> None:
    assert f"site_url: {SITE}\n" in (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    for path in sorted((ROOT / "fixtures" / "schemas").glob("*.schema.json")):
        assert json.loads(path.read_text(encoding="utf-8"))["$id"] == f"{SITE}schemas/{path.name}"
