"""The order in which reports show the findings of a case.

The worst difference comes first, and for each difference its most specific rule. Several rules may claim one
difference, such as "values are those of the row" and "BIT is a decimal number". The rule tables list the most specific
rule first, and its finding is shown first, even if a more general rule has a stronger level.
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


def in_order_of_showing(items: Iterable[T], finding_of: Callable[[T], Finding], rank: Callable[[T], Any]) -> list[T]:
    """`items` sorted by the differences of their findings, the worst first; those of one difference keep their order.

    A difference is a path and a kind. Its rank is the lowest `rank` of its items; the lowest rank is the worst.
    """
    unsorted = list(items)
    differences = [(finding_of(item).path, finding_of(item).kind) for item in unsorted]
    worst: dict[Any, Any] = {}
    first: dict[Any, int] = {}
    for i, (difference, item) in enumerate(zip(differences, unsorted, strict=True)):
        worst[difference] = min(worst.get(difference, rank(item)), rank(item))
        first.setdefault(difference, i)
    order = sorted(range(len(unsorted)), key=lambda i: (worst[differences[i]], first[differences[i]]))
    return [unsorted[i] for i in order]
