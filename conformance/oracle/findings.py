"""What judging an answer yields: the requirements whose assertions ran, and the findings."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import Any

from conformance.oracle.tree import Kind

__all__ = ["Finding", "Judgement", "fingerprint"]


@dataclass(frozen=True, slots=True)
class Finding:
    """A requirement that an answer broke, and where. `fingerprint` is the same for the same cause."""

    requirement: str
    path: str
    kind: Kind
    expected: Any
    got: Any
    fingerprint: str
    advisory: bool = False  # a rejection of the wrong class: a warning whatever the level


@dataclass(slots=True)
class Judgement:
    """What came of judging one answer: ids of the requirements whose assertions ran, and the findings."""

    evaluated: set[str] = field(default_factory=set)
    findings: list[Finding] = field(default_factory=list)


def fingerprint(requirement: str, skeleton: str, kind: Kind) -> str:
    """`kind@skeleton` with a short hash of both and the requirement: equal for one cause in many cases."""
    digest = hashlib.sha256(f"{requirement}|{skeleton}|{kind}".encode()).hexdigest()[:8]
    return f"{kind.replace(' ', '-')}@{skeleton}#{digest}"
