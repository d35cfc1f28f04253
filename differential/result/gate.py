"""Whether a comparison is green: what counts against it, and how much of that is tolerated."""

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
    """Differences of these statuses."""
    return lambda row: sum(row["classes"].values()) - row["ignored"] if row["status"] in statuses else 0


def _harms(*harms: Harm) -> Callable[[_Row], int]:
    """Everything that does such a harm, explained or not, a difference or the same in other words."""
    return lambda row: row["count"] - row["ignored"] if row["harm"] in harms else 0


FAIL_ON: Mapping[str, Callable[[_Row], int]] = {
    "lost": _harms(Harm.LOST),
    "changed": _harms(Harm.LOST, Harm.CHANGED),
    "unexplained": _differences(Status.UNEXPLAINED),
    "undocumented": _differences(Status.UNEXPLAINED, Status.UNDOCUMENTED),
    "any": _differences(*Status),
}
"""By the values of `--fail-on`, how much of a row of the divergences counts against a comparison."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What is tolerated.

    `fail_on` says what counts, `share` the part of all changes that it may be; differences of the classes `ignore`
    never count.
    """

    fail_on: str = "unexplained"
    share: float = 0.0
    ignore: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """As the summary has it."""
        return {"fail_on": self.fail_on, "max_share": self.share, "ignore": sorted(self.ignore)}


def exit_status(pairs: Iterable[_Row], counts: Counts, limits: Limits, statements: int = 0) -> int:
    """0 green, 1 red, 3 where the suite itself failed, 5 where neither a change nor a statement was compared.

    `pairs` are those of the summary.
    """
    if counts.suite_errors:
        return INTERNAL
    pairs = list(pairs)
    changes = sum(counts.changes.values())
    if not changes and not statements and not any(pair["differences"] for pair in pairs):
        return NOTHING
    counted = sum(FAIL_ON[limits.fail_on](row) for pair in pairs for row in pair["divergences"])
    return RED if counted > limits.share * max(changes, 1) else GREEN
