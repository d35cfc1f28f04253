"""Findings of axe-core, which npm brings: `tox run -e browser` fetches it and says where in `AXE_CORE`."""

from __future__ import annotations

import os
from pathlib import Path

from tests.browser.chromium import Chromium, Unavailable

__all__ = ["axe_script", "faults"]

_GRAVE = frozenset({"serious", "critical"})
_RUN = "return axe.run(document, {resultTypes: ['violations'], iframes: false}).then((found) => found.violations)"


def axe_script() -> str:
    """The text of axe-core. Raises `Unavailable`."""
    path = os.environ.get("AXE_CORE", "")
    if not path or not Path(path).is_file():
        raise Unavailable("axe-core is missing: npm install axe-core, and its axe.min.js in the variable AXE_CORE")
    return Path(path).read_text(encoding="utf-8")


def faults(browser: Chromium, script: str) -> list[str]:
    """What axe finds serious or critical on the page, as `color-contrast: what is wrong (element)`."""
    browser.run(script)
    return [
        f"{found['id']}: {node['failureSummary']} ({node['html'][:200]})"
        for found in browser.run(_RUN)
        if found["impact"] in _GRAVE
        for node in found["nodes"][:3]
    ]
