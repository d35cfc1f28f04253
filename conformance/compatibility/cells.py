"""What a reader made of the records of one case: a word, and the evidence for it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from conformance.cases.model import Case

__all__ = ["Reading", "Trouble", "Verdict", "worst"]


class Verdict(StrEnum):
    """What became of the rows, the worst first."""

    WRONG = "silently wrong"
    """The reader has another row, one too many or none, and says nothing."""
    REJECTED = "rejected"
    """The reader fails: a job stops, or a message is refused."""
    LOSSY = "lossy"
    """The reader has the rows, some values with fewer digits or another spelling than they went in with."""
    LOSSLESS = "lossless"
    """The reader has the rows that went in."""
    NOT_TRIED = "not tried"
    """Nothing says what becomes of them: the reader has no format for the protocol, or its model leaves it open."""


@dataclass(frozen=True, slots=True)
class Trouble:
    """What is wrong with a row, or why nothing is known of it.

    `column` and its `type`, where it is about one, with the value that went in and the one that was read (None for
    NULL, and where there is none); `rule` is the one of a model, where there is one.
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
    """One case read. `troubles` are all that was found, the worst first; `types` says what became of each column type

    that was compared.
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
    """The worst of them; not tried where there is none that was."""
    order = list(Verdict)
    tried = [verdict for verdict in verdicts if verdict is not Verdict.NOT_TRIED]
    return min(tried, key=order.index) if tried else Verdict.NOT_TRIED
