"""The order in which a case's findings are shown: the worst difference first, and for each the most specific rule.

Several rules may claim one difference, as "values are those of the row" and "BIT is a decimal number" do. The rule
tables list the most specific one first. It is shown first, even if a more general one has a stronger level.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from conformance.oracle.findings import Finding

__all__ = ["headlines", "in_order_of_showing"]

T = TypeVar("T")


def headlines(findings: Iterable[Finding]) -> list[Finding]:
    """The first finding of each difference, by place, path and kind; reports show the others under it."""
    first: dict[tuple[str, str, str], Finding] = {}
    for finding in findings:
        first.setdefault((finding.where, finding.path, finding.kind), finding)
    return list(first.values())


def in_order_of_showing(found: Iterable[T], finding_of: Callable[[T], Finding], rank: Callable[[T], Any]) -> list[T]:
    """`found` sorted by difference, the worst first; findings of one difference keep the order of the rule tables.

    A difference is a path and a kind. The lowest `rank` of its findings, the worst, is that of the difference.
    """
    given = list(found)
    differences = [(finding_of(one).path, finding_of(one).kind) for one in given]
    worst: dict[Any, Any] = {}
    first: dict[Any, int] = {}
    for at, (difference, one) in enumerate(zip(differences, given, strict=True)):
        worst[difference] = min(worst.get(difference, rank(one)), rank(one))
        first.setdefault(difference, at)
    order = sorted(range(len(given)), key=lambda at: (worst[differences[at]], first[differences[at]]))
    return [given[at] for at in order]
