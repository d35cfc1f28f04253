"""What happened instead of an answer that could be judged, and the text by which it is one cause in every report."""

from __future__ import annotations

import re
from collections.abc import Mapping

from reports.renderer import Event

__all__ = ["BROKEN_OFF", "HAPPENED", "happened_of", "without_when"]

BROKEN_OFF = frozenset({"crash", "timeout", "protocol_error", "false_claim", "suite_error"})
"""Verdicts that come of what happened instead of an answer that could be judged."""

HAPPENED: Mapping[str, tuple[str, str]] = {
    "crash": ("crash", "crashes"),
    "timeout": ("time-out", "time-outs"),
    "protocol_error": ("malformed answer", "malformed answers"),
    "false_claim": ("false claim", "false claims"),
}
"""Verdict without an answer → what every report calls one, and many of them."""

_LISTED = frozenset({"xfail", "xfail_changed"})
"""Verdicts of a case that the baseline lists: what happened is in its fingerprint."""
_REQUEST = re.compile(r" \(request \d+\)")
_NUMBER = re.compile(r'(request |line (?=\d+ of its output)|"id\\?": ?)\d+')


def happened_of(verdict: Event) -> str:
    """`crash`, `timeout` and so on, of a case that the baseline lists too; empty where an answer was judged."""
    word = str(verdict["verdict"])
    if word in _LISTED and not verdict.get("findings"):
        word = "".join(map(str, verdict.get("fingerprints", ())[:1])).partition("@")[0]
    return word if word in BROKEN_OFF else ""


def without_when(message: str) -> str:
    """A message without the numbers of requests and lines: they say when it happened in a session, and not what."""
    return _NUMBER.sub(r"\1…", _REQUEST.sub("", message))
