"""The form of values on a page: numbers with their separators, texts without invisible characters, ids as anchors."""

from __future__ import annotations

import base64
import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from markupsafe import Markup, escape

from reports.texts import counted, cut, printable, sentence, value_text, visible

__all__ = ["FILTERS", "anchor", "prose"]


_CODE = re.compile(r"`([^`]+)`")
_NO_ANCHOR = re.compile(r"[^A-Za-z0-9._-]+")


def anchor(*parts: object) -> str:
    """An id of an element, made from texts: letters, digits, dots and dashes; the same texts give the same id."""
    text = unicodedata.normalize("NFKD", "-".join(str(part) for part in parts if part not in ("", None)))
    return _NO_ANCHOR.sub("-", text).strip("-") or "here"


def prose(text: str) -> Markup:
    """A text of the suite or of a record, with code between back quotes, as markup."""
    return Markup(_CODE.sub(r"<code>\1</code>", str(escape(printable(text)))))  # escape before adding markup


_MOST_COPIED = 100_000  # characters: a page holds many texts


def hidden_copy(text: str) -> Markup:
    """The exact text for a copy button where the page shows another form: its UTF-8 as base64; else empty.

    For a very long text the button copies the shown form, which has its length.
    """
    if len(text) > _MOST_COPIED or printable(text) == text:
        return Markup("")
    return Markup(base64.b64encode(text.encode("utf-8", "surrogatepass")).decode())


def _percent(part: int, whole: int) -> str:
    """A share as people say it: never 0 % for some, never 100 % for not all."""
    if not whole:
        return "–"
    share = 100 * part / whole
    if 0 < share < 0.1:
        return "< 0.1 %"
    if 99.9 < share < 100:
        return "> 99.9 %"
    return f"{share:.1f} %".replace(".0 %", " %")


def _joined(texts: Sequence[str], last: str = "and") -> str:
    """`a`, `a and b`, `a, b and c`."""
    *others, end = texts
    return f"{', '.join(others)} {last} {end}" if others else end


FILTERS: Mapping[str, Callable[..., Any]] = {
    "anchor": anchor,
    "counted": counted,
    "cut": cut,
    "hidden_copy": hidden_copy,
    "joined": _joined,
    "number": "{:,}".format,
    "percent": _percent,
    "prose": prose,
    "sentence": sentence,
    "value": value_text,
    "visible": visible,
}
"""Filter of a template → function: `{{ 1830|number }}`, `{{ n|counted("case", "cases") }}`, `{{ got|value }}`."""
