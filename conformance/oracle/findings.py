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
    """A difference blamed on a requirement."""

    requirement: str
    path: str
    kind: Kind
    expected: Any
    got: Any
    fingerprint: str  # equal for the same cause in many cases, see `fingerprint`
    harm: Harm
    advisory: bool = False  # no stronger than a SHOULD, see `is_advisory`
    # The part of the answer that `path` begins in, if it has several: `records[1].messages[0]`, or `events[2]`.
    where: str = field(default="", compare=False)
    # `insert`, `update`, `delete` or the kind of the event there; empty if the answer has one event, or for no event.
    operation: str = field(default="", compare=False)


@dataclass(slots=True)
class Judgement:
    """The judgement of one answer: the ids of the evaluated requirements, and the findings."""

    evaluated: set[str] = field(default_factory=set)
    findings: list[Finding] = field(default_factory=list)


def is_advisory(role: Role, kind: Kind, harm: Harm) -> bool:
    """Whether a difference counts as a SHOULD at most: a wrong class of rejection, or leniency that keeps the data."""
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
