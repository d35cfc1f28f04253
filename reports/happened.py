"""The failures in place of an answer, and the text by which equal ones are one cause in every report."""

from __future__ import annotations

import re
from collections.abc import Mapping

from reports.renderer import Event

__all__ = ["BROKEN_OFF", "HAPPENED", "happened_of", "without_when"]

BROKEN_OFF = frozenset({"crash", "timeout", "protocol_error", "false_claim", "suite_error"})
"""Verdicts of such failures, and of errors of the suite."""

HAPPENED: Mapping[str, tuple[str, str]] = {
    "crash": ("crash", "crashes"),
    "timeout": ("time-out", "time-outs"),
    "protocol_error": ("malformed answer", "malformed answers"),
    "false_claim": ("false claim", "false claims"),
}
"""Verdict without an answer → its singular and plural in every report."""

_LISTED = frozenset({"xfail", "xfail_changed"})
"""Verdicts of a case in the baseline: its fingerprint names the fault."""
_REQUEST = re.compile(r" \(request \d+\)")
_NUMBER = re.compile(r'(request |line (?=\d+ of its output)|"id\\?": ?)\d+')


def happened_of(verdict: Event) -> str:
    """`crash`, `timeout` and so on, for a case in the baseline, too; empty where an answer was judged."""
    word = str(verdict["verdict"])
    if word in _LISTED and not verdict.get("findings"):
        word = "".join(map(str, verdict.get("fingerprints", ())[:1])).partition("@")[0]
    return word if word in BROKEN_OFF else ""


def without_when(message: str) -> str:
    """A message without the numbers of requests and lines: they depend on the time in a session, not on the fault."""
    return _NUMBER.sub(r"\1…", _REQUEST.sub("", message))
