"""Chromium of the system, driven by Selenium: opens pages of reports as files and tells what they did and look like."""

from __future__ import annotations

import base64
import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from selenium.webdriver import Chrome, ChromeOptions
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.ui import WebDriverWait

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-default-apps"),
    *("--hide-scrollbars", "--force-device-scale-factor=1", "--lang=en"),
)
WIDE, NARROW = 1280, 400
"""Widths of a window, in CSS pixels."""
_PATIENCE = 20  # seconds that a page may take to reach a state; a bound of the test, no measure of the page
_UNHURRIED = 900  # seconds that axe-core may take for a huge page on a busy machine
_DRAWN = "return new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))"

# What a person may reach: elements whose box is inside the page, be it wider than the window.
_TOO_WIDE = """
const width = document.documentElement.clientWidth;
if (document.documentElement.scrollWidth <= width) return [];
const inside = (e) => { for (let at = e.parentElement; at; at = at.parentElement)
  if (![document.body, document.documentElement].includes(at) && getComputedStyle(at).overflowX !== "visible")
    return true;
  return false; };
return ["page is " + document.documentElement.scrollWidth + " wide in " + width,
  ...[...document.body.querySelectorAll("*")].filter((e) => e.getBoundingClientRect().right > width + 1 && !inside(e))
  .slice(0, 5).map((e) => e.tagName + "." + e.className + " " + e.textContent.slice(0, 60))];
"""


class Unavailable(Exception):
    """There is no Chromium, or no driver for it; the text says what to install."""


@dataclass(frozen=True, slots=True)
class Chromium:
    """A browser with one window. Every page is opened in a state of its own: wide, light, nothing typed."""

    driver: Chrome

    def open(
        self, page: Path, fragment: str = "", *, width: int = WIDE, dark: bool = False, prints: bool = False
    ) -> None:
        """Open a page as a file; what the page before wrote to the console and asked of the network is forgotten."""
        self.driver.get("about:blank")  # else a fragment alone would be no load
        self.look(width=width, dark=dark, prints=prints)
        self.driver.get_log("browser")
        self.driver.get_log("performance")
        self.driver.get(page.absolute().as_uri() + (f"#{fragment}" if fragment else ""))

    def look(self, *, width: int = WIDE, dark: bool = False, prints: bool = False) -> None:
        """Set the width of the window, the scheme of colours and the medium."""
        metrics = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        medium = {"media": "print" if prints else "screen", "features": [scheme]}
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", medium)

    def run(self, script: str, *arguments: Any) -> Any:
        """The value that a script in the page returns; a promise is waited for."""
        return self.driver.execute_script(script, *arguments)

    def drawn(self) -> None:
        """Wait until the page is drawn as it now is."""
        self.run(_DRAWN)

    def until(self, script: str, *arguments: Any) -> Any:
        """Wait until a script returns something true; that value. Raises `TimeoutException` where it never does."""
        return WebDriverWait(self.driver, _PATIENCE, 0.02).until(lambda _: self.run(script, *arguments))

    def all(self, selector: str) -> list[WebElement]:
        """The elements of a CSS selector."""
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def filter(self, words: str) -> int:
        """Type words into the filter; how many rows are shown then."""
        field = self.driver.find_element(By.CSS_SELECTOR, ".filter input[type=search]")
        field.send_keys(Keys.CONTROL, "a")
        field.send_keys(words or Keys.DELETE)
        self.until("return document.querySelector('.filter').dataset.words === arguments[0]", words)
        return self.rows()

    def rows(self) -> int:
        """How many rows the filter shows."""
        return int(self.run("return document.querySelectorAll('[data-row]:not([hidden])').length"))

    def click(self, element: WebElement) -> None:
        """Click on an element, as with a mouse: what it leads to is loaded, and drawn, then."""
        element.click()
        self.drawn()

    def press(self, key: str = Keys.TAB) -> WebElement:
        """Press a key where the focus is; the element that has the focus then."""
        self.driver.switch_to.active_element.send_keys(key)
        return self.driver.switch_to.active_element

    def complaints(self) -> list[str]:
        """What the console shows since the page was opened: errors, warnings, violations of the policy."""
        return [entry["message"] for entry in self.driver.get_log("browser") if entry["level"] != "DEBUG"]

    def requests(self) -> list[str]:
        """What was asked of the network, or of the disk, beside the page itself."""
        messages = (json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance"))
        asked = [m["params"] for m in messages if m["method"] == "Network.requestWillBeSent"]
        return [
            one["request"]["url"]
            for one in asked
            if one.get("type") != "Document" and not one["request"]["url"].startswith("data:")
        ]

    def too_wide(self) -> list[str]:
        """What makes the page wider than its window; empty where nothing does."""
        found: list[str] = self.run(_TOO_WIDE)
        return found

    def picture(self, path: Path, *, whole: bool = False) -> None:
        """Write a PNG of the window, or of the whole page."""
        more = {"captureBeyondViewport": True} if whole else {}
        if whole:
            size = self.driver.execute_cdp_cmd("Page.getLayoutMetrics", {})["cssContentSize"]
            more["clip"] = {**size, "height": min(size["height"], 12_000), "scale": 1}
        shot = self.driver.execute_cdp_cmd("Page.captureScreenshot", {"format": "png", **more})
        path.write_bytes(base64.b64decode(shot["data"]))


@contextmanager
def chromium() -> Iterator[Chromium]:
    """A headless Chromium with a profile of its own. Raises `Unavailable`."""
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    driver = shutil.which("chromedriver")
    if not browser or not driver:
        raise Unavailable("Chromium or its driver is missing: apt-get install -y chromium chromium-driver")
    options = ChromeOptions()
    options.binary_location = browser
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    with TemporaryDirectory(prefix="chromium-") as profile:
        for flag in (*FLAGS, f"--user-data-dir={profile}"):
            options.add_argument(flag)
        service = Service(driver, env={**os.environ, "TZ": "UTC"})
        driven = Chrome(options=options, service=service)
        driven.set_script_timeout(_UNHURRIED)
        driven.command_executor.client_config.timeout = _UNHURRIED + 30  # else Selenium itself waits for 120 alone
        try:
            yield Chromium(driven)
        finally:
            driven.quit()
