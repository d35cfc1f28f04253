"""The addresses of the project's pages, for links in reports."""

from __future__ import annotations

import re

__all__ = ["HOME", "divergence_link", "web_link"]

HOME = "https://github.com/ticdc-conformance/ticdc-conformance"
_DOCS = "https://ticdc-conformance.github.io/ticdc-conformance"
_DIVERGENCE = re.compile(r"(?:DV|DBZ|UN)-[0-9][0-9A-Za-z.-]*", re.ASCII)
_WEB = re.compile(r"https?://[\w./%#?=&~+-]+", re.ASCII)


def divergence_link(name: str) -> str:
    """The entry of a divergence in docs/divergences; "" for a text that is not its id."""
    return f"{_DOCS}/divergences.html#{name.lower()}" if _DIVERGENCE.fullmatch(name) else ""


def web_link(text: str) -> str:
    """A safe address for a link; "" for any other text in somebody's record."""
    return text if _WEB.fullmatch(text) else ""
