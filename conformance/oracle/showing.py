"""The order of a case's findings: the heaviest first, and at one path the most special rule.

Where several rules claim one difference, as "values are those of the row" and "BIT is a decimal number" do, the tables
have the most special one first. It is shown first, even where a more general one weighs more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from conformance.oracle.findings import Finding

__all__ = ["headlines", "in_order_of_showing"]

T = TypeVar("T")


def headlines(findings: Iterable[Finding]) -> list[Finding]:
    """The findings that are shown first at their places, in the order of the tables; the others stand under these."""
    first: dict[tuple[str, str, str], Finding] = {}
    for finding in findings:
        first.setdefault((finding.where, finding.path, finding.kind), finding)
    return list(first.values())


def in_order_of_showing(found: Iterable[T], finding_of: Callable[[T], Finding], rank: Callable[[T], Any]) -> list[T]:
    """`found`, in the order of the tables, sorted by the heaviest of each path; the heaviest has the lowest `rank`.

    Findings that share path and kind stay together, in order.
    """
    given = list(found)
    places = [(finding_of(one).path, finding_of(one).kind) for one in given]
    heaviest: dict[Any, Any] = {}
    first: dict[Any, int] = {}
    for at, (place, one) in enumerate(zip(places, given, strict=True)):
        heaviest[place] = min(heaviest.get(place, rank(one)), rank(one))
        first.setdefault(place, at)
    order = sorted(range(len(given)), key=lambda at: (heaviest[places[at]], first[places[at]]))
    return [given[at] for at in order]
