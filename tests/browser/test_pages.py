"""Every page as a person sees it: nothing is fetched, nothing complains, nothing is cut off or unreadable."""

from __future__ import annotations

import pytest

from tests.browser.axe import faults
from tests.browser.chromium import NARROW, Chromium
from tests.browser.conftest import Shelf
from tests.browser.pages import HOSTILE, PAGES

OURS = [name for name in PAGES if name not in HOSTILE]


@pytest.mark.parametrize("name", OURS)
def test_a_page_asks_for_nothing_and_the_console_stays_empty(browser: Chromium, pages: Shelf, name: str) -> None:
    browser.open(pages[name])
    browser.drawn()
    assert (browser.requests(), browser.complaints()) == ([], [])


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("name", OURS)
def test_axe_finds_nothing_serious(browser: Chromium, pages: Shelf, axe: str, name: str, dark: bool) -> None:
    browser.open(pages[name], dark=dark)
    assert faults(browser, axe) == []


@pytest.mark.parametrize("width", [NARROW, 900])
@pytest.mark.parametrize("name", OURS)
def test_a_narrow_window_is_wide_enough_and_breaks_no_label_of_one_word(
    browser: Chromium, pages: Shelf, name: str, width: int
) -> None:
    browser.open(pages[name], width=width)
    broken = "(e) => /^\\w+$/.test(e.textContent.trim()) && e.getBoundingClientRect().height > 30"
    assert (
        browser.run(f"return [...document.querySelectorAll('.word')].filter({broken}).map((e) => e.textContent)") == []
    )
    assert browser.too_wide() == []


@pytest.mark.parametrize("name", OURS)
def test_the_caption_of_a_table_that_scrolls_is_read_without_scrolling(
    browser: Chromium, pages: Shelf, name: str
) -> None:
    browser.open(pages[name], width=NARROW)
    cut = "(e) => e.getBoundingClientRect().right > document.documentElement.clientWidth"
    captions = "[...document.querySelectorAll('.scroll caption')]"
    assert browser.run(f"return {captions}.filter({cut}).map((e) => e.textContent)") == []


@pytest.mark.parametrize("name", OURS)
def test_on_paper_nothing_is_cut_off_and_no_control_is_printed(browser: Chromium, pages: Shelf, name: str) -> None:
    browser.open(pages[name], prints=True, width=720)
    shown = "return [...document.querySelectorAll('form, nav, button')].filter((e) => e.offsetParent !== null).length"
    assert (browser.too_wide(), browser.run(shown)) == ([], 0)


@pytest.mark.parametrize("name", OURS)
def test_dark_is_dark_and_light_is_light(browser: Chromium, pages: Shelf, name: str) -> None:
    paper = "return getComputedStyle(document.body).backgroundColor.match(/\\d+/g).slice(0, 3).map(Number)"
    browser.open(pages[name])
    light = sum(browser.run(paper))
    browser.look(dark=True)
    assert sum(browser.run(paper)) < 200 < 600 < light


@pytest.mark.parametrize("name", HOSTILE)
def test_no_text_of_a_record_runs_or_fetches_or_covers_anything(browser: Chromium, pages: Shelf, name: str) -> None:
    browser.open(pages[name])
    browser.drawn()
    # Whoever clicks, hovers and follows everything runs nothing either.
    browser.run(
        """for (const e of document.querySelectorAll("main *"))
             for (const kind of ["mouseover", "focus", "click"])
               if (e.tagName !== "A" || e.getAttribute("href").startsWith("#"))
                 e.dispatchEvent(new Event(kind, {bubbles: true, cancelable: true}));"""
    )
    browser.drawn()
    assert browser.run("return window.owned === undefined")
    assert (browser.requests(), browser.complaints(), browser.too_wide()) == ([], [], [])
