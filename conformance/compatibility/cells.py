"""The result of a reader for the records of one case: a word, and the evidence for it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from conformance.cases.model import Case

__all__ = ["Reading", "Trouble", "Verdict", "worst"]


class Verdict(StrEnum):
    """What a reader has of the rows, the worst first."""

    WRONG = "silently wrong"
    """The reader has another row, one too many or none, without an error."""
    REJECTED = "rejected"
    """The reader fails: a job stops, or a message is refused."""
    LOSSY = "lossy"
    """The reader has the rows, some values with fewer digits or in another spelling."""
    LOSSLESS = "lossless"
    """The reader has the original rows."""
    NOT_TRIED = "not tried"
    """The result is unknown: the reader has no format for the protocol, or its model leaves it open."""


@dataclass(frozen=True, slots=True)
class Trouble:
    """A difference in a row, or the reason why the row is unknown.

    `column` and its `type`, for a trouble of one column, with the original value and the one that was read (None for
    NULL, and for no value); `rule` is that of a model, if any.
    """

    verdict: Verdict
    effect: str
    column: str = ""
    type: str = ""
    rule: str = ""
    went_in: str | None = None
    read: str | None = None


@dataclass(frozen=True, slots=True)
class Reading:
    """The reading of one case, with all its troubles, the worst first.

    `types` has the result for each column type that was compared.
    """

    case: Case
    verdict: Verdict
    troubles: Sequence[Trouble] = ()
    types: Mapping[str, Verdict] = field(default_factory=dict)

    @property
    def effect(self) -> str:
        """The worst trouble in words; empty where there is none."""
        return self.troubles[0].effect if self.troubles else ""


def worst(verdicts: Iterable[Verdict]) -> Verdict:
    """The worst of several results; "not tried" if none was tried."""
    order = list(Verdict)
    tried = [verdict for verdict in verdicts if verdict is not Verdict.NOT_TRIED]
    return min(tried, key=order.index) if tried else Verdict.NOT_TRIED
