"""A browser for the tests of this folder, and every page that there is.

Without Chromium, its driver or axe-core tests are skipped and say what is missing; `BROWSER_TESTS=required`, as tox
sets it, makes that a failure.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.browser.axe import axe_script
from tests.browser.chromium import Chromium, Unavailable, chromium
from tests.browser.pages import PAGES


def _without(why: Unavailable) -> None:
    if os.environ.get("BROWSER_TESTS") == "required":
        pytest.fail(str(why))
    pytest.skip(str(why))


@pytest.fixture(scope="session")
def browser() -> Iterator[Chromium]:
    try:
        with chromium() as found:
            yield found
    except Unavailable as e:
        _without(e)


@pytest.fixture(scope="session")
def axe() -> str:
    try:
        return axe_script()
    except Unavailable as e:
        _without(e)
        raise


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where pages lie as files; each is made when it is first asked for."""
    return tmp_path_factory.mktemp("pages")


class Shelf:
    """Pages as files, by their names in `PAGES`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def __getitem__(self, name: str) -> Path:
        path = self._folder / f"{name.replace(' ', '-')}.html"
        if not path.exists():
            path.write_text(PAGES[name](), encoding="utf-8")
        return path


@pytest.fixture(scope="session")
def pages(folder: Path) -> Shelf:
    return Shelf(folder)
