"""Decides whether a comparison is green: which differences count, and how many are tolerated."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from conformance.catalogue.harm import Harm
from differential.counts import Counts
from differential.model import Status

__all__ = ["FAIL_ON", "GREEN", "NOTHING", "RED", "Limits", "exit_status"]

GREEN, RED, INTERNAL, NOTHING = 0, 1, 3, 5

_Row: TypeAlias = Mapping[str, Any]


def _differences(*statuses: Status) -> Callable[[_Row], int]:
    """A function that counts the differences of these statuses."""
    return lambda row: sum(row["classes"].values()) - row["ignored"] if row["status"] in statuses else 0


def _harms(*harms: Harm) -> Callable[[_Row], int]:
    """A function that counts everything with these harms, explained or not."""
    return lambda row: row["count"] - row["ignored"] if row["harm"] in harms else 0


FAIL_ON: Mapping[str, Callable[[_Row], int]] = {
    "lost": _harms(Harm.LOST),
    "changed": _harms(Harm.LOST, Harm.CHANGED),
    "unexplained": _differences(Status.UNEXPLAINED),
    "undocumented": _differences(Status.UNEXPLAINED, Status.UNDOCUMENTED),
    "any": _differences(*Status),
}
"""By value of `--fail-on`, the function that counts what a row adds to the failures."""


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of a green comparison.

    `fail_on` says what counts as a failure, `share` which part of all changes may fail (0 to 1). Differences of the
    classes `ignore` never count.
    """

    fail_on: str = "unexplained"
    share: float = 0.0
    ignore: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """The limits in the form of the summary."""
        return {"fail_on": self.fail_on, "max_share": self.share, "ignore": sorted(self.ignore)}


def exit_status(pairs: Iterable[_Row], counts: Counts, limits: Limits, statements: int = 0) -> int:
    """The exit status: 0 green, 1 red, 3 the suite itself failed, 5 nothing was compared.

    `pairs` are those of the summary; `statements` is the number of statements compared.
    """
    if counts.suite_errors:
        return INTERNAL
    pairs = list(pairs)
    changes = sum(counts.changes.values())
    if not changes and not statements and not any(pair["differences"] for pair in pairs):
        return NOTHING
    counted = sum(FAIL_ON[limits.fail_on](row) for pair in pairs for row in pair["divergences"])
    return RED if counted > limits.share * max(changes, 1) else GREEN
