"""What a person does on a page: filters rows, follows links to one, walks with the keyboard, copies a text."""

from __future__ import annotations

from urllib.parse import quote

import pytest
from selenium.webdriver.common.keys import Keys

from tests.browser.chromium import Chromium
from tests.browser.conftest import Shelf
from tests.browser.pages import HOSTILE, PAGES, WITH_ROWS

OURS = [name for name in PAGES if name not in HOSTILE and not name.endswith("huge")]
ROWS = "return [...document.querySelectorAll('[data-row]')].map((row) => row.id)"
SHOWN = "return [...document.querySelectorAll('[data-row]:not([hidden])')].map((row) => row.textContent.toLowerCase())"
IN_VIEW = """const box = document.getElementById(arguments[0]).getBoundingClientRect();
return box.height > 0 && box.top >= 0 && box.top < innerHeight"""


@pytest.mark.parametrize("name", WITH_ROWS)
def test_the_filter_leaves_the_rows_that_have_all_words(browser: Chromium, pages: Shelf, name: str) -> None:
    browser.open(pages[name])
    everything = browser.rows()
    found = browser.filter("t-1")
    assert 0 < found < everything
    assert f"{found} of {everything} shown" in browser.all(".filter output")[0].text
    assert browser.filter("t-1 nowhere-to-be-found") == 0
    assert browser.filter("") == everything


@pytest.mark.parametrize("name", WITH_ROWS)
def test_a_link_with_find_filters_the_page(browser: Chromium, pages: Shelf, name: str) -> None:
    browser.open(pages[name], "find=t-1")
    found = browser.rows()
    browser.open(pages[name])
    assert found == browser.filter("t-1")


@pytest.mark.parametrize("name", WITH_ROWS)
def test_a_link_to_a_row_brings_it_into_view_even_if_the_filter_hid_it(
    browser: Chromium, pages: Shelf, name: str
) -> None:
    browser.open(pages[name])
    identity = browser.run(ROWS)[-1]
    assert identity
    browser.open(pages[name], quote(identity))
    browser.until(IN_VIEW, identity)
    assert browser.filter("nowhere-to-be-found") == 0
    browser.run("location.hash = ''")
    browser.run("location.hash = arguments[0]", quote(identity))
    browser.until(IN_VIEW, identity)


@pytest.mark.parametrize("fragment", ["%", "%ff", "find=%", "nowhere", "find=", "find=(*["])
def test_a_link_that_leads_nowhere_does_no_harm(browser: Chromium, pages: Shelf, fragment: str) -> None:
    browser.open(pages["matrix"], fragment)
    browser.drawn()
    assert browser.complaints() == []


@pytest.mark.parametrize("name", OURS)
def test_every_link_inside_a_page_leads_to_a_place_of_it(browser: Chromium, pages: Shelf, name: str) -> None:
    browser.open(pages[name])
    lost = """return [...document.querySelectorAll('a[href^="#"]')].map((a) => a.getAttribute("href").slice(1))
      .filter((to) => !to.startsWith("find=") && !document.getElementById(decodeURIComponent(to)))"""
    doubled = """const ids = [...document.querySelectorAll("[id]")].map((e) => e.id);
      return ids.filter((id, i) => ids.indexOf(id) !== i)"""
    assert (browser.run(lost), browser.run(doubled)) == ([], [])


@pytest.mark.parametrize("name", OURS)
def test_the_keyboard_skips_to_the_report_and_reaches_what_can_be_used(
    browser: Chromium, pages: Shelf, name: str
) -> None:
    browser.open(pages[name])
    first = browser.press()
    assert "skip" in str(first.get_attribute("class"))
    assert first.rect["x"] >= 0  # it can be seen
    browser.press(Keys.ENTER)
    assert browser.run("return location.hash") == "#main"
    reach = """return [...document.querySelectorAll("a[href], button, input, summary, .scroll")]
      .filter((e) => e.offsetParent !== null && e.tabIndex < 0).map((e) => e.outerHTML.slice(0, 80))"""
    assert browser.run(reach) == []
    following = browser.press()
    within = browser.run("return document.querySelector('main, footer').contains(arguments[0])", following)
    # Behind a report with nothing to use in it the page begins again.
    is_first = "skip" in str(following.get_attribute("class"))
    assert within or is_first or following.tag_name == "body"


def test_a_cell_of_the_heat_map_leaves_the_causes_behind_it(browser: Chromium, pages: Shelf) -> None:
    browser.open(pages["run huge"])
    everything = browser.rows()
    cells = browser.all(".heat td a")
    assert len(cells) > 10
    browser.click(cells[0])
    tags = browser.run(
        """return [...document.querySelectorAll("[data-row]:not([hidden])")].map((row) => row.dataset.tags)"""
    )
    assert 0 < len(tags) < everything
    words = browser.all(".filter input[type=search]")[0].get_attribute("value")
    assert [one for one in tags if not all(word in one for word in str(words).split())] == []


@pytest.mark.parametrize("name", WITH_ROWS)
def test_where_the_focus_is_can_be_seen(browser: Chromium, pages: Shelf, name: str) -> None:
    browser.open(pages[name])
    for _ in range(25):
        at = browser.press()
        ring = browser.run("return getComputedStyle(arguments[0]).outlineStyle", at)
        assert ring != "none", at.get_attribute("outerHTML")


@pytest.mark.parametrize("name", [name for name in WITH_ROWS if name in ("matrix", "run red")])
def test_a_text_is_copied_with_one_click(browser: Chromium, pages: Shelf, name: str) -> None:
    browser.open(pages[name])
    button = browser.all("[data-copy]")[0]
    label = button.text
    browser.run("arguments[0].closest('details') && (arguments[0].closest('details').open = true)", button)
    button.click()
    browser.until("return ['Copied', 'Selected'].includes(arguments[0].textContent)", button)
    browser.until("return arguments[0].textContent === arguments[1]", button, label)


def test_what_is_copied_is_the_text_itself_where_the_page_shows_pictures(browser: Chromium, pages: Shelf) -> None:
    browser.open(pages["compatibility"])
    [button] = browser.all("article:first-of-type details [data-copy]:not([data-copy=''])")[:1]
    browser.run(
        "for (let at = arguments[0]; at; at = at.parentElement) if (at.tagName === 'DETAILS') at.open = true", button
    )
    given = """window.given = ""; Object.defineProperty(navigator, "clipboard",
      {value: {writeText: (text) => { window.given = text; return Promise.resolve(); }}, configurable: true})"""
    browser.run(given)
    button.click()
    browser.until("return arguments[0].textContent === 'Copied'", button)
    assert browser.run("return window.given").endswith("'x\u200b')")
    assert "\u200b" not in browser.run("return document.body.textContent")
