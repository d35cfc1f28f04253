"""Every page: it needs nothing else, its elements are closed, its links lead somewhere; every report is repeatable."""

from __future__ import annotations

from functools import cache
from html.parser import HTMLParser

import pytest

from tests.unit.reports.every_report import EVERY, HTML, as_it_is

VOID = {"meta", "input", "br", "hr", "img", "link", "col", "wbr"}


class Page(HTMLParser):
    """Takes a page apart: ids, links, what it loads, elements that are open, and heads of tables without a scope."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.html = html
        self.ids: list[str] = []
        self.links: list[str] = []
        self.resources: list[str] = []
        self.open: list[str] = []
        self.unlabelled: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        given = dict(attributes)
        if tag not in VOID:
            self.open.append(tag)
        self.ids += [given["id"]] if given.get("id") else []
        self.links += [given["href"]] if tag == "a" and given.get("href") else []
        self.resources += [str(given[name]) for name in ("src", "action", "data", "srcset") if name in given]
        if tag == "th" and "scope" not in given:
            self.unlabelled.append(self.get_starttag_text() or tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@cache
def page(name: str) -> Page:
    return Page(EVERY[name](as_it_is))


every_page = pytest.mark.parametrize("name", HTML)


@every_page
def test_every_element_is_closed_and_every_head_says_what_of(name: str) -> None:
    assert (page(name).open, page(name).unlabelled) == ([], [])


@every_page
def test_every_link_leads_to_one_place_on_the_page(name: str) -> None:
    found = page(name)
    assert len(found.ids) == len(set(found.ids))
    targets = [link.removeprefix("#") for link in found.links if link.startswith("#") and not link.startswith("#find=")]
    assert [target for target in targets if target not in found.ids] == []


@every_page
def test_nothing_is_fetched(name: str) -> None:
    assert page(name).resources == []
    assert [word for word in ("url(", "@import", "<link") if word in page(name).html] == []


@pytest.mark.parametrize("name", EVERY)
def test_the_same_record_makes_the_same_report(name: str) -> None:
    assert EVERY[name](as_it_is) == EVERY[name](as_it_is)
