"""The failures of a verdict: findings, each by requirement and fingerprint, or a crash in place of an answer."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from reports.renderer import Event
from reports.vocabulary import DATA, FROM_FINDINGS, LEVELS, NEVER_RUN, rank

__all__ = ["Failure", "FailureKey", "failures_of", "has_no_answer", "is_judged", "weight"]


class FailureKey(NamedTuple):
    """What two runs recognise a failure by."""

    requirement: str
    """Empty for a crash or the like."""
    fingerprint: str
    """For a crash or the like its message without numbers."""


_NOT_JUDGED = NEVER_RUN | {"suite_error"}
_NO_FAILURE = frozenset({"pass", "xpass"}) | _NOT_JUDGED
_WORDS = {"must": "fail", "should": "warn", "may": "may"}
_NUMBERS = re.compile(r"0x[0-9a-fA-F]+|\d+")


@dataclass(frozen=True, slots=True)
class Failure:
    """A failure of a case; `finding` is None if no answer was judged.

    A legal message that is refused, or ends in a crash or in silence, is lost to its reader.
    """

    key: FailureKey
    verdict: Event
    finding: Mapping[str, Any] | None = None

    @property
    def requirement(self) -> str:
        """The requirement broken; "" where no answer was judged."""
        return self.key.requirement

    @property
    def harm(self) -> str:
        """The harm of the failure; `lost` if no answer was judged."""
        return str(self.finding.get("harm") or "") if self.finding else "lost"

    @property
    def level(self) -> str:
        """How binding the broken rule is."""
        return str(self.finding["level"] if self.finding else self.verdict["level"])

    @property
    def word(self) -> str:
        """The name of the failure: known and flaky ones keep the verdict of the case."""
        verdict = str(self.verdict["verdict"])
        if self.finding is None:
            return verdict
        if verdict not in FROM_FINDINGS and self.level != "may":
            return verdict
        if self.level == "should" and self.harm in DATA and verdict == "fail":
            return "fail"
        return _WORDS.get(self.level, "fail")


def failures_of(verdict: Event) -> dict[FailureKey, Failure]:
    """The failures of a case by key; empty for one that passed, or was not judged."""
    found: dict[FailureKey, Failure] = {}
    if verdict["verdict"] in _NOT_JUDGED:
        return found
    for finding in verdict["findings"]:
        key = FailureKey(str(finding["requirement"]), str(finding["fingerprint"]))
        found.setdefault(key, Failure(key, verdict, finding))
    if not found and verdict["verdict"] not in _NO_FAILURE:
        # By the message: the baseline changes the fingerprint of a failure.
        lines = str(verdict.get("message") or "").splitlines()
        message = _NUMBERS.sub("#", lines[0]) if lines else "".join(map(str, verdict["fingerprints"]))
        key = FailureKey("", message)
        found[key] = Failure(key, verdict)
    return found


def is_judged(verdict: Event) -> bool:
    """Whether the case ran, without an error of the suite."""
    return verdict["verdict"] not in _NOT_JUDGED


def has_no_answer(failures: Mapping[FailureKey, Failure]) -> bool:
    """Whether a crash or the like took the place of an answer, and hides everything else."""
    return any(not key.requirement for key in failures)


def weight(harm: str, level: str, cases: int, name: str) -> tuple[bool, int, int, int, str]:
    """A key that sorts the worst first: by harm, by level, by number of cases. What breaks advice alone comes last."""
    return level == "may", rank(harm), LEVELS.index(level) if level in LEVELS else len(LEVELS), -cases, name
