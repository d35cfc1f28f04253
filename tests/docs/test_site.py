"""The built documentation, `out/site`: links and anchors lead somewhere, and nothing is fetched from elsewhere.

`tox run -e docs` builds it before, and fails without it; elsewhere the tests are skipped without it.
"""

from __future__ import annotations

import json
import os
import re
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag, urlsplit

import pytest

ROOT = Path(__file__).resolve().parents[2]
SITE = ROOT / "out" / "site"
PAGES = sorted(SITE.rglob("*.html"))
REQUIRED = os.environ.get("SITE_TESTS") == "required"
pytestmark = pytest.mark.skipif(not PAGES and not REQUIRED, reason="the site is not built: mkdocs build --strict")


def test_the_site_is_built() -> None:
    assert PAGES


class Page(HTMLParser):
    """What a page links to, what it loads, and its anchors."""

    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.anchors: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.anchors |= {given[name] for name in ("id", "name") if name in given}
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        if "src" in given:
            self.loads.append(given["src"])
        if tag == "link" and given.get("rel") not in ("canonical", "edit", "prev", "next", "alternate"):
            self.loads.append(given["href"])


@cache
def read(path: Path) -> Page:
    page = Page()
    page.feed(path.read_text(encoding="utf-8"))
    return page


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(SITE)))
def test_links_inside_lead_to_pages_and_anchors(path: Path) -> None:
    broken = []
    for link in read(path).links:
        place, anchor = urldefrag(link)
        if urlsplit(place).scheme or path.name == "404.html":
            continue
        file = (path.parent / unquote(place)).resolve() if place else path
        if not file.is_file() or (anchor and unquote(anchor) not in read(file).anchors):
            broken.append(link)
    assert broken == []


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(SITE)))
def test_no_mark_of_a_list_stands_as_text(path: Path) -> None:
    """After a block of code, a list goes on only behind an empty line."""
    prose = re.sub(r"<pre.*?</pre>", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    assert re.findall(r"^(?:<p>)?(?:[*-]|[0-9]+\.) <.*", prose, re.MULTILINE) == []


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(SITE)))
def test_a_page_loads_nothing_from_elsewhere(path: Path) -> None:
    assert [url for url in read(path).loads if urlsplit(url).scheme or url.startswith("//")] == []


def test_links_to_the_repository_name_files_that_are_there() -> None:
    base = "https://github.com/ticdc-conformance/ticdc-conformance/"
    named = {
        urldefrag(link)[0].removeprefix(base).split("/main/", 1)[1]
        for path in PAGES
        for link in read(path).links
        if link.startswith((f"{base}blob/main/", f"{base}tree/main/"))
    }
    assert named
    assert [name for name in sorted(named) if not (ROOT / name).exists()] == []


def test_every_schema_stands_at_its_id() -> None:
    for path in sorted((ROOT / "fixtures" / "schemas").glob("*.schema.json")):
        at = json.loads(path.read_text(encoding="utf-8"))["$id"].removeprefix(
            "https://ticdc-conformance.github.io/ticdc-conformance/"
        )
        assert (SITE / at).read_bytes() == path.read_bytes()


def test_the_search_knows_every_page() -> None:
    index = json.loads((SITE / "search" / "search_index.json").read_text(encoding="utf-8"))
    assert {urldefrag(one["location"])[0] for one in index["docs"]} == {
        path.relative_to(SITE).as_posix() for path in PAGES
    } - {"404.html"}
