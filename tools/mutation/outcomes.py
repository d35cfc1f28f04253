"""What became of mutants, and the score: of those that are not called equivalent, the share that died."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from tools.mutation.sample import PACKAGES, Row

__all__ = ["Fate", "Outcome", "Score", "failures", "score", "tally"]

WANTED = 0.85
MOST_EQUIVALENT = 0.10
MOST_GONE = 0.10


class Outcome(StrEnum):
    """What became of a mutant."""

    KILLED = "killed"
    TIMEOUT = "timeout"
    SURVIVED = "survived"
    UNREACHED = "unreached"
    GONE = "gone"


DEAD = (Outcome.KILLED, Outcome.TIMEOUT)


@dataclass(frozen=True, slots=True)
class Fate:
    """A mutant's fate; `by` is the test that killed it, or how much was tried."""

    row: Row
    outcome: Outcome
    by: str = ""


@dataclass(frozen=True, slots=True)
class Score:
    """Numbers of mutants."""

    dead: int
    survived: int
    equivalent: int
    gone: int

    @property
    def value(self) -> float:
        """The share that died of those that could."""
        return self.dead / max(1, self.dead + self.survived)


def score(fates: Sequence[Fate]) -> Score:
    """The score of some mutants."""
    here = [fate for fate in fates if fate.outcome is not Outcome.GONE]
    told = [fate for fate in here if not fate.row.equivalent]
    dead = sum(fate.outcome in DEAD for fate in told)
    return Score(dead, len(told) - dead, len(here) - len(told), len(fates) - len(here))


def tally(fates: Sequence[Fate]) -> Iterator[str]:
    """The score of every package, and of all."""
    yield f"{'package':34} {'score':>6} {'dead':>5} {'survived':>9} {'equivalent':>11} {'gone':>5}"
    for package in (*PACKAGES, ""):
        of = [fate for fate in fates if not package or fate.row.package == package]
        if of:
            s = score(of)
            yield f"{package or 'all':34} {s.value:6.3f} {s.dead:5} {s.survived:9} {s.equivalent:11} {s.gone:5}"


def failures(fates: Sequence[Fate]) -> list[str]:
    """What is wrong with a whole sample."""
    s = score(fates)
    found = [
        f"{fate.row.id} is called equivalent, but {fate.by} kills it"
        for fate in fates
        if fate.row.equivalent and fate.outcome in DEAD
    ]
    if s.value < WANTED:
        found.append(f"the score is {s.value:.3f}, less than {WANTED}")
    if s.equivalent > MOST_EQUIVALENT * len(fates):
        found.append(f"{s.equivalent} of {len(fates)} are called equivalent, more than {MOST_EQUIVALENT:.0%}")
    if s.gone > MOST_GONE * len(fates):
        found.append(f"{s.gone} of {len(fates)} no longer apply: draw a new sample")
    return found
