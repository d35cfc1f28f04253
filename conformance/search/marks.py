"""Distinguishes the faults that a search finds: by the fingerprints of findings, or by the end of a crash.

A crash has no finding. Its mark is the exit status or signal with the end of stderr, without parts that vary from case
to case and run to run: numbers, addresses, quoted values, the folders of files.
"""

from __future__ import annotations

import re
from collections.abc import Set

from conformance.engine.outcomes import Outcome
from conformance.engine.verdicts import Verdict

__all__ = ["MOST_CRASHES", "marks_of"]

MOST_CRASHES = 8
"""The number of different crashes kept for a protocol and role."""

# The first line of a runtime's crash report, where more lines follow.
_BREAKDOWN = ("panic: ", "fatal error: ", "Exception in thread ")

_LONGEST = 100
_CHANGING = (
    (re.compile(r"""'[^']*'|"[^"]*"|`[^`]*`"""), "'…'"),
    (re.compile(r"(?:[A-Za-z]:)?(?:[\w.~-]*[/\\])+(?=\S)"), ""),
    (re.compile(r"0x[0-9a-fA-F]+|\b[0-9a-fA-F]{8,}\b|\d+"), "N"),
    (re.compile(r"\s+"), " "),
)


def _steady(text: str) -> str:
    for changing, instead in _CHANGING:
        text = changing.sub(instead, text)
    return text.strip()[:_LONGEST]


def _ending(message: str) -> str:
    """`exit status 3` or `killed by SIGSEGV` from the message about a crash; the message of a harness that broke."""
    what = message.partition(" during ")[0]
    status = re.search(r"exit status -?\d+|killed by .+", what)
    return status[0] if status else _steady(what)


def _last_words(stderr: str) -> str:
    lines = [line for line in stderr.splitlines() if line.strip()]
    first = next((line for line in lines if line.startswith(_BREAKDOWN)), "")
    return _steady(first or (lines[-1] if lines else ""))


def marks_of(outcome: Outcome, role: str, known: Set[str] = frozenset()) -> tuple[str, ...]:
    """The mark of the failure; None for a new crash once `MOST_CRASHES` crashes are `known`."""
    if outcome.verdict is not Verdict.CRASH or outcome.found:
        return outcome.fingerprints(role)
    mark = ": ".join(part for part in (f"crash@{role}", _ending(outcome.message), _last_words(outcome.stderr)) if part)
    crashes = sum(other.startswith(f"crash@{role}") for other in known)
    return () if mark not in known and crashes >= MOST_CRASHES else (mark,)
