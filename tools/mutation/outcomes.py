"""Results of mutants, and the score: the share that died of those not marked as equivalent."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from tools.mutation.sample import PACKAGES, Row

__all__ = ["Outcome", "Result", "Score", "failures", "score", "scores_by_package", "tally"]

MIN_SCORE = 0.85
MOST_EQUIVALENT = 0.10
MOST_GONE = 0.10


class Outcome(StrEnum):
    """The outcomes of a mutant."""

    KILLED = "killed"
    TIMEOUT = "timeout"
    SURVIVED = "survived"
    GONE = "gone"


DEAD = (Outcome.KILLED, Outcome.TIMEOUT)


@dataclass(frozen=True, slots=True)
class Result:
    """The result of a mutant; `by` is the test that killed it, or the amount of tests run."""

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


def score(results: Sequence[Result]) -> Score:
    """The score of some mutants."""
    here = [result for result in results if result.outcome is not Outcome.GONE]
    counted = [result for result in here if not result.row.equivalent]
    dead = sum(result.outcome in DEAD for result in counted)
    return Score(dead, len(counted) - dead, len(here) - len(counted), len(results) - len(here))


def scores_by_package(results: Sequence[Result]) -> Iterator[tuple[str, Score]]:
    """The score of every package that has results, and of all under the name ""."""
    for package in (*PACKAGES, ""):
        of_package = [result for result in results if not package or result.row.package == package]
        if of_package:
            yield package, score(of_package)


def tally(results: Sequence[Result]) -> Iterator[str]:
    """The lines of a table for the terminal: the score of every package, and of all."""
    yield f"{'package':34} {'score':>6} {'dead':>5} {'survived':>9} {'equivalent':>11} {'gone':>5}"
    for package, s in scores_by_package(results):
        yield f"{package or 'all':34} {s.value:6.3f} {s.dead:5} {s.survived:9} {s.equivalent:11} {s.gone:5}"


def failures(results: Sequence[Result]) -> list[str]:
    """The failures of a whole sample."""
    s = score(results)
    found = [
        f"{result.row.id} is called equivalent, but {result.by} kills it"
        for result in results
        if result.row.equivalent and result.outcome in DEAD
    ]
    if s.value < MIN_SCORE:
        found.append(f"the score is {s.value:.3f}, less than {MIN_SCORE}")
    if s.equivalent > MOST_EQUIVALENT * len(results):
        found.append(f"{s.equivalent} of {len(results)} are called equivalent, more than {MOST_EQUIVALENT:.0%}")
    if s.gone > MOST_GONE * len(results):
        found.append(f"{s.gone} of {len(results)} no longer apply: draw a new sample")
    return found
