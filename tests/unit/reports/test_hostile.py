"""Whatever a harness, an implementation or a record says, no report does it: every report, every hostile text."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html.parser import HTMLParser
from typing import Any

import pytest

from tests.amounts import ordinarily
from tests.unit.reports.every_report import EVERY, HTML, JSON
from tests.unit.reports.hostile import HUGE, TEXTS, forbidden_in, spoiled, swollen

FOR_PEOPLE = [name for name in EVERY if name not in JSON]
JUNIT = [name for name in EVERY if name.endswith("junit")]
HARMLESS = "x" * 60


def report(name: str, text: str) -> str:
    return EVERY[name](lambda record, keep: spoiled(record, text, keep))


@dataclass(frozen=True)
class Written:
    """A report, written once with each hostile text; pytest puts all questions to one before it comes to the next."""

    name: str
    reports: Mapping[str, str]


def met_by(name: str) -> Sequence[str]:
    """The names of the texts that a report is written with.

    Ordinarily those of a run meet all as a page and as XML, and other reports every third, with the empty one.
    """
    share = ordinarily(1 if name in ("run: html", "run: junit") else 3, 1)
    return [text for n, text in enumerate(TEXTS) if (n + [*EVERY].index(name)) % share == 0 or text == "nothing"]


@pytest.fixture(scope="module")
def written(request: pytest.FixtureRequest) -> Written:
    texts = {text: given for text, given in TEXTS.items() if text in met_by(request.param)}
    return Written(request.param, {text: report(request.param, given) for text, given in texts.items()})


def of(names: Iterable[str]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("written", names, indirect=True)


@of(FOR_PEOPLE)
def test_nothing_invisible_comes_into_a_report_for_people(written: Written) -> None:
    found = {text: forbidden_in(report) for text, report in written.reports.items()}
    assert {text: characters for text, characters in found.items() if characters} == {}


@of(EVERY)
def test_every_report_can_be_written_as_utf_8(written: Written) -> None:
    assert all(report.encode() for report in written.reports.values())


@of(JUNIT)
def test_a_report_in_xml_can_be_read_and_holds_as_many_cases_as_ever(written: Written) -> None:
    cases = {text: len(ET.fromstring(report).findall(".//testcase")) for text, report in written.reports.items()}
    assert cases == dict.fromkeys(cases, cases["nothing"])
    assert cases["nothing"] > 0


@of(JSON)
def test_a_report_in_json_can_be_read(written: Written) -> None:
    for whole in written.reports.values():
        for document in filter(None, whole.split("\n")) if written.name.endswith("jsonl") else [whole]:
            assert json.loads(document)


class Markup(HTMLParser):
    """What of a page is more than words: tags, and attributes that a browser acts upon."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.scripts = 0
        self.acting: set[str] = set()
        self.links: set[str] = set()
        self.feed(page)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.scripts += tag == "script"
        self.acting |= {name for name, _ in attributes if name.startswith("on") or name in ACTING}
        self.links |= {str(value) for name, value in attributes if name == "href"}


ACTING = {"src", "srcset", "srcdoc", "action", "formaction", "data", "ping", "background", "poster", "autofocus"}
SAFE_LINK = re.compile(r"#|https?://[a-z0-9.-]+(/|$)|(?![a-z0-9+. \x00-\x20-]*:)[a-z0-9./_-]+\.html", re.IGNORECASE)


def test_every_text_meets_reports_of_each_way_to_quote() -> None:
    for names in (JUNIT, JSON, HTML, [name for name in EVERY if name.endswith(("terminal", "markdown"))]):
        assert {text for name in names for text in met_by(name)} == {*TEXTS}


@of(HTML)
def test_no_text_becomes_markup(written: Written) -> None:
    usual = Markup(report(written.name, HARMLESS)).tags
    for text, written_page in written.reports.items():
        page = Markup(written_page)
        assert page.tags <= usual, text
        assert (page.scripts, page.acting) == (1, set()), text
        assert [link for link in page.links if not SAFE_LINK.match(link)] == [], text


MEMBERS = ("case", "iut", "message", "stderr", "rule", "place", "path", "fingerprint", "got", "reason", "v", "sql")


def swell(name: str, member: str) -> str:
    return EVERY[name](lambda record, keep: swollen(record, member))


@pytest.mark.parametrize("member", MEMBERS)
@pytest.mark.parametrize("name", [name for name in HTML if name.startswith("run")])
def test_a_page_stays_small_whatever_one_member_holds(name: str, member: str) -> None:
    assert len(swell(name, member)) < 2 * len(HUGE)


def test_the_corpus_reaches_every_text_of_a_record() -> None:
    record: dict[str, Any] = {"event": "iut", "name": "a", "options": {"b": ["c", 1]}, "findings": [{"kind": "d"}]}
    assert spoiled(record, "!") == {
        "event": "iut",
        "name": "!a",
        "options": {"!b": ["!c", 1]},
        "findings": [{"kind": "d"}],
    }


def test_what_may_not_stand_in_a_report_is_found() -> None:
    assert forbidden_in("a\x1b[31m\u202e\n") == ["'\\u202e'", "'\\x1b'"]
