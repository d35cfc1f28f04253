"""The page of a kill matrix: it needs nothing else, every link leads somewhere, and no text becomes markup."""

from __future__ import annotations

import copy
from html.parser import HTMLParser
from typing import Any

import pytest

from reports.matrix import MATRIX_REPORTS
from tests.snapshots.tiny_matrix import RECORD


class Page(HTMLParser):
    """Takes a page apart: ids, links, elements that are open, and words."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.links: list[str] = []
        self.resources: list[str] = []
        self.tags: list[str] = []
        self.open: list[str] = []
        self.unlabelled: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        given = dict(attributes)
        self.tags.append(tag)
        if tag not in ("meta", "input", "br"):
            self.open.append(tag)
        self.ids += [given["id"]] if given.get("id") else []
        self.links += [given["href"]] if tag == "a" and given.get("href") else []
        self.resources += [str(given[name]) for name in ("src", "action", "data", "srcset") if name in given]
        if tag == "th" and "scope" not in given:
            self.unlabelled.append(self.get_starttag_text() or tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def page(record: dict[str, Any]) -> Page:
    return Page(MATRIX_REPORTS["html"](record))


def test_every_element_is_closed_and_every_head_says_what_of() -> None:
    assert (page(RECORD).open, page(RECORD).unlabelled) == ([], [])


def test_every_link_leads_to_one_place_on_the_page() -> None:
    found = page(RECORD)
    assert len(found.ids) == len(set(found.ids))
    assert [link for link in found.links if link.removeprefix("#") not in found.ids] == []


def test_every_mutant_requirement_and_historical_defect_has_an_anchor() -> None:
    anchors = {f"mutant-{m['mutant']}" for m in RECORD["mutants"]}
    anchors |= {f"requirement-{r['id']}" for r in RECORD["requirements"]}
    anchors |= {f"history-{d['id']}" for d in RECORD["history"] if d["fate"] != "out of scope"}
    assert anchors - set(page(RECORD).ids) == set()


def test_nothing_is_fetched() -> None:
    html = MATRIX_REPORTS["html"](RECORD)
    assert page(RECORD).resources == []
    assert [word for word in ("http://", "https://", "url(", "@import", "<link") if word in html] == []


FREE = {"fault", "rule", "symptom", "reason", "message", "selection", "killed_by", "witness", "again", "fixed"}
HOSTILE = "</td><script>alert(1)</script>\"'&"


def spoiled(value: Any, name: str = "") -> Any:
    """The value, with something hostile wherever any text may stand."""
    if isinstance(value, dict):
        return {member: spoiled(part, member) for member, part in value.items()}
    if isinstance(value, list):
        return [spoiled(part) for part in value]
    return HOSTILE if isinstance(value, str) and name in FREE else value


def test_no_text_becomes_markup() -> None:
    harmful = page(spoiled(RECORD))
    assert harmful.tags.count("script") == page(RECORD).tags.count("script") == 1
    assert harmful.open == []


@pytest.mark.parametrize("kind", MATRIX_REPORTS)
def test_a_matrix_of_nothing_has_a_report(kind: str) -> None:
    empty = {"groups": [], "requirements": [], "history": [], "mutants": [], "planned": 0, "totals": {}}
    text = MATRIX_REPORTS[kind](RECORD | empty | {"history_totals": dict.fromkeys(RECORD["history_totals"], 0)})
    assert text.endswith("\n")


def test_a_bar_in_a_text_does_not_break_a_table_of_markdown() -> None:
    record = copy.deepcopy(RECORD)
    record["mutants"][0]["fault"] = "a | b"
    record["mutants"][0]["finding"]["fingerprint"] = "value@a|b#1"
    text = MATRIX_REPORTS["markdown"](record)
    assert "a \\| b" in text
    assert "`value@a\\|b#1`" in text
