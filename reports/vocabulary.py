"""The verdicts, levels and harms of a record in the order of reports, and what follows from them alone."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from reports.renderer import Event

__all__ = [
    "DATA",
    "FAILURE_NAMES",
    "FROM_FINDINGS",
    "HARMS",
    "HARM_TEXTS",
    "LEVELS",
    "NEVER_RUN",
    "RED",
    "VERDICTS",
    "WITHOUT_ANSWER",
    "failure_without_answer",
    "rank",
    "without_numbers",
    "worst_harm",
]

VERDICTS = (
    *("pass", "fail", "warn", "crash", "timeout", "protocol_error", "false_claim", "xfail", "xfail_changed", "xpass"),
    *("flaky", "unsupported", "excluded", "not_run", "suite_error"),
)
"""Verdicts in the order of a sum."""

NEVER_RUN = frozenset({"unsupported", "excluded", "not_run"})
"""Verdicts of cases that were not put to the implementation."""

FROM_FINDINGS = frozenset({"fail", "warn", "pass"})
"""Verdicts that follow from the findings alone: no baseline, second attempt or crash has a part in them."""

RED = ("fail", "crash", "timeout", "protocol_error", "false_claim", "xfail_changed")
"""Verdicts that fail the gate `data`."""

FAILURE_NAMES: Mapping[str, tuple[str, str]] = {
    "crash": ("crash", "crashes"),
    "timeout": ("time-out", "time-outs"),
    "protocol_error": ("malformed answer", "malformed answers"),
    "false_claim": ("false claim", "false claims"),
}
"""Verdict of a failure in place of an answer → its singular and plural in every report."""

WITHOUT_ANSWER = frozenset({*FAILURE_NAMES, "suite_error"})
"""Verdicts of failures in place of an answer, and of errors of the suite."""

LEVELS = ("must", "should", "may")
"""Levels of requirements, the strongest first."""

HARM_TEXTS: Mapping[str, str] = {
    "lost": "a reader misses a value, row, event or the order",
    "changed": "a reader reads another value, operation, table or key",
    "schema": "a reader sees another type, name or nullability",
    "metadata": "a reader sees other times, positions or headers beside an equal row",
    "strictness": "a reader is given what should have been refused",
    "form": "a reader reads the same from other bytes",
}
"""Harm → what a reader of the messages notices; the worst first."""

HARMS = tuple(HARM_TEXTS)
DATA = frozenset({"lost", "changed"})
"""Harms to values, rows and events."""

_LISTED = frozenset({"xfail", "xfail_changed"})
"""Verdicts of a case in the baseline: its fingerprint names the fault."""
_REQUEST = re.compile(r" \(request \d+\)")
_NUMBER = re.compile(r'(request |line (?=\d+ of its output)|"id\\?": ?)\d+')
_ANSWER = re.compile(r"""(of its output: no answer to .*?): ['"].*""")


def rank(harm: str) -> int:
    """0 for the worst harm; unknown ones come last."""
    return HARMS.index(harm) if harm in HARMS else len(HARMS)


def failure_without_answer(verdict: Event) -> str:
    """One of `WITHOUT_ANSWER`, also for such a failure in the baseline; empty where an answer was judged."""
    word = str(verdict["verdict"])
    if word in _LISTED and not verdict.get("findings"):
        word = "".join(map(str, verdict.get("fingerprints", ())[:1])).partition("@")[0]
    return word if word in WITHOUT_ANSWER else ""


def worst_harm(findings: Iterable[Mapping[str, Any]], verdict: Event) -> str:
    """The worst harm of these findings of a verdict; if none has one, `lost` for a failure without an answer, else "".

    A legal message that is refused, or ends in a crash or in silence, is lost to its reader.
    """
    harms = [str(finding["harm"]) for finding in findings if finding.get("harm")]
    if harms:
        return min(harms, key=rank)
    return "lost" if failure_without_answer(verdict) in FAILURE_NAMES else ""


def without_numbers(message: str) -> str:
    """A message without what depends on the case or on the time in a session, and not on the fault.

    That are the numbers of requests and lines, and the text of an answer whose wrong member the message names.
    """
    return _NUMBER.sub(r"\1…", _REQUEST.sub("", _ANSWER.sub(r"\1", message)))
