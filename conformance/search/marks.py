"""The marks by which a search tells failures apart: fingerprints of findings, or the end of a crash.

A crash has no finding. Its mark is the exit status or signal with the end of stderr, without the parts that vary
between cases and runs: numbers, addresses, quoted values, folders.
"""

from __future__ import annotations

import re
from collections.abc import Set

from conformance.engine.outcomes import Outcome
from conformance.engine.verdicts import Verdict

__all__ = ["MOST_CRASHES", "failure_marks"]

MOST_CRASHES = 8
"""The number of different crashes kept for a protocol and role."""

# Beginnings of the first line of a crash report with several lines.
_CRASH_REPORTS = ("panic: ", "fatal error: ", "Exception in thread ")

_LONGEST = 100
_VARYING = (
    (re.compile(r"""'[^']*'|"[^"]*"|`[^`]*`"""), "'…'"),
    (re.compile(r"(?:[A-Za-z]:)?(?:[\w.~-]*[/\\])+(?=\S)"), ""),
    (re.compile(r"0x[0-9a-fA-F]+|\b[0-9a-fA-F]{8,}\b|\d+"), "N"),
    (re.compile(r"\s+"), " "),
)


def _steady(text: str) -> str:
    """The text without its varying parts."""
    for varying, replacement in _VARYING:
        text = varying.sub(replacement, text)
    return text.strip()[:_LONGEST]


def _ending(message: str) -> str:
    """`exit status 3` or `killed by SIGSEGV`, from the message about a crash; else the message itself."""
    how = message.partition(" during ")[0]
    status = re.search(r"exit status -?\d+|killed by .+", how)
    return status[0] if status else _steady(how)


def _crash_line(stderr: str) -> str:
    """The first line of a crash report, or else the last line."""
    lines = [line for line in stderr.splitlines() if line.strip()]
    first = next((line for line in lines if line.startswith(_CRASH_REPORTS)), "")
    return _steady(first or (lines[-1] if lines else ""))


def failure_marks(outcome: Outcome, role: str, known: Set[str] = frozenset()) -> tuple[str, ...]:
    """The marks of a failure; empty for a new crash once `MOST_CRASHES` crashes are `known`."""
    if outcome.verdict is not Verdict.CRASH or outcome.found:
        return outcome.fingerprints(role)
    mark = ": ".join(part for part in (f"crash@{role}", _ending(outcome.message), _crash_line(outcome.stderr)) if part)
    crashes = sum(other.startswith(f"crash@{role}") for other in known)
    return () if mark not in known and crashes >= MOST_CRASHES else (mark,)
