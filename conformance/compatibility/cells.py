"""The result of a reader for the records of one case: a verdict, and the evidence for it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from conformance.cases.model import Case

__all__ = ["Fidelity", "Reading", "Trouble", "worst"]


class Fidelity(StrEnum):
    """How well a reader gets the rows; the worst first."""

    WRONG = "silently wrong"
    """The reader gets another row, a row too many or too few, without an error."""
    REJECTED = "rejected"
    """The reader fails: a job stops, or a message is refused."""
    LOSSY = "lossy"
    """The reader gets the rows, but some values with fewer digits or in another spelling."""
    LOSSLESS = "lossless"
    """The reader gets the original rows."""
    NOT_TRIED = "not tried"
    """The result is unknown: the reader has no format for the protocol, or its model leaves it open."""

    @property
    def rank(self) -> int:
        """0 for the worst."""
        return list(Fidelity).index(self)


@dataclass(frozen=True, slots=True)
class Trouble:
    """A difference in a row, or the reason why the row is unknown."""

    verdict: Fidelity
    effect: str
    """What the reader does, in words."""
    column: str = ""
    """The column, if it concerns one."""
    type: str = ""
    """The column's type."""
    rule: str = ""
    """The id of the model's rule, if one decides it."""
    went_in: str | None = None
    """The original value; None for NULL, and if there is none."""
    read: str | None = None
    """The value that was read; None likewise."""


@dataclass(frozen=True, slots=True)
class Reading:
    """The result of a reader for one case."""

    case: Case
    verdict: Fidelity
    troubles: Sequence[Trouble] = ()
    """The worst first."""
    types: Mapping[str, Fidelity] = field(default_factory=dict)
    """Column type → its worst result, for every type that was compared."""

    @property
    def effect(self) -> str:
        """The worst trouble in words; empty where there is none."""
        return self.troubles[0].effect if self.troubles else ""


def worst(verdicts: Iterable[Fidelity]) -> Fidelity:
    """The worst of several results; "not tried" if none was tried."""
    tried = [verdict for verdict in verdicts if verdict is not Fidelity.NOT_TRIED]
    return min(tried, key=lambda verdict: verdict.rank, default=Fidelity.NOT_TRIED)
