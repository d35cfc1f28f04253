"""Three things that people open a report for, each within three clicks from its first page."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import pytest
from selenium.webdriver.remote.webelement import WebElement

from benchmarks.reports import many_failures
from reports import RENDERERS
from reports.diff import DIFF_REPORTS
from tests.browser.chromium import Chromium
from tests.unit.reports.diff.runs import everything
from tests.unit.reports.every_report import rendered

MOST_CLICKS = 3


@dataclass
class Person:
    """Clicks, and counts the clicks."""

    browser: Chromium
    clicks: int = field(default=0)

    def click(self, element: WebElement) -> None:
        self.clicks += 1
        assert self.clicks <= MOST_CLICKS
        self.browser.click(element)

    def seen(self, selector: str) -> list[WebElement]:
        """What of the elements is shown."""
        return [element for element in self.browser.all(selector) if element.is_displayed()]


@pytest.fixture(scope="module")
def run_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("tasks") / "run.html"
    path.write_text(rendered(RENDERERS["html"], many_failures(400, 40)), encoding="utf-8")
    return path


def test_which_data_faults_the_new_build_has_that_the_old_one_had_not(browser: Chromium, tmp_path: Path) -> None:
    path = tmp_path / "diff.html"
    path.write_text(DIFF_REPORTS["html"](everything()), encoding="utf-8")
    browser.open(path)
    person = Person(browser)
    person.click(next(link for link in person.seen("nav a") if "broken" in link.text.lower()))
    section = browser.run("return document.querySelector(':target')")
    assert "newly broken" in section.text.lower()
    assert "lost" in section.text.lower() or "changed" in section.text.lower()


def test_the_smallest_input_that_breaks_decimal(browser: Chromium, run_page: Path) -> None:
    browser.open(run_page)
    person = Person(browser)
    person.click(next(link for link in person.seen(".heat th a") if link.text == "decimal"))
    causes = person.seen("details.cause")
    assert causes
    if not person.seen("details.cause .copied pre"):
        person.click(causes[0].find_element("css selector", "summary"))
    shown = [pre.text for pre in person.seen("details.cause .copied pre")]
    assert any("CREATE TABLE" in text and "decimal" in text for text in shown)


def test_the_line_that_replays_a_failure_is_copied(browser: Chromium, run_page: Path) -> None:
    browser.open(run_page)
    person = Person(browser)
    replay = next(
        one for one in browser.all("details.cause .copied") if "replay" in str(one.get_attribute("textContent"))
    )
    if not replay.is_displayed():
        person.click(browser.all("details.cause > summary")[0])
    button = replay.find_element("css selector", "button")
    person.click(button)
    browser.until("return ['Copied', 'Selected'].includes(arguments[0].textContent)", button)
