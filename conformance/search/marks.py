"""What tells one fault that a search finds from another: the fingerprints of findings; of a crash, how it ended.

A crash has no finding. It is told by its exit status or signal and by what was written to stderr in the end, without
what changes from case to case and from run to run: numbers, addresses, quoted values, the folders of files.
"""

from __future__ import annotations

import re
from collections.abc import Set

from conformance.engine.judging import Outcome
from conformance.engine.verdicts import Verdict

__all__ = ["MOST_CRASHES", "marks_of"]

MOST_CRASHES = 8
"""So many different crashes are kept of a protocol and role."""

# What a runtime says first when it breaks down, where more lines follow.
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
    """`exit status 3` or `killed by SIGSEGV` of the message about a crash; of a harness that broke, what it said."""
    what = message.partition(" during ")[0]
    status = re.search(r"exit status -?\d+|killed by .+", what)
    return status[0] if status else _steady(what)


def _last_words(stderr: str) -> str:
    lines = [line for line in stderr.splitlines() if line.strip()]
    first = next((line for line in lines if line.startswith(_BREAKDOWN)), "")
    return _steady(first or (lines[-1] if lines else ""))


def marks_of(outcome: Outcome, role: str, known: Set[str] = frozenset()) -> tuple[str, ...]:
    """What identifies the failure; nothing for a crash unlike the crashes `known`, where these are `MOST_CRASHES`."""
    if outcome.verdict is not Verdict.CRASH or outcome.found:
        return outcome.fingerprints(role)
    mark = ": ".join(part for part in (f"crash@{role}", _ending(outcome.message), _last_words(outcome.stderr)) if part)
    crashes = sum(other.startswith(f"crash@{role}") for other in known)
    return () if mark not in known and crashes >= MOST_CRASHES else (mark,)
