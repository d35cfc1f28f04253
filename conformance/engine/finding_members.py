"""The members of a finding in the run record: the requirement, the path, the oracle, and the affected consumers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from conformance.cases.model import CaseHead
from conformance.catalogue.harm import Harm
from conformance.catalogue.register import Requirement
from conformance.engine.outcomes import Found
from conformance.engine.shown import shown_values

if TYPE_CHECKING:
    from conformance.consumers.affected import AffectedConsumer

__all__ = ["finding_member", "later_member", "place_of"]


def finding_member(
    case: CaseHead, found: Found, requirement: Requirement, affected: Sequence[AffectedConsumer]
) -> dict[str, Any]:
    """A finding as JSON; `affected` are the consumers that read the answer differently from the right one."""
    finding = found.finding
    anchor = case.anchor_of(finding.requirement)
    expected, got = shown_values(finding.expected, finding.got)
    return {
        "requirement": finding.requirement,
        "level": found.level,
        "harm": found.harm,
        **later_member(requirement),
        "group": requirement.group,
        "rule": requirement.rule,
        "place": place_of(requirement),
        "fingerprint": finding.fingerprint,
        "kind": finding.kind,
        "path": finding.path,
        "where": finding.where,
        **({"operations": list(found.operations)} if found.operations else {}),
        "expected": expected,
        "got": got,
        "times": found.times,
        "oracle": {"anchor": anchor, "source": case.source if anchor is case.anchor else ""},
        # A difference of form affects no consumer. Every other finding has all consumers that the case affects.
        "affected": [] if found.harm is Harm.FORM else [suffering._asdict() for suffering in affected],
    }


def later_member(requirement: Requirement) -> dict[str, str]:
    """The member `later_than`: the suite version that scores, if it lacks the requirement; else no member."""
    return {"later_than": requirement.later_than} if requirement.later_than else {}


def place_of(requirement: Requirement) -> str:
    """Where a document or recordings state the requirement, or ""."""
    return str(requirement.source) if requirement.source is not None else ""
