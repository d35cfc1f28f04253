"""What a reader made of the records of one case: a word, and the evidence for it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

__all__ = ["Reading", "Verdict", "worst"]


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
class Reading:
    """One case read: `column` and `effect` say what is wrong, `rule` by which rule of a model, where there is one."""

    case: str
    verdict: Verdict
    column: str = ""
    effect: str = ""
    rule: str = ""
    axes: Mapping[str, str] | None = None
    options: Mapping[str, str] | None = None


def worst(verdicts: Iterable[Verdict]) -> Verdict:
    """The worst of them; not tried where there is none that was."""
    order = list(Verdict)
    tried = [verdict for verdict in verdicts if verdict is not Verdict.NOT_TRIED]
    return min(tried, key=order.index) if tried else Verdict.NOT_TRIED
