"""The outcomes of TiCDC's historical defects, from the results of their mutants."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import TYPE_CHECKING

from conformance.catalogue.history import HistoricalDefect, Scope, load_history

if TYPE_CHECKING:
    from conformance.mutants.matrix import MutantResult

__all__ = ["DefectOutcome", "defect_outcomes", "defects_of"]


class DefectOutcome(StrEnum):
    """Whether the suite catches a historical defect."""

    KILLED = "killed"
    SURVIVED = "survived"
    NOT_EXPRESSIBLE = "not expressible"
    OUT = "out of scope"


_WITHOUT_MUTANTS: Mapping[Scope, DefectOutcome] = {
    Scope.NOT_EXPRESSIBLE: DefectOutcome.NOT_EXPRESSIBLE,
    Scope.OUT: DefectOutcome.OUT,
}


def defect_outcomes(results: Sequence[MutantResult]) -> list[tuple[HistoricalDefect, DefectOutcome]]:
    """The defects of the mutants, and those without mutants, in the order of the file.

    A defect is killed if all its mutants that ran are killed; a kill for another reason does not count.
    """
    from conformance.mutants.matrix import Outcome

    by_name = {result.mutant.name: result.outcome for result in results if result.outcome is not Outcome.NOT_RUN}
    outcomes = []
    for defect in load_history().values():
        of_mutants = {by_name[name] for name in defect.mutants if name in by_name}
        if defect.scope in _WITHOUT_MUTANTS:
            outcomes.append((defect, _WITHOUT_MUTANTS[defect.scope]))
        elif of_mutants:
            is_killed = of_mutants == {Outcome.KILLED}
            outcomes.append((defect, DefectOutcome.KILLED if is_killed else DefectOutcome.SURVIVED))
    return outcomes


def defects_of(mutant: str) -> list[HistoricalDefect]:
    """The defects that a mutant reproduces."""
    return [defect for defect in load_history().values() if mutant in defect.mutants]
