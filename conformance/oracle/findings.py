"""The result of judging an answer: the requirements whose assertions ran, and the findings."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import Any

from conformance.cases.model import Role
from conformance.catalogue.harm import Harm
from conformance.oracle.tree import Kind

__all__ = ["Finding", "Judgement", "fingerprint", "is_advisory", "where_of"]


@dataclass(frozen=True, slots=True)
class Finding:
    """A requirement that an answer broke, and where. `fingerprint` is the same for the same cause.

    `where` is the part of an answer of several that `path` is in: `records[1].messages[0]`, or `events[2]`.
    `operation` is that of the event there, `insert`, `update` or `delete`, or its kind; empty where there is one event,
    or where the finding is about none of them.
    """

    requirement: str
    path: str
    kind: Kind
    expected: Any
    got: Any
    fingerprint: str
    harm: Harm
    advisory: bool = False  # no stronger than a SHOULD, see `is_advisory`
    where: str = field(default="", compare=False)
    operation: str = field(default="", compare=False)


@dataclass(slots=True)
class Judgement:
    """The judgement of one answer: ids of the requirements whose assertions ran, and the findings."""

    evaluated: set[str] = field(default_factory=set)
    findings: list[Finding] = field(default_factory=list)


def is_advisory(role: Role, kind: Kind, harm: Harm) -> bool:
    """Whether a difference is never a broken MUST: a rejection of the wrong class, and accepted malformed input."""
    return kind is Kind.CLASS or (kind is Kind.ACCEPTED and role == "decode" and not harm.is_data)


def fingerprint(requirement: str, skeleton: str, kind: Kind) -> str:
    """`kind@skeleton` with a short hash of both and the requirement: equal for one cause in many cases."""
    digest = hashlib.sha256(f"{requirement}|{skeleton}|{kind}".encode()).hexdigest()[:8]
    return f"{kind.replace(' ', '-')}@{skeleton}#{digest}"


def where_of(record: int, records: int, messages: int) -> list[str]:
    """The names of a record's messages in findings, as `records[1].messages[0]`; empty for a single one."""
    named = f"records[{record}]" if records > 1 else ""
    if messages == 1:
        return [named]
    return [".".join(filter(None, (named, f"messages[{i}]"))) for i in range(messages)]
